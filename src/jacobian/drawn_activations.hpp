#pragma once

#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/sample.hpp"

namespace upsweep {

/// What operators might give, for patterns alone.
struct DrawnActivations {
  std::vector<double> input;                 ///< of the network
  std::vector<std::vector<double>> outputs;  ///< by operator
};

/// Draws activations number `i`: standard normal numbers from the sample's seed, of which, before a ReLU, as many are
/// positive as its density says, rounded to whole elements. Pools choose among what the ReLU before them gives.
[[nodiscard]] DrawnActivations drawn_activations(const Network& network, const SampleInputs& sample, std::size_t i);

}  // namespace upsweep
