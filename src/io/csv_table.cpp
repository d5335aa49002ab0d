#include "csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <utility>

#include "regular_file.hpp"

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
    while (at_ < text_.size()) {
      CsvRecord record{line_, {}};
      do {
        record.cells.push_back(cell(record.line));
      } while (take(','));
      take('\r');
      if (at_ < text_.size() && !take('\n')) throw unexpected(text_[at_]);
      if (record.cells.size() > 1 || !record.cells.front().empty()) return record;
    }
    return std::nullopt;
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

  void pass_blanks() {
    while (take(' ') || take('\t')) continue;
  }

  std::string cell(int record_line) {
    std::string cell;
    pass_blanks();
    if (!take('"')) {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n' && text_[at_] != '\r') {
        if (text_[at_] == '"') throw unexpected('"');
        cell += text_[at_];
        step();
      }
      cell.erase(cell.find_last_not_of(" \t") + 1);
      return cell;
    }
    while (at_ < text_.size()) {
      const char c = text_[at_];
      step();
      if (c != '"') {
        cell += c;
      } else if (!take('"')) {
        pass_blanks();
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

std::optional<double> number_of(const std::string& cell) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, value);
  return error == std::errc() && stop == end && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

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

void check_columns(const CsvTable& table, int line, const std::string& what, const std::vector<std::string>& required) {
  std::vector<std::string> sorted = table.columns;
  std::ranges::sort(sorted);
  std::erase(sorted, "");  // as spreadsheets leave some
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    throw InputError(table.file, line, fmt::format("the column '{}' stands twice, accepted is once", *twice));
  for (const std::string& name : required) {
    if (table.has(name)) continue;
    throw InputError(table.file, line,
                     fmt::format("there is no column {}, accepted is {}: a line of columns with {} first", name, what,
                                 fmt::join(required, ", ")));
  }
}

/// All bytes of a file, unpacked where it is packed by gzip.
std::string content_of(const std::string& path, const std::string& what) {
  constexpr std::size_t kMost = std::size_t{1} << 28;
  constexpr unsigned kPart = 1U << 16;
  static_cast<void>(open_regular_file(path, what));  // for its errors
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), &gzclose);
  if (!file) throw InputError(fmt::format("{}: cannot be read", path));
  std::string text;
  std::size_t used = 0;
  int read = 0;
  do {
    used += static_cast<std::size_t>(read);
    if (used > kMost)
      throw InputError(fmt::format("{}: it has more than 256 MiB, accepted is {} of at most that", path, what));
    text.resize(used + kPart);
    read = gzread(file.get(), text.data() + used, kPart);
  } while (read > 0);
  int state = Z_OK;
  gzerror(file.get(), &state);
  if (read < 0 || state == Z_BUF_ERROR) throw InputError(fmt::format("{}: cannot be read, or is no whole gzip", path));
  text.resize(used);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // a mark of byte order
  return text;
}

}  // namespace

bool CsvTable::has(const std::string& name) const { return std::ranges::find(columns, name) != columns.end(); }

std::size_t CsvTable::column(const std::string& name) const {
  const auto found = std::ranges::find(columns, name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  throw InputError(fmt::format("{}: it has no column '{}', found are {}", file, name, fmt::join(columns, ", ")));
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string& cell = rows[row][column];
  if (const std::optional<double> value = number_of(cell)) return *value;
  throw InputError(file, lines[row], fmt::format("column '{}' has '{}', accepted is a number", columns[column], cell));
}

std::string CsvRow::text(const std::string& column) const {
  return table_.has(column) ? table_.rows[row_][table_.column(column)] : "";
}

std::optional<double> CsvRow::number(const std::string& column) const {
  const std::string cell = text(column);
  if (cell.empty()) return std::nullopt;
  const std::optional<double> value = number_of(cell);
  if (!value || *value < 0) throw wrong(column, cell, "a number of at least 0, or an empty cell");
  return value;
}

std::optional<std::uint64_t> CsvRow::count(const std::string& column) const {
  const std::optional<double> value = number(column);
  if (!value) return std::nullopt;
  const std::string cell = text(column);
  if (*value != std::floor(*value) || *value >= 0x1p63)
    throw wrong(column, cell, "a whole number below 2^63, or an empty cell");
  std::uint64_t whole = 0;  // exact beyond 2^53
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), whole);
  const bool is_exact = error == std::errc() && stop == cell.data() + cell.size();
  return is_exact ? whole : static_cast<std::uint64_t>(*value);
}

std::vector<std::uint64_t> CsvRow::counts(const std::string& column) const {
  const std::string cell = text(column);
  std::vector<std::uint64_t> numbers;
  const char* at = cell.data();
  const char* const end = at + cell.size();
  while (at != end) {
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc() || (stop != end && *stop != ' '))
      throw wrong(column, cell, "whole numbers below 2^64 with blanks between them");
    numbers.push_back(number);
    at = std::find_if(stop, end, [](char c) { return c != ' '; });
  }
  return numbers;
}

InputError CsvRow::wrong(const std::string& column, const std::string& found, const std::string& accepted) const {
  return {table_.file, table_.lines[row_], fmt::format("{} is '{}', accepted is {}", column, found, accepted)};
}

CsvTable read_csv_table(const std::string& path, const std::string& what, const std::vector<std::string>& required) {
  CsvText csv(path, content_of(path, what));
  CsvTable table{path, {}, {}, {}};
  while (std::optional<CsvRecord> record = csv.next()) {
    for (const std::string& cell : record->cells) {
      if (!is_utf8(cell)) throw InputError(path, record->line, "a cell is no UTF-8 text, accepted is one that is");
    }
    if (table.columns.empty()) {
      table.columns = std::move(record->cells);
      check_columns(table, record->line, what, required);
      continue;
    }
    if (record->cells.size() != table.columns.size()) {
      throw InputError(path, record->line,
                       fmt::format("it has {} cells, accepted are as many as there are columns, {}",
                                   record->cells.size(), table.columns.size()));
    }
    table.rows.push_back(std::move(record->cells));
    table.lines.push_back(record->line);
  }
  if (table.columns.empty())
    throw InputError(fmt::format("{}: it is empty, accepted is {}: a table with a line of column names", path, what));
  if (table.rows.empty()) throw InputError(fmt::format("{}: a table without rows, accepted is at least one", path));
  return table;
}

}  // namespace upsweep
