#pragma once

#include "upsweep/io/content_hash.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/io/yaml.hpp"

namespace upsweep {

/// Weights of a cell and its head from the folder that `node` names, as load_recurrent() says; adds them to the hash.
/// Throws InputError at the node: a file that is missing or of another shape, NaN, infinity.
[[nodiscard]] CellWeights<double> read_values(const YamlDocument& document, const YamlNode& node,
                                              const CellShape& shape, ContentHash& hash);

/// Sequences from the files that the mapping `node` names; adds them to the hash. Throws InputError likewise; also for
/// labels that are no classes.
[[nodiscard]] RecurrentSample read_sample(const YamlDocument& document, const YamlNode& node, const CellShape& shape,
                                          ContentHash& hash);

}  // namespace upsweep
