#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// What a combine must come to, from the patterns of its operands alone.
struct ExpectedOp {
  std::uint64_t nnz = 0;               ///< entries of the result; length of a vector
  std::uint64_t products = 0;          ///< matched pairs
  std::uint64_t structure_digest = 0;  ///< of the result; 0 for a vector
  double roundings = 0;                ///< on a path from an input to an entry of the result, at most
};

/// The expectations of a schedule over a chain, by combine id. Throws std::invalid_argument when they do not fit
/// together.
///
/// Roundings: 1 for each number of the chain, which is rounded to its type once, and those of forming it where it is a
/// block's (they are roundings to fp64, counted like the others); a product adds those of its operands,
/// one for the multiplication and one for each of the additions of its longest sum, in whatever order.
/// The products are counted by their definition, entry by entry, and not by multiply(), which plans and profiles rest
/// on; multiply() only carries a structure on to later products, once it has proved equal. Throws std::logic_error
/// where it has not. Cost: about a nanosecond per matched pair; a structure is kept until its last use.
[[nodiscard]] std::vector<ExpectedOp> expected_ops(const Schedule& schedule, const JacobianChain& chain);

/// Roundings on the longest path of plain back-propagation, operator by operator: those of the oracle. A block counts
/// with the roundings of its plan: the oracle meets the same operators and sums in another order.
[[nodiscard]] double direct_roundings(const JacobianChain& chain);

}  // namespace upsweep
