#pragma once

#include "layer_table.hpp"
#include "weights_reader.hpp"

namespace upsweep {

/// The weight of an operator as files have it: as PyTorch stores it.
struct StoredWeight {
  Shape shape;
  std::vector<std::uint32_t> order = {};  ///< by number of the operator's weight: its place; empty: as they stand
};

/// Of an operator with a weight.
[[nodiscard]] StoredWeight stored_weight(const Operator& op);

/// Reads `names` under weights (null where the file has none): which tensor each operator has. Throws InputError.
[[nodiscard]] OperatorAliases read_aliases(const ModelContext& context, const YamlNode* names);

/// Reads the masks, or the values, that `node` names. Throws InputError.
void read_masks(const ModelContext& context, const YamlNode& node, const OperatorAliases& aliases,
                NetworkWeights& weights);
void read_values(const ModelContext& context, const YamlNode& node, const OperatorAliases& aliases,
                 NetworkWeights& weights);

}  // namespace upsweep
