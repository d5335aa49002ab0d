#include "upsweep/order/scan_order.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "levelling.hpp"
#include "split_table.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/batched.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/pram_simulation.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kUnused = RangeCosts::kUnused;

/// The schedule of an order with the FLOPs of its ops, and no other counts.
ScheduleProfile priced(const ProductOrder& order, const RangeCosts& costs) {
  ScheduleProfile profile;
  profile.schedule = order_schedule(costs.length(), order);
  for (const std::vector<OrderedProduct>& level : order) {
    for (const OrderedProduct& made : level) {
      profile.ops.emplace_back().flops = costs.at(made);
      if (profile.ops.back().flops == kUnused) throw std::invalid_argument("an order of products without costs");
    }
  }
  return profile;
}

/// An order and its figure.
struct Scored {
  std::uint64_t figure = kUnused;
  ProductOrder order;
};

class ScanOrderSearch {
 public:
  ScanOrderSearch(const RangeCosts& costs, const OrderGoal& goal, std::size_t most, const std::atomic<bool>* stop)
      : costs_(costs), goal_(goal), most_(most), stop_(stop), leasts_(costs) {}

  std::vector<ProductOrder> run(std::span<const ProductOrder> known) {
    for (const ProductOrder& order : known) {
      if (!has_costs(order)) continue;
      note(order);
      begin_with(order);
    }
    for (const SplitTable& table : within_deadlines()) begin(table);
    std::ranges::stable_sort(starts_, {}, [](const auto& start) { return start.first; });
    for (std::size_t i = 0; i < std::min(starts_.size(), kMostStarts); ++i) climb(starts_[i].second);
    if (goal_.figure != OrderGoal::Figure::work && goal_.execution == Execution::level) move_levels();
    std::vector<ProductOrder> orders;
    for (Scored& mine : best_) orders.push_back(std::move(mine.order));
    return orders;
  }

 private:
  static constexpr std::size_t kMostStarts = 12;
  static constexpr std::size_t kMostTrials = 30'000;
  static constexpr std::size_t kDeadlines = 48;

  [[nodiscard]] bool is_over() const { return trials_ >= kMostTrials || (stop_ != nullptr && *stop_); }

  [[nodiscard]] bool has_costs(const ProductOrder& order) const {
    return std::ranges::all_of(order, [&](const std::vector<OrderedProduct>& level) {
      return std::ranges::all_of(level, [&](const OrderedProduct& made) { return costs_.at(made) != kUnused; });
    });
  }

  /// The figure of an order, which is kept where it is among the best.
  std::uint64_t note(ProductOrder order) {
    ++trials_;
    const std::uint64_t figure = figure_of(order, costs_, goal_);
    const bool is_small = best_.size() < most_ || figure < best_.back().figure;
    if (!is_small || std::ranges::any_of(best_, [&](const Scored& other) { return other.order == order; }))
      return figure;
    best_.insert(std::ranges::upper_bound(best_, figure, {}, &Scored::figure), {figure, std::move(order)});
    if (best_.size() > most_) best_.pop_back();
    return figure;
  }

  /// The smallest figure of the products of a table, by some ways to put them into levels.
  std::uint64_t score(const SplitTable& table) {
    const Levelling levelling(table.needed(), costs_);
    std::uint64_t least = note(levelling.by_way());
    if (goal_.figure == OrderGoal::Figure::work) return least;
    least = std::min(least, note(levelling.early()));
    return std::min(least, note(levelling.late()));
  }

  void begin(const SplitTable& table) { starts_.emplace_back(score(table), table); }

  void begin_with(const ProductOrder& order) {
    for (const bool is_fast : {true, false}) {
      SplitTable table(costs_.length(), leasts_, is_fast);
      table.set(order);
      begin(table);
    }
  }

  /// Of each deadline the splits that add the least work to what is made anyway, results from the last one down, then
  /// products from the widest down.
  [[nodiscard]] SplitTable within(std::uint64_t deadline) const {
    const std::size_t length = costs_.length();
    SplitTable table(costs_.length(), leasts_, false);
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t, std::greater<>> due;  // by width and first element
    const auto work_of = [&](ValueRange range) {
      return range.first == range.last || due.contains({range.last - range.first, range.first})
                 ? 0
                 : leasts_.at(range).work;
    };
    const auto need = [&](ValueRange range, std::uint64_t by) {
      if (range.first == range.last) return;
      const auto [known, is_new] = due.try_emplace({range.last - range.first, range.first}, by);
      if (!is_new) known->second = std::min(known->second, by);
    };
    std::vector<std::uint64_t> result_due(length, deadline);
    const auto choose = [&](ValueRange range, std::uint64_t by) {
      std::uint64_t least = kUnused;
      table.set(range, leasts_.at(range).path_split);
      for (std::uint32_t split = range.first; split < range.last; ++split) {
        const OrderedProduct made{range.first, split, range.last};
        const std::uint64_t cost = costs_.at(made);
        if (cost == kUnused || cost > by) continue;
        if (std::max(leasts_.at(made.earlier()).path, leasts_.at(made.later()).path) > by - cost) continue;
        std::uint64_t work = checked_add(cost, work_of(made.later()));
        if (range.first > 0) work = checked_add(work, work_of(made.earlier()));  // results are made anyway
        if (work >= least) continue;
        least = work;
        table.set(range, split);
      }
      const OrderedProduct made = table.made(range);
      const std::uint64_t cost = costs_.at(made);
      const std::uint64_t left = by > cost ? by - cost : 0;
      need(made.later(), left);
      if (range.first > 0) {
        need(made.earlier(), left);
      } else {
        result_due[made.split] = std::min(result_due[made.split], left);
      }
    };
    for (auto last = static_cast<std::uint32_t>(length - 2); last > 0; --last) choose({0, last}, result_due[last]);
    while (!due.empty()) {
      const auto [key, by] = *due.begin();
      due.erase(due.begin());
      choose({key.second, static_cast<std::uint32_t>(key.second + key.first)}, by);
    }
    return table;
  }

  /// From the shortest critical path up to that of plain back-propagation.
  [[nodiscard]] std::vector<SplitTable> within_deadlines() const {
    std::uint64_t shortest = 0;
    std::uint64_t longest = 0;
    for (std::uint32_t last = 1; last + 1 < costs_.length(); ++last) {
      shortest = std::max(shortest, leasts_.at({0, last}).path);
      longest = checked_add(longest, costs_.at({0, last - 1, last}));
    }
    std::vector<SplitTable> tables = {SplitTable(costs_.length(), leasts_, true),
                                      SplitTable(costs_.length(), leasts_, false)};
    for (std::size_t i = 0; i <= kDeadlines; ++i)
      tables.push_back(within(shortest + (longest - shortest) / kDeadlines * i));
    return tables;
  }

  /// Splits ranges elsewhere, each where that makes the figure smaller, until none does.
  void climb(SplitTable table) {
    std::uint64_t figure = score(table);
    for (bool is_better = true; is_better && !is_over();) {
      is_better = false;
      for (const OrderedProduct& made : table.needed()) {
        for (std::uint32_t split = made.first; split < made.last && !is_over(); ++split) {
          const OrderedProduct other{made.first, split, made.last};
          if (split == table.split(made.range()) || !can_make(other)) continue;
          const std::uint32_t before = table.split(made.range());
          table.set(made.range(), split);
          const std::uint64_t tried = score(table);
          if (tried < figure) {
            figure = tried;
            is_better = true;
          } else {
            table.set(made.range(), before);
          }
        }
      }
    }
  }

  [[nodiscard]] bool can_make(const OrderedProduct& made) const {
    return costs_.at(made) != kUnused && leasts_.at(made.earlier()).path != kUnused &&
           leasts_.at(made.later()).path != kUnused;
  }

  /// Moves products of the best orders to other levels while that helps.
  void move_levels() {
    const std::vector<Scored> starts(
        best_.begin(), best_.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(best_.size(), 4)));
    trials_ = 0;
    for (const Scored& start : starts) {
      Scored mine = start;
      while (!is_over() && move_one(mine)) {
      }
    }
  }

  bool move_one(Scored& mine) {
    for (std::size_t from = 0; from < mine.order.size(); ++from) {
      for (std::size_t i = 0; i < mine.order[from].size(); ++i) {
        const OrderedProduct made = mine.order[from][i];
        const auto [first, last] = window_of(mine.order, made, from);
        for (std::size_t to = first; to <= last && !is_over(); ++to) {
          if (to == from) continue;
          ProductOrder tried = mine.order;
          tried[from].erase(tried[from].begin() + static_cast<std::ptrdiff_t>(i));
          const auto place = std::ranges::find_if(
              tried[to], [&](const OrderedProduct& other) { return costs_.at(other) < costs_.at(made); });
          tried[to].insert(place, made);
          if (tried[from].empty()) tried.erase(tried.begin() + static_cast<std::ptrdiff_t>(from));
          const std::uint64_t figure = note(tried);
          if (figure >= mine.figure) continue;
          mine = {figure, std::move(tried)};
          return true;
        }
      }
    }
    return false;
  }

  /// The levels that a product of level `from` may stand in.
  static std::pair<std::size_t, std::size_t> window_of(const ProductOrder& order, const OrderedProduct& made,
                                                       std::size_t from) {
    const auto makes = [&](std::size_t level) {
      return std::ranges::any_of(order[level], [&](const OrderedProduct& other) {
        return other.range() == made.earlier() || other.range() == made.later();
      });
    };
    const auto reads = [&](std::size_t level) {
      return std::ranges::any_of(order[level], [&](const OrderedProduct& other) {
        return other.earlier() == made.range() || other.later() == made.range();
      });
    };
    std::size_t first = from;
    while (first > 0 && !makes(first - 1)) --first;
    std::size_t last = from;
    while (last + 1 < order.size() && !reads(last + 1)) ++last;
    return {first, last};
  }

  const RangeCosts& costs_;
  OrderGoal goal_;
  std::size_t most_;
  const std::atomic<bool>* stop_;
  RangeLeasts leasts_;
  std::size_t trials_ = 0;
  std::vector<Scored> best_;  // by figure
  std::vector<std::pair<std::uint64_t, SplitTable>> starts_;
};

}  // namespace

std::uint64_t figure_of(const ProductOrder& order, const RangeCosts& costs, const OrderGoal& goal) {
  const ScheduleProfile profile = priced(order, costs);
  if (goal.figure == OrderGoal::Figure::path) return totals(profile, Scope::all).critical_path(goal.execution);
  if (goal.figure == OrderGoal::Figure::work) return checked_mul(totals(profile, Scope::all).flops, goal.batch);
  if (goal.execution == Execution::level)
    return batched_level_makespan(profile, goal.workers, Scope::all, goal.batch, CostUnit::flops);
  const std::vector<bool> runs(profile.ops.size(), true);
  return simulate(profile.schedule, profile.flops(), runs, goal.workers, Execution::dag).makespan;
}

std::vector<std::uint32_t> jumps_of(const ProductOrder& order) {
  std::vector<std::uint32_t> jumps;
  for (const std::vector<OrderedProduct>& level : order) {
    for (const OrderedProduct& made : level) {
      if (made.first == 0 && made.split + 1 < made.last) jumps.push_back(made.last);
    }
  }
  std::ranges::sort(jumps);
  return jumps;
}

ProductOrder with_jumps(const ProductOrder& order, std::span<const std::uint32_t> results, const RangeCosts& costs) {
  SplitTable table(costs.length(), RangeLeasts(costs), true);
  table.set(order);
  for (std::uint32_t last = 1; last + 1 < costs.length(); ++last) {
    if (std::ranges::find(results, last) == results.end()) table.set({0, last}, last - 1);
  }
  return Levelling(table.needed(), costs).late();
}

std::vector<ProductOrder> best_orders(const RangeCosts& costs, const OrderGoal& goal,
                                      std::span<const ProductOrder> known, std::size_t most,
                                      const std::atomic<bool>* stop) {
  if (costs.length() < 3) return {ProductOrder{}};
  return ScanOrderSearch(costs, goal, most, stop).run(known);
}

}  // namespace upsweep
