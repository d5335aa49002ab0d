#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "index_arrays.hpp"
#include "upsweep/io/yaml.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/onnx/torch_operators.hpp"

namespace upsweep {

/// An entry of the list `operators`.
struct OperatorEntry {
  OperatorSpec spec;
  int line = 0;
  const TorchOperator* torch = nullptr;  ///< under PyTorch's name; null: one of the kinds
  TorchArguments arguments = {};
  /// in_channels, in_features or num_features, where the file states them: the size of the input's first axis.
  std::optional<std::uint64_t> stated_input;
};

/// 'kind' or 'kind: {settings}'.
struct KindEntry {
  const YamlNode& kind;
  const YamlNode* settings;  ///< null where there are none
};

/// Reads an entry of a list of these. Throws InputError that calls it `what`.
[[nodiscard]] KindEntry read_kind_entry(const YamlDocument& document, const YamlNode& item, const std::string& what);

/// Reads the list `operators`. Throws InputError at the entry that is wrong.
[[nodiscard]] std::vector<OperatorEntry> read_operators(const YamlDocument& document, const YamlNode& list);

/// [channels, height, width] or [features], each at least 1 and at most `most`; with `any_rank` one to eight sizes, as
/// networks of other formats have them.
[[nodiscard]] Shape read_shape(const YamlDocument& document, const YamlNode& node, const std::string& what,
                               std::uint64_t most, bool any_rank = false);

/// Reads the settings of an operator of `kind` from `map`, whose other keys are the caller's; null: it has none. `item`
/// is where the operator stands, `what` its name in errors ("conv2d 'conv1'"), `arrays` what files have. The name in
/// the result is empty.
///
/// Throws InputError, also for a kind that is none of operator_kinds().
[[nodiscard]] OperatorEntry read_operator_settings(const YamlDocument& document, const YamlNode& item,
                                                   const YamlNode& kind, YamlMap* map, const std::string& what,
                                                   IndexArrays& arrays);

}  // namespace upsweep
