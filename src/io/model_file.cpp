#include "upsweep/io/model_file.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "operator_reader.hpp"
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

Network build_network(const YamlDocument& document, const YamlNode& list, const Shape& input,
                      const std::vector<OperatorEntry>& entries) {
  std::vector<OperatorSpec> specs;
  specs.reserve(entries.size());
  for (const OperatorEntry& entry : entries) specs.push_back(entry.spec);
  try {
    return Network(input, specs);
  } catch (const OperatorError& error) {
    throw InputError(document.file, entries[error.index()].line, error.what());
  } catch (const std::invalid_argument& error) {
    throw document.error(list, error.what());
  }
}

void check_stated_inputs(const YamlDocument& document, const Network& network,
                         const std::unordered_map<std::string, const OperatorEntry*>& entries) {
  for (const Operator& op : network.operators()) {
    const OperatorEntry& entry = *entries.at(op.name);
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

Model load_onnx(const std::string& file, const OnnxOptions& options, Numbers numbers) {
  OnnxNetwork read = import_onnx(file, options, numbers != Numbers::structure);
  Model model{file, read.name, 4, onnx_network(file, read), {}, {}, {}, {}, read.facts, read.macs};
  std::unordered_map<std::string, std::size_t> place;
  for (std::size_t i = 0; i < read.specs.size(); ++i) place.emplace(read.specs[i].name, i);
  ContentHash hash = structure_hash(model);
  for (const Operator& op : model.network.operators()) {
    OperatorWeights& weights = model.weights.emplace_back(std::move(read.weights[place.at(op.name)]));
    hash.add("mask " + op.name, std::as_bytes(std::span(weights.kept)));
    hash.add("values " + op.name, std::as_bytes(std::span(weights.values)));
  }
  if (numbers != Numbers::structure) {
    if (!read.facts.has_values) fill_he_normal(model.network, 0, model.weights);
    model.sample = normal_inputs(1, elements(read.input), 0);
  }
  model.content_hash = hash.text();
  return model;
}

Model load_network(const YamlDocument& document, Numbers numbers) {
  YamlMap map(document, *document.root, "the model");
  const std::filesystem::path path(document.file);
  const std::string name = map.name_or_stem();
  const Shape input = read_input_shape(document, map.require("input"));
  const unsigned value_bytes = yaml_value_bytes(document, map.find("dtype"));
  const YamlNode* weights = map.find("weights");
  const YamlNode* sample = map.find("sample");
  const YamlNode& list = map.require("operators");
  map.finish();

  const std::vector<OperatorEntry> entries = read_operators(document, list);
  std::unordered_map<std::string, const OperatorEntry*> by_name;
  for (const OperatorEntry& entry : entries) by_name.emplace(entry.spec.name, &entry);
  Model model{document.file, name, value_bytes, build_network(document, list, input, entries), {}, {}, {}, {}, {}, {}};
  for (const Operator& op : model.network.operators()) model.lines.push_back(by_name.at(op.name)->line);
  check_stated_inputs(document, model.network, by_name);

  ContentHash hash = structure_hash(model);
  const ModelContext context{document, path.parent_path(), model.network, model.lines, numbers, hash};
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
