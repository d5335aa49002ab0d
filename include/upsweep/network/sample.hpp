#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep {

/// Concrete inputs of a network, or drawn patterns for as many.
struct SampleInputs {
  std::size_t count = 0;
  std::size_t length = 0;      ///< elements of one input
  std::vector<double> values;  ///< length count · length, one input after the other; empty where patterns are drawn
  /// By operator, of a relu: the share of its outputs that is not 0, by which patterns are drawn; of others negative.
  std::vector<double> densities = {};
  std::uint64_t seed = 0;  ///< of what is drawn

  [[nodiscard]] bool is_drawn() const { return !densities.empty(); }

  /// Input i < count.
  [[nodiscard]] std::span<const double> at(std::size_t i) const {
    return std::span(values).subspan(i * length, length);
  }
};

}  // namespace upsweep
