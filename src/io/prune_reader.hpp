#pragma once

#include <string>

#include "layer_table.hpp"
#include "weights_reader.hpp"

namespace upsweep {

/// Reads `prune` under weights. Throws InputError.
[[nodiscard]] Pruning read_pruning(const ModelContext& context, const OperatorAliases& aliases, const YamlNode& node);

/// What a table prunes of each operator. Throws InputError.
[[nodiscard]] LayerBudgets budgets_of(const Network& network, const OperatorAliases& aliases, const BudgetFile& file);

/// Whether a table's rows stand in the order of the network: `by: order`, where by default they are found by name
/// (`by` is null). Throws InputError.
[[nodiscard]] bool reads_in_order(const YamlDocument& document, const YamlNode* by, const std::string& what);

/// All that a rule says, for content hashes: "magnitude_layer=0.9".
[[nodiscard]] std::string describe_pruning(const Pruning& pruning);

}  // namespace upsweep
