#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "upsweep/network/operator.hpp"

namespace upsweep {

/// One matched pair of input and output position on an image axis.
struct Tap {
  std::uint32_t kernel;    ///< position in the kernel; 0-based; for adaptive pooling the offset in the bin
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

  /// Taps of input position i, by ascending output position.
  [[nodiscard]] std::span<const Tap> by_input(std::size_t i) const { return slice(input_start_, by_input_, i); }

  /// Taps of output position o, by ascending input position.
  [[nodiscard]] std::span<const Tap> by_output(std::size_t o) const { return slice(output_start_, by_output_, o); }

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

/// The windows of a convolution or pooling; throws std::invalid_argument for any other kind.
[[nodiscard]] ImageWindows image_windows(const Operator& op);

}  // namespace upsweep
