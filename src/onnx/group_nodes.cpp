#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

#include "importer.hpp"

namespace upsweep {
namespace {

using Values = std::vector<OnnxValue>;

/// The value with some axes moved to the end, in their order.
OnnxValue with_last(const OnnxValue& value, const std::set<std::size_t>& axes, std::vector<std::size_t>& perm,
                    NetworkBuilder& builder) {
  for (std::size_t a = 0; a < value.rank(); ++a) {
    if (!axes.contains(a)) perm.push_back(a);
  }
  perm.insert(perm.end(), axes.begin(), axes.end());
  if (std::ranges::is_sorted(perm)) return value;
  return builder.moved(transposition(value.dims, perm), {value});
}

/// How far apart the members of groups of `size` last elements of a value stand in its source, if that is a group there
/// too: they need not be moved then.
std::optional<std::uint64_t> distance_in_source(const OnnxValue& value, std::uint64_t size) {
  if (!value.map) return 1;
  if (!is_permutation(value) || size < 2) return std::nullopt;
  const std::vector<std::uint32_t>& map = *value.map;
  if (map[1] <= map[0]) return std::nullopt;
  const std::uint64_t inner = map[1] - map[0];
  for (std::size_t e = 0; e < map.size(); ++e) {
    const std::size_t first = map[e - e % size];
    if (map[e] != first + e % size * inner || first / inner % size != 0) return std::nullopt;
  }
  return inner;
}

/// Groups over the axes of a value.
OnnxValue group(const OnnxValue& value, const std::set<std::size_t>& axes, Grouped kind, bool keeps_axes,
                NetworkBuilder& builder, OperatorWeights weights = {}) {
  std::vector<std::size_t> perm;
  OnnxValue sorted = with_last(value, axes, perm, builder);
  kind.size = 1;
  for (const std::size_t axis : axes) kind.size *= value.dims[axis];
  const std::optional<std::uint64_t> inner = distance_in_source(sorted, kind.size);
  kind.inner = inner.value_or(1);
  if (kind.affine_size > 0) kind.affine_inner = kind.inner;
  std::string from;
  if (inner && sorted.sources.size() == 1) {
    from = sorted.sources[0];
  } else {
    from = builder.source(sorted, {elements(sorted.dims)});
  }
  OnnxValue result{sorted.dims, {}, {builder.add(kind, {from}, std::move(weights))}, sorted.map};
  if (!kind.reduces()) {
    if (std::ranges::is_sorted(perm)) return result;
    std::vector<std::size_t> back(perm.size());
    for (std::size_t a = 0; a < perm.size(); ++a) back[perm[a]] = a;
    return builder.moved(transposition(sorted.dims, back), {result});
  }
  if (result.map) {
    // The groups in the order of the value.
    auto map = std::make_shared<std::vector<std::uint32_t>>();
    bool is_sorted = true;
    for (std::size_t e = 0; e < sorted.map->size(); e += kind.size) {
      map->push_back(static_cast<std::uint32_t>(kind.group_of((*sorted.map)[e])));
      is_sorted = is_sorted && map->back() + 1 == map->size();
    }
    result.map = is_sorted ? nullptr : map;
  }
  result.dims.clear();
  for (std::size_t a = 0; a < value.rank(); ++a) {
    if (!axes.contains(a)) result.dims.push_back(value.dims[a]);
    if (axes.contains(a) && keeps_axes) result.dims.push_back(1);
  }
  return result;
}

std::set<std::size_t> last_axes(const OnnxValue& value, std::size_t first) {
  std::set<std::size_t> axes;
  for (std::size_t a = first; a < value.rank(); ++a) axes.insert(a);
  return axes;
}

template <GroupRule rule>
Values softmax(OnnxNode& node, NetworkBuilder& builder) {
  const OnnxValue& value = node.input(0);
  const std::size_t axis = axis_of(node.integer("axis", node.opset < 13 ? 1 : -1), value.rank());
  // Before opset 13 all axes from this one on are one.
  const std::set<std::size_t> axes = node.opset < 13 ? last_axes(value, axis) : std::set<std::size_t>{axis};
  return {group(value, axes, Grouped{rule}, true, builder)};
}

template <GroupRule rule>
Values reduction(OnnxNode& node, NetworkBuilder& builder) {
  OnnxValue value = node.input(0);
  const auto stated = node.integers("axes", 1);
  std::set<std::size_t> axes;
  for (const std::int64_t axis : stated.value_or(std::vector<std::int64_t>{})) axes.insert(axis_of(axis, value.rank()));
  if (axes.empty() && node.integer("noop_with_empty_axes", 0) != 0) return {value};
  if (axes.empty()) axes = last_axes(value, 0);
  const bool keeps = node.integer("keepdims", 1) != 0;
  const bool is_image = value.rank() == 4 && value.dims[0] == 1 && axes == std::set<std::size_t>{2, 3} && !value.map;
  if (is_image && (rule == GroupRule::mean || rule == GroupRule::largest)) {
    const std::string from = builder.source(value, {value.dims[1], value.dims[2], value.dims[3]});
    OperatorKind pool = AdaptiveAvgPool2d{{1, 1}};
    if (rule == GroupRule::largest) pool = MaxPool2d{{value.dims[2], value.dims[3]}, {1, 1}};
    const Shape dims = keeps ? Shape{1, value.dims[1], 1, 1} : Shape{1, value.dims[1]};
    return {{dims, {}, {builder.add(pool, {from})}}};
  }
  return {group(value, axes, Grouped{rule}, keeps, builder)};
}

Values square_sum(OnnxNode& node, NetworkBuilder& builder) {
  node.inputs[0] = apply_function(node.input(0), Activation{Function::power, 2}, builder);
  return reduction<GroupRule::sum>(node, builder);
}

Values absolute_sum(OnnxNode& node, NetworkBuilder& builder) {
  node.inputs[0] = apply_function(node.input(0), Activation{Function::absolute}, builder);
  return reduction<GroupRule::sum>(node, builder);
}

template <bool of_exponentials>
Values log_of_sum(OnnxNode& node, NetworkBuilder& builder) {
  if (of_exponentials) node.inputs[0] = apply_function(node.input(0), Activation{Function::exponential}, builder);
  return {apply_function(reduction<GroupRule::sum>(node, builder)[0], Activation{Function::logarithm}, builder)};
}

Values layer_norm(OnnxNode& node, NetworkBuilder& builder) {
  const OnnxValue& value = node.input(0);
  const std::size_t axis = axis_of(node.integer("axis", -1), value.rank());
  return {normalise(value, value.rank() - axis, node.number("epsilon", 1e-5), node.has(1) ? &node.constant(1) : nullptr,
                    node.has(2) ? &node.constant(2) : nullptr, builder)};
}

/// Instance and group normalisation: [1, C, ...] as groups of channels, with constants per channel or per group.
Values channel_norm(OnnxNode& node, NetworkBuilder& builder) {
  const OnnxValue& value = node.input(0);
  if (value.rank() < 2 || value.dims[0] != 1) {
    throw std::invalid_argument(
        fmt::format("an input of shape {}, accepted is [1, channels, ...]", to_string(value.dims)));
  }
  const std::uint64_t channels = value.dims[1];
  const auto groups = static_cast<std::uint64_t>(
      node.type() == "InstanceNormalization" ? static_cast<std::int64_t>(channels) : node.integer("num_groups", 0));
  if (groups == 0 || channels % groups != 0)
    throw std::invalid_argument(fmt::format("{} channels in {} groups", channels, groups));
  const std::uint64_t plane = elements(value.dims) / value.dims[0] / channels;
  Grouped kind{GroupRule::normalise};
  kind.eps = node.number("epsilon", 1e-5);
  kind.size = channels / groups * plane;
  OperatorWeights weights;
  if (node.has(1)) {
    const Tensor& scale = node.constant(1);
    kind.affine_size = elements(scale.dims);
    if (kind.affine_size != channels && kind.affine_size != groups)
      throw std::invalid_argument(fmt::format("{} scales of {} channels", kind.affine_size, channels));
    kind.affine_inner = plane * (channels / kind.affine_size);
    weights.values = builder.numbers_of(scale);
    if (node.has(2)) weights.bias = builder.numbers_of(node.constant(2));
  }
  const bool is_whole = !value.map && value.sources.size() == 1;
  Shape shape(value.dims.begin() + 1, value.dims.end());
  OnnxValue folded = value;
  const std::string whole = is_whole ? value.sources[0] : builder.source(folded, shape);
  return {{value.dims, {}, {builder.add(kind, {whole}, std::move(weights))}}};
}

}  // namespace

OnnxValue normalise(OnnxValue value, std::size_t axes, double eps, const Tensor* scale, const Tensor* shift,
                    NetworkBuilder& builder) {
  Grouped kind{GroupRule::normalise};
  kind.eps = eps;
  OperatorWeights weights;
  const std::set<std::size_t> last = last_axes(value, value.rank() - axes);
  if (scale != nullptr || shift != nullptr) {
    kind.affine_size = 1;
    for (const std::size_t axis : last) kind.affine_size *= value.dims[axis];
    for (const Tensor* one : {scale, shift}) {
      if (one != nullptr && elements(one->dims) != kind.affine_size) {
        throw std::invalid_argument(
            fmt::format("constants of shape {}, accepted are {} numbers", to_string(one->dims), kind.affine_size));
      }
    }
    if (scale != nullptr) weights.values = builder.numbers_of(*scale);
    if (shift != nullptr) weights.bias = builder.numbers_of(*shift);
  }
  value.producer.clear();
  return group(value, last, kind, true, builder, std::move(weights));
}

const LoweringTable& group_lowerings() {
  static const LoweringTable table = {{"Softmax", softmax<GroupRule::softmax>},
                                      {"LogSoftmax", softmax<GroupRule::log_softmax>},
                                      {"LayerNormalization", layer_norm},
                                      {"InstanceNormalization", channel_norm},
                                      {"GroupNormalization", channel_norm},
                                      {"ReduceMean", reduction<GroupRule::mean>},
                                      {"ReduceSum", reduction<GroupRule::sum>},
                                      {"ReduceMax", reduction<GroupRule::largest>},
                                      {"ReduceMin", reduction<GroupRule::least>},
                                      {"ReduceProd", reduction<GroupRule::product>},
                                      {"ReduceL2", reduction<GroupRule::norm>},
                                      {"ReduceSumSquare", square_sum},
                                      {"ReduceL1", absolute_sum},
                                      {"ReduceLogSum", log_of_sum<false>},
                                      {"ReduceLogSumExp", log_of_sum<true>}};
  return table;
}

}  // namespace upsweep
