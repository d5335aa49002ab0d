#pragma once

#include <cstdint>

#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/homogeneous.hpp"

namespace upsweep {

/// A homogeneous chain, element by element, for what closed forms are compared with. The entries of a uniform chain are
/// drawn from `seed`, the same on every machine; the other kinds do not need it.
///
/// Equal elements share a pattern. Rows with the same columns are stored once in dense and banded patterns, as
/// homogeneous_op() counts them; those of a uniform chain are rows of their own.
/// Throws like homogeneous_reference(); std::invalid_argument where the different patterns would have more than 2^31
/// places for entries together, or the chain more than 2^31 elements. Cost: O(size² · different patterns + elements).
[[nodiscard]] JacobianChain explicit_chain(const HomogeneousChain& chain, std::uint64_t seed);

}  // namespace upsweep
