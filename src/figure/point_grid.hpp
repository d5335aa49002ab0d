#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep {

/// A point of a plot with logarithmic axes; x and y are above 0.
struct PlotPoint {
  double x = 0;
  double y = 0;
  std::uint32_t group = 0;  ///< points of different groups are never put together
  std::size_t index = 0;    ///< of the caller's
};

/// Points of one group that are near each other.
struct PlotCell {
  double x = 0;  ///< of the point, where there is one only; else of the middle of the cell
  double y = 0;
  std::uint32_t group = 0;
  std::size_t count = 1;
  std::size_t index = 0;  ///< of the first point
};

/// Points of a plot, put together where there were too many.
struct PlotCells {
  std::vector<PlotCell> cells;
  double per_decade = 0;  ///< cells per decade of each axis; 0: every point for itself
};

/// At most `most` cells (a few of each group at least): every point for itself where they are no more; else the cells
/// of a grid of ten per decade, or of as many fewer as it takes. Cost: O(points · log points).
[[nodiscard]] PlotCells grid_cells(const std::vector<PlotPoint>& points, std::size_t most);

/// How fine the grid is, for captions: "ten cells per decade".
[[nodiscard]] std::string grid_text(double per_decade);

/// Area of the symbol of a cell, in square pixels.
[[nodiscard]] double cell_size(std::size_t count);

}  // namespace upsweep
