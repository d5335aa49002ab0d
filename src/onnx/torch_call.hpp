#pragma once

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "made_nodes.hpp"
#include "upsweep/onnx/torch_operators.hpp"

namespace upsweep {

/// An operator under PyTorch's name with what it reads: values with a batch of 1 in front.
struct TorchCall {
  const TorchArguments& arguments;
  std::vector<OnnxValue> inputs;
  NetworkBuilder& builder;

  [[nodiscard]] bool has(const char* key) const { return arguments.contains(key); }
  /// An argument that is stated, or its default.
  template <class T>
  [[nodiscard]] T get(const char* key, T fallback) const {
    const auto found = arguments.find(key);
    return found == arguments.end() ? fallback : std::get<T>(found->second);
  }
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t fallback = 0) const { return get(key, fallback); }
  [[nodiscard]] double number(const char* key, double fallback) const { return get(key, fallback); }
  [[nodiscard]] bool flag(const char* key, bool fallback) const { return get(key, fallback); }
  [[nodiscard]] std::string text(const char* key, const char* fallback) const {
    return get(key, std::string(fallback));
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const char* key, std::vector<std::int64_t> fallback = {}) const {
    return get(key, std::move(fallback));
  }
  /// An integer of at least `least`. Throws std::invalid_argument.
  [[nodiscard]] std::int64_t size(const char* key, std::int64_t fallback, std::int64_t least = 1) const;
  /// An axis of the first input that is not the batch, from 0. Throws std::invalid_argument.
  [[nodiscard]] std::int64_t axis(const char* key) const { return axis(key, integer(key), inputs[0].rank()); }
  [[nodiscard]] static std::int64_t axis(const char* key, std::int64_t stated, std::size_t rank);
  /// The axes that are stated, or all but the batch.
  [[nodiscard]] std::vector<std::int64_t> axes(const char* key) const;

  [[nodiscard]] OnnxValue& input() { return inputs[0]; }
  /// What a node of the first input, or of others, gives.
  [[nodiscard]] OnnxValue node(const char* type, const std::vector<NodeAttribute>& attributes = {});
  [[nodiscard]] OnnxValue node(const char* type, const std::vector<NodeAttribute>& attributes,
                               std::vector<std::optional<OnnxValue>> values) {
    return made_node(type, attributes, std::move(values), builder);
  }
  /// A function of every element of the first input.
  [[nodiscard]] OnnxValue apply(const OperatorKind& kind) { return apply_function(inputs[0], kind, builder); }
};

/// Numbers that files may have: a weight.
[[nodiscard]] OnnxValue weight_value(Shape dims);

/// Operators of one kind of structure each.
[[nodiscard]] std::vector<TorchOperator> torch_functions();
[[nodiscard]] std::vector<TorchOperator> torch_groups();
[[nodiscard]] std::vector<TorchOperator> torch_windows();
[[nodiscard]] std::vector<TorchOperator> torch_products();
[[nodiscard]] std::vector<TorchOperator> torch_moves();

}  // namespace upsweep
