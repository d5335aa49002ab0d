#pragma once

#include <cmath>

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// Evaluation mode: a scale and a shift per channel of [C, H, W].
struct BatchNorm2d {
  static constexpr OperatorTraits kTraits{"batchnorm2d", Structure::elementwise, JacobianNumbers::weights};

  double eps = 1e-5;
  bool affine = true;

  static constexpr void settings(auto& self, auto& in) {
    in.input_size("num_features");
    in.setting("eps", self.eps, Between{.least = 0});
    in.setting("affine", self.affine);
    in.ignored("momentum", 0.1);  // of training only
    in.only("track_running_stats", "true", "batch statistics would make the Jacobian dense, which is not modelled");
  }
  [[nodiscard]] Shape shape(const Shape& in) const {
    require_image(in);
    return in;
  }
  [[nodiscard]] OperatorParameters parameters(const Shape& in) const {
    const std::uint64_t learned = affine ? in[0] : 0;
    return {.scales = learned, .biases = learned, .statistics = in[0], .variance_shift = eps};
  }
  [[nodiscard]] double value(const OperatorWeights& weights, std::size_t channel, double x) const {
    const double mean = weights.running_mean.empty() ? 0 : weights.running_mean[channel];
    const double shift = weights.bias.empty() ? 0 : weights.bias[channel];
    return (x - mean) * slope(weights, channel, x) + shift;
  }
  [[nodiscard]] double slope(const OperatorWeights& weights, std::size_t channel, double) const {
    const double scale = weights.values.empty() ? 1 : weights.values[channel];
    return scale / deviation(weights, channel);
  }
  /// Adds the gradient of the scales. Source: the definition, y = (x - mean) / sqrt(var + eps) · scale + shift.
  void add_value_gradients(const Operator&, const OperatorWeights& weights, std::span<const OperatorSample> samples,
                           std::span<double> gradient) const {
    for (const OperatorSample& sample : samples) {
      const std::size_t plane = sample.input.size() / gradient.size();
      for (std::size_t c = 0; c < gradient.size(); ++c) {
        const double mean = weights.running_mean.empty() ? 0 : weights.running_mean[c];
        double sum = 0;
        for (std::size_t i = c * plane; i < (c + 1) * plane; ++i) sum += sample.upstream[i] * (sample.input[i] - mean);
        gradient[c] += sum / deviation(weights, c);
      }
    }
  }

 private:
  [[nodiscard]] double deviation(const OperatorWeights& weights, std::size_t channel) const {
    return std::sqrt((weights.running_var.empty() ? 1 : weights.running_var[channel]) + eps);
  }
};

}  // namespace upsweep
