#pragma once

#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/onnx/import.hpp"

namespace upsweep {

/// What became of the nodes of an ONNX file, `import` of JSON, and the multiply-accumulates of one forward pass of one
/// input, `forward`.
[[nodiscard]] Document import_document(const ImportFacts& facts, const ForwardMacs& macs);

}  // namespace upsweep
