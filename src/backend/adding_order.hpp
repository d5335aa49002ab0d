#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/backend/layout.hpp"

namespace upsweep {

/// Where the sums of a row of C lie while they grow, for the sake of the caches.
///
/// A row of a transposed Jacobian meets the same few places of an image in all channels, which lie far apart in the
/// order of columns. Numbered in the order in which the rows of C first meet them, the columns of one row are close
/// together: its sums fill a few cache lines.
struct AddingOrder {
  std::vector<Index> position;     ///< of the sum of each column of C; empty: the order of the columns
  std::vector<Index> y_positions;  ///< position[] of Y's lists, entry by entry; empty likewise
  std::vector<bool> y_is_run;      ///< by row of Y: its positions are consecutive, see is_run()
  bool y_is_far = false;           ///< what is read of Y is more than a core's own caches leave to it

  [[nodiscard]] std::uint64_t bytes() const {
    return (position.size() + y_positions.size()) * sizeof(Index) + y_is_run.size() / 8;
  }
};

/// The order for C = X·Y of the forms general and single_columns, by keeps_columns().
[[nodiscard]] AddingOrder adding_order(const Layout& x, const Layout& y, const Layout& c, std::size_t value_bytes);

}  // namespace upsweep
