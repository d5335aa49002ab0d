#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "upsweep/figure/figure.hpp"

namespace upsweep::testing {

/// The rows of a figure's table.
[[nodiscard]] inline const FigureData& rows(const FigureData& table) { return table["rows"]; }

/// The cells of a column, which must be there.
[[nodiscard]] inline std::vector<FigureData> cells(const FigureData& table, const std::string& column) {
  const auto& columns = table["columns"];
  const auto at = std::find(columns.begin(), columns.end(), column) - columns.begin();
  std::vector<FigureData> list;
  for (const FigureData& row : rows(table)) list.push_back(row.at(static_cast<std::size_t>(at)));
  return list;
}

/// The same as numbers.
[[nodiscard]] inline std::vector<double> numbers(const FigureData& table, const std::string& column) {
  std::vector<double> list;
  for (const FigureData& cell : cells(table, column)) list.push_back(cell.get<double>());
  return list;
}

}  // namespace upsweep::testing
