#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "window_accumulator.hpp"

namespace upsweep {

/// A row, and what is added to its positions.
struct ShiftedRow {
  WindowRow row;
  std::int64_t y;
  std::int64_t x;
};

/// Sums of rows; those that differ by one column alone share their bits. One for each thread.
class RowSums {
 public:
  /// `channels` of the columns.
  explicit RowSums(Index channels);

  /// Forgets the sums made so far: those to come have other shifts.
  void start() { known_.clear(); }

  /// The sum of two rows.
  [[nodiscard]] WindowRow sum(const ShiftedRow& a, const ShiftedRow& b);

  /// The memory of the sums.
  [[nodiscard]] RowSink& sink() { return sink_; }

 private:
  struct Known {
    WindowRow a;
    WindowRow b;
    WindowRow sum;
  };

  [[nodiscard]] WindowRow common_sum(const ShiftedRow& a, const ShiftedRow& b);
  [[nodiscard]] WindowRow stored(const ShiftedRow& a, const ShiftedRow& b);
  [[nodiscard]] bool add_column(const WindowColumn& column, const ShiftedRow& from, WindowRow& sum) const;

  Index channels_;
  std::size_t words_;
  RowSink sink_;
  WindowAccumulator accumulator_;
  std::vector<Known> known_;
};

}  // namespace upsweep
