#pragma once

#include <map>
#include <string>

#include "upsweep/io/yaml.hpp"
#include "upsweep/machine/small_products.hpp"

namespace upsweep {

/// Reads `small_products` of a machine file: a mapping of all members of SmallProducts. What the sources say goes to
/// `sources`, under "small_products.clock".
///
/// Throws InputError where one is missing, unknown or not accepted.
[[nodiscard]] SmallProducts read_small_products(const YamlDocument& document, const YamlNode& node,
                                                std::map<std::string, std::string>& sources);

}  // namespace upsweep
