#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// [C, H, W] → [out_channels, H', W']; weight [out_channels, C / groups, kernel.y, kernel.x].
///
/// Its Jacobian's rows are made from weighted_windows() in src/jacobian/jacobian_rows, as those of every Structure.
struct Conv2d {
  static constexpr OperatorTraits kTraits{"conv2d", Structure::window, JacobianNumbers::weights};

  std::uint64_t out_channels = 0;
  PerAxis kernel;
  PerAxis stride{1, 1};
  PerAxis padding{0, 0};
  PerAxis dilation{1, 1};
  std::uint64_t groups = 1;
  bool bias = true;

  static constexpr void settings(auto& self, auto& in) {
    in.input_size("in_channels");
    in.required("out_channels", self.out_channels);
    in.required("kernel", self.kernel);
    in.setting("stride", self.stride);
    in.setting("padding", self.padding, AtLeast{0});
    in.setting("dilation", self.dilation);
    in.setting("groups", self.groups);
    in.setting("bias", self.bias);
    in.only("padding_mode", "zeros", "other modes copy inputs into the padding, which is not modelled");
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape& in) const;
  [[nodiscard]] WeightedWindows weighted_windows(const Operator& op) const;
  /// Adds the convolution of `x` to `out`. The sums do not depend on the number of threads.
  void add_product(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                   std::span<double> out) const;
  /// Adds the gradient of the weight.
  void add_value_gradients(const Operator& op, const OperatorWeights& weights, std::span<const OperatorSample> samples,
                           std::span<double> gradient) const;
};

}  // namespace upsweep
