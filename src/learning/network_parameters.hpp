#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/learning/network_gradients.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Calls visit(array) for the parameters of a network, operator by operator: weights or scales, then biases.
template <class Weights, class Visit>
void for_each_parameter_array(const Network& network, Weights& weights, const Visit& visit) {
  for (std::size_t o = 0; o < weights.size(); ++o) {
    if (!has_parameters(network.operators()[o])) continue;
    visit(weights[o].values);
    if (!weights[o].bias.empty()) visit(weights[o].bias);
  }
}

/// The parameters of a network in the type that they are trained in, float or double.
template <class T>
class Parameters {
 public:
  /// Writes out what `weights` leaves at its default, and rounds all parameters in it to T.
  Parameters(const Network& network, NetworkWeights& weights) {
    write_out_parameters(network, weights);
    for_each_parameter_array(network, weights, [&](const std::vector<double>& array) {
      arrays_.emplace_back();
      for (const double number : array) arrays_.back().push_back(static_cast<T>(number));
    });
    store(network, weights);
  }

  /// Copies the parameters to the weights that they came from.
  void store(const Network& network, NetworkWeights& weights) const {
    std::size_t next = 0;
    for_each_parameter_array(network, weights, [&](std::vector<double>& array) {
      array.assign(arrays_[next].begin(), arrays_[next].end());
      ++next;
    });
  }

  [[nodiscard]] std::vector<std::size_t> lengths() const {
    std::vector<std::size_t> lengths;
    for (const std::vector<T>& array : arrays_) lengths.push_back(array.size());
    return lengths;
  }

  [[nodiscard]] std::vector<std::span<T>> arrays() {
    std::vector<std::span<T>> spans;
    for (std::vector<T>& array : arrays_) spans.emplace_back(array);
    return spans;
  }

 private:
  std::vector<std::vector<T>> arrays_;
};

}  // namespace upsweep
