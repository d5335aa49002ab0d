#include "weights_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "array_source.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/io/npy.hpp"
#include "upsweep/network/random.hpp"

namespace upsweep {
namespace {

// A GiB of inputs in double precision.
constexpr std::uint64_t kMaxSampleElements = std::uint64_t{1} << 27;

/// The settings under `weights`.
struct WeightSettings {
  const YamlNode* masks = nullptr;
  const YamlNode* values = nullptr;
  bool he_normal = false;
  std::uint64_t seed = 0;
  std::optional<Pruning> pruning;
};

double read_sparsity(const YamlDocument& document, YamlMap& map) {
  const YamlNode& node = map.require("sparsity");
  const double sparsity = yaml_number(document, node, "sparsity of prune");
  if (sparsity < 0 || sparsity >= 1)
    throw document.error(node, fmt::format("sparsity of prune is {}, accepted is a number in [0, 1)", describe(node)));
  return sparsity;
}

Pruning read_pruning(const YamlDocument& document, const YamlNode& node) {
  YamlMap map(document, node, "prune");
  const YamlNode& method = map.require("method");
  const std::string name = yaml_text(document, method, "method of prune");
  Pruning pruning;
  if (name == "magnitude_global") {
    pruning = MagnitudeGlobal{read_sparsity(document, map)};
  } else if (name == "magnitude_layer") {
    pruning = MagnitudeLayer{read_sparsity(document, map)};
  } else if (name == "n_m") {
    const std::uint64_t m = yaml_integer(document, map.require("m"), "m of prune", 1, 1U << 20);
    pruning = NOfM{yaml_integer(document, map.require("n"), "n of prune", 1, m), m};
  } else {
    throw document.error(
        method,
        fmt::format("method of prune is {}, accepted are magnitude_global, magnitude_layer, n_m", describe(method)));
  }
  map.finish();
  return pruning;
}

WeightSettings read_settings(const YamlDocument& document, const YamlNode& node) {
  WeightSettings settings;
  YamlMap map(document, node, "weights");
  settings.masks = map.find("masks");
  settings.values = map.find("values");
  if (const YamlNode* init = map.find("init"); init != nullptr) {
    if (yaml_text(document, *init, "init of weights") != "he_normal") {
      throw document.error(*init, fmt::format("init of weights is {}, accepted is he_normal", describe(*init)));
    }
    settings.he_normal = true;
  }
  if (const YamlNode* seed = map.find("seed"); seed != nullptr)
    settings.seed = yaml_integer(document, *seed, "seed of weights");
  const YamlNode* prune = map.find("prune");
  if (prune != nullptr) settings.pruning = read_pruning(document, *prune);
  map.finish();
  if (settings.values != nullptr && (settings.masks != nullptr || settings.he_normal)) {
    throw document.error(node, fmt::format("weights has both values and {}, accepted is one of them",
                                           settings.masks != nullptr ? "masks" : "init"));
  }
  if (prune != nullptr && settings.masks != nullptr)
    throw document.error(*prune, "weights has both masks and prune, accepted is one of them");
  return settings;
}

/// Arrays of operators; errors name model file, line, operator and array.
class OperatorArrays {
 public:
  /// `node`: what names the source, under `key` of weights.
  OperatorArrays(const ModelContext& context, const YamlNode& node, const std::string& key) : context_(context) {
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

  [[nodiscard]] NpyArray read(std::size_t op, const std::string& suffix, const Shape& shape) const {
    NpyArray array;
    try {
      array = source_->read(name(op) + suffix, shape);
    } catch (const InputError& error) {
      throw fail(op, error.what());
    }
    if (array.shape != shape) {
      throw fail(op, fmt::format("{} has shape {}, accepted is {}", source_->place(name(op) + suffix),
                                 to_string(array.shape), to_string(shape)));
    }
    return array;
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t op) const { return context_.network.operators()[op].name; }
  [[nodiscard]] InputError fail(std::size_t op, const std::string& message) const {
    const Operator& mine = context_.network.operators()[op];
    return {context_.document.file, context_.lines[op],
            fmt::format("{} '{}': {}", kind_name(mine.kind), mine.name, message)};
  }

  const ModelContext& context_;
  std::unique_ptr<const ArraySource> source_;
};

/// An all-ones mask is the same as none, which is cheaper.
std::vector<std::uint8_t> drop_if_full(std::vector<std::uint8_t> kept) {
  if (std::all_of(kept.begin(), kept.end(), [](std::uint8_t k) { return k != 0; })) kept.clear();
  return kept;
}

void read_masks(const ModelContext& context, const YamlNode& node, NetworkWeights& weights) {
  const OperatorArrays arrays(context, node, "masks");
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = context.network.operators()[o];
    const auto shape = weight_shape(op.kind, op.in_shape);
    if (!shape) continue;
    weights[o].kept = arrays.read(o, "", *shape).nonzero();
    context.hash.add("mask " + op.name, std::as_bytes(std::span(weights[o].kept)));
    weights[o].kept = drop_if_full(std::move(weights[o].kept));
  }
}

std::vector<double> optional_array(const ModelContext& context, const OperatorArrays& arrays, std::size_t o,
                                   const std::string& suffix, std::uint64_t size) {
  if (!arrays.exists(o, suffix)) return {};
  std::vector<double> values = arrays.read(o, suffix, {size}).to_doubles();
  context.hash.add(context.network.operators()[o].name + suffix + ".npy", std::as_bytes(std::span(values)));
  return values;
}

void read_values(const ModelContext& context, const YamlNode& node, NetworkWeights& weights) {
  const OperatorArrays arrays(context, node, "values");
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = context.network.operators()[o];
    OperatorWeights& mine = weights[o];
    const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
    const auto optional = [&](const std::string& suffix, std::uint64_t size) {
      return size > 0 ? optional_array(context, arrays, o, suffix, size) : std::vector<double>();
    };
    if (parameters.weight) {
      const NpyArray array = arrays.read(o, "", *parameters.weight);
      mine.values = array.to_doubles();
      mine.kept = drop_if_full(array.nonzero());
      context.hash.add("values " + op.name, std::as_bytes(std::span(mine.values)));
    } else {
      mine.values = optional("", parameters.scales);
    }
    mine.bias = optional(".bias", parameters.biases);
    mine.running_mean = optional(".running_mean", parameters.statistics);
    mine.running_var = optional(".running_var", parameters.statistics);
  }
}

std::string describe_seeded(const WeightSettings& settings) {
  std::string text = fmt::format("he_normal={}, seed={}", settings.he_normal, settings.seed);
  if (settings.pruning) {
    text +=
        std::visit(Overload{
                       [](const MagnitudeGlobal& rule) { return fmt::format(", magnitude_global={}", rule.sparsity); },
                       [](const MagnitudeLayer& rule) { return fmt::format(", magnitude_layer={}", rule.sparsity); },
                       [](const NOfM& rule) { return fmt::format(", n_m={}:{}", rule.n, rule.m); },
                   },
                   *settings.pruning);
  }
  return text;
}

/// Throws InputError where a running variance plus eps is not positive: its square root would not be a number.
void check_variances(const ModelContext& context, const NetworkWeights& weights) {
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const Operator& op = context.network.operators()[o];
    const OperatorParameters parameters = parameters_of(op.kind, op.in_shape);
    if (parameters.statistics == 0) continue;
    for (std::size_t c = 0; c < std::max<std::size_t>(1, weights[o].running_var.size()); ++c) {
      const double variance = weights[o].running_var.empty() ? 1 : weights[o].running_var[c];
      if (variance + parameters.variance_shift > 0) continue;
      throw InputError(context.document.file, context.lines[o],
                       fmt::format("{} '{}': running variance {} of channel {} plus eps is not positive, "
                                   "accepted is a positive sum",
                                   kind_name(op.kind), op.name, variance, c));
    }
  }
}

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

}  // namespace

NetworkWeights read_weights(const ModelContext& context, const YamlNode* node) {
  NetworkWeights weights(context.network.operators().size());
  WeightSettings settings;
  if (node != nullptr) settings = read_settings(context.document, *node);
  if (settings.masks != nullptr) read_masks(context, *settings.masks, weights);
  if (settings.values != nullptr) read_values(context, *settings.values, weights);
  context.hash.add("weights", describe_seeded(settings));
  const bool seeded = settings.values == nullptr && (settings.pruning || context.numbers != Numbers::structure);
  if (seeded && context.numbers == Numbers::structure) {
    prune_he_normal(context.network, settings.seed, *settings.pruning, weights);
    check_variances(context, weights);
    return weights;
  }
  if (seeded) fill_he_normal(context.network, settings.seed, weights);
  if (settings.pruning) prune(context.network, *settings.pruning, weights);
  check_variances(context, weights);
  return weights;
}

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
