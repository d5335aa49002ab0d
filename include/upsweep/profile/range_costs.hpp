#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "upsweep/network/sample.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/product_order.hpp"

namespace upsweep {

/// What a range may cost at most to be of use: FLOPs, sums over the inputs.
struct RangeLimits {
  std::uint64_t path = std::numeric_limits<std::uint64_t>::max();  ///< of the longest way to it
  std::uint64_t work = std::numeric_limits<std::uint64_t>::max();  ///< of all that it is made of
};

/// FLOPs of the products that an order of a chain may consist of, sums over the inputs, by range and split: they do not
/// depend on how the operands came about.
class RangeCosts {
 public:
  static constexpr std::uint64_t kUnused = std::numeric_limits<std::uint64_t>::max();

  /// Of a scan array of `length` elements: all is unused.
  explicit RangeCosts(std::size_t length)
      : length_(length), vectors_(length * length, kUnused), products_(length * length) {}

  [[nodiscard]] std::size_t length() const { return length_; }
  /// Whether all that is unused costs more than the limits; else counting was ended before.
  [[nodiscard]] bool is_complete() const { return is_complete_; }
  void set_incomplete() { is_complete_ = false; }

  /// Of a value; kUnused where it, or one that it is made of, is of no use.
  [[nodiscard]] std::uint64_t at(const OrderedProduct& made) const {
    if (made.first == 0) return vectors_[place(made.later())];
    const std::vector<std::uint64_t>& splits = products_[place(made.range())];
    return splits.empty() ? kUnused : splits[made.split - made.first];
  }
  void set(const OrderedProduct& made, std::uint64_t flops);
  /// A range is of no use; none that reads it may be set.
  void forget(ValueRange range);

 private:
  [[nodiscard]] std::size_t place(ValueRange range) const { return range.first * length_ + range.last; }

  std::size_t length_;
  bool is_complete_ = true;
  std::vector<std::uint64_t> vectors_;                // by range that a gradient is multiplied by
  std::vector<std::vector<std::uint64_t>> products_;  // by range and split; empty: none is used
};

/// The least that making a range takes; FLOPs, RangeCosts::kUnused where it cannot be made.
struct RangeLeast {
  std::uint64_t path = RangeCosts::kUnused;  ///< the longest way to it, with any number of workers
  std::uint64_t work = RangeCosts::kUnused;  ///< of all products that it is made of
  std::uint32_t path_split = 0;  ///< where the last product of the shortest path splits it; the least work first
  std::uint32_t work_split = 0;  ///< the same of the least work; the shortest path first
};

/// The same of all ranges, by two dynamic programmes over them.
class RangeLeasts {
 public:
  explicit RangeLeasts(std::size_t length) : length_(length), of_(length * length) {}
  /// Of all ranges, from the first element on, too.
  explicit RangeLeasts(const RangeCosts& costs);

  [[nodiscard]] const RangeLeast& at(ValueRange range) const { return of_[range.first * length_ + range.last]; }
  /// Finds one range from narrower ones; an element takes nothing.
  void find(const RangeCosts& costs, ValueRange range);
  /// It cannot be made.
  void forget(ValueRange range) { of_[range.first * length_ + range.last] = {}; }

 private:
  std::size_t length_;
  std::vector<RangeLeast> of_;
};

/// Counts what orders may be made of: each range whose least path and work are within the limits, by all its splits,
/// each from the patterns of its operands.
///
/// Ranges are counted by width, so that what is wide is made of what paid; a pattern is kept until the end. `limits` of
/// counting hold for all together, `progress` of it per width. Throws like analyse() but for such limits and memory,
/// which leave ranges out: RangeCosts::is_complete(). Cost: about n³ / 6 look-ups through the rows of a product for n
/// elements where nothing is dropped.
[[nodiscard]] RangeCosts range_costs(const NetworkView& view, PatternKind pattern, const RangeLimits& dearest,
                                     const CountLimits& limits);

/// The same for chains that are there, or made one by one.
[[nodiscard]] RangeCosts range_costs(std::size_t length, std::size_t inputs, const ChainSource& chain_at,
                                     const RangeLimits& dearest, const CountLimits& limits);

}  // namespace upsweep
