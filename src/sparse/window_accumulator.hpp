#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {

/// A rectangle of image positions, before a shift.
struct Window {
  Reach y;
  Reach x;

  [[nodiscard]] bool is_empty() const { return y.is_empty() || x.is_empty(); }
  [[nodiscard]] std::size_t height() const { return static_cast<std::size_t>(y.end - y.begin); }
  [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(x.end - x.begin); }

  friend bool operator==(const Window& a, const Window& b) {
    return a.y.begin == b.y.begin && a.y.end == b.y.end && a.x.begin == b.x.begin && a.x.end == b.x.end;
  }
};

[[nodiscard]] inline Window window_of(const WindowRow& row) {
  return {{row.y, row.y + row.height}, {row.x, row.x + row.width}};
}

[[nodiscard]] inline Window shifted(const Window& window, std::int64_t y, std::int64_t x) {
  return {{window.y.begin + y, window.y.end + y}, {window.x.begin + x, window.x.end + x}};
}

/// The smallest range that has both.
[[nodiscard]] Reach joined(const Reach& a, const Reach& b);

/// Collects columns within a window of image positions. One per thread, reused for all rows.
class WindowAccumulator {
 public:
  /// `channels` of the columns.
  explicit WindowAccumulator(Index channels);

  /// Starts an empty row whose columns will lie within `bounds`.
  void start(const Window& bounds);

  /// Adds the columns of a row, shifted.
  void add(const WindowRow& row, std::int64_t y, std::int64_t x);

  /// Adds the column of a row that stands beside its bits, if any: all of a row that shares them with one added before.
  void add_beside(const WindowRow& row, std::int64_t y, std::int64_t x);

  /// Adds a column.
  void set(Index channel, std::int64_t y, std::int64_t x);

  /// True when every channel of every position of a part of the window is there.
  [[nodiscard]] bool is_full(const Window& part) const;

  /// True when all columns of a row, shifted, are there.
  [[nodiscard]] bool covers(const WindowRow& row, std::int64_t y, std::int64_t x);

  /// Steps since start(): words that were set or looked at.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  /// Ends the row: its columns in the smallest window. `bits` are those of this object, valid until start().
  [[nodiscard]] WindowRow finish();

 private:
  [[nodiscard]] std::uint64_t* at(std::int64_t y, std::int64_t x) { return words_.data() + offset(y, x); }
  [[nodiscard]] std::size_t offset(std::int64_t y, std::int64_t x) const {
    return (static_cast<std::size_t>(y - bounds_.y.begin) * width_ + static_cast<std::size_t>(x - bounds_.x.begin)) *
           per_position_;
  }
  [[nodiscard]] bool has_columns(std::size_t y, std::size_t x) const;

  Index channels_;
  std::size_t per_position_;  // words
  std::uint64_t padding_;     // bits past the last channel, which count as set until the row ends
  Window bounds_;
  std::size_t width_ = 0;
  std::uint64_t steps_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> trimmed_;
};

/// Copies a row into the memory of a sink.
[[nodiscard]] WindowRow stored_row(const WindowRow& row, Index channels, RowSink& sink);

}  // namespace upsweep
