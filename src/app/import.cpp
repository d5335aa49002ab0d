#include "upsweep/app/import.hpp"

#include <fmt/format.h>

#include <utility>

#include "upsweep/base/error.hpp"
#include "written_file.hpp"

namespace upsweep {

Json to_json(const ImportOutcome& outcome) {
  const WrittenModel& written = outcome.written;
  return {{"model", outcome.file},
          {"arrays", written.arrays.empty() ? Json() : Json(written.arrays)},
          {"operators", written.operators},
          {"bytes", written.bytes}};
}

std::string to_csv(const ImportOutcome& outcome) {
  const WrittenModel& written = outcome.written;
  return csv_line({"model", "arrays", "operators", "bytes"}) +
         csv_line({outcome.file, written.arrays, std::to_string(written.operators), std::to_string(written.bytes)});
}

std::string to_text(const ImportOutcome& outcome, const TextStyle&) {
  const WrittenModel& written = outcome.written;
  return fmt::format("Wrote {}{}: {} operators, {}.\n", outcome.file,
                     written.arrays.empty() ? "" : " and " + written.arrays, written.operators,
                     short_bytes(static_cast<double>(written.bytes)));
}

ImportOutcome run(const ImportRequest& request, const Caller&, const Watch&) {
  check_out(request.out, ".yaml", "");
  const ModelFile file(request.model, request.onnx);
  const Model structure = require_network(file.load(Numbers::structure), "import");
  if (!structure.import) {
    throw InputError(fmt::format("{}: it is a model file already, accepted are ONNX files", request.model));
  }
  const bool has_values = structure.import->has_values;
  const Model model = has_values ? require_network(file.load(Numbers::needed), "import") : structure;
  return {request.out, write_model(model, has_values, request.out)};
}

}  // namespace upsweep
