#pragma once

#include <string>

#include "upsweep/io/yaml.hpp"
#include "upsweep/onnx/torch_operators.hpp"

namespace upsweep {

/// Reads the arguments of an operator under PyTorch's name from `map`, whose other keys are the caller's; null: it has
/// none. `entry` is where the operator stands, `what` its name in errors. Throws InputError.
[[nodiscard]] TorchArguments read_torch_arguments(const TorchOperator& torch, YamlMap* map,
                                                  const YamlDocument& document, const YamlNode& entry,
                                                  const std::string& what);

}  // namespace upsweep
