#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/range_costs.hpp"
#include "upsweep/scan/product_order.hpp"

namespace upsweep {

/// Products with what reads them, to be put into levels.
class Levelling {
 public:
  Levelling(std::vector<OrderedProduct> made, const RangeCosts& costs) : made_(std::move(made)) {
    std::map<ValueRange, std::size_t> place;
    for (std::size_t i = 0; i < made_.size(); ++i) place[made_[i].range()] = i;
    for (const OrderedProduct& mine : made_) {
      std::vector<std::size_t>& reads = reads_.emplace_back();
      for (const ValueRange operand : {mine.earlier(), mine.later()}) {
        if (operand.first != operand.last) reads.push_back(place.at(operand));
      }
      costs_.push_back(costs.at(mine));
    }
    tails_ = costs_;
    for (std::size_t i = made_.size(); i-- > 0;) {
      for (const std::size_t read : reads_[i])
        tails_[read] = std::max(tails_[read], checked_add(costs_[read], tails_[i]));
    }
  }

  /// Each as early as its operands are there.
  [[nodiscard]] ProductOrder early() const { return in_levels(earliest()); }

  /// Each as late as what reads it, of as many levels, lets it be.
  [[nodiscard]] ProductOrder late() const {
    const std::vector<std::size_t> first = earliest();
    const std::size_t last = first.empty() ? 0 : *std::ranges::max_element(first);
    std::vector<std::size_t> levels(made_.size(), last);
    for (std::size_t i = made_.size(); i-- > 0;) {
      for (const std::size_t read : reads_[i]) levels[read] = std::min(levels[read], levels[i] - 1);
    }
    return in_levels(levels);
  }

  /// By the longest way to the end, a new level where one reads what the level makes: so a list scheduler without
  /// barriers takes them.
  [[nodiscard]] ProductOrder by_way() const {
    std::vector<std::size_t> ids(made_.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    // A cost of 0 leaves two ways equal: what is read stands before.
    std::ranges::stable_sort(ids, std::ranges::greater(), [&](std::size_t i) { return tails_[i]; });
    std::vector<std::size_t> levels(made_.size());
    ProductOrder order;
    for (const std::size_t i : ids) {
      std::size_t level = order.empty() ? 0 : order.size() - 1;
      for (const std::size_t read : reads_[i]) level = std::max(level, levels[read] + 1);
      if (level == order.size()) order.emplace_back();
      levels[i] = level;
      order[level].push_back(made_[i]);
    }
    return order;
  }

 private:
  [[nodiscard]] std::vector<std::size_t> earliest() const {
    std::vector<std::size_t> levels(made_.size());
    for (std::size_t i = 0; i < made_.size(); ++i) {
      for (const std::size_t read : reads_[i]) levels[i] = std::max(levels[i], levels[read] + 1);
    }
    return levels;
  }

  /// In a level the dearest first.
  [[nodiscard]] ProductOrder in_levels(const std::vector<std::size_t>& levels) const {
    std::vector<std::size_t> ids(made_.size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    std::ranges::stable_sort(ids, std::ranges::greater(), [&](std::size_t i) { return costs_[i]; });
    ProductOrder order(levels.empty() ? 0 : *std::ranges::max_element(levels) + 1);
    for (const std::size_t i : ids) order[levels[i]].push_back(made_[i]);
    return order;
  }

  std::vector<OrderedProduct> made_;
  std::vector<std::vector<std::size_t>> reads_;
  std::vector<std::uint64_t> costs_;
  std::vector<std::uint64_t> tails_;
};

}  // namespace upsweep
