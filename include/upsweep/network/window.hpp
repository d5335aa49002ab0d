#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "upsweep/network/operator.hpp"

namespace upsweep {

/// One matched pair of input and output position on an image axis.
struct Tap {
  std::uint32_t kernel;    ///< position in the kernel; 0-based; of adaptive pooling the offset in the bin
  std::uint32_t position;  ///< the partner: an output position in by_input(), an input position in by_output()
};

/// Which outputs an input position reaches along one image axis, and back; positions in the padding are left out.
class AxisWindows {
 public:
  /// Windows [o · stride - padding + kernel · dilation] of a convolution or pooling.
  static AxisWindows sliding(std::uint64_t in, std::uint64_t out, std::uint64_t kernel, std::uint64_t stride,
                             std::uint64_t padding, std::uint64_t dilation);

  /// Bins floor(o · in / out) .. ceil((o + 1) · in / out) of PyTorch's adaptive pooling.
  static AxisWindows adaptive(std::uint64_t in, std::uint64_t out);

  /// The inputs of each output, ascending; a tap's `kernel` is its number among those of all outputs.
  static AxisWindows listed(std::uint64_t in, const std::vector<std::vector<std::uint32_t>>& inputs);

  /// Taps of input position i, by ascending output position.
  [[nodiscard]] std::span<const Tap> by_input(std::size_t i) const { return slice(input_start_, by_input_, i); }

  /// Taps of output position o, by ascending input position.
  [[nodiscard]] std::span<const Tap> by_output(std::size_t o) const { return slice(output_start_, by_output_, o); }

  /// The same pairs with inputs and outputs exchanged.
  [[nodiscard]] AxisWindows transposed() const {
    AxisWindows other = *this;
    std::swap(other.input_start_, other.output_start_);
    std::swap(other.by_input_, other.by_output_);
    return other;
  }

  /// Number of (input, output) pairs.
  [[nodiscard]] std::uint64_t pairs() const { return by_output_.size(); }

 private:
  AxisWindows() = default;
  void index_by_input(std::size_t in);
  static std::span<const Tap> slice(const std::vector<std::size_t>& start, const std::vector<Tap>& taps,
                                    std::size_t i) {
    return std::span(taps).subspan(start[i], start[i + 1] - start[i]);
  }

  std::vector<std::size_t> input_start_;   // length in + 1
  std::vector<std::size_t> output_start_;  // length out + 1
  std::vector<Tap> by_input_;
  std::vector<Tap> by_output_;
};

/// Windows along both axes of an image.
struct ImageWindows {
  AxisWindows y;
  AxisWindows x;
};

/// The windows of an operator with a weight, row-major [out channels, in channels / groups, kernel.y, kernel.x].
struct WeightedWindows {
  ImageWindows windows;
  PerAxis kernel{1, 1};
  std::uint64_t groups = 1;
  bool is_transposed = false;  ///< of an input, a later kernel position reaches a later output, not an earlier one
};

/// Windows that slide over an image.
struct WindowSpec {
  PerAxis kernel;
  PerAxis stride;
  PerAxis padding;
  PerAxis dilation{1, 1};
  bool ceil_mode = false;

  /// Number of windows along each axis, by PyTorch's rules. Throws as infer_shape().
  [[nodiscard]] PerAxis counts(const Shape& in) const;

  /// Shape of a pooling's output: [C, counts]. Throws as infer_shape(), also where a padding is more than half of the
  /// kernel's extent.
  [[nodiscard]] Shape pooled(const Shape& in) const;

  /// The windows of a convolution or pooling.
  [[nodiscard]] ImageWindows on(const Operator& op) const;
};

/// The windows of a pooling; throws std::invalid_argument for any other kind.
[[nodiscard]] ImageWindows pooling_windows(const Operator& op);

/// Calls visit(output, input) for every input of every window of a pooling, window after window in row-major order.
template <class Visit>
void for_each_window_input(const Operator& op, const Visit& visit) {
  const ImageWindows windows = pooling_windows(op);
  const std::size_t in_width = op.in_shape[2];
  const std::size_t in_plane = op.in_shape[1] * in_width;
  const std::size_t out_height = op.out_shape[1];
  const std::size_t out_width = op.out_shape[2];
  std::size_t output = 0;
  for (std::size_t c = 0; c < op.out_shape[0]; ++c) {
    for (std::size_t oy = 0; oy < out_height; ++oy) {
      for (std::size_t ox = 0; ox < out_width; ++ox, ++output) {
        for (const Tap& ty : windows.y.by_output(oy)) {
          const std::size_t row = c * in_plane + ty.position * in_width;
          for (const Tap& tx : windows.x.by_output(ox)) visit(output, row + tx.position);
        }
      }
    }
  }
}

/// Inputs of each window of a pooling, padding left out. Shapes: one per element of out_shape.
[[nodiscard]] std::vector<double> window_sizes(const Operator& op);

}  // namespace upsweep
