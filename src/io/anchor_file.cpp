#include "upsweep/io/anchor_file.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "regular_file.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/machine/published_rates.hpp"

namespace upsweep {
namespace {

struct CsvRecord {
  int line = 0;  ///< where it begins
  std::vector<std::string> cells;
};

/// Goes over a CSV text (RFC 4180) record by record.
class CsvText {
 public:
  CsvText(std::string file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

  /// The next record, empty lines left out; nothing at the end.
  [[nodiscard]] std::optional<CsvRecord> next() {
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) step();
    if (at_ == text_.size()) return std::nullopt;
    CsvRecord record{line_, {}};
    do {
      record.cells.push_back(cell(record.line));
    } while (take(','));
    take('\r');
    if (at_ < text_.size() && !take('\n')) throw unexpected(text_[at_]);
    return record;
  }

 private:
  void step() {
    if (text_[at_++] == '\n') ++line_;
  }
  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    step();
    return true;
  }

  std::string cell(int record_line) {
    std::string cell;
    if (!take('"')) {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
        if (text_[at_] == '"') throw unexpected('"');
        cell += text_[at_];
        step();
      }
      return cell;
    }
    while (at_ < text_.size()) {
      const char c = text_[at_];
      step();
      if (c != '"') {
        cell += c;
      } else if (!take('"')) {
        return cell;
      } else {
        cell += '"';
      }
    }
    throw InputError(file_, record_line, "a cell in double quotes does not end, accepted is one that does");
  }

  [[nodiscard]] InputError unexpected(char c) const {
    return {file_, line_,
            fmt::format("found '{}' {}, accepted are cells without it, or in double quotes", c == '\r' ? ' ' : c,
                        c == '"' ? "inside a cell without quotes" : "after a cell in quotes")};
  }

  std::string file_;
  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

/// The cells of a record by the names of their columns.
class CsvRow {
 public:
  CsvRow(const std::string& file, const std::map<std::string, std::size_t>& columns, const CsvRecord& record)
      : file_(file), columns_(columns), record_(record) {}

  [[nodiscard]] std::string text(const std::string& column) const {
    const auto at = columns_.find(column);
    return at == columns_.end() ? "" : record_.cells[at->second];
  }
  [[nodiscard]] std::optional<double> number(const std::string& column) const {
    const std::string cell = text(column);
    if (cell.empty()) return std::nullopt;
    double value = 0;
    const char* const end = cell.data() + cell.size();
    const auto [stop, error] = std::from_chars(cell.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value) || value < 0)
      throw wrong(column, cell, "a number of at least 0, or an empty cell");
    return value;
  }
  [[nodiscard]] std::optional<std::uint64_t> count(const std::string& column) const {
    const std::optional<double> value = number(column);
    if (!value) return std::nullopt;
    if (*value != std::floor(*value) || *value >= 0x1p63)
      throw wrong(column, text(column), "a whole number below 2^63, or an empty cell");
    const std::string cell = text(column);
    std::uint64_t whole = 0;  // exact beyond 2^53
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), whole);
    const bool is_exact = error == std::errc() && stop == cell.data() + cell.size();
    return is_exact ? whole : static_cast<std::uint64_t>(*value);
  }
  [[nodiscard]] InputError wrong(const std::string& column, const std::string& found, const char* accepted) const {
    return {file_, record_.line, fmt::format("{} is '{}', accepted is {}", column, found, accepted)};
  }

 private:
  const std::string& file_;
  const std::map<std::string, std::size_t>& columns_;
  const CsvRecord& record_;
};

/// Whether a text is UTF-8: of bytes that follow each other as they do there.
bool is_utf8(const std::string& text) {
  std::size_t following = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool follows = (byte & 0xc0U) == 0x80;
    if (follows != (following > 0)) return false;
    if (follows) {
      --following;
    } else if (byte >= 0xc2 && byte <= 0xf4) {
      following = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1;
    } else if (byte >= 0x80) {
      return false;
    }
  }
  return following == 0;
}

AnchorRow row_of(const std::string& file, int line, const CsvRow& cells) {
  AnchorRow row;
  row.file = file;
  row.line = line;
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

std::map<std::string, std::size_t> columns_of(const std::string& path, const CsvRecord& head) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < head.cells.size(); ++i) {
    if (!columns.emplace(head.cells[i], i).second)
      throw InputError(path, head.line, fmt::format("the column '{}' stands twice, accepted is once", head.cells[i]));
  }
  for (const char* name : {"family", "device", "library", "time_ms", "status"}) {
    if (columns.contains(name)) continue;
    throw InputError(path, head.line,
                     fmt::format("there is no column {}, accepted is a line of columns with family, device, library, "
                                 "time_ms and status first",
                                 name));
  }
  return columns;
}

}  // namespace

std::vector<AnchorRow> load_anchors(const std::string& path) {
  RegularFile file = open_regular_file(path, "a table of published times, CSV");
  std::string text{std::istreambuf_iterator<char>(file.stream), {}};
  if (file.stream.bad()) throw InputError(fmt::format("{}: cannot be read", path));
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a mark of byte order
  CsvText csv(path, std::move(text));
  const std::optional<CsvRecord> head = csv.next();
  if (!head) throw InputError(fmt::format("{}: it is empty, accepted is a table with a line of column names", path));
  const std::map<std::string, std::size_t> columns = columns_of(path, *head);
  std::vector<AnchorRow> rows;
  while (const std::optional<CsvRecord> record = csv.next()) {
    if (record->cells.size() != head->cells.size()) {
      throw InputError(path, record->line,
                       fmt::format("it has {} cells, accepted are as many as there are columns, {}",
                                   record->cells.size(), head->cells.size()));
    }
    for (const std::string& cell : record->cells) {
      if (!is_utf8(cell)) throw InputError(path, record->line, "a cell is no UTF-8 text, accepted is one that is");
    }
    rows.push_back(row_of(path, record->line, CsvRow(path, columns, *record)));
  }
  return rows;
}

}  // namespace upsweep
