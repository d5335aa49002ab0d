#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/profile/range_costs.hpp"
#include "upsweep/scan/product_order.hpp"

namespace upsweep {

/// An order as a search changes it: by range where it is split; the levels follow. Only what results need is made.
class SplitTable {
 public:
  SplitTable(std::size_t length, const RangeLeasts& leasts, bool is_fast) : length_(length), splits_(length * length) {
    for (std::uint32_t first = 0; first + 1 < length_; ++first) {
      for (std::uint32_t last = first; last + 1 < length_; ++last) {
        const RangeLeast& least = leasts.at({first, last});
        splits_[place({first, last})] = is_fast ? least.path_split : least.work_split;
      }
    }
  }

  [[nodiscard]] std::uint32_t split(ValueRange range) const { return splits_[place(range)]; }
  void set(ValueRange range, std::uint32_t split) { splits_[place(range)] = split; }
  void set(const ProductOrder& order) {
    for (const std::vector<OrderedProduct>& level : order) {
      for (const OrderedProduct& made : level) set(made.range(), made.split);
    }
  }
  [[nodiscard]] OrderedProduct made(ValueRange range) const { return {range.first, split(range), range.last}; }

  /// All that results need: each behind what it is made of.
  [[nodiscard]] std::vector<OrderedProduct> needed() const {
    std::vector<OrderedProduct> list;
    std::vector<bool> is_listed(splits_.size());
    for (std::uint32_t last = 1; last + 1 < length_; ++last) need({0, last}, is_listed, list);
    return list;
  }

 private:
  [[nodiscard]] std::size_t place(ValueRange range) const { return range.first * length_ + range.last; }

  void need(ValueRange range, std::vector<bool>& is_listed, std::vector<OrderedProduct>& list) const {
    if (range.first == range.last || is_listed[place(range)]) return;
    is_listed[place(range)] = true;
    need(made(range).earlier(), is_listed, list);
    need(made(range).later(), is_listed, list);
    list.push_back(made(range));
  }

  std::size_t length_;
  std::vector<std::uint32_t> splits_;  // by first · length + last
};

}  // namespace upsweep
