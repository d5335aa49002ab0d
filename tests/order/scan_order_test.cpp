#include "upsweep/order/scan_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <vector>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

using Figure = OrderGoal::Figure;

/// All orders of an array: every choice of products, in every way to put them into levels in which each stands as soon
/// as or later than its operands are there.
class AllOrders {
 public:
  explicit AllOrders(std::size_t length) : last_(static_cast<std::uint32_t>(length - 2)) {}

  void visit(const std::function<void(const ProductOrder&)>& with) {
    std::vector<OrderedProduct> made;
    std::vector<ValueRange> open;
    for (std::uint32_t last = 1; last <= last_; ++last) open.push_back({0, last});
    choose(open, made, with);
  }

 private:
  void choose(std::vector<ValueRange> open, std::vector<OrderedProduct>& made,
              const std::function<void(const ProductOrder&)>& with) {
    while (!open.empty() && is_made(open.back(), made)) open.pop_back();
    if (open.empty()) return place(made, with);
    const ValueRange range = open.back();
    open.pop_back();
    for (std::uint32_t split = range.first; split < range.last; ++split) {
      made.push_back({range.first, split, range.last});
      std::vector<ValueRange> next = open;
      for (const ValueRange operand : {made.back().earlier(), made.back().later()}) {
        if (operand.first != operand.last) next.push_back(operand);
      }
      choose(std::move(next), made, with);
      made.pop_back();
    }
  }

  static bool is_made(ValueRange range, const std::vector<OrderedProduct>& made) {
    return range.first == range.last ||
           std::ranges::any_of(made, [&](const OrderedProduct& other) { return other.range() == range; });
  }

  /// In sequence, each either in the level of the one before or in a new one.
  void place(std::vector<OrderedProduct> made, const std::function<void(const ProductOrder&)>& with) {
    ProductOrder order;
    place_next(made, order, with);
  }
  void place_next(std::vector<OrderedProduct>& left, ProductOrder& order,
                  const std::function<void(const ProductOrder&)>& with) {
    if (left.empty()) return with(order);
    std::vector<OrderedProduct> before;
    for (const auto& level : order) before.insert(before.end(), level.begin(), level.end());
    for (std::size_t i = 0; i < left.size(); ++i) {
      const OrderedProduct mine = left[i];
      if (!is_made(mine.earlier(), before) || !is_made(mine.later(), before)) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      order.push_back({mine});
      place_next(left, order, with);
      order.pop_back();
      if (!order.empty()) {
        std::vector<OrderedProduct> sooner(before.begin(),
                                           before.end() - static_cast<std::ptrdiff_t>(order.back().size()));
        if (is_made(mine.earlier(), sooner) && is_made(mine.later(), sooner)) {
          order.back().push_back(mine);
          place_next(left, order, with);
          order.back().pop_back();
        }
      }
      left.insert(left.begin() + static_cast<std::ptrdiff_t>(i), mine);
    }
  }

  std::uint32_t last_;
};

class ScanOrder : public testing::SeededTest {
 protected:
  /// Costs that no chain need have: some products are cheap and some dear.
  RangeCosts random_costs(std::size_t length) {
    RangeCosts costs(length);
    for (std::uint32_t first = 1; first + 1 < length; ++first) {
      for (std::uint32_t last = first; last + 1 < length; ++last) {
        costs.set({0, first - 1, last}, between(1, 40));
        for (std::uint32_t split = first; split < last; ++split) costs.set({first, split, last}, between(1, 60));
      }
    }
    return costs;
  }

  OrderGoal random_goal() {
    OrderGoal goal;
    goal.figure = static_cast<Figure>(between(0, 2));
    goal.execution = chance(0.5) ? Execution::level : Execution::dag;
    goal.workers = between(1, 4);
    if (goal.execution == Execution::level && chance(0.3)) goal.batch = between(2, 5);
    return goal;
  }
};

TEST_F(ScanOrder, IsNoWorseThanItsBoundAndNoBetterThanTheLeastOfAll) {
  std::size_t rounds = 0;
  std::size_t found_least = 0;
  std::size_t bound_is_least = 0;
  for (int round = 0; round < 24; ++round) {
    const std::size_t length = between(3, 5);
    const RangeCosts costs = random_costs(length);
    const OrderGoal goal = random_goal();
    std::uint64_t least = RangeCosts::kUnused;
    AllOrders(length).visit([&](const ProductOrder& order) { least = std::min(least, figure_of(order, costs, goal)); });
    const std::vector<ProductOrder> orders = best_orders(costs, goal, {}, 3);
    ASSERT_FALSE(orders.empty());
    const std::uint64_t found = figure_of(orders.front(), costs, goal);
    const std::uint64_t bound = order_bound(costs, goal);
    SCOPED_TRACE(order_name(length, orders.front()));
    EXPECT_LE(bound, least);
    EXPECT_GE(found, least);
    ++rounds;
    found_least += found == least ? 1 : 0;
    bound_is_least += bound == least ? 1 : 0;
    if (goal.figure == Figure::path && goal.execution == Execution::dag) {
      EXPECT_EQ(found, least) << "a dynamic programme";
      EXPECT_EQ(bound, least);
    }
  }
  EXPECT_GE(found_least, rounds * 8 / 10) << "of " << rounds;
  EXPECT_GE(bound_is_least, rounds / 4) << "of " << rounds;
}

TEST_F(ScanOrder, NeedsNoRangeThatIsTooDearToBeatWhatIsKnown) {
  std::size_t dropped = 0;
  for (int round = 0; round < 24; ++round) {
    const std::size_t length = between(4, 5);
    const RangeCosts all = random_costs(length);
    const OrderGoal goal = random_goal();
    const std::uint64_t known = figure_of(order_of(linear_schedule(length)), all, goal);
    const RangeLimits limits = range_limits(goal, known);
    const RangeLeasts leasts(all);
    RangeCosts some = all;
    for (std::uint32_t first = 1; first + 2 < length; ++first) {
      for (std::uint32_t last = first + 1; last + 1 < length; ++last) {
        const RangeLeast& least = leasts.at({first, last});
        if (least.path < limits.path && least.work < limits.work) continue;
        some.forget({first, last});
        ++dropped;
      }
    }
    std::uint64_t least = known;
    std::uint64_t least_of_some = known;
    AllOrders(length).visit([&](const ProductOrder& order) {
      const std::uint64_t figure = figure_of(order, all, goal);
      least = std::min(least, figure);
      bool has_all = true;
      for (const auto& level : order) {
        for (const OrderedProduct& made : level) has_all = has_all && some.at(made) != RangeCosts::kUnused;
      }
      if (has_all) least_of_some = std::min(least_of_some, figure);
    });
    EXPECT_EQ(least_of_some, least);
    EXPECT_LE(std::min(order_bound(some, goal), known), least);
  }
  EXPECT_GT(dropped, 0U);
}

TEST_F(ScanOrder, GivesOrdersBestFirstAndEachOnce) {
  const RangeCosts costs = random_costs(12);
  OrderGoal goal;
  goal.workers = 3;
  const std::vector<ProductOrder> orders = best_orders(costs, goal, {}, 10);
  EXPECT_LE(orders.size(), 10U);
  EXPECT_GT(orders.size(), 1U);
  for (std::size_t i = 1; i < orders.size(); ++i) {
    EXPECT_LE(figure_of(orders[i - 1], costs, goal), figure_of(orders[i], costs, goal));
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(orders[i], orders[j]);
  }
  EXPECT_EQ(best_orders(costs, goal, {}, 10), orders) << "the same again";
}

TEST_F(ScanOrder, IsNoWorseThanThoseThatAreKnown) {
  for (int round = 0; round < 10; ++round) {
    const RangeCosts costs = random_costs(16);
    const OrderGoal goal = random_goal();
    const std::vector<ProductOrder> known = {order_of(linear_schedule(16)), order_of(sklansky_schedule(16)),
                                             order_of(hybrid_schedule(16, 2))};
    const std::uint64_t found = figure_of(best_orders(costs, goal, known, 1).front(), costs, goal);
    for (const ProductOrder& order : known) EXPECT_LE(found, figure_of(order, costs, goal));
    EXPECT_GE(found, order_bound(costs, goal));
  }
}

TEST_F(ScanOrder, LeavesOutProductsWithoutCosts) {
  RangeCosts costs = random_costs(8);
  for (std::uint32_t first = 1; first < 7; ++first) {
    for (std::uint32_t last = first + 1; last < 7; ++last) costs.forget({first, last});
  }
  const std::vector<ProductOrder> known = {order_of(sklansky_schedule(8))};
  EXPECT_EQ(best_orders(costs, {}, known, 4), (std::vector<ProductOrder>{order_of(linear_schedule(8))}));
  EXPECT_THROW(static_cast<void>(figure_of(known.front(), costs, {})), std::invalid_argument);
  EXPECT_EQ(order_bound(costs, {}), figure_of(order_of(linear_schedule(8)), costs, {}));
}

TEST_F(ScanOrder, IsTakenApartByItsJumps) {
  const RangeCosts costs = random_costs(7);
  const ProductOrder order = {{{0, 0, 1}, {2, 2, 3}, {4, 4, 5}}, {{0, 1, 3}, {0, 1, 2}}, {{0, 3, 5}, {0, 3, 4}}};
  EXPECT_EQ(jumps_of(order), (std::vector<std::uint32_t>{3, 5}));
  EXPECT_EQ(order_name(7, with_jumps(order, {}, costs)), "order:7:1/2/3/4/5");
  const ProductOrder first = with_jumps(order, std::vector<std::uint32_t>{3}, costs);
  EXPECT_EQ(jumps_of(first), (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(order_schedule(7, first).combines.size(), 6U) << "a product besides five steps";
  const ProductOrder both = with_jumps(order, jumps_of(order), costs);
  EXPECT_EQ(figure_of(both, costs, {.workers = 9}), figure_of(order, costs, {.workers = 9}));
}

TEST_F(ScanOrder, OfTooShortAnArrayIsEmpty) {
  EXPECT_EQ(best_orders(RangeCosts(2), {}, {}, 4), (std::vector<ProductOrder>{{}}));
  EXPECT_EQ(order_bound(RangeCosts(2), {}), 0U);
}

}  // namespace
}  // namespace upsweep
