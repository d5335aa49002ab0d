#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/network/network.hpp"

namespace upsweep {

/// One entry per operator of a network, in its order.
using NetworkWeights = std::vector<OperatorWeights>;

/// Fills `values` of every conv2d and linear with He-normal numbers, times the mask where there is one.
///
/// Standard deviation sqrt(2 / fan_in), fan_in = inputs of one output. Source: He et al., "Delving Deep into
/// Rectifiers", 2015, Equation 10. One NormalStream per operator, by its name. Throws InputError when the machine's
/// memory is too small.
void fill_he_normal(const Network& network, std::uint64_t seed, NetworkWeights& weights);

}  // namespace upsweep
