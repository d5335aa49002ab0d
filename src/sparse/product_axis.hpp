#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {

/// An image axis of a product X·Y.
struct ProductAxis {
  /// Where a position of X's columns leads: the class of Y there, and what is added to its columns' positions.
  struct Step {
    Index y_class;
    std::int64_t shift;
  };
  static constexpr Index kNothing = ~Index{0};  // a position whose rows of Y have no entry

  AxisClasses classes;             // of C
  std::vector<Index> x_class;      // by class of C
  std::vector<std::size_t> begin;  // by class of C: its first step
  std::vector<Step> steps;         // of the positions that X reaches, class by class

  ProductAxis(const RowClasses& x, const RowClasses& y, std::size_t axis);
};

}  // namespace upsweep
