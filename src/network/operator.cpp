#include "upsweep/network/operator.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <stdexcept>

namespace upsweep {
namespace {

/// Writes the settings that have a meaning: "kernel=2x2, stride=2x2, ...".
class SettingsText {
 public:
  void required(const char* key, const auto& field) { append(key, field); }
  void setting(const char* key, const auto& field, const auto&...) { append(key, field); }
  void setting_or(const char* key, const auto& field, const auto&) { append(key, field); }
  void choice(const char* key, const auto& field, std::initializer_list<const char*> texts) {
    append(key, texts.begin()[static_cast<std::size_t>(field)]);
  }
  void ignored(const char*, const auto&, const auto&...) {}
  void only(const char*, const char*, const char*) {}
  void input_size(const char*) {}

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void append(const char* key, const PerAxis& value) { append(key, fmt::format("{}x{}", value.y, value.x)); }
  void append(const char* key, const Shape& value) { append(key, to_string(value)); }
  void append(const char* key, const IndexList& value) { append(key, value.digest()); }
  void append(const char* key, const std::optional<std::uint64_t>& value) { append(key, value.value_or(0)); }
  template <class Value>
  void append(const char* key, const Value& value) {
    text_ += fmt::format("{}{}={}", text_.empty() ? "" : ", ", key, value);
  }

  std::string text_;
};

/// Calls visit(kind) for every kind with its default settings.
template <class Visit, class... K>
void for_each_kind(const Visit& visit, std::type_identity<std::variant<K...>>) {
  (visit(K{}), ...);
}

}  // namespace

std::string kind_name(const OperatorKind& kind) {
  return std::visit([](const auto& k) { return k.kTraits.name; }, kind);
}

std::vector<std::string> operator_kinds() {
  std::vector<std::string> names;
  for_each_kind([&](const auto& kind) { names.emplace_back(kind.kTraits.name); }, std::type_identity<OperatorKind>());
  return names;
}

std::optional<OperatorKind> find_kind(const std::string& name) {
  std::optional<OperatorKind> found;
  const auto compare = [&](const auto& kind) {
    if (name == kind.kTraits.name) found = kind;
  };
  for_each_kind(compare, std::type_identity<OperatorKind>());
  return found;
}

std::string canonical_text(const OperatorKind& kind) {
  SettingsText settings;
  std::visit([&](const auto& k) { k.settings(k, settings); }, kind);
  return fmt::format("{}({})", kind_name(kind), settings.text());
}

Structure structure_of(const OperatorKind& kind) {
  return std::visit([](const auto& k) { return k.kTraits.structure; }, kind);
}

JacobianNumbers jacobian_numbers(const OperatorKind& kind) {
  return std::visit([](const auto& k) { return k.kTraits.numbers; }, kind);
}

bool is_view(const OperatorKind& kind) { return structure_of(kind) == Structure::view; }

bool is_elementwise(const OperatorKind& kind) { return structure_of(kind) == Structure::elementwise; }

bool is_join(const OperatorKind& kind) { return structure_of(kind) == Structure::join; }

bool is_mixing(const OperatorKind& kind) { return structure_of(kind) == Structure::mixing; }

bool is_moving(const OperatorKind& kind) {
  return std::visit([]<class K>(const K&) { return MovingOperator<K>; }, kind);
}

std::uint64_t baseline_mixing_flops(const Operator& op, std::size_t input) {
  return visit_operator(
      op.kind, [&](const MixingOperator auto& k) { return k.baseline_flops(op, input); },
      []<class K>(const K&) requires(!MixingOperator<K>) { return std::uint64_t{0}; });
}

bool joins_parts(const OperatorKind& kind) {
  return visit_operator(
      kind, []<JoinOperator K>(const K&) { return K::kJoin == JoinRule::parts; },
      []<class K>(const K&) requires(!JoinOperator<K>) { return false; });
}

OperatorParameters parameters_of(const OperatorKind& kind, const Shape& in_shape) {
  return visit_operator(
      kind, [&](const ParametricOperator auto& k) { return k.parameters(in_shape); },
      []<class K>(const K&) requires(!ParametricOperator<K>) { return OperatorParameters{}; });
}

std::optional<Shape> weight_shape(const OperatorKind& kind, const Shape& in_shape) {
  return parameters_of(kind, in_shape).weight;
}

Shape infer_shape(const OperatorKind& kind, std::span<const Shape> in_shapes) {
  if (!is_join(kind) && !is_mixing(kind) && in_shapes.size() != 1)
    throw std::invalid_argument(fmt::format("it reads {} activations, accepted is one", in_shapes.size()));
  if (is_join(kind) && in_shapes.size() < 2) {
    throw std::invalid_argument(
        fmt::format("it reads {} activation, accepted are two or more: state its inputs", in_shapes.size()));
  }
  return visit_operator(
      kind, [&](const JoinOperator auto& k) { return k.shape(in_shapes); },
      [&](const MixingOperator auto& k) { return k.shape(in_shapes); },
      [&]<class K>(const K& k) requires(!JoinOperator<K> && !MixingOperator<K>) {
        if constexpr (ElementwiseOperator<K> && !requires { &K::shape; }) {
          return in_shapes[0];
        } else {
          return k.shape(in_shapes[0]);
        }
      });
}

Shape infer_shape(const OperatorKind& kind, const Shape& in) { return infer_shape(kind, std::span(&in, 1)); }

}  // namespace upsweep
