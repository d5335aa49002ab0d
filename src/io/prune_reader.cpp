#include "prune_reader.hpp"

#include <fmt/format.h>

#include "yaml_choice.hpp"

namespace upsweep {
namespace {

double read_sparsity(const YamlDocument& document, YamlMap& map) {
  const YamlNode& node = map.require("sparsity");
  const double sparsity = yaml_number(document, node, "sparsity of prune");
  if (sparsity < 0 || sparsity >= 1)
    throw document.error(node, fmt::format("sparsity of prune is {}, accepted is a number in [0, 1)", describe(node)));
  return sparsity;
}

/// {per_layer: FILE.csv, column: NAME, names: COLUMN, by: name | order}.
BudgetFile read_budget(const ModelContext& context, YamlMap& map, const YamlNode& file) {
  const YamlDocument& document = context.document;
  BudgetFile budget{(context.folder / yaml_text(document, file, "per_layer of prune")).string()};
  if (const YamlNode* column = map.find("column")) budget.column = yaml_text(document, *column, "column of prune");
  if (const YamlNode* names = map.find("names")) budget.names = yaml_text(document, *names, "names of prune");
  budget.in_order = reads_in_order(document, map.find("by"), "prune");
  return budget;
}

}  // namespace

bool reads_in_order(const YamlDocument& document, const YamlNode* by, const std::string& what) {
  return by != nullptr && yaml_choice(document, *by, "by of " + what, {"name", "order"}) == 1;
}

LayerBudgets budgets_of(const Network& network, const OperatorAliases& aliases, const BudgetFile& file) {
  const LayerShares shares = read_layer_shares(network, aliases, file, "kept_weights_pct");
  LayerBudgets budgets;
  for (const auto& [o, share] : shares.of)
    budgets.sparsity.emplace(network.operators()[o].name, shares.is_kept ? 1 - share : share);
  return budgets;
}

Pruning read_pruning(const ModelContext& context, const OperatorAliases& aliases, const YamlNode& node) {
  const YamlDocument& document = context.document;
  YamlMap map(document, node, "prune");
  if (const YamlNode* file = map.find("per_layer")) {
    const BudgetFile budget = read_budget(context, map, *file);
    map.finish();
    return document.at<InputError>(node, [&] { return budgets_of(context.network, aliases, budget); });
  }
  const YamlNode& method = map.require("method");
  yaml_choice(document, method, "method of prune", {"magnitude_global", "magnitude_layer", "erk", "n_m"});
  Pruning pruning;
  if (method.text == "magnitude_global") {
    pruning = MagnitudeGlobal{read_sparsity(document, map)};
  } else if (method.text == "magnitude_layer") {
    pruning = MagnitudeLayer{read_sparsity(document, map)};
  } else if (method.text == "erk") {
    pruning = ErdosRenyiKernel{read_sparsity(document, map)};
  } else {
    const std::uint64_t m = yaml_integer(document, map.require("m"), "m of prune", 1, 1U << 20);
    pruning = NOfM{yaml_integer(document, map.require("n"), "n of prune", 1, m), m};
  }
  map.finish();
  return pruning;
}

std::string describe_pruning(const Pruning& pruning) {
  return std::visit(Overload{
                        [](const MagnitudeGlobal& rule) { return fmt::format("magnitude_global={}", rule.sparsity); },
                        [](const MagnitudeLayer& rule) { return fmt::format("magnitude_layer={}", rule.sparsity); },
                        [](const NOfM& rule) { return fmt::format("n_m={}:{}", rule.n, rule.m); },
                        [](const ErdosRenyiKernel& rule) { return fmt::format("erk={}", rule.sparsity); },
                        [](const LayerBudgets& rule) {
                          std::string text = "per_layer";
                          for (const auto& [name, sparsity] : rule.sparsity)
                            text += fmt::format(" {}={}", name, sparsity);
                          return text;
                        },
                    },
                    pruning);
}

}  // namespace upsweep
