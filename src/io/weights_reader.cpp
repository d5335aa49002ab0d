#include "weights_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "prune_reader.hpp"
#include "weight_arrays.hpp"

namespace upsweep {
namespace {

/// The settings under `weights`.
struct WeightSettings {
  const YamlNode* masks = nullptr;
  const YamlNode* values = nullptr;
  bool he_normal = false;
  std::uint64_t seed = 0;
  std::optional<Pruning> pruning;
  OperatorAliases aliases;
};

WeightSettings read_settings(const ModelContext& context, const YamlNode& node) {
  const YamlDocument& document = context.document;
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
  settings.aliases = read_aliases(context, map.find("names"));
  const YamlNode* prune = map.find("prune");
  if (prune != nullptr) settings.pruning = read_pruning(context, settings.aliases, *prune);
  map.finish();
  if (settings.values != nullptr && (settings.masks != nullptr || settings.he_normal)) {
    throw document.error(node, fmt::format("weights has both values and {}, accepted is one of them",
                                           settings.masks != nullptr ? "masks" : "init"));
  }
  if (prune != nullptr && settings.masks != nullptr)
    throw document.error(*prune, "weights has both masks and prune, accepted is one of them");
  return settings;
}

/// Where no file has numbers of an operator, those that the list of operators states.
void take_constants(const ModelContext& context, NetworkWeights& weights) {
  for (std::size_t o = 0; o < weights.size(); ++o) {
    const OperatorWeights& stated = context.constants[o];
    for (const auto member : {&OperatorWeights::values, &OperatorWeights::bias}) {
      if (!(weights[o].*member).empty() || (stated.*member).empty()) continue;
      weights[o].*member = stated.*member;
      context.hash.add((member == &OperatorWeights::bias ? "stated shifts " : "stated scales ") +
                           context.network.operators()[o].name,
                       std::as_bytes(std::span(stated.*member)));
    }
  }
}

std::string describe_seeded(const WeightSettings& settings) {
  std::string text = fmt::format("he_normal={}, seed={}", settings.he_normal, settings.seed);
  if (settings.pruning) text += ", " + describe_pruning(*settings.pruning);
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

}  // namespace

NetworkWeights read_weights(const ModelContext& context, const YamlNode* node) {
  NetworkWeights weights(context.network.operators().size());
  WeightSettings settings;
  if (node != nullptr) settings = read_settings(context, *node);
  if (settings.masks != nullptr) read_masks(context, *settings.masks, settings.aliases, weights);
  if (settings.values != nullptr) read_values(context, *settings.values, settings.aliases, weights);
  take_constants(context, weights);
  context.hash.add("weights", describe_seeded(settings));
  const bool seeded = settings.values == nullptr && (settings.pruning || context.numbers != Numbers::structure);
  if (seeded && context.numbers == Numbers::structure) {
    if (context.masks != nullptr) {
      context.masks->prune(context.network, settings.seed, *settings.pruning, weights);
    } else {
      prune_he_normal(context.network, settings.seed, *settings.pruning, weights);
    }
    check_variances(context, weights);
    return weights;
  }
  if (seeded) fill_he_normal(context.network, settings.seed, weights);
  if (settings.pruning) prune(context.network, *settings.pruning, weights);
  check_variances(context, weights);
  return weights;
}

}  // namespace upsweep
