#pragma once

#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Throws std::invalid_argument where a schedule and a chain have different lengths, or neighbours of the chain do not
/// fit together.
void require_fitting(const Schedule& schedule, const JacobianChain& chain);

/// The same, and where the chain has other numbers than its structure has entries; names the position and both sizes.
template <class T>
void require_fitting(const Schedule& schedule, const NumericChain<T>& chain);

}  // namespace upsweep
