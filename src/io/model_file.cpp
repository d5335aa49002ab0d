#include "upsweep/io/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "operator_reader.hpp"
#include "prune_reader.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/io/yaml.hpp"
#include "weights_reader.hpp"

namespace upsweep {
namespace {

Shape read_input_shape(const YamlDocument& document, const YamlNode& node) {
  Shape shape = read_shape(document, node, "input", ~std::uint64_t{0} - 1, true);
  try {
    if (elements(shape) > kMaxElements) {
      throw document.error(node, fmt::format("input {} has {} elements, accepted are at most {}", to_string(shape),
                                             elements(shape), kMaxElements));
    }
  } catch (const CountOverflow&) {
    throw document.error(
        node, fmt::format("the product of the sizes of input {} exceeds 64 bits, accepted are at most {} elements",
                          to_string(shape), kMaxElements));
  }
  return shape;
}

/// The operators of a file.
struct FileOperators {
  LoweredOperators lowered;
  std::vector<OperatorEntry> entries;

  [[nodiscard]] const OperatorEntry& entry_of(std::size_t spec) const { return entries[lowered.entry[spec]]; }
};

/// Lists of kinds alone are what they are; others are lowered.
FileOperators file_operators(const YamlDocument& document, const YamlNode& list, const Shape& input) {
  FileOperators all{{}, read_operators(document, list)};
  std::vector<ListedOperator> listed;
  for (const OperatorEntry& entry : all.entries) listed.push_back({entry.spec, entry.torch, entry.arguments});
  if (std::ranges::any_of(listed, [](const ListedOperator& one) { return one.torch != nullptr; })) {
    try {
      all.lowered = lower_operators(input, listed);
    } catch (const OperatorError& error) {
      throw InputError(document.file, all.entries[error.index()].line, error.what());
    }
    return all;
  }
  for (std::size_t i = 0; i < listed.size(); ++i) {
    all.lowered.specs.push_back(listed[i].spec);
    all.lowered.entry.push_back(i);
  }
  all.lowered.constants.resize(listed.size());
  return all;
}

Network build_network(const YamlDocument& document, const YamlNode& list, const Shape& input,
                      const FileOperators& operators) {
  try {
    return Network(input, operators.lowered.specs);
  } catch (const OperatorError& error) {
    throw InputError(document.file, operators.entry_of(error.index()).line, error.what());
  } catch (const std::invalid_argument& error) {
    throw document.error(list, error.what());
  }
}

void check_stated_inputs(const YamlDocument& document, const Network& network, const FileOperators& operators,
                         const std::vector<std::size_t>& specs) {
  for (std::size_t o = 0; o < specs.size(); ++o) {
    const Operator& op = network.operators()[o];
    const OperatorEntry& entry = operators.entry_of(specs[o]);
    if (entry.stated_input && *entry.stated_input != op.in_shape[0]) {
      throw InputError(document.file, entry.line,
                       fmt::format("{} '{}': it states {} inputs, its input has shape {}", kind_name(op.kind), op.name,
                                   *entry.stated_input, to_string(op.in_shape)));
    }
  }
}

/// What the operators read, where an operator reads anything but the one before it: lists without branches have one
/// hash, whether they state inputs or not.
void hash_inputs(const Network& network, ContentHash& hash) {
  const std::vector<Operator>& operators = network.operators();
  bool is_list = true;
  for (std::size_t o = 0; o < operators.size(); ++o) {
    const std::size_t before = o == 0 ? kNetworkInput : o - 1;
    is_list = is_list && network.inputs_of(o).size() == 1 && network.inputs_of(o)[0] == before;
  }
  if (is_list) return;
  for (std::size_t o = 0; o < operators.size(); ++o) {
    // Positions, which an operator's name cannot be mistaken for.
    std::string text;
    for (const std::size_t source : network.inputs_of(o))
      text += source == kNetworkInput ? std::string("input ") : fmt::format("{} ", source);
    hash.add("inputs", text);
  }
}

/// Of sizes and operators, to which arrays are added.
ContentHash structure_hash(const Model& model) {
  ContentHash hash;
  hash.add("input", to_string(model.network.input()));
  hash.add("value_bytes", std::to_string(model.value_bytes));
  for (const Operator& op : model.network.operators()) hash.add(op.name, canonical_text(op.kind));
  hash_inputs(model.network, hash);
  return hash;
}

/// By operator of a network: its place in the list that the network was made of.
std::vector<std::size_t> specs_in_order(const Network& network, const std::vector<OperatorSpec>& specs) {
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < specs.size(); ++i) place.emplace(specs[i].name, i);
  std::vector<std::size_t> order;
  for (const Operator& op : network.operators()) order.push_back(place.at(op.name));
  return order;
}

Network onnx_network(const std::string& file, const OnnxNetwork& read) {
  try {
    return {read.input, read.specs};
  } catch (const OperatorError& error) {
    throw InputError(fmt::format("{}: {}: {}", file, read.nodes[error.index()], error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

namespace {

/// Prunes the weights of an ONNX file, or, where it has none, seeded ones.
void prune_onnx(const Model& model, const OnnxOptions& options, const OperatorAliases& aliases, bool has_numbers,
                NetworkWeights& weights) {
  if (!options.prune && !options.budget) return;
  const Pruning rule = options.budget ? Pruning(budgets_of(model.network, aliases, *options.budget)) : *options.prune;
  model.at_operators(
      [&] { has_numbers ? prune(model.network, rule, weights) : prune_he_normal(model.network, 0, rule, weights); });
}

}  // namespace

Model load_onnx(const std::string& file, const OnnxOptions& options, Numbers numbers) {
  const bool is_pruned = options.prune || options.budget;
  OnnxNetwork read = import_onnx(file, options, numbers != Numbers::structure || is_pruned);
  Model model{file, read.name, 4, onnx_network(file, read), {}, {}, {}, {}, read.facts, read.macs};
  OperatorAliases aliases;
  for (const std::size_t spec : specs_in_order(model.network, read.specs)) {
    model.weights.push_back(std::move(read.weights[spec]));
    std::string tensor = std::move(read.tensors[spec]);
    if (tensor.ends_with(".weight")) tensor.resize(tensor.size() - std::string_view(".weight").size());
    aliases.push_back(std::move(tensor));
  }
  if (numbers != Numbers::structure) {
    if (!read.facts.has_values) fill_he_normal(model.network, 0, model.weights);
    model.sample = normal_inputs(1, elements(read.input), 0);
  }
  prune_onnx(model, options, aliases, numbers != Numbers::structure || read.facts.has_values, model.weights);
  ContentHash hash = structure_hash(model);
  for (std::size_t o = 0; o < model.weights.size(); ++o) {
    const std::string& name = model.network.operators()[o].name;
    if (numbers == Numbers::structure) model.weights[o].values = {};
    hash.add("mask " + name, std::as_bytes(std::span(model.weights[o].kept)));
    hash.add("values " + name, std::as_bytes(std::span(model.weights[o].values)));
  }
  model.content_hash = hash.text();
  return model;
}

Model load_network(const YamlDocument& document, Numbers numbers, SeededMasks* masks) {
  YamlMap map(document, *document.root, "the model");
  const std::filesystem::path path(document.file);
  const std::string name = map.name_or_stem();
  const Shape input = read_input_shape(document, map.require("input"));
  const unsigned value_bytes = yaml_value_bytes(document, map.find("dtype"));
  const YamlNode* weights = map.find("weights");
  const YamlNode* sample = map.find("sample");
  const YamlNode& list = map.require("operators");
  map.finish();

  FileOperators operators = file_operators(document, list, input);
  Model model{
      document.file, name, value_bytes, build_network(document, list, input, operators), {}, {}, {}, {}, {}, {}};
  const std::vector<std::size_t> specs = specs_in_order(model.network, operators.lowered.specs);
  NetworkWeights constants;
  for (const std::size_t spec : specs) {
    model.lines.push_back(operators.entry_of(spec).line);
    constants.push_back(std::move(operators.lowered.constants[spec]));
  }
  check_stated_inputs(document, model.network, operators, specs);

  ContentHash hash = structure_hash(model);
  const ModelContext context{document, path.parent_path(), model.network, model.lines, numbers, hash, constants, masks};
  model.weights = model.at_operators([&] { return read_weights(context, weights); });
  if (sample != nullptr) model.sample = read_sample(context, *sample);
  if (sample == nullptr && numbers == Numbers::run) model.sample = normal_inputs(1, elements(input), 0);
  if (sample == nullptr && numbers == Numbers::needed) {
    throw document.error(*document.root,
                         "the model has no key 'sample', which the sample pattern needs: accepted is {inputs: "
                         "FILE.npy} or {count: N, seed: S}");
  }
  model.content_hash = hash.text();
  return model;
}

}  // namespace upsweep
