#include "csv_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "regular_file.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep {
namespace {

std::string trimmed_cell(const std::string& cell) {
  const std::size_t first = cell.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return cell.substr(first, cell.find_last_not_of(" \t\r") - first + 1);
}

/// Cells between commas; within quotes a comma is text, and two quotes are one.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) cell = trimmed_cell(cell);
  return cells;
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
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure == std::errc() && end == cell.data() + cell.size() && std::isfinite(value)) return value;
  throw InputError(file, lines[row], fmt::format("column '{}' has '{}', accepted is a number", columns[column], cell));
}

CsvTable read_csv_table(const std::string& path) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 26;
  RegularFile file = open_regular_file(path, "a .csv file");
  if (file.length > kMost)
    throw InputError(fmt::format("{}: {} bytes, accepted are tables of at most {}", path, file.length, kMost));
  CsvTable table{path, {}, {}, {}};
  int line_number = 0;
  for (std::string line; std::getline(file.stream, line);) {
    ++line_number;
    if (trimmed_cell(line).empty()) continue;
    std::vector<std::string> cells = cells_of(line);
    if (table.columns.empty()) {
      table.columns = std::move(cells);
      std::vector<std::string> sorted = table.columns;
      std::ranges::sort(sorted);
      if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        throw InputError(path, line_number, fmt::format("column '{}' is there twice, accepted is once", *twice));
      continue;
    }
    if (cells.size() != table.columns.size()) {
      throw InputError(
          path, line_number,
          fmt::format("{} cells, accepted are those of the {} columns", cells.size(), table.columns.size()));
    }
    table.rows.push_back(std::move(cells));
    table.lines.push_back(line_number);
  }
  if (table.rows.empty()) throw InputError(fmt::format("{}: a table without rows, accepted is at least one", path));
  return table;
}

}  // namespace upsweep
