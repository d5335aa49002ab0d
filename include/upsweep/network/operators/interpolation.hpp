#pragma once

#include <utility>

#include "upsweep/network/structure.hpp"

namespace upsweep {

/// What is laid through the inputs around a place: a tent of two, or a cubic of four.
enum class InterpolationMode : std::uint8_t { linear, cubic };

/// Which place of the input output x stands for; s is the scale.
enum class SamplePlace : std::uint8_t {
  half_pixel,            ///< (x + 1/2) / s - 1/2
  half_pixel_symmetric,  ///< the same from the middle, where the output is no multiple of the scale
  pytorch_half_pixel,    ///< half_pixel, 0 where there is one output
  align_corners,         ///< x · (inputs - 1) / (outputs - 1)
  asymmetric             ///< x / s
};

/// The place among `in` inputs that output x of `out` stands for. A scale of 0 is out / in.
[[nodiscard]] double sample_place(SamplePlace place, std::uint64_t in, std::uint64_t out, double scale,
                                  std::uint64_t x);

/// [C, H, W] → [C, output_size.y, output_size.x]: every output is a fixed combination of the inputs around a place.
/// A scale of 0 is outputs / inputs. Inputs beyond the border are those at it, or, with `exclude_outside`, left out.
/// With `antialias` the tent or cubic is as wide as an output where there are fewer of these than inputs.
/// Source: the ONNX specification of Resize; Keys, "Cubic convolution interpolation", 1981.
struct Interpolation {
  static constexpr OperatorTraits kTraits{"interpolation", Structure::window, JacobianNumbers::fixed};

  PerAxis output_size;
  InterpolationMode mode = InterpolationMode::linear;
  SamplePlace place = SamplePlace::half_pixel;
  double scale_y = 0;
  double scale_x = 0;
  double cubic_coefficient = -0.75;
  bool exclude_outside = false;
  bool antialias = false;

  static constexpr void settings(auto& self, auto& in) {
    in.required("output_size", self.output_size);
    in.choice("mode", self.mode, {"linear", "cubic"});
    in.choice("place", self.place,
              {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric"});
    in.setting("scale_y", self.scale_y, Between{.least = 0});
    in.setting("scale_x", self.scale_x, Between{.least = 0});
    in.setting("cubic_coefficient", self.cubic_coefficient);
    in.setting("exclude_outside", self.exclude_outside);
    in.setting("antialias", self.antialias);
  }
  [[nodiscard]] Shape shape(const Shape& in) const;
  [[nodiscard]] ImageWindows windows(const Operator& op) const;
  /// Along y and x: by the `kernel` of a tap, what an input counts for.
  [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> coefficients(const Operator& op) const;
  [[nodiscard]] std::vector<double> value(const Operator& op, std::span<const double> x) const;
};

}  // namespace upsweep
