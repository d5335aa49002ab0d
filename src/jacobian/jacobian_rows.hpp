#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/elementwise.hpp"
#include "upsweep/jacobian/forward.hpp"
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

/// The windows of an operator that has a weight. Throws std::invalid_argument for any other.
[[nodiscard]] WeightedWindows weighted_windows(const Operator& op);

/// Rows of the transposed Jacobian of an operator that has a weight.
class ConvolutionRows {
 public:
  ConvolutionRows(const Operator& whole, const OperatorWeights& weights);

  /// Calls emit(column, value) for every entry of row r, columns ascending; `value` is 0 where the weight has no
  /// numbers.
  template <class Emit>
  void row(Index r, Emit emit) const {
    const std::size_t first = r / period_ * out_period_;
    const std::size_t channel = r % period_ / in_plane_;
    const std::size_t at = r % period_ % in_plane_;
    // The output position that each kernel position reaches from here, if it exists.
    thread_local std::vector<std::int64_t> reached;
    reached.assign(taps_.size(), -1);
    for (const Tap& ty : weighted_.windows.y.by_input(at / in_width_)) {
      for (const Tap& tx : weighted_.windows.x.by_input(at % in_width_)) {
        reached[used_y_.number_of(ty.kernel) * used_x_.size() + used_x_.number_of(tx.kernel)] =
            static_cast<std::int64_t>(std::size_t{ty.position} * out_width_ + tx.position);
      }
    }
    if (all_kept_ != nullptr) return every_weight(r, channel, reached, emit);
    // Which ones reach an output is found out first: weights that are kept here and there give no branch to learn.
    thread_local std::vector<Entry> entries;
    const std::span<const KernelWeight> kept(weights_.data() + weight_start_[channel],
                                             weights_.data() + weight_start_[channel + 1]);
    if (entries.size() < kept.size()) entries.resize(kept.size());
    const std::int64_t* const reached_from = reached.data();
    Entry* end = entries.data();
    for (const KernelWeight& weight : kept) {
      const std::int64_t to = reached_from[weight.tap];
      *end = {static_cast<Index>(first + weight.output_channel * out_plane_ + static_cast<std::size_t>(to)),
              weight.value};
      end += to >= 0;
    }
    for (const Entry* entry = entries.data(); entry != end; ++entry) emit(entry->column, entry->value);
  }

 private:
  ConvolutionRows(const Operator& whole, const Operator& op, const OperatorWeights& weights);

  struct Entry {
    Index column;
    double value;
  };
  struct KernelWeight {
    std::uint32_t output_channel;
    std::uint32_t tap;  // position in taps_
    double value;       // beside them: where it stands, weights of a channel are far from each other
  };

  /// row() where every weight is kept: `reached` is all that there is to know.
  template <class Emit>
  void every_weight(Index r, std::size_t channel, const std::vector<std::int64_t>& reached, Emit emit) const {
    struct Reached {
      std::size_t number, to;  // of the weight among those of an output channel, of the output position
    };
    thread_local std::vector<Reached> taps;
    taps.clear();
    for (std::size_t k = 0; k < taps_.size(); ++k) {
      const std::size_t tap = in_order(k);
      if (reached[tap] >= 0) taps.push_back({k, static_cast<std::size_t>(reached[tap])});
    }
    const std::size_t begin = r / period_ * out_period_ + channel / group_inputs_ * group_outputs_ * out_plane_;
    const std::span<const double> weight = of_channel(channel);
    for (std::size_t output = 0; output < group_outputs_; ++output) {
      for (const Reached& tap : taps) {
        emit(static_cast<Index>(begin + output * out_plane_ + tap.to), weight[output * taps_.size() + tap.number]);
      }
    }
  }

  /// The weights of an input channel that reach an input, by output channel and in order of in_order(): written side by
  /// side for the rows of that channel, as channels that are a power of two apart compete for the same lines of a
  /// cache.
  [[nodiscard]] std::span<const double> of_channel(std::size_t channel) const;

  /// The position in taps_ of the k-th column that a row has of an output channel.
  [[nodiscard]] std::size_t in_order(std::size_t k) const { return weighted_.is_transposed ? k : taps_.size() - 1 - k; }

  /// Calls visit(channel, kept weight) for those of the input channels begin to end - 1, of each channel in the order
  /// of row(), all threads together.
  template <class Visit>
  void for_each_kept(const OperatorWeights& weights, const Visit& visit) const;

  WeightedWindows weighted_;
  std::size_t period_, out_period_;  // rows and columns after which a linear of several vectors repeats itself
  std::size_t in_width_, in_plane_, out_width_, out_plane_;
  std::size_t kernel_size_, group_inputs_, group_outputs_;
  // A kernel may be far larger than the image: only the positions that reach an input count.
  UsedPositions used_y_;
  UsedPositions used_x_;
  // Numbers where there are some and all are kept; then there is no list of them, but a number of this object.
  const double* all_kept_ = nullptr;
  std::uint64_t number_ = 0;
  std::vector<std::size_t> taps_;  // ky · kernel width + kx of the used positions, row-major
  // Nonzero weights of each input channel, by output channel, then by falling tap (transposed: rising): ascending
  // columns.
  std::vector<std::size_t> weight_start_;  // length channels + 1
  std::vector<KernelWeight> weights_;
};

/// Rows of the transposed Jacobian of a linear operator of one vector, which are columns of its weight: many side by
/// side read each line and page of numbers once.
class LinearRows {
 public:
  static constexpr std::size_t kTogether = 256;
  static constexpr std::size_t kLine = 8;  ///< numbers of a line of the cache

  LinearRows(const Operator& op, const OperatorWeights& weights);

  /// Calls emit(k, column, weight) for every entry of rows first + k, k < `count` <= kTogether; the columns of each row
  /// ascending.
  template <class Emit>
  void operator()(Index first, std::size_t count, Emit emit) const {
    if (all_kept_) {
      every_entry(first, count, emit);
    } else {
      kept_entries(first, count, emit);
    }
  }

 private:
  static constexpr std::size_t kTile = 32;   // outputs that go together
  static constexpr std::size_t kAhead = 16;  // outputs by which `kept` is asked for ahead

  /// A few rows at a time, since rows of equal length begin in the same lines of a cache.
  template <class Emit>
  void every_entry(Index first, std::size_t count, Emit emit) const {
    for (std::size_t tile = 0; tile < out_features_; tile += kTile) {
      const std::size_t tile_end = std::min(out_features_, tile + kTile);
      for (std::size_t begin = 0; begin < count; begin += kLine) {
        const std::size_t end = std::min(count, begin + kLine);
        for (std::size_t output = tile; output < tile_end; ++output) {
          const double* const values = weights_.values.data() + output * features_ + first;
          for (std::size_t k = begin; k < end; ++k) emit(k, static_cast<Index>(output), values[k]);
        }
      }
    }
  }

  template <class Emit>
  void kept_entries(Index first, std::size_t count, Emit emit) const {
    // Which ones is found out first: so their numbers, far from each other, are read at the same time.
    std::array<std::uint16_t, kTogether> at;
    for (std::size_t output = 0; output < out_features_; ++output) {
      const std::size_t base = output * features_ + first;
      const std::uint8_t* const kept = weights_.kept.data() + base;
      if (output + kAhead < out_features_) {
        for (std::size_t k = 0; k < count; k += 64) __builtin_prefetch(kept + kAhead * features_ + k);
      }
      std::size_t found = 0;
      for (std::size_t k = 0; k < count; ++k) {  // without a branch
        at[found] = static_cast<std::uint16_t>(k);
        found += kept[k] != 0;
      }
      for (std::size_t i = 0; i < found; ++i) emit(at[i], static_cast<Index>(output), weights_.values[base + at[i]]);
    }
  }

  const OperatorWeights& weights_;
  bool all_kept_;
  std::size_t features_, out_features_;
};

/// Rows of the transposed Jacobian of a pooling: every input of a window reaches its output.
class PoolingRows {
 public:
  explicit PoolingRows(const Operator& op);

  /// Calls emit(column, ky, kx) for every entry of row r, columns ascending; with the taps' `kernel`.
  template <class Emit>
  void row(Index r, Emit emit) const {
    const std::size_t channel = r / in_plane_;
    const std::size_t at = r % in_plane_;
    for (const Tap& ty : windows_.y.by_input(at / in_width_)) {
      for (const Tap& tx : windows_.x.by_input(at % in_width_)) {
        emit(static_cast<Index>(channel * out_plane_ + std::size_t{ty.position} * out_width_ + tx.position), ty.kernel,
             tx.kernel);
      }
    }
  }

 private:
  ImageWindows windows_;
  std::size_t in_plane_, in_width_, out_plane_, out_width_;
};

/// The error of asking for the Jacobian of a view or join.
[[nodiscard]] std::invalid_argument no_jacobian(const Operator& op);

/// Calls use(rows) once: rows(r, emit) calls emit(column, number) for every entry of row r of the guaranteed pattern,
/// columns ascending, with its number at `inputs` with respect to `input`; of a linear operator of one vector `rows` is
/// LinearRows. Throws std::invalid_argument for views and joins.
template <class Use>
void with_rows(const Operator& op, const OperatorWeights& weights, std::span<const std::span<const double>> inputs,
               std::size_t input, const Use& use) {
  const std::span<const double> x = inputs[0];
  const auto with_pooling = [&](const auto& number) {
    const PoolingRows rows(op);
    use([&](Index r, auto&& emit) {
      rows.row(r, [&](Index column, auto ky, auto kx) { emit(column, number(r, column, ky, kx)); });
    });
  };
  // The code of a structure is compiled once, and not for each of its operators.
  const auto elementwise = [&] {
    std::vector<double> slopes(x.size());
    parallel_chunks(x.size(), 1 << 14, [&](std::size_t begin, std::size_t end, std::size_t) {
      elementwise_slopes(op, weights, begin, x.subspan(begin, end - begin), std::span(slopes).subspan(begin));
    });
    use([&](Index r, auto&& emit) { emit(r, slopes[r]); });
  };
  const auto weighted = [&] {
    const ConvolutionRows rows(op, weights);
    use([&](Index r, auto&& emit) { rows.row(r, emit); });
  };
  const auto choosing = [&] {
    const std::vector<std::uint32_t> chosen = max_positions(op, x);
    with_pooling([&](Index r, Index column, auto, auto) { return chosen[column] == r ? 1.0 : 0.0; });
  };
  const auto averaging = [&] {
    const std::vector<double> divisors = average_divisors(op);
    with_pooling([&](Index, Index column, auto, auto) { return 1 / divisors[column]; });
  };
  const auto combining = [&](const auto& kind) {
    const auto [y, x_counts] = kind.coefficients(op);
    with_pooling([&y = y, &x = x_counts](Index, Index, std::size_t ky, std::size_t kx) { return y[ky] * x[kx]; });
  };
  const auto mixing = [&](const auto& kind) {
    const std::vector<double> output = kind.value(op, weights, inputs);
    const SharedRows rows = kind.rows(op, input);
    const MixingSample sample{inputs, output};
    const auto with_slopes = [&](const auto& slope) {
      use([&](Index r, auto&& emit) {
        std::vector<Index> columns;
        const Index number = rows.number_of.empty() ? r : rows.number_of[r];
        if (number != SharedRows::kNone) rows.write(number, columns);
        for (const Index column : columns) emit(column, slope(r, column));
      });
    };
    if constexpr (requires { kind.slopes(op, weights, input, sample); }) {
      with_slopes(kind.slopes(op, weights, input, sample));
    } else {
      with_slopes([&](Index r, Index column) { return kind.slope(op, weights, input, sample, r, column); });
    }
  };
  visit_operator(
      op.kind, [&](const ElementwiseOperator auto&) { elementwise(); },
      [&]<WeightedOperator K>(const K&) {
        if constexpr (ContractionOperator<K>) {
          // Each of several vectors meets those that are kept again: they are sorted once.
          if (elements(op.in_shape) == op.in_shape.back()) return use(LinearRows(op, weights));
        }
        weighted();
      },
      [&](const ChoosingOperator auto&) { choosing(); }, [&](const AveragingOperator auto&) { averaging(); },
      [&](const CombiningOperator auto& kind) { combining(kind); },
      [&](const MixingOperator auto& kind) { mixing(kind); },
      [&](const CopyingOperator auto&) { throw no_jacobian(op); });
}

}  // namespace upsweep
