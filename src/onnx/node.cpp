#include "node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace upsweep {

const onnx::AttributeProto* OnnxNode::find(const std::string& name) const {
  const auto found = std::ranges::find(proto.attribute(), name, [](const auto& one) { return one.name(); });
  return found == proto.attribute().end() ? nullptr : &*found;
}

std::int64_t OnnxNode::integer(const std::string& name, std::int64_t fallback) const {
  const auto* found = find(name);
  return found == nullptr ? fallback : found->i();
}

double OnnxNode::number(const std::string& name, double fallback) const {
  const auto* found = find(name);
  return found == nullptr ? fallback : static_cast<double>(found->f());
}

std::string OnnxNode::text(const std::string& name, const std::string& fallback) const {
  const auto* found = find(name);
  return found == nullptr ? fallback : found->s();
}

std::optional<std::vector<std::int64_t>> OnnxNode::integers(const std::string& name) const {
  const auto* found = find(name);
  if (found == nullptr) return std::nullopt;
  return std::vector<std::int64_t>(found->ints().begin(), found->ints().end());
}

const OnnxValue& OnnxNode::input(std::size_t i) const {
  if (!has(i)) throw std::invalid_argument(fmt::format("input {} is missing", i + 1));
  return *inputs[i];
}

const Tensor& OnnxNode::constant(std::size_t i) const {
  const OnnxValue& value = input(i);
  if (!value.is_constant()) {
    throw std::invalid_argument(
        fmt::format("input {} ('{}') depends on the network's input, accepted are constants: its structure would "
                    "depend on data",
                    i + 1, proto.input(static_cast<int>(i))));
  }
  return *value.constant;
}

std::optional<std::vector<std::int64_t>> OnnxNode::integers(const std::string& name, std::size_t i) const {
  if (auto stated = integers(name)) return stated;
  if (!has(i)) return std::nullopt;
  return constant(i).integers();
}

double OnnxNode::number(const std::string& name, std::size_t i, double fallback) const {
  if (const auto* stated = find(name)) return static_cast<double>(stated->f());
  if (!has(i)) return fallback;
  const std::vector<double> values = constant(i).values();
  if (values.size() != 1)
    throw std::invalid_argument(fmt::format("input {} has {} numbers, accepted is one", i + 1, values.size()));
  return values[0];
}

void require_size(const Shape& dims) {
  // A size of 0 leaves no elements, but positions along the other axes are listed.
  Shape listed = dims;
  for (std::uint64_t& size : listed) size = std::max<std::uint64_t>(1, size);
  if (elements(listed) <= kMostMoved) return;
  throw std::invalid_argument(
      fmt::format("a tensor of shape {}, accepted are at most {} elements", to_string(dims), kMostMoved));
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  if (axis < -size || axis >= size)
    throw std::invalid_argument(fmt::format("axis {} of a tensor with {} axes", axis, rank));
  return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), 1);
  for (std::size_t back = 1; back <= out.size(); ++back) {
    const std::uint64_t one = back <= a.size() ? a[a.size() - back] : 1;
    const std::uint64_t other = back <= b.size() ? b[b.size() - back] : 1;
    if (one != other && one != 1 && other != 1) {
      throw std::invalid_argument(fmt::format(
          "inputs of shapes {} and {}, accepted are those whose axes are equal or 1", to_string(a), to_string(b)));
    }
    out[out.size() - back] = one == 1 ? other : one;
  }
  return out;
}

}  // namespace upsweep
