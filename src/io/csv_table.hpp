#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep {

/// A table as a text file with commas: a line of columns' names, then lines of as many cells.
struct CsvTable {
  std::string file;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<int> lines;  ///< by row, in the file

  /// The place of a column. Throws InputError that lists those that there are.
  [[nodiscard]] std::size_t column(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  /// A cell as a finite number. Throws InputError that names file and line.
  [[nodiscard]] double number(std::size_t row, std::size_t column) const;
};

/// Reads a table: cells may stand in quotes, blanks around them are dropped, empty lines are passed over. Throws
/// InputError: no such file, more than 64 MiB, a line with another number of cells, a column's name used twice.
[[nodiscard]] CsvTable read_csv_table(const std::string& path);

}  // namespace upsweep
