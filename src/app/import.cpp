#include "upsweep/app/import.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "outputs.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/io/own_file.hpp"

namespace upsweep {

Document document(const ImportOutcome& outcome) {
  const WrittenModel& written = outcome.written;
  const std::vector<Column> columns = {{"model"}, {"arrays"}, {"operators"}, {"bytes"}};
  const Value arrays = written.arrays.empty() ? Value() : Value(written.arrays);
  const Table table("", columns, {{outcome.file, arrays, written.operators, written.bytes}});
  Document document;
  return std::move(document.facts([table] { return table.object(0); })
                       .sheet(table)
                       .say(fmt::format("Wrote {}{}: {} operators, {}.\n", outcome.file,
                                        written.arrays.empty() ? "" : " and " + written.arrays, written.operators,
                                        short_bytes(static_cast<double>(written.bytes)))));
}

ImportOutcome run(const ImportRequest& request, const Caller&, const Watch&) {
  check_ending(request.out, ".yaml");
  std::vector<NamedFile> inputs = {{"model", request.model}};
  if (request.onnx.budget) inputs.push_back({"prune", request.onnx.budget->file});
  check_output({"out", request.out, kModelMark}, inputs, request.force);
  check_output({"out", arrays_beside(request.out), kArraysMark}, inputs, request.force);
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
