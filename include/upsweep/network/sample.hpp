#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace upsweep {

/// Concrete inputs of a network.
struct SampleInputs {
  std::size_t count = 0;
  std::size_t length = 0;      ///< elements of one input
  std::vector<double> values;  ///< length count · length, one input after the other

  /// Input i < count.
  [[nodiscard]] std::span<const double> at(std::size_t i) const {
    return std::span(values).subspan(i * length, length);
  }
};

}  // namespace upsweep
