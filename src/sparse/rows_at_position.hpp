#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/sparse/product_steps.hpp"
#include "window_accumulator.hpp"

namespace upsweep {

/// The channels of one position of X's columns.
struct ChannelSet {
  const std::uint64_t* bits = nullptr;  // null: all of them
  Index beside = WindowColumn::kNone;   // one that is not among the bits
};

/// What the rows of Y are that one image position of X's columns leads to, whatever the channel.
class RowsAtPosition {
 public:
  explicit RowsAtPosition(const RowClasses& y);

  /// Matched pairs with one channel at a position.
  [[nodiscard]] MatchedPairs pairs_of(Index channel, Index y, Index x) const {
    const std::size_t at = number(y, x) * stride_ + channel;
    return {lengths_[at], runs_.empty() ? 0 : runs_[at]};
  }
  /// The union of the rows of all channels.
  [[nodiscard]] const WindowRow& all(Index y, Index x) const { return unions_[number(y, x)]; }

  /// Matched pairs with the bits of channels at a position.
  [[nodiscard]] MatchedPairs pairs_of_bits(const ChannelSet& channels, Index y, Index x) const;

 private:
  [[nodiscard]] std::size_t number(Index y, Index x) const { return std::size_t{y} * x_classes_ + x; }

  std::size_t x_classes_;
  std::size_t stride_;
  std::vector<std::uint32_t> lengths_;  // by position, of the row of each channel; 64 · bitmap_words(channels)
  std::vector<std::uint32_t> runs_;     // those of runs, 0 of other rows; empty: there is none
  std::vector<MatchedPairs> sums_;
  std::vector<WindowRow> unions_;
  RowSink sink_;  // their memory
};

/// Adds rows, one after the other by the same shift; bits that the next one shares are added once.
class RowsAdded {
 public:
  RowsAdded(WindowAccumulator& accumulator, std::int64_t y, std::int64_t x) : accumulator_(accumulator), y_(y), x_(x) {}

  void add(const WindowRow& row) {
    if (row.beside.is_there() && last_.shares_bits(row)) {
      accumulator_.add_beside(row, y_, x_);
    } else {
      accumulator_.add(row, y_, x_);
    }
    last_ = row;
  }

 private:
  WindowAccumulator& accumulator_;
  std::int64_t y_;
  std::int64_t x_;
  WindowRow last_;
};

}  // namespace upsweep
