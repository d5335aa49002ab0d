#include "torch_call.hpp"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

namespace upsweep {
std::int64_t TorchCall::size(const char* key, std::int64_t fallback, std::int64_t least) const {
  const std::int64_t value = integer(key, fallback);
  if (value >= least && value <= static_cast<std::int64_t>(kMaxSetting)) return value;
  throw std::invalid_argument(fmt::format("its {} is {}, accepted is an integer of at least {}", key, value, least));
}

std::int64_t TorchCall::axis(const char* key, std::int64_t stated, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  const std::int64_t from_front = stated < 0 ? stated + count : stated;
  if (from_front > 0 && from_front < count) return from_front;
  throw std::invalid_argument(
      fmt::format("its {} is {}, accepted are 1 to {} or -1 to {}: axes are counted as PyTorch does, 0 is the batch",
                  key, stated, count - 1, 1 - count));
}

std::vector<std::int64_t> TorchCall::axes(const char* key) const {
  std::vector<std::int64_t> result;
  for (const std::int64_t stated : integers(key)) result.push_back(axis(key, stated, inputs[0].rank()));
  if (!has(key)) {
    result.resize(inputs[0].rank() - 1);
    std::iota(result.begin(), result.end(), 1);
  }
  return result;
}

OnnxValue TorchCall::node(const char* type, const std::vector<NodeAttribute>& attributes) {
  return made_node(type, attributes, {inputs.begin(), inputs.end()}, builder);
}

OnnxValue weight_value(Shape dims) {
  Tensor tensor{dims};
  return {std::move(dims), std::move(tensor)};
}

}  // namespace upsweep
