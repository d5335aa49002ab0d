#include "upsweep/report/import_report.hpp"

#include <fmt/format.h>

namespace upsweep {

Json import_json(const ImportFacts& facts) {
  return {{"format", "onnx"},         {"opset", facts.opset}, {"operators", facts.operators},
          {"counted", facts.counted}, {"free", facts.free},   {"refused", Json::array()}};
}

Json forward_json(const ForwardMacs& macs) {
  return {{"macs",
           {{"conv", macs.conv},
            {"linear", macs.linear},
            {"matmul", macs.matmul},
            {"recurrent", macs.recurrent},
            {"total", macs.total()}}}};
}

std::string import_text(const ImportFacts& facts, const ForwardMacs& macs) {
  return fmt::format("ONNX, opset {}: {} nodes, {} counted, {} free; one forward pass {} multiply-accumulates\n",
                     facts.opset, facts.operators, facts.counted, facts.free, macs.total());
}

}  // namespace upsweep
