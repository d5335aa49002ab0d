#include "upsweep/grid/grid.hpp"

#include <fmt/format.h>

#include <cassert>
#include <stdexcept>
#include <utility>

namespace upsweep {

Grid::Grid(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)), strides_(sizes_.size()) {
  double count = 1;  // beside the whole number, which may not hold it
  for (std::size_t axis = sizes_.size(); axis-- > 0;) {
    if (sizes_[axis] == 0)
      throw std::invalid_argument(fmt::format("an empty grid: axis {} has no values, accepted is at least 1", axis));
    count *= static_cast<double>(sizes_[axis]);
    strides_[axis] = points_;
    if (count <= static_cast<double>(kMostPoints)) points_ *= sizes_[axis];
  }
  if (count > static_cast<double>(kMostPoints)) {
    throw std::invalid_argument(
        fmt::format("a grid of {} points, accepted are at most {}", axis_value(count).text, kMostPoints));
  }
}

Coordinates Grid::at(std::uint64_t position) const {
  assert(position < points_);
  Coordinates coordinates(sizes_.size());
  for (std::size_t axis = 0; axis < sizes_.size(); ++axis)
    coordinates[axis] = static_cast<std::uint32_t>(position / strides_[axis] % sizes_[axis]);
  return coordinates;
}

std::uint64_t Grid::position(const Coordinates& coordinates) const {
  assert(coordinates.size() == sizes_.size());
  std::uint64_t position = 0;
  for (std::size_t axis = 0; axis < sizes_.size(); ++axis) {
    assert(coordinates[axis] < sizes_[axis]);
    position += coordinates[axis] * strides_[axis];
  }
  return position;
}

std::vector<std::uint64_t> Grid::lines(std::size_t axis) const {
  const std::uint64_t block = strides_[axis] * sizes_[axis];
  std::vector<std::uint64_t> firsts;
  firsts.reserve(points_ / sizes_[axis]);
  for (std::uint64_t start = 0; start < points_; start += block) {
    for (std::uint64_t offset = 0; offset < strides_[axis]; ++offset) firsts.push_back(start + offset);
  }
  return firsts;
}

Grid grid_of(const std::vector<Axis>& axes) {
  std::vector<std::size_t> sizes;
  sizes.reserve(axes.size());
  for (const Axis& axis : axes) sizes.push_back(axis.size());
  return Grid(std::move(sizes));
}

}  // namespace upsweep
