#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/error.hpp"

namespace upsweep {

/// A table as a text file with commas: a line of columns' names, then rows of as many cells.
struct CsvTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<int> lines;  ///< by row, where it begins in the file, from 1

  /// The place of a column. Throws InputError that lists those that there are.
  [[nodiscard]] std::size_t column(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  /// A cell as a finite number. Throws InputError that names file and line.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;
};

/// A row's cells by the names of their columns.
class CsvRow {
 public:
  CsvRow(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

  /// Empty, too, where there is no such column.
  [[nodiscard]] std::string text(const std::string& column) const;
  /// Nothing for an empty cell. Throws InputError for anything but a number of at least 0.
  [[nodiscard]] std::optional<double> number(const std::string& column) const;
  /// The same of whole numbers below 2^63, exact where they are written in digits.
  [[nodiscard]] std::optional<std::uint64_t> count(const std::string& column) const;
  /// Whole numbers of digits with blanks between them. Throws InputError for anything else.
  [[nodiscard]] std::vector<std::uint64_t> counts(const std::string& column) const;
  /// "FILE:LINE: column is 'found', accepted is ..."
  [[nodiscard]] InputError wrong(const std::string& column, const std::string& found,
                                 const std::string& accepted) const;

 private:
  const CsvTable& table_;
  std::size_t row_;
};

/// Reads a table by RFC 4180, plain or packed by gzip; `what` names it in errors: "a table of published times". Cells
/// may stand in quotes, blanks around those that do not are dropped, empty lines are passed over. Throws InputError,
/// "FILE:LINE: ...": no such file, no gzip, more than 256 MiB, no rows, no column of a name that is `required`, a name
/// used twice, a row with another number of cells, quotes that do not end, cells that are no UTF-8.
[[nodiscard]] CsvTable read_csv_table(const std::string& path, const std::string& what,
                                      const std::vector<std::string>& required = {});

}  // namespace upsweep
