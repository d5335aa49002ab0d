#pragma once

#include <vector>

#include "upsweep/io/yaml.hpp"
#include "upsweep/machine/published_rates.hpp"

namespace upsweep {

/// Reads the list `published` of a machine file. Throws InputError.
[[nodiscard]] std::vector<PublishedRates> read_published(const YamlDocument& document, const YamlNode& node);

/// The same as text: "published:\n  - kind: product\n ...".
[[nodiscard]] std::string published_text(const std::vector<PublishedRates>& published);

}  // namespace upsweep
