#pragma once

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// [C, H, W] → [out_channels, H', W']; weight [out_channels, C / groups, kernel.y, kernel.x], in files with
/// the first two axes the other way round, as PyTorch stores it. Input y meets output y · stride - padding + k ·
/// dilation by kernel position k.
struct ConvTranspose2d {
  static constexpr OperatorTraits kTraits{"conv_transpose2d", Structure::window, JacobianNumbers::weights};

  std::uint64_t out_channels = 0;
  PerAxis kernel;
  PerAxis stride{1, 1};
  PerAxis padding{0, 0};
  PerAxis output_padding{0, 0};
  PerAxis dilation{1, 1};
  std::uint64_t groups = 1;
  bool bias = true;

  static constexpr void settings(auto& self, auto& in) {
    in.input_size("in_channels");
    in.required("out_channels", self.out_channels);
    in.required("kernel", self.kernel);
    in.setting("stride", self.stride);
    in.setting("padding", self.padding, AtLeast{0});
    in.setting("output_padding", self.output_padding, AtLeast{0});
    in.setting("dilation", self.dilation);
    in.setting("groups", self.groups);
    in.setting("bias", self.bias);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape& in) const;
  /// Place of every weight in an array as PyTorch and ONNX store it, [C, out_channels / groups, kernel.y, kernel.x].
  [[nodiscard]] std::vector<std::uint32_t> stored_order(std::uint64_t in_channels) const;
  [[nodiscard]] WeightedWindows weighted_windows(const Operator& op) const;
  /// Adds the transposed convolution of `x` to `out`.
  void add_product(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                   std::span<double> out) const;
  /// Adds the gradient of the weight.
  void add_value_gradients(const Operator& op, const OperatorWeights& weights, std::span<const OperatorSample> samples,
                           std::span<double> gradient) const;
};

}  // namespace upsweep
