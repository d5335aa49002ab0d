#include "jacobian_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "upsweep/jacobian/numeric_chain.hpp"

namespace upsweep {
namespace {

// Fewer weights than this are not worth waking another thread.
constexpr std::size_t kWeightsPerChunk = 1 << 15;

/// Of features 1: they are the channels of a 1 × 1 image.
std::size_t size_along(const Shape& shape, std::size_t axis) { return axis < shape.size() ? shape[axis] : 1; }

/// Whether nothing is pruned: there is no mask, or one of ones.
bool keeps_all(const OperatorWeights& weights) {
  return std::ranges::find(weights.kept, std::uint8_t{0}) == weights.kept.end();
}

/// The first position from `from` on that is kept, `to` where none before it is.
std::size_t next_kept(const OperatorWeights& weights, std::size_t from, std::size_t to) {
  if (weights.kept.empty()) return from;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  for (std::uint64_t word = 0; from + kWord <= to; from += kWord) {
    std::memcpy(&word, weights.kept.data() + from, kWord);
    if (word != 0) break;
  }
  while (from < to && weights.kept[from] == 0) ++from;
  return from;
}

/// Of a linear of several vectors that of one; any other operator as it is.
Operator one_of(Operator op) {
  if (structure_of(op.kind) != Structure::contraction) return op;
  op.in_shape = {op.in_shape.back()};
  op.out_shape = {op.out_shape.back()};
  return op;
}

}  // namespace

WeightedWindows weighted_windows(const Operator& op) {
  return visit_operator(
      op.kind, [&](const WeightedOperator auto& kind) { return kind.weighted_windows(op); },
      [&]<class K>(const K&) -> WeightedWindows requires(!WeightedOperator<K>) {
        throw std::invalid_argument(kind_name(op.kind) + " has no weight");
      });
}

double misses_per_value(const Operator& op) {
  return visit_operator(
      op.kind,
      [&](const WeightedOperator auto& kind) {
        const WeightedWindows weighted = kind.weighted_windows(op);
        const auto gone_over = [](const AxisWindows& windows, std::size_t in) {
          const std::size_t used = UsedPositions(windows, in).size();
          return windows.pairs() == 0 ? 1 : static_cast<double>(in * used) / static_cast<double>(windows.pairs());
        };
        return gone_over(weighted.windows.y, size_along(op.in_shape, 1)) *
                   gone_over(weighted.windows.x, size_along(op.in_shape, 2)) -
               1;
      },
      []<class K>(const K&) -> double requires(!WeightedOperator<K>) { return 0; });
}

std::invalid_argument no_jacobian(const Operator& op) {
  return std::invalid_argument(kind_name(op.kind) + (is_view(op.kind) ? " is a view: it has no Jacobian of its own"
                                                                      : " has a Jacobian with respect to each input"));
}

UsedPositions::UsedPositions(const AxisWindows& windows, std::size_t in) {
  for (std::size_t i = 0; i < in; ++i) {
    for (const Tap& tap : windows.by_input(i)) positions_.push_back(tap.kernel);
  }
  std::sort(positions_.begin(), positions_.end());
  positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
}

ConvolutionRows::ConvolutionRows(const Operator& whole, const OperatorWeights& weights)
    : ConvolutionRows(whole, one_of(whole), weights) {}

ConvolutionRows::ConvolutionRows(const Operator& whole, const Operator& op, const OperatorWeights& weights)
    : weighted_(weighted_windows(whole)),
      period_(elements(op.in_shape)),
      out_period_(elements(op.out_shape)),
      in_width_(size_along(op.in_shape, 2)),
      in_plane_(size_along(op.in_shape, 1) * in_width_),
      out_width_(size_along(op.out_shape, 2)),
      out_plane_(size_along(op.out_shape, 1) * out_width_),
      kernel_size_(weighted_.kernel.y * weighted_.kernel.x),
      group_inputs_(op.in_shape[0] / weighted_.groups),
      group_outputs_(op.out_shape[0] / weighted_.groups),
      used_y_(weighted_.windows.y, size_along(op.in_shape, 1)),
      used_x_(weighted_.windows.x, in_width_) {
  for (std::size_t y = 0; y < used_y_.size(); ++y) {
    for (std::size_t x = 0; x < used_x_.size(); ++x) taps_.push_back(used_y_[y] * weighted_.kernel.x + used_x_[x]);
  }

  if (!weights.values.empty() && keeps_all(weights)) {
    static std::atomic<std::uint64_t> numbers = 0;
    all_kept_ = weights.values.data();
    number_ = ++numbers;
    return;
  }
  weight_start_.assign(op.in_shape[0] + std::size_t{1}, 0);
  for_each_kept(weights, [&](std::size_t channel, KernelWeight) { ++weight_start_[channel + 1]; });
  for (std::size_t c = 1; c < weight_start_.size(); ++c) weight_start_[c] += weight_start_[c - 1];
  weights_.resize(weight_start_.back());
  std::vector<std::size_t> next(weight_start_.begin(), weight_start_.end() - 1);
  for_each_kept(weights, [&](std::size_t channel, KernelWeight weight) { weights_[next[channel]++] = weight; });
}

std::span<const double> ConvolutionRows::of_channel(std::size_t channel) const {
  struct Written {
    std::uint64_t owner = 0;
    std::size_t channel = 0;
    std::vector<double> values;
  };
  thread_local Written written;
  if (written.owner == number_ && written.channel == channel) return written.values;
  written.values.resize(group_outputs_ * taps_.size());
  const std::size_t group = channel / group_inputs_;
  double* to = written.values.data();
  for (std::size_t output = 0; output < group_outputs_; ++output) {
    const std::size_t kernel = (group * group_outputs_ + output) * group_inputs_ + channel % group_inputs_;
    for (std::size_t k = 0; k < taps_.size(); ++k) *to++ = all_kept_[kernel * kernel_size_ + taps_[in_order(k)]];
  }
  written.owner = number_;
  written.channel = channel;
  return written.values;
}

template <class Visit>
void ConvolutionRows::for_each_kept(const OperatorWeights& weights, const Visit& visit) const {
  const auto of_channels = [&](std::size_t begin, std::size_t end, std::size_t) {
    const std::size_t last_output = ((end - 1) / group_inputs_ + 1) * group_outputs_;
    for (std::size_t output = begin / group_inputs_ * group_outputs_; output < last_output; ++output) {
      const std::size_t first_input = output / group_outputs_ * group_inputs_;
      const std::size_t last_input = std::min(end, first_input + group_inputs_);
      const auto kernel_of = [&](std::size_t channel) {
        return (output * group_inputs_ + channel - first_input) * kernel_size_;
      };
      for (std::size_t channel = std::max(begin, first_input); channel < last_input; ++channel) {
        const std::size_t from = kernel_of(channel);
        channel += (next_kept(weights, from, kernel_of(last_input)) - from) / kernel_size_;
        if (channel == last_input) break;
        const std::size_t base = kernel_of(channel);
        for (std::size_t k = 0; k < taps_.size(); ++k) {
          const std::size_t tap = in_order(k);
          const std::size_t weight = base + taps_[tap];
          if (!weights.keeps(weight)) continue;
          visit(channel, {static_cast<std::uint32_t>(output), static_cast<std::uint32_t>(tap),
                          weights.values.empty() ? 0 : weights.values[weight]});
        }
      }
    }
  };
  const std::size_t of_channel = std::max<std::size_t>(1, group_outputs_ * kernel_size_);
  parallel_chunks(weight_start_.size() - 1, std::max<std::size_t>(1, kWeightsPerChunk / of_channel), of_channels);
}

LinearRows::LinearRows(const Operator& op, const OperatorWeights& weights)
    : weights_(weights),
      all_kept_(keeps_all(weights)),
      features_(op.in_shape.back()),
      out_features_(op.out_shape.back()) {}

PoolingRows::PoolingRows(const Operator& op)
    : windows_(pooling_windows(op)),
      in_plane_(op.in_shape[1] * op.in_shape[2]),
      in_width_(op.in_shape[2]),
      out_plane_(op.out_shape[1] * op.out_shape[2]),
      out_width_(op.out_shape[2]) {}

}  // namespace upsweep
