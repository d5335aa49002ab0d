#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/backend/layout.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// How the numbers of a combine's product later × earlier = X·Y are computed once its structure is known.
enum class ProductForm : std::uint8_t {
  vector,          ///< Y is the dense gradient
  scale_rows,      ///< X has at most one entry per row: a row of C is a multiple of a row of Y, with its columns
  scale_columns,   ///< Y is a full diagonal: C has the structure of X
  single_columns,  ///< Y has at most one entry per row
  general,         ///< rows of Y are added up per row (or team) of X
};

/// One combine, planned.
struct PlannedOp {
  ProductForm form = ProductForm::vector;
  ValueId earlier = 0;  ///< Y
  ValueId later = 0;    ///< X
  ValueId target = 0;   ///< C
  std::uint32_t level = 0;
  std::uint64_t products = 0;  ///< multiplications that execution does, added up over the layouts
};

/// Everything about a schedule over a chain that does not depend on numbers; made once, executed many times.
///
/// Its size is that of the structure of the values: no list of matched index pairs is kept, since products outnumber
/// entries by orders of magnitude.
struct SchedulePlan {
  std::vector<std::uint64_t> length;                   ///< by value: numbers to store; nnz, or elements of a vector
  std::vector<std::shared_ptr<const Layout>> layouts;  ///< by value; null for vectors and what is never read
  std::vector<PlannedOp> ops;                          ///< by combine id
  std::uint64_t bytes = 0;                             ///< memory of the layouts and their lists
};

/// Plans a schedule. Throws std::invalid_argument when the lengths differ or shapes do not fit.
/// Cost: that of multiply() for every matrix product.
[[nodiscard]] SchedulePlan plan_schedule(const Schedule& schedule, const JacobianChain& chain);

/// A 64-bit digest of shape and structure, the same for equal patterns whatever they are stored like.
///
/// Not cryptographic: it guards against mistakes. Rows enter by a polynomial hash of their columns.
class StructureDigest {
 public:
  StructureDigest(std::uint64_t rows, std::uint64_t cols);
  /// Adds the next row: its columns, ascending.
  void row(std::span<const Index> columns);
  [[nodiscard]] std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_;
};

[[nodiscard]] std::uint64_t structure_digest(const Pattern& pattern);
[[nodiscard]] std::uint64_t structure_digest(const Layout& layout);

}  // namespace upsweep
