#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/grid/axis.hpp"

namespace upsweep {

/// A place on each axis; length: number of axes.
using Coordinates = std::vector<std::uint32_t>;

/// Positions of the points of a grid: row-major, the last axis fastest. Without axes one point.
class Grid {
 public:
  /// `sizes`: places of each axis, at least 1. Throws std::invalid_argument, in a sentence for users with the count,
  /// for more than kMostPoints points.
  explicit Grid(std::vector<std::size_t> sizes);

  [[nodiscard]] std::uint64_t points() const { return points_; }
  [[nodiscard]] std::size_t axes() const { return sizes_.size(); }
  [[nodiscard]] std::size_t size(std::size_t axis) const { return sizes_[axis]; }
  /// Coordinates of a position < points().
  [[nodiscard]] Coordinates at(std::uint64_t position) const;
  [[nodiscard]] std::uint64_t position(const Coordinates& coordinates) const;
  /// How far apart neighbours along an axis are in positions.
  [[nodiscard]] std::uint64_t stride(std::size_t axis) const { return strides_[axis]; }
  /// The first position of every line along an axis, ascending: one for each combination of the other axes' places.
  [[nodiscard]] std::vector<std::uint64_t> lines(std::size_t axis) const;

 private:
  std::vector<std::size_t> sizes_;
  std::vector<std::uint64_t> strides_;
  std::uint64_t points_ = 1;
};

/// The grid of some axes.
[[nodiscard]] Grid grid_of(const std::vector<Axis>& axes);

}  // namespace upsweep
