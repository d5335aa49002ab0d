#pragma once

#include <string>

#include "upsweep/onnx/import.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {

/// {"format", "opset", "operators", "counted", "free", "refused"}: what became of the nodes of an ONNX file.
[[nodiscard]] Json import_json(const ImportFacts& facts);

/// {"macs": {"conv", "linear", "matmul", "recurrent", "total"}} of one forward pass of one input.
[[nodiscard]] Json forward_json(const ForwardMacs& macs);

/// The same as a line for people.
[[nodiscard]] std::string import_text(const ImportFacts& facts, const ForwardMacs& macs);

}  // namespace upsweep
