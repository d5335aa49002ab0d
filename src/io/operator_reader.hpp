#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/io/yaml.hpp"
#include "upsweep/network/network.hpp"

namespace upsweep {

/// An entry of the list `operators`.
struct OperatorEntry {
  OperatorSpec spec;
  int line = 0;
  /// in_channels, in_features or num_features, where the file states them: the size of the input's first axis.
  std::optional<std::uint64_t> stated_input;
};

/// Reads the list `operators`. Throws InputError at the entry that is wrong.
[[nodiscard]] std::vector<OperatorEntry> read_operators(const YamlDocument& document, const YamlNode& list);

}  // namespace upsweep
