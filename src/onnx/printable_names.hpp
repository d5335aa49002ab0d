#pragma once

#include <onnx/onnx_pb.h>

namespace upsweep {

/// Makes every name of a graph one that errors, tables and JSON may show: control characters, and bytes of names that
/// are no UTF-8, become question marks.
void make_names_printable(onnx::GraphProto& graph);

}  // namespace upsweep
