#include "torch_reader.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

namespace upsweep {
namespace {

/// Reads the arguments of operators under PyTorch's names.
class TorchReader {
 public:
  TorchReader(YamlMap* map, const YamlDocument& document, const YamlNode& entry, std::string what)
      : map_(map), document_(document), entry_(entry), what_(std::move(what)) {}

  [[nodiscard]] TorchArguments read(const TorchOperator& torch) const {
    TorchArguments arguments;
    for (const TorchArgument& argument : torch.arguments) {
      const YamlNode* node = map_ == nullptr ? nullptr : map_->find(argument.key);
      if (node == nullptr && map_ != nullptr && std::string_view(argument.key) == "kernel")
        node = map_->find("kernel_size");
      if (node == nullptr && argument.is_required) {
        throw document_.error(
            entry_, fmt::format("{} has no key '{}', accepted is a mapping with that key", what_, argument.key));
      }
      if (node != nullptr) arguments.emplace(argument.key, value_of(argument, *node));
    }
    return arguments;
  }

 private:
  [[nodiscard]] TorchValue value_of(const TorchArgument& argument, const YamlNode& node) const {
    const std::string name = fmt::format("{} of {}", argument.key, what_);
    const auto listed = [&](const auto& read_one) {
      std::vector<std::decay_t<decltype(read_one(node))>> all;
      if (node.kind != YamlNode::Kind::sequence) return std::vector{read_one(node)};
      for (const auto& one : node.children) all.push_back(read_one(*one));
      return all;
    };
    const auto integer = [&](const YamlNode& one) { return integer_of(name, one); };
    const auto number = [&](const YamlNode& one) { return yaml_number(document_, one, name); };
    switch (argument.type) {
      case TorchType::integer:
        return integer(node);
      case TorchType::integers:
        return listed(integer);
      case TorchType::number:
        return number(node);
      case TorchType::numbers:
        return listed(number);
      case TorchType::flag:
        return yaml_boolean(document_, node, name);
      case TorchType::text:
        break;
    }
    return yaml_text(document_, node, name);
  }
  [[nodiscard]] std::int64_t integer_of(const std::string& name, const YamlNode& node) const {
    const double value = yaml_number(document_, node, name);
    if (value == std::floor(value) && std::fabs(value) <= static_cast<double>(kMaxElements))
      return static_cast<std::int64_t>(value);
    throw document_.error(node, fmt::format("{} is {}, accepted is an integer", name, describe(node)));
  }

  YamlMap* map_;
  const YamlDocument& document_;
  const YamlNode& entry_;
  std::string what_;
};

}  // namespace

TorchArguments read_torch_arguments(const TorchOperator& torch, YamlMap* map, const YamlDocument& document,
                                    const YamlNode& entry, const std::string& what) {
  return TorchReader(map, document, entry, what).read(torch);
}

}  // namespace upsweep
