#include "upsweep/io/anchor_file.hpp"

#include "csv_table.hpp"
#include "upsweep/machine/published_rates.hpp"

namespace upsweep {
namespace {

AnchorRow row_of(const CsvTable& table, std::size_t at) {
  const CsvRow cells(table, at);
  AnchorRow row;
  row.file = table.file;
  row.line = table.lines[at];
  row.family = cells.text("family");
  row.device = cells.text("device");
  row.library = cells.text("library");
  row.algorithm = cells.text("algorithm");
  row.dtype = cells.text("dtype");
  row.launch = cells.text("launch_mode");
  row.covers = cells.text("covers");
  row.status = cells.text("status");
  row.matrix = cells.text("matrix");
  row.cell = cells.text("cell");
  row.direction = cells.text("direction");
  row.rows = cells.count("rows");
  row.cols = cells.count("cols");
  row.inner = cells.count("inner");
  row.nnz_a = cells.count("nnz_a");
  row.nnz_b = cells.count("nnz_b");
  row.products = cells.count("products");
  row.nnz_c = cells.count("nnz_c");
  row.seq_len = cells.count("seq_len");
  row.elements = cells.count("elements");
  row.bytes = cells.count("bytes");
  row.batch = cells.count("batch");
  row.input_size = cells.count("input_size");
  row.hidden = cells.count("hidden");
  row.layers = cells.count("layers");
  row.steps = cells.count("steps");
  row.iterations = cells.count("iterations");
  if (const std::optional<double> ms = cells.number("time_ms")) row.time_s = *ms / 1e3;
  if (row.is_ok() && !(row.time_s.value_or(0) > 0))
    throw cells.wrong("time_ms", cells.text("time_ms"), "a number above 0 where the status is ok");
  if (row.family == kCalibrationFamily && row.is_ok()) {
    const std::optional<double> predicted = cells.number("predicted_ms");
    if (!predicted || *predicted <= 0)
      throw cells.wrong("predicted_ms", cells.text("predicted_ms"), "a number above 0 where the family is calibration");
    row.own = OwnPrediction{*predicted / 1e3, cells.text("machine"), {}, true};
  }
  std::vector<std::string> fields;
  for (const char* column : {"family", "device", "library",  "algorithm",  "dtype",       "matrix", "run",
                             "rows",   "nnz_a",  "products", "elements",   "seq_len",     "cell",   "direction",
                             "batch",  "hidden", "steps",    "iterations", "launch_mode", "time_ms"})
    fields.push_back(cells.text(column));
  row.key = row_key(fields);
  return row;
}

}  // namespace

std::vector<AnchorRow> load_anchors(const std::string& path) {
  const CsvTable table =
      read_csv_table(path, "a table of published times, CSV", {"family", "device", "library", "time_ms", "status"});
  std::vector<AnchorRow> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) rows.push_back(row_of(table, row));
  return rows;
}

}  // namespace upsweep
