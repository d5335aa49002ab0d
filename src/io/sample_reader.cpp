#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "layer_table.hpp"
#include "prune_reader.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/io/npy.hpp"
#include "upsweep/network/random.hpp"
#include "weights_reader.hpp"

namespace upsweep {
namespace {

// A GiB of inputs in double precision.
constexpr std::uint64_t kMaxSampleElements = std::uint64_t{1} << 27;

NpyArray read_inputs(const ModelContext& context, const YamlNode& node) {
  const std::string file = (context.folder / yaml_text(context.document, node, "inputs of sample")).string();
  const Shape& input = context.network.input();
  NpyArray array = context.document.at<InputError>(node, [&] { return read_finite_npy(file); });
  const bool fits = array.shape.size() == input.size() + 1 && array.shape[0] > 0 &&
                    std::equal(input.begin(), input.end(), array.shape.begin() + 1);
  if (!fits) {
    throw context.document.error(node, fmt::format("{} has shape {}, accepted is a batch of at least one {}", file,
                                                   to_string(array.shape), to_string(input)));
  }
  return array;
}

/// The ReLU that reads an operator, straight or through normalisations and views; nothing where there is none.
std::optional<std::size_t> relu_after(const Network& network, std::size_t o) {
  for (std::size_t reader = o + 1; reader < network.operators().size(); ++reader) {
    const std::vector<std::size_t>& inputs = network.inputs_of(reader);
    if (inputs.size() != 1 || inputs[0] != o) continue;
    const OperatorKind& kind = network.operators()[reader].kind;
    if (std::holds_alternative<Relu>(kind)) return reader;
    if (is_view(kind) || std::holds_alternative<BatchNorm2d>(kind)) o = reader;
  }
  return std::nullopt;
}

/// {densities: FILE.csv, column, names, by, count, seed}: of every layer the share of its ReLU's outputs that is not 0.
SampleInputs read_densities(const ModelContext& context, YamlMap& map, const YamlNode& node, const YamlNode* count,
                            const YamlNode* seed) {
  const YamlDocument& document = context.document;
  const Network& network = context.network;
  BudgetFile file{(context.folder / yaml_text(document, node, "densities of sample")).string()};
  if (const YamlNode* column = map.find("column")) file.column = yaml_text(document, *column, "column of sample");
  if (const YamlNode* names = map.find("names")) file.names = yaml_text(document, *names, "names of sample");
  file.in_order = reads_in_order(document, map.find("by"), "sample");
  map.finish();
  SampleInputs sample;
  sample.length = elements(network.input());
  sample.count = count == nullptr ? 1 : yaml_integer(document, *count, "count of sample", 1, 1U << 20);
  sample.seed = seed == nullptr ? 0 : yaml_integer(document, *seed, "seed of sample");
  sample.densities.assign(network.operators().size(), -1);
  const LayerShares shares =
      document.at<InputError>(node, [&] { return read_layer_shares(network, {}, file, "activation_pct"); });
  for (const auto& [o, share] : shares.of) {
    const double density = shares.is_kept ? share : 1 - share;
    if (const auto relu = relu_after(network, o)) {
      sample.densities[*relu] = density;
    } else if (density < 1) {
      throw document.error(node, fmt::format("densities of sample says that {} % of the outputs of '{}' are not 0, "
                                             "accepted without a relu behind it is 100",
                                             100 * density, network.operators()[o].name));
    }
  }
  for (std::size_t o = 0; o < network.operators().size(); ++o) {
    const Operator& op = network.operators()[o];
    if (std::holds_alternative<Relu>(op.kind) && sample.densities[o] < 0) {
      throw document.error(node, fmt::format("densities of sample has none for relu '{}', accepted is one for each, "
                                             "by the operator with a weight before it",
                                             op.name));
    }
  }
  context.hash.add("densities", std::as_bytes(std::span(sample.densities)));
  context.hash.add("inputs", fmt::format("drawn, count={}, seed={}", sample.count, sample.seed));
  return sample;
}

}  // namespace

SampleInputs normal_inputs(std::size_t count, std::size_t length, std::uint64_t seed) {
  SampleInputs sample{count, length, std::vector<double>(checked_mul(count, length))};
  const NormalStream normal(seed, "sample inputs");
  for (std::size_t i = 0; i < sample.values.size(); ++i) sample.values[i] = normal(i);
  return sample;
}

SampleInputs read_sample(const ModelContext& context, const YamlNode& node) {
  const YamlDocument& document = context.document;
  YamlMap map(document, node, "sample");
  const YamlNode* inputs = map.find("inputs");
  const YamlNode* count = map.find("count");
  const YamlNode* seed = map.find("seed");
  const YamlNode* densities = map.find("densities");
  if (densities != nullptr) {
    if (inputs != nullptr)
      throw document.error(*inputs, "sample has both inputs and densities, accepted is one of them");
    return read_densities(context, map, *densities, count, seed);
  }
  map.finish();
  if ((inputs == nullptr) == (count == nullptr)) {
    throw document.error(node, inputs != nullptr ? "sample has both inputs and count, accepted is one of them"
                                                 : "sample has neither inputs nor count, accepted is one of them");
  }
  SampleInputs sample;
  sample.length = elements(context.network.input());
  if (inputs != nullptr) {
    if (seed != nullptr) throw document.error(*seed, "seed of sample goes with count, not with inputs");
    const NpyArray array = read_inputs(context, *inputs);
    sample.count = array.shape[0];
    sample.values = array.to_doubles();
    context.hash.add("inputs", std::as_bytes(std::span(sample.values)));
    return sample;
  }
  sample.count = yaml_integer(document, *count, "count of sample", 1,
                              std::max<std::uint64_t>(1, kMaxSampleElements / sample.length));
  const std::uint64_t number = seed == nullptr ? 0 : yaml_integer(document, *seed, "seed of sample");
  context.hash.add("inputs", fmt::format("standard normal, count={}, seed={}", sample.count, number));
  if (context.numbers == Numbers::structure) return sample;
  return normal_inputs(sample.count, sample.length, number);
}

}  // namespace upsweep
