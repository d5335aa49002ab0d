#include "upsweep/report/import_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace upsweep {

Document import_document(const ImportFacts& facts, const ForwardMacs& macs) {
  Document document;
  return std::move(
      document
          .facts([=] {
            return Json{{"import",
                         {{"format", "onnx"},
                          {"opset", facts.opset},
                          {"operators", facts.operators},
                          {"counted", facts.counted},
                          {"free", facts.free},
                          {"refused", Json::array()}}},
                        {"forward",
                         {{"macs",
                           {{"conv", macs.conv},
                            {"linear", macs.linear},
                            {"matmul", macs.matmul},
                            {"recurrent", macs.recurrent},
                            {"total", macs.total()}}}}}};
          })
          .say(fmt::format("ONNX, opset {}: {} nodes, {} counted, {} free; one forward pass {} multiply-accumulates\n",
                           facts.opset, facts.operators, facts.counted, facts.free, macs.total())));
}

}  // namespace upsweep
