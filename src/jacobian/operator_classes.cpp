#include <algorithm>
#include <map>

#include "jacobian_rows.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {
namespace {

ImageShape image_of(const Shape& shape) {
  return {static_cast<Index>(shape[0]), static_cast<Index>(shape[1]), static_cast<Index>(shape[2])};
}

/// Positions along an axis, alike where they reach the same number of outputs at the same distances from the first;
/// with `by_weight` from the same positions of the kernel.
AxisClasses window_classes(const AxisWindows& windows, Index positions, bool by_weight) {
  AxisClasses axis = AxisClasses::one(positions);
  axis.classes = 0;
  std::map<std::vector<std::int64_t>, Index> known;
  for (Index i = 0; i < positions; ++i) {
    const std::span<const Tap> taps = windows.by_input(i);
    axis.offset[i] = taps.empty() ? 0 : taps.front().position;
    std::vector<std::int64_t> signature;
    for (const Tap& tap : taps) {
      signature.push_back(tap.position - axis.offset[i]);
      if (by_weight) signature.push_back(tap.kernel);
    }
    const auto [found, is_new] = known.emplace(std::move(signature), axis.classes);
    if (is_new) ++axis.classes;
    axis.class_of[i] = found->second;
  }
  return axis;
}

/// Most positions from the first output that an input reaches to the last.
std::uint64_t longest_reach(const AxisWindows& windows, Index positions) {
  std::uint64_t longest = 0;
  for (Index i = 0; i < positions; ++i) {
    const std::span<const Tap> taps = windows.by_input(i);
    if (!taps.empty()) longest = std::max<std::uint64_t>(longest, taps.back().position - taps.front().position + 1);
  }
  return longest;
}

OperatorClasses classes_of_windows(const Operator& op, const ImageWindows& windows, AxisClasses channels,
                                   bool by_weight) {
  const ImageShape rows = image_of(op.in_shape);
  return {rows, image_of(op.out_shape),
          RowPartition({std::move(channels), window_classes(windows.y, rows.height, by_weight),
                        window_classes(windows.x, rows.width, by_weight)}),
          longest_reach(windows.y, rows.height) * longest_reach(windows.x, rows.width)};
}

/// Channels that share a group are alike.
AxisClasses group_classes(Index channels, std::uint64_t groups) {
  AxisClasses axis = AxisClasses::one(channels);
  axis.classes = static_cast<Index>(groups);
  for (Index c = 0; c < channels; ++c) axis.class_of[c] = static_cast<Index>(c / (channels / groups));
  return axis;
}

/// One class for each channel: an element's column is its own number.
OperatorClasses diagonal_classes(const ImageShape& image) {
  std::array<AxisClasses, 3> axes{AxisClasses::each(image.channels), AxisClasses::one(image.height),
                                  AxisClasses::one(image.width)};
  for (std::size_t a = 1; a < 3; ++a) {
    for (Index i = 0; i < image.along(a); ++i) axes[a].offset[i] = i;
  }
  return {image, image, RowPartition(std::move(axes)), 1};
}

/// An activation of the output's shape, or a number per channel for all positions; nothing for others.
std::optional<OperatorClasses> pairwise_classes(const ImageShape& in, const ImageShape& out) {
  if (in == out) return diagonal_classes(out);
  if (in.channels != out.channels || in.height != 1 || in.width != 1) return std::nullopt;
  return OperatorClasses{in, out,
                         RowPartition({AxisClasses::each(in.channels), AxisClasses::one(1), AxisClasses::one(1)}),
                         std::uint64_t{out.height} * out.width};
}

/// Whole channels moved, each position staying where it is; nothing for other moves.
std::optional<OperatorClasses> moved_classes(const IndexMap& map, const Operator& op, std::size_t input) {
  const Shape& in = op.input_shape(input);
  const std::uint64_t plane = in[1] * in[2];
  if (op.out_shape[1] != in[1] || op.out_shape[2] != in[2]) return std::nullopt;
  std::uint64_t before = 0;
  for (std::size_t k = 0; k < input; ++k) before += elements(op.input_shape(k));
  const auto is_mine = [&](std::uint32_t from) { return from >= before && from - before < in[0] * plane; };
  for (std::uint64_t first = 0; first < map.indices.size(); first += plane) {
    const std::uint32_t from = map.indices[first];
    if (is_mine(from) && (from - before) % plane != 0) return std::nullopt;
    for (std::uint64_t p = 0; p < plane; ++p) {
      const std::uint32_t mine = map.indices[first + p];
      if (is_mine(from) ? mine != from + p : is_mine(mine)) return std::nullopt;
    }
  }
  return OperatorClasses{image_of(in), image_of(op.out_shape), diagonal_classes(image_of(in)).partition, 1};
}

/// Groups of all channels at a position, or of all positions of a channel; nothing for others.
std::optional<OperatorClasses> grouped_classes(const Grouped& kind, const Shape& shape) {
  const ImageShape image = image_of(shape);
  const std::uint64_t plane = shape[1] * shape[2];
  if (kind.reduces()) return std::nullopt;
  if (kind.inner == plane && kind.size == shape[0]) {
    OperatorClasses classes = diagonal_classes(image);
    std::array<AxisClasses, 3> axes{AxisClasses::one(image.channels), classes.partition.axis(1),
                                    classes.partition.axis(2)};
    classes.partition = RowPartition(std::move(axes));
    return classes;
  }
  if (kind.inner != 1 || kind.size != plane) return std::nullopt;
  return OperatorClasses{
      image, image,
      RowPartition({AxisClasses::each(image.channels), AxisClasses::one(image.height), AxisClasses::one(image.width)}),
      plane};
}

}  // namespace

double OperatorClasses::memory() const {
  const double bits = static_cast<double>(window) * static_cast<double>(bitmap_words(cols.channels));
  return static_cast<double>(partition.size()) * (sizeof(WindowRow) + sizeof(Index) + bits * sizeof(std::uint64_t));
}

std::optional<OperatorClasses> operator_classes(const Operator& op, const OperatorWeights& weights, std::size_t input) {
  const Shape& in = op.input_shape(input);
  if (in.size() != 3 || op.out_shape.size() != 3) return std::nullopt;
  const auto channels = static_cast<Index>(op.in_shape[0]);
  return visit_operator(
      op.kind, [&](const ElementwiseOperator auto&) { return std::optional(diagonal_classes(image_of(op.in_shape))); },
      [&](const WeightedOperator auto& kind) {
        const WeightedWindows weighted = kind.weighted_windows(op);
        const bool is_pruned = !weights.kept.empty();
        return std::optional(classes_of_windows(
            op, weighted.windows, is_pruned ? AxisClasses::each(channels) : group_classes(channels, weighted.groups),
            is_pruned));
      },
      [&](const PoolingOperator auto& kind) {
        return std::optional(classes_of_windows(op, kind.windows(op), AxisClasses::each(channels), false));
      },
      [&](const Pairwise&) { return pairwise_classes(image_of(in), image_of(op.out_shape)); },
      [&](const Grouped& kind) { return grouped_classes(kind, in); },
      [&](const IndexMap& kind) { return moved_classes(kind, op, input); },
      []<MixingOperator K>(const K&) requires(!std::is_same_v<K, Pairwise> && !std::is_same_v<K, Grouped> &&
                                              !std::is_same_v<K, IndexMap>) {
        return std::optional<OperatorClasses>();
      },
      [](const CopyingOperator auto&) { return std::optional<OperatorClasses>(); });
}

}  // namespace upsweep
