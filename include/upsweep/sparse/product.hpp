#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "upsweep/base/work_meter.hpp"
#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// What multiply() hands back besides the counts.
enum class Keep {
  counts,     ///< numbers only: nothing needs the structure of the result
  structure,  ///< the pattern of the result too
};

/// Rows of X with equal columns that one pass over the rows of Y may serve.
inline constexpr std::uint64_t kTeamRows = 4;

/// How a product's work splits up once its structure is known; what the time of a planned product depends on.
///
/// Rows of X that share their columns (see Pattern::row_number) form teams of up to kTeamRows rows; a team reads the
/// structure of its operands once. FLOPs do not change by this.
struct ProductSteps {
  std::uint64_t teams = 0;             ///< teams of X; its nonempty rows where the product scales
  std::uint64_t scaled_columns = 0;    ///< entries of C where Y is a diagonal: X, its columns scaled
  std::uint64_t scaled_rows = 0;       ///< entries of C where X has at most one entry per row: rows of Y, scaled
  std::uint64_t single_hops = 0;       ///< matched pairs of rows that are alone, where no row of Y has two entries
  std::uint64_t team_hops = 0;         ///< the same of the other rows, once per team
  std::uint64_t passes = 0;            ///< rows of Y that are walked, once per team, where some have several entries
  std::uint64_t single_steps = 0;      ///< matched pairs of rows that are alone, in such walks; entries met by a vector
  std::uint64_t team_steps = 0;        ///< the same of the other rows, once per team
  std::uint64_t single_sums = 0;       ///< entries of C that were added up, in rows that are alone
  std::uint64_t team_sums = 0;         ///< the same of the other rows, once per team
  std::uint64_t single_run_steps = 0;  ///< of single_steps, those at rows of Y that are runs: see is_run()
  std::uint64_t team_run_steps = 0;    ///< of team_steps, likewise

  /// Entries of C that are one product each, in the order of an operand.
  [[nodiscard]] std::uint64_t scaled() const { return scaled_columns + scaled_rows; }

  friend bool operator==(const ProductSteps&, const ProductSteps&) = default;
};

/// All counts of ProductSteps, for what treats them alike.
inline constexpr std::array kStepCounts = {
    &ProductSteps::teams,        &ProductSteps::scaled_columns,   &ProductSteps::scaled_rows,
    &ProductSteps::single_hops,  &ProductSteps::team_hops,        &ProductSteps::passes,
    &ProductSteps::single_steps, &ProductSteps::team_steps,       &ProductSteps::single_sums,
    &ProductSteps::team_sums,    &ProductSteps::single_run_steps, &ProductSteps::team_run_steps};

/// Adds up, count by count. Throws CountOverflow.
void add_to(ProductSteps& sum, const ProductSteps& steps);

/// The symbolic product C = X·Y of two patterns.
struct Product {
  std::uint64_t products = 0;              ///< Σ_k nnz(X[:,k]) · nnz(Y[k,:]): matched index pairs
  std::uint64_t nnz = 0;                   ///< entries of C; structural, no numerical cancellation
  std::uint64_t max_row_nnz = 0;           ///< the most entries in a row of C
  ProductSteps steps;                      ///< the same work as a plan executes it
  ProductSteps vector_steps;               ///< steps_with_dense_vector() of C
  std::shared_ptr<const Pattern> pattern;  ///< C, or null under Keep::counts
};

/// The counting rule: every matched pair of entries costs one multiply and one add.
///
/// Source: the artifact of BPPSA counts the same; see docs/counting-rule.md. Throws CountOverflow.
[[nodiscard]] std::uint64_t flops_of_products(std::uint64_t products);

/// Matched pairs of X times a dense vector: nnz(X).
[[nodiscard]] std::uint64_t products_with_dense_vector(const Pattern& x);

/// Steps of X times a dense vector: teams, single_steps and team_steps.
[[nodiscard]] ProductSteps steps_with_dense_vector(const Pattern& x);

/// Steps of X·Y where Y has `cols` entries in every row; all of multiply(), sums too.
[[nodiscard]] ProductSteps steps_with_full(const Pattern& x, std::uint64_t cols);

/// What X times a dense vector depends on, once the pattern itself is gone.
struct VectorCounts {
  std::uint64_t rows = 0;  ///< of X
  std::uint64_t cols = 0;
  std::uint64_t nnz = 0;
  std::uint64_t max_row_nnz = 0;
  ProductSteps steps;  ///< steps_with_dense_vector()
};
[[nodiscard]] VectorCounts vector_counts(const Pattern& x);

/// Span of X·Y in FLOPs: the depth of its arithmetic, were there a scalar processor for every operation. A
/// multiplication, then a tree of additions over at most `max_row_nnz` pairs, the most entries in a row of X; never
/// more than its FLOPs, where few of those entries meet one of Y. Source: docs/counting-rule.md.
[[nodiscard]] std::uint64_t product_span(std::uint64_t products, std::uint64_t max_row_nnz);

/// The same of additions alone, of at most `summands` numbers each.
[[nodiscard]] std::uint64_t additions_span(std::uint64_t flops, std::uint64_t summands);

/// Matched pairs and steps of X·Y, without the sums.
struct ProductCounts {
  std::uint64_t products = 0;
  std::uint64_t max_row_nnz = 0;  ///< the most entries in a row of X
  ProductSteps steps;
};

/// The counts of X·Y without its structure. Shapes: cols(X) = rows(Y), else std::invalid_argument.
///
/// Rows of classes that do not fit those of the other factor are written out; with `meter` these are steps of it, begun
/// only where it leaves as many. Throws what the meter throws; WorkLimitReached, OutOfRoom. Cost: one look-up per entry
/// of the distinct rows of X.
[[nodiscard]] ProductCounts count_products(const Pattern& x, const Pattern& y, WorkMeter* meter = nullptr);

/// Structure and counts of C = X·Y, on the threads of parallel_chunks().
///
/// Shapes: (m × k)·(k × n) → (m × n); throws std::invalid_argument when the inner sizes differ. Equal rows of X are
/// multiplied once; a product with a diagonal, or with at most one entry per row of X, shares the rows of Y. Every
/// other row chooses how to collect its columns by its number of matched pairs: sort, hash table, byte map or bitmap;
/// the last stops when the row is full. Cost: at most the number of matched pairs. The result does not depend on the
/// threads. `meter`, where given, counts the steps: matched pairs of rows that are no equals or shifts of each other,
/// 64 of them at once where columns are kept as bits. A product that some of its rows, looked at before, tell to take
/// more is not begun. Throws what `meter` throws; OutOfRoom where there is no memory for the rows.
[[nodiscard]] Product multiply(const std::shared_ptr<const Pattern>& x, const std::shared_ptr<const Pattern>& y,
                               Keep keep, WorkMeter* meter = nullptr);

}  // namespace upsweep
