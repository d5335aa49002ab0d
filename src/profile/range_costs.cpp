#include "upsweep/profile/range_costs.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

/// Calls visit(made) for each split of a range.
template <class Visit>
void for_splits(ValueRange range, Visit visit) {
  for (std::uint32_t split = range.first; split < range.last; ++split)
    visit(OrderedProduct{range.first, split, range.last});
}

/// Counts the ranges of one chain after the other.
class RangeCounting {
 public:
  RangeCounting(std::size_t length, const RangeLimits& dearest, const CountLimits& limits)
      : costs_(length), leasts_(length), dearest_(dearest), meter_(limits.pairs, limits.stop) {}

  void add(const JacobianChain& chain, const CountLimits& limits) {
    patterns_.assign(costs_.length() * costs_.length(), nullptr);
    const std::size_t last = costs_.length() - 2;  // of the elements that an exclusive scan reads
    for (std::uint32_t i = 1; i <= last; ++i) keep({i, i}, element(chain, i));
    for (std::size_t width = 2; width <= last; ++width) {
      if (limits.progress) limits.progress(width - 1, last);
      for (std::uint32_t first = 1; first + width - 1 <= last; ++first)
        count({first, static_cast<std::uint32_t>(first + width - 1)});
    }
    is_first_ = false;
  }

  [[nodiscard]] RangeCosts take() { return std::move(costs_); }

 private:
  using Shared = std::shared_ptr<const Pattern>;

  /// In rows, which products read again and again, where few of them are shifts of each other and there is room.
  static Shared element(const JacobianChain& chain, std::uint32_t position) {
    const Shared& given = chain.jacobians[position - 1];
    if (!chain.is_at_input || given->classes() == nullptr) return given;
    try {
      return std::make_shared<const Pattern>(in_rows(*given));
    } catch (const OutOfRoom&) {
      return given;
    }
  }

  [[nodiscard]] Shared& pattern(ValueRange range) { return patterns_[range.first * costs_.length() + range.last]; }

  /// The same range of the chains before and of this one.
  [[nodiscard]] std::uint64_t sum_of(const OrderedProduct& made, std::uint64_t flops) const {
    return is_first_ ? flops : checked_add(costs_.at(made), flops);
  }

  void keep(ValueRange range, Shared structure) {
    const OrderedProduct step{0, range.first - 1, range.last};
    costs_.set(step, sum_of(step, flops_of_products(products_with_dense_vector(*structure))));
    if (range.first == range.last) leasts_.find(costs_, range);
    pattern(range) = std::move(structure);
  }

  void drop(ValueRange range) {
    costs_.forget(range);
    leasts_.forget(range);
  }

  void count(ValueRange range) {
    try {
      count_within(range);
      return;
    } catch (const WorkLimitReached&) {
    } catch (const OutOfRoom&) {
    }
    costs_.set_incomplete();
    drop(range);
  }

  void count_within(ValueRange range) {
    std::uint64_t least = RangeCosts::kUnused;
    OrderedProduct cheapest;
    for_splits(range, [&](const OrderedProduct& made) {
      const Shared& earlier = pattern(made.earlier());
      const Shared& later = pattern(made.later());
      const bool is_used = earlier && later && (is_first_ || costs_.at(made) != RangeCosts::kUnused);
      meter_.add(is_used ? 1 : 0);  // so that it is asked whether to stop
      const std::uint64_t products = is_used ? count_products(*later, *earlier, &meter_).products : 0;
      costs_.set(made, is_used ? sum_of(made, flops_of_products(products)) : RangeCosts::kUnused);
      if (!is_used || products >= least) return;
      least = products;
      cheapest = made;
    });
    leasts_.find(costs_, range);
    const RangeLeast& mine = leasts_.at(range);
    if (mine.path >= dearest_.path || mine.work >= dearest_.work) return drop(range);
    keep(range, multiply(pattern(cheapest.later()), pattern(cheapest.earlier()), Keep::structure, &meter_).pattern);
  }

  RangeCosts costs_;
  RangeLeasts leasts_;
  RangeLimits dearest_;
  WorkMeter meter_;
  std::vector<Shared> patterns_;  // of the chain that is counted
  bool is_first_ = true;
};

}  // namespace

void RangeCosts::set(const OrderedProduct& made, std::uint64_t flops) {
  if (made.first == 0) {
    vectors_[place(made.later())] = flops;
    return;
  }
  std::vector<std::uint64_t>& splits = products_[place(made.range())];
  if (splits.empty()) splits.assign(made.last - made.first, kUnused);
  splits[made.split - made.first] = flops;
}

void RangeCosts::forget(ValueRange range) {
  vectors_[place(range)] = kUnused;
  products_[place(range)].clear();
}

RangeLeasts::RangeLeasts(const RangeCosts& costs) : RangeLeasts(costs.length()) {
  for (std::size_t width = 1; width < length_; ++width) {
    for (std::uint32_t first = 0; first + width < length_; ++first)
      find(costs, {first, static_cast<std::uint32_t>(first + width - 1)});
  }
}

void RangeLeasts::find(const RangeCosts& costs, ValueRange range) {
  RangeLeast least;
  if (range.first == range.last) least = {0, 0};
  std::uint64_t work_of_path = RangeCosts::kUnused;
  std::uint64_t path_of_work = RangeCosts::kUnused;
  for_splits(range, [&](const OrderedProduct& made) {
    const RangeLeast& earlier = at(made.earlier());
    const RangeLeast& later = at(made.later());
    const std::uint64_t cost = costs.at(made);
    if (cost == RangeCosts::kUnused || earlier.path == RangeCosts::kUnused || later.path == RangeCosts::kUnused) return;
    const std::uint64_t path = checked_add(std::max(earlier.path, later.path), cost);
    const std::uint64_t work = checked_add(checked_add(earlier.work, later.work), cost);
    if (path < least.path || (path == least.path && work < work_of_path)) {
      least.path = path;
      least.path_split = made.split;
      work_of_path = work;
    }
    if (work < least.work || (work == least.work && path < path_of_work)) {
      least.work = work;
      least.work_split = made.split;
      path_of_work = path;
    }
  });
  of_[range.first * length_ + range.last] = least;
}

RangeCosts range_costs(std::size_t length, std::size_t inputs, const ChainSource& chain_at, const RangeLimits& dearest,
                       const CountLimits& limits) {
  if (length < 2) throw std::invalid_argument("ranges of fewer than 2 elements");
  RangeCounting counting(length, dearest, limits);
  for (std::size_t input = 0; input < inputs; ++input) {
    const JacobianChain chain = chain_at(input);
    check_chain(chain);
    if (chain.length() != length) throw std::invalid_argument("a chain of another length than its ranges");
    counting.add(chain, limits);
  }
  return counting.take();
}

RangeCosts range_costs(const NetworkView& view, PatternKind pattern, const RangeLimits& dearest,
                       const CountLimits& limits) {
  const NetworkChains chains(view, pattern, PatternForm::classes);
  return range_costs(
      view.network.links().size() + 1, chains.inputs(), [&](std::size_t i) { return chains.at(i); }, dearest, limits);
}

}  // namespace upsweep
