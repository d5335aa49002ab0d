#include "weight_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "array_source.hpp"
#include "csv_table.hpp"
#include "path_steps.hpp"
#include "upsweep/io/npy.hpp"

namespace upsweep {
namespace {

/// Arrays of operators; errors name model file, line, operator and array.
class OperatorArrays {
 public:
  /// `node`: what names the source, under `key` of weights.
  OperatorArrays(const ModelContext& context, const YamlNode& node, const std::string& key,
                 const OperatorAliases& aliases)
      : context_(context), aliases_(aliases) {
    const std::filesystem::path path = context.folder / yaml_text(context.document, node, key + " of weights");
    try {
      source_ = open_arrays(path);
    } catch (const InputError& error) {
      throw context.document.error(node, fmt::format("{} of weights names {}", key, error.what()));
    }
  }

  [[nodiscard]] bool exists(std::size_t op, const std::string& suffix) const {
    return source_->exists(name(op) + suffix);
  }

  /// The weight of an operator, as files have it; a kernel of one row may be one without rows.
  [[nodiscard]] NpyArray read_weight(std::size_t op, const Shape& shape) const {
    NpyArray array = read_any(op, "", shape);
    if (shape.size() == 4 && shape[2] == 1 && array.shape == Shape{shape[0], shape[1], shape[3]}) array.shape = shape;
    return checked_shape(op, "", std::move(array), shape);
  }

  [[nodiscard]] NpyArray read(std::size_t op, const std::string& suffix, const Shape& shape) const {
    NpyArray array = read_any(op, suffix, shape);
    // A normalisation over several axes has a number for each of their elements.
    const bool is_grouped = std::holds_alternative<Grouped>(context_.network.operators()[op].kind);
    if (is_grouped && array.shape.size() > 1 && array.size() == elements(shape)) array.shape = shape;
    return checked_shape(op, suffix, std::move(array), shape);
  }

 private:
  [[nodiscard]] NpyArray read_any(std::size_t op, const std::string& suffix, const Shape& shape) const {
    try {
      return source_->read(name(op) + suffix, shape);
    } catch (const InputError& error) {
      throw fail(op, error.what());
    }
  }
  [[nodiscard]] NpyArray checked_shape(std::size_t op, const std::string& suffix, NpyArray array,
                                       const Shape& shape) const {
    if (array.shape != shape) {
      throw fail(op, fmt::format("{} has shape {}, accepted is {}", source_->place(name(op) + suffix),
                                 to_string(array.shape), to_string(shape)));
    }
    return array;
  }

  /// The name of an operator's arrays, less what PyTorch calls a weight.
  [[nodiscard]] std::string name(std::size_t op) const {
    std::string alias = op < aliases_.size() ? aliases_[op] : std::string();
    if (alias.empty()) return context_.network.operators()[op].name;
    if (alias.ends_with(".weight")) alias.resize(alias.size() - std::string_view(".weight").size());
    return alias;
  }
  [[nodiscard]] InputError fail(std::size_t op, const std::string& message) const {
    const Operator& mine = context_.network.operators()[op];
    return {context_.document.file, context_.lines[op],
            fmt::format("{} '{}': {}", kind_name(mine.kind), mine.name, message)};
  }

  const ModelContext& context_;
  const OperatorAliases& aliases_;
  std::unique_ptr<const ArraySource> source_;
};

/// An all-ones mask is the same as none, which is cheaper.
std::vector<std::uint8_t> drop_if_full(std::vector<std::uint8_t> kept) {
  if (std::all_of(kept.begin(), kept.end(), [](std::uint8_t k) { return k != 0; })) kept.clear();
  return kept;
}

/// Numbers of a file in the operator's order.
template <class T>
std::vector<T> in_order(std::vector<T> stored, const StoredWeight& weight) {
  if (weight.order.empty()) return stored;
  std::vector<T> sorted;
  sorted.reserve(stored.size());
  for (const std::uint32_t place : weight.order) sorted.push_back(stored[place]);
  return sorted;
}

/// A recurrent layer as PyTorch stores it: a matrix for the input and one for the state, and a bias of each.
bool read_recurrent(const OperatorArrays& arrays, std::size_t o, const Operator& op, OperatorWeights& weights) {
  const Recurrence* kind = std::get_if<Recurrence>(&op.kind);
  const std::string end = kind != nullptr && kind->reversed ? "_l0_reverse" : "_l0";
  if (kind == nullptr || arrays.exists(o, "") || !arrays.exists(o, ".weight_ih" + end)) return false;
  const std::uint64_t rows = kind->gates() * kind->hidden;
  const std::vector<double> input = arrays.read(o, ".weight_ih" + end, {rows, op.in_shape[1]}).to_doubles();
  const std::vector<double> state = arrays.read(o, ".weight_hh" + end, {rows, kind->hidden}).to_doubles();
  for (std::uint64_t row = 0; row < rows; ++row) {
    const auto append = [&](const std::vector<double>& from, std::uint64_t width) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(row * width);
      weights.values.insert(weights.values.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    append(input, op.in_shape[1]);
    append(state, kind->hidden);
  }
  for (const std::string suffix : {".bias_ih", ".bias_hh"}) {
    if (!kind->bias || !arrays.exists(o, suffix + end)) continue;
    const std::vector<double> bias = arrays.read(o, suffix + end, {rows}).to_doubles();
    weights.bias.insert(weights.bias.end(), bias.begin(), bias.end());
  }
  if (!weights.bias.empty()) weights.bias.resize(2 * rows);
  return true;
}

std::vector<double> optional_array(const ModelContext& context, const OperatorArrays& arrays, std::size_t o,
                                   const std::string& suffix, std::uint64_t size) {
  if (!arrays.exists(o, suffix)) return {};
  std::vector<double> values = arrays.read(o, suffix, {size}).to_doubles();
  context.hash.add(context.network.operators()[o].name + suffix + ".npy", std::as_bytes(std::span(values)));
  return values;
}

std::vector<std::uint8_t> nonzero_of(const std::vector<double>& values) {
  std::vector<std::uint8_t> kept;
  for (const double value : values) kept.push_back(value != 0 ? 1 : 0);
  return kept;
}

}  // namespace

StoredWeight stored_weight(const Operator& op) {
  const Shape shape = *weight_shape(op.kind, op.in_shape);
  const ConvTranspose2d* conv = std::get_if<ConvTranspose2d>(&op.kind);
  if (conv == nullptr) return {shape};
  return {{op.in_shape[0], conv->out_channels / conv->groups, shape[2], shape[3]}, conv->stored_order(op.in_shape[0])};
}

OperatorAliases read_aliases(const ModelContext& context, const YamlNode* names) {
  if (names == nullptr) return {};
  const YamlDocument& document = context.document;
  OperatorAliases aliases(context.network.operators().size());
  const auto take = [&](const std::string& name, const std::string& tensor) {
    for (std::size_t o = 0; o < aliases.size(); ++o) {
      if (context.network.operators()[o].name != name) continue;
      aliases[o] = tensor;
      return;
    }
    throw document.error(*names, fmt::format("names of weights has '{}', accepted are names of operators", name));
  };
  const bool is_mapping = names->kind == YamlNode::Kind::mapping;
  if (is_mapping && !value_place(*names, "file")) {
    for (std::size_t i = 0; i + 1 < names->children.size(); i += 2)
      take(names->children[i]->text, yaml_text(document, *names->children[i + 1], "names of weights"));
    return aliases;
  }
  std::string file, operators = "operator", tensors = "tensor";
  if (is_mapping) {
    YamlMap map(document, *names, "names of weights");
    file = map.text("file");
    if (const YamlNode* column = map.find("operator")) operators = yaml_text(document, *column, "operator of names");
    if (const YamlNode* column = map.find("tensor")) tensors = yaml_text(document, *column, "tensor of names");
    map.finish();
  } else {
    file = yaml_text(document, *names, "names of weights");
  }
  const CsvTable table = document.at<InputError>(
      *names, [&] { return read_csv_table((context.folder / file).string(), "a table of names, CSV"); });
  const std::size_t from = table.column(operators);
  const std::size_t to = table.column(tensors);
  for (const std::vector<std::string>& row : table.rows) take(row[from], row[to]);
  return aliases;
}

void read_masks(const ModelContext& context, const YamlNode& node, const OperatorAliases& aliases,
                NetworkWeights& weights) {
  const OperatorArrays arrays(context, node, "masks", aliases);
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = context.network.operators()[o];
    if (!weight_shape(op.kind, op.in_shape)) continue;
    const StoredWeight stored = stored_weight(op);
    weights[o].kept = in_order(arrays.read_weight(o, stored.shape).nonzero(), stored);
    context.hash.add("mask " + op.name, std::as_bytes(std::span(weights[o].kept)));
    weights[o].kept = drop_if_full(std::move(weights[o].kept));
  }
}

void read_values(const ModelContext& context, const YamlNode& node, const OperatorAliases& aliases,
                 NetworkWeights& weights) {
  const OperatorArrays arrays(context, node, "values", aliases);
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = context.network.operators()[o];
    OperatorWeights& mine = weights[o];
    const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
    const auto optional = [&](const std::string& suffix, std::uint64_t size) {
      return size > 0 ? optional_array(context, arrays, o, suffix, size) : std::vector<double>();
    };
    if (read_recurrent(arrays, o, op, mine)) {
      mine.kept = drop_if_full(nonzero_of(mine.values));
      context.hash.add("values " + op.name, std::as_bytes(std::span(mine.values)));
      context.hash.add("biases " + op.name, std::as_bytes(std::span(mine.bias)));
      continue;
    }
    if (parameters.weight) {
      const StoredWeight stored = stored_weight(op);
      mine.values = in_order(arrays.read_weight(o, stored.shape).to_doubles(), stored);
      mine.kept = drop_if_full(nonzero_of(mine.values));
      context.hash.add("values " + op.name, std::as_bytes(std::span(mine.values)));
    } else {
      mine.values = optional("", parameters.scales);
    }
    mine.bias = optional(".bias", parameters.biases);
    mine.running_mean = optional(".running_mean", parameters.statistics);
    mine.running_var = optional(".running_var", parameters.statistics);
  }
}

}  // namespace upsweep
