#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upsweep/io/yaml.hpp"

namespace upsweep {

// Paths into a document: keys joined by points, [i] for the i-th element of a sequence (from 0), [*] for all of them.
// In a list of operators, a name stands for the operator of that name: "operators.conv1.out_channels" is the key
// out_channels of `conv2d: {name: conv1, ...}`; "[*].conv2d.out_channels" those of all conv2d, others are passed over.
// A quantity `{value: 3, source: "..."}` stands for its value.

/// A document with a scalar at `path`, sharing what does not change: what stood there is replaced, whatever it was; the
/// last key is made where its mapping lacks it (a mapping written as a bare name gets one: `- relu`). Lines are kept.
///
/// Throws std::invalid_argument, in a sentence for users, for bad syntax and where nothing is on the way to the last
/// key, naming the nearest path that exists.
[[nodiscard]] YamlDocument yaml_with(const YamlDocument& document, const std::string& path, const std::string& text);

/// The nodes at a path: several with [*], none where it does not exist. Throws std::invalid_argument for bad syntax.
[[nodiscard]] std::vector<const YamlNode*> yaml_at(const YamlDocument& document, const std::string& path);

/// The path of the document that is nearest to `path` by edit distance; scalars and sequences of scalars are paths.
[[nodiscard]] std::string nearest_path(const YamlDocument& document, const std::string& path);

}  // namespace upsweep
