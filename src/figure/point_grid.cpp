#include "point_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

namespace upsweep {
namespace {

constexpr double kCoarsest = 0.01;  // cells per decade: all numbers there are stand in a few

std::vector<PlotCell> cells_of_grid(const std::vector<PlotPoint>& points, double per_decade) {
  std::map<std::tuple<std::uint32_t, long, long>, PlotCell> cells;
  for (const PlotPoint& point : points) {
    const double x = std::floor(std::log10(point.x) * per_decade);
    const double y = std::floor(std::log10(point.y) * per_decade);
    const auto [at, is_new] = cells.try_emplace({point.group, std::lround(x), std::lround(y)},
                                                PlotCell{point.x, point.y, point.group, 1, point.index});
    if (is_new) continue;
    ++at->second.count;
    at->second.x = std::pow(10, (x + 0.5) / per_decade);
    at->second.y = std::pow(10, (y + 0.5) / per_decade);
  }
  std::vector<PlotCell> list;
  list.reserve(cells.size());
  for (const auto& [key, cell] : cells) list.push_back(cell);
  return list;
}

}  // namespace

PlotCells grid_cells(const std::vector<PlotPoint>& points, std::size_t most) {
  if (points.size() <= most) {
    PlotCells all;
    for (const PlotPoint& point : points) all.cells.push_back({point.x, point.y, point.group, 1, point.index});
    return all;
  }
  PlotCells thinned;
  for (double per_decade = 10;; per_decade /= 2) {
    thinned = {cells_of_grid(points, per_decade), per_decade};
    if (thinned.cells.size() <= most || per_decade < kCoarsest) return thinned;
  }
}

std::string grid_text(double per_decade) {
  if (per_decade == 10) return "ten cells per decade";
  return fmt::format("{:.3g} cells per decade", per_decade);
}

double cell_size(std::size_t count) { return 45 + 70 * std::log10(static_cast<double>(count)); }

}  // namespace upsweep
