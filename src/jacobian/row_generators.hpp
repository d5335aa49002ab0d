#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "upsweep/network/weights.hpp"
#include "upsweep/network/window.hpp"
#include "upsweep/sparse/row.hpp"

namespace upsweep {

/// The kernel positions along an axis that some window uses, ascending.
class UsedPositions {
 public:
  UsedPositions(const AxisWindows& windows, std::size_t in);

  [[nodiscard]] std::size_t size() const { return positions_.size(); }
  [[nodiscard]] std::size_t operator[](std::size_t number) const { return positions_[number]; }
  /// The number of a used position.
  [[nodiscard]] std::size_t number_of(std::size_t position) const {
    return static_cast<std::size_t>(std::lower_bound(positions_.begin(), positions_.end(), position) -
                                    positions_.begin());
  }

 private:
  std::vector<std::size_t> positions_;
};

/// Rows of the transposed Jacobian of a conv2d; a linear operator is a 1 × 1 convolution of a 1 × 1 image.
class ConvolutionRows {
 public:
  ConvolutionRows(const Operator& op, const OperatorWeights& weights);

  /// Calls emit(column, weight) for every entry of row r, columns ascending; `weight` is the position of the entry's
  /// number in the row-major weight.
  template <class Emit>
  void row(Index r, Emit emit) const {
    const std::size_t channel = r / in_plane_;
    const std::size_t at = r % in_plane_;
    // The output position that each kernel position reaches from here, if it exists.
    thread_local std::vector<std::int64_t> reached;
    reached.assign(taps_.size(), -1);
    for (const Tap& ty : windows_.y.by_input(at / in_width_)) {
      for (const Tap& tx : windows_.x.by_input(at % in_width_)) {
        reached[used_y_.number_of(ty.kernel) * used_x_.size() + used_x_.number_of(tx.kernel)] =
            static_cast<std::int64_t>(std::size_t{ty.position} * out_width_ + tx.position);
      }
    }
    const std::size_t in_group = channel % group_inputs_;
    for (std::size_t w = weight_start_[channel]; w < weight_start_[channel + 1]; ++w) {
      const KernelWeight& weight = weights_[w];
      if (reached[weight.tap] < 0) continue;
      emit(static_cast<Index>(weight.output_channel * out_plane_ + static_cast<std::size_t>(reached[weight.tap])),
           (weight.output_channel * group_inputs_ + in_group) * kernel_size_ + taps_[weight.tap]);
    }
  }

 private:
  struct KernelWeight {
    std::uint32_t output_channel;
    std::uint32_t tap;  // position in taps_
  };

  ImageWindows windows_;
  std::size_t in_plane_ = 1, in_width_ = 1, out_plane_ = 1, out_width_ = 1;
  std::size_t kernel_size_ = 1, group_inputs_ = 1;
  // A kernel may be far larger than the image: only the positions that reach an input count.
  UsedPositions used_y_;
  UsedPositions used_x_;
  std::vector<std::size_t> taps_;  // ky · kernel width + kx of the used positions, row-major
  // Nonzero weights of each input channel, by output channel, then by falling tap: ascending columns.
  std::vector<std::size_t> weight_start_;  // length channels + 1
  std::vector<KernelWeight> weights_;
};

/// Rows of the transposed Jacobian of a pooling: every input of a window reaches its output.
class PoolingRows {
 public:
  explicit PoolingRows(const Operator& op);

  /// Calls emit(column) for every entry of row r, columns ascending.
  template <class Emit>
  void row(Index r, Emit emit) const {
    const std::size_t channel = r / in_plane_;
    const std::size_t at = r % in_plane_;
    for (const Tap& ty : windows_.y.by_input(at / in_width_)) {
      for (const Tap& tx : windows_.x.by_input(at % in_width_)) {
        emit(static_cast<Index>(channel * out_plane_ + std::size_t{ty.position} * out_width_ + tx.position));
      }
    }
  }

 private:
  ImageWindows windows_;
  std::size_t in_plane_, in_width_, out_plane_, out_width_;
};

}  // namespace upsweep
