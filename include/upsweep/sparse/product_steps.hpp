#pragma once

#include <algorithm>
#include <cstdint>

#include "upsweep/base/checked.hpp"
#include "upsweep/sparse/product.hpp"
#include "upsweep/sparse/runs.hpp"

namespace upsweep {

/// Matched pairs of a row of X.
struct MatchedPairs {
  std::uint64_t all = 0;
  std::uint64_t at_runs = 0;  ///< those with rows of Y that are runs, see is_run()

  MatchedPairs& operator+=(const MatchedPairs& more) {
    all += more.all;
    at_runs += more.at_runs;
    return *this;
  }
};

/// Steps of nonempty rows of X, `uses` equal ones at each of `count` places, as they stand in a plan.
class TeamSteps {
 public:
  explicit TeamSteps(std::uint64_t uses, std::uint64_t count = 1)
      : alone_(uses == 1), teams_(checked_mul(count, (uses + kTeamRows - 1) / kTeamRows)) {}

  void add_vector(std::uint64_t entries, ProductSteps& steps) const {
    add_to(steps.teams, teams_);
    add_to(alone_ ? steps.single_steps : steps.team_steps, checked_mul(entries, teams_));
  }
  void add_product(std::uint64_t entries, const MatchedPairs& matched, bool walks, ProductSteps& steps) const {
    add_to(steps.teams, teams_);
    const std::uint64_t pairs = checked_mul(matched.all, teams_);
    if (!walks) {
      add_to(alone_ ? steps.single_hops : steps.team_hops, pairs);
      return;
    }
    add_to(steps.passes, checked_mul(entries, teams_));
    add_to(alone_ ? steps.single_steps : steps.team_steps, pairs);
    add_to(alone_ ? steps.single_run_steps : steps.team_run_steps, matched.at_runs * teams_);
  }
  /// Where every row of Y has `cols` entries, sums included.
  void add_full(std::uint64_t entries, std::uint64_t cols, ProductSteps& steps) const {
    const std::uint64_t pairs = checked_mul(entries, cols);
    add_product(entries, {pairs, cols > kShortRun ? pairs : 0}, cols > 1, steps);
    add_sums(cols, steps);
  }
  void add_sums(std::uint64_t results, ProductSteps& steps) const {
    add_to(alone_ ? steps.single_sums : steps.team_sums, checked_mul(results, teams_));
  }

 private:
  bool alone_;
  std::uint64_t teams_;
};

/// The counts of some rows of a product.
struct RowCounts {
  ProductSteps steps = {};
  ProductSteps vector_steps = {};
  std::uint64_t products = 0;
  std::uint64_t nnz = 0;
  std::uint64_t max_row_nnz = 0;

  /// Counts rows of X, `uses` equal ones at each of `places` places: of `entries` entries, `pairs` matched pairs and
  /// `results` entries of C each.
  void count(std::uint64_t entries, const MatchedPairs& pairs, std::uint64_t results, std::uint64_t uses, bool walks,
             std::uint64_t places = 1) {
    const std::uint64_t rows = uses * places;
    add_to(products, checked_mul(pairs.all, rows));
    nnz += results * rows;
    max_row_nnz = std::max(max_row_nnz, results);
    const TeamSteps row(uses, places);
    if (entries > 0) row.add_product(entries, pairs, walks, steps);
    if (entries > 0) row.add_sums(results, steps);
    if (results > 0) row.add_vector(results, vector_steps);
  }

  void add_into(Product& product) const {
    add_to(product.products, products);
    product.nnz += nnz;
    product.max_row_nnz = std::max(product.max_row_nnz, max_row_nnz);
    add_to(product.steps, steps);
    add_to(product.vector_steps, vector_steps);
  }
};

}  // namespace upsweep
