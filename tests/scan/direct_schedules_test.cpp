#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/execute.hpp"

namespace upsweep {
namespace {

using testing::schemes;

/// 2 × 2 matrices of integers modulo a prime: exact, and they do not commute.
using Matrix = std::array<std::uint64_t, 4>;
constexpr std::uint64_t kPrime = 1'000'003;

/// later · earlier.
Matrix product(const Matrix& earlier, const Matrix& later) {
  const auto entry = [&](std::size_t r, std::size_t c) {
    return (later[2 * r] * earlier[c] + later[2 * r + 1] * earlier[2 + c]) % kPrime;
  };
  return {entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)};
}

/// (range of the earlier operand, range of the later one) of every combine, sorted.
using Products = std::vector<std::pair<ValueRange, ValueRange>>;

Products in_order(const Schedule& schedule, bool live_only = false) {
  const std::vector<ValueRange> ranges = value_ranges(schedule);
  const std::vector<bool> dead = dead_combines(schedule);
  Products products;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    if (live_only && dead[id]) continue;
    products.emplace_back(ranges[schedule.combines[id].earlier], ranges[schedule.combines[id].later]);
  }
  return products;
}

Products products_of(const Schedule& schedule, bool live_only = false) {
  Products products = in_order(schedule, live_only);
  std::sort(products.begin(), products.end());
  return products;
}

bool is_mv(const Products::value_type& product) { return product.first.first == 0; }

std::size_t mv_count(const Schedule& schedule) {
  const Products products = products_of(schedule);
  return static_cast<std::size_t>(std::count_if(products.begin(), products.end(), is_mv));
}

Products common(const Products& a, const Products& b) {
  Products both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

class DirectSchedules : public testing::SeededTest {
 protected:
  std::vector<Matrix> matrices(std::size_t count) {
    std::vector<Matrix> array(count);
    for (Matrix& matrix : array) {
      for (std::uint64_t& entry : matrix) entry = between(0, kPrime - 1);
    }
    return array;
  }

  void expect_prefix_products(const Schedule& schedule, const std::vector<Matrix>& array) {
    SCOPED_TRACE(schedule.name + ", length " + std::to_string(schedule.length));
    const auto results = execute(schedule, array, product);
    ASSERT_EQ(results.size(), schedule.length);
    EXPECT_EQ(results[0], std::nullopt);
    Matrix prefix = array[0];
    for (std::size_t k = 1; k < schedule.length; ++k) {
      ASSERT_EQ(results[k], prefix) << "position " << k;
      prefix = product(prefix, array[k]);
    }
  }
};

TEST_F(DirectSchedules, GiveThePrefixProductsOfMatricesAtEveryLength) {
  for (std::size_t length = 2; length <= 70; ++length) {
    const std::vector<Matrix> array = matrices(length);
    for (const Schedule& schedule : schemes(length)) expect_prefix_products(schedule, array);
  }
  for (const std::size_t length : {257U, 1000U}) {
    const std::vector<Matrix> array = matrices(length);
    for (const Schedule& schedule : schemes(length)) expect_prefix_products(schedule, array);
  }
}

TEST_F(DirectSchedules, AreNoticedWhenAnOperandIsWrong) {
  // The check above would be worth nothing if these matrices could not tell.
  const std::vector<Matrix> array = matrices(9);
  for (Schedule schedule : schemes(9)) {
    const auto right = execute(schedule, array, product);
    std::swap(schedule.combines.back().earlier, schedule.combines.back().later);
    EXPECT_NE(execute(schedule, array, product), right) << schedule.name;
    EXPECT_THROW(static_cast<void>(value_ranges(schedule)), std::logic_error) << schedule.name;
  }
}

TEST(DirectSchedule, HasNoDeadCombineNoEmptyLevelAndAnMvForEveryPrefix) {
  for (std::size_t length = 2; length <= 130; ++length) {
    for (const Schedule& schedule : schemes(length)) {
      SCOPED_TRACE(schedule.name + ", length " + std::to_string(length));
      EXPECT_EQ(mv_count(schedule), length - 2) << "n - 1";
      for (const bool dead : dead_combines(schedule)) EXPECT_FALSE(dead);
      for (const std::size_t size : level_sizes(schedule)) EXPECT_GT(size, 0U);
      const Products products = products_of(schedule);
      EXPECT_EQ(std::set(products.begin(), products.end()).size(), products.size()) << "a product is computed twice";
      EXPECT_EQ(schedule.depth, 0U);
      EXPECT_EQ(schedule.hybrid_depth(), std::nullopt);
    }
  }
}

TEST(DirectSchedule, ReadsNothingThatItsOwnLevelWrites) {
  for (std::size_t length = 2; length <= 130; ++length) {
    for (const Schedule& schedule : schemes(length)) {
      std::vector<std::int64_t> level_of(schedule.values(), -1);
      std::int64_t before = 0;
      for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
        const Combine& combine = schedule.combines[id];
        const std::int64_t level = combine.level;
        EXPECT_GE(level, before) << "levels are in order";
        EXPECT_LT(std::max(level_of[combine.earlier], level_of[combine.later]), level) << schedule.name;
        level_of[schedule.value_of(id)] = before = level;
      }
    }
  }
}

TEST(DirectSchedule, CanBeReplayedInPlaceByItsPositions) {
  for (std::size_t length = 2; length <= 70; ++length) {
    for (const Schedule& schedule : schemes(length)) {
      if (schedule.name.starts_with("blocked:")) continue;  // has a running product for every block
      std::vector<ValueId> slots(length);
      for (ValueId i = 0; i < length; ++i) slots[i] = i;
      for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
        const Combine& combine = schedule.combines[id];
        ASSERT_EQ(slots[static_cast<std::size_t>(combine.left)], combine.earlier) << schedule.name << ", op " << id;
        ASSERT_EQ(slots[static_cast<std::size_t>(combine.right)], combine.later) << schedule.name << ", op " << id;
        slots[static_cast<std::size_t>(combine.target)] = schedule.value_of(id);
      }
      for (std::size_t k = 1; k < length; ++k) EXPECT_EQ(slots[k - 1], schedule.results[k]) << schedule.name;
    }
  }
}

std::uint64_t ceil_log2(std::uint64_t n) { return static_cast<std::uint64_t>(std::bit_width(n - 1)); }
std::uint64_t floor_log2(std::uint64_t n) { return static_cast<std::uint64_t>(std::bit_width(n)) - 1; }
std::uint64_t ones(std::uint64_t n) { return static_cast<std::uint64_t>(std::popcount(n)); }

TEST(DirectSchedule, HasAsManyCombinesAndLevelsAsItsClosedFormSays) {
  std::uint64_t sklansky = 0;
  for (std::uint64_t n = 1; n <= 300; ++n) {
    SCOPED_TRACE(n);
    const std::uint64_t lg = ceil_log2(n);
    sklansky += ones(n - 1);
    const Schedule kogge_stone = kogge_stone_schedule(n + 1);
    EXPECT_EQ(kogge_stone.combines.size(), n * lg - (std::uint64_t{1} << lg) + 1);
    EXPECT_EQ(kogge_stone.levels, lg);
    EXPECT_EQ(sklansky_schedule(n + 1).combines.size(), sklansky);
    EXPECT_EQ(sklansky_schedule(n + 1).levels, lg);
    const Schedule brent_kung = brent_kung_schedule(n + 1);
    EXPECT_EQ(brent_kung.combines.size(), 2 * n - ones(n) - floor_log2(n) - 1);
    if (std::has_single_bit(n)) {
      EXPECT_EQ(brent_kung.combines.size(), 2 * n - 2 - floor_log2(n));
    }
    EXPECT_LE(brent_kung.levels, 2 * floor_log2(n));
    const Schedule reduction = cyclic_reduction_schedule(n + 1);
    EXPECT_EQ(reduction.combines.size(), 2 * (n - 1) - ones(n - 1));
    EXPECT_LE(reduction.levels, 2 * lg);
    EXPECT_EQ(recursive_doubling_schedule(n + 1).levels, lg);
  }
}

TEST(RecursiveDoubling, HasTheProductsOfKoggeStoneInAnotherOrder) {
  for (std::size_t length = 2; length <= 130; ++length) {
    const Schedule doubling = recursive_doubling_schedule(length);
    const Schedule kogge_stone = kogge_stone_schedule(length);
    EXPECT_EQ(products_of(doubling), products_of(kogge_stone)) << length;
    EXPECT_EQ(level_sizes(doubling), level_sizes(kogge_stone)) << length;
    // Up to three elements every half system has at most one combine in a level.
    if (length > 5) {
      EXPECT_NE(in_order(doubling), in_order(kogge_stone)) << length;
    }
  }
}

TEST(RecursiveDoubling, SplitsIntoTwoSystemsThatShareNothing) {
  // After the first level, what an even unknown is made of never meets what an odd one is.
  const Schedule schedule = recursive_doubling_schedule(40);
  for (const Combine& combine : schedule.combines) {
    if (combine.level == 0) continue;
    EXPECT_EQ((combine.right - combine.left) % (std::int64_t{1} << combine.level), 0);
    EXPECT_EQ(combine.left % 2, combine.right % 2);
  }
}

TEST(BrentKung, HasTheProductsOfBlellochWithoutItsDeadCombines) {
  for (std::size_t length = 2; length <= 130; ++length) {
    EXPECT_EQ(products_of(brent_kung_schedule(length)), products_of(blelloch_schedule(length), true)) << length;
  }
}

TEST(CyclicReduction, IsTheTreeOfBrentKungOneElementLater) {
  for (std::size_t length = 3; length <= 130; ++length) {
    SCOPED_TRACE(length);
    const Products reduction = products_of(cyclic_reduction_schedule(length));
    // Up: Brent and Kung's up-sweep over the matrices alone, a[1] onwards.
    Products up;
    for (const auto& [phase, earlier, later] : [&] {
           const Schedule shorter = brent_kung_schedule(length - 1);
           const Products products = in_order(shorter);
           std::vector<std::tuple<Phase, ValueRange, ValueRange>> all;
           for (std::size_t id = 0; id < products.size(); ++id)
             all.emplace_back(shorter.combines[id].phase, products[id].first, products[id].second);
           return all;
         }()) {
      if (phase != Phase::up) continue;
      up.emplace_back(ValueRange{earlier.first + 1, earlier.last + 1}, ValueRange{later.first + 1, later.last + 1});
    }
    std::sort(up.begin(), up.end());
    Products matrices = reduction;
    matrices.erase(std::remove_if(matrices.begin(), matrices.end(), is_mv), matrices.end());
    EXPECT_EQ(matrices, up);
    // Of Brent and Kung's own products over the same array it has the first one and no other.
    const Products shared = common(reduction, products_of(brent_kung_schedule(length)));
    const Products first = {{ValueRange{0, 0}, ValueRange{1, 1}}};
    EXPECT_EQ(shared, first);
  }
}

TEST(CyclicReduction, HasAsManyCombinesAsBrentKungAtPowersOfTwoAndMoreElsewhere) {
  for (std::uint64_t n = 1; n <= 130; ++n) {
    const std::size_t reduction = cyclic_reduction_schedule(n + 1).combines.size();
    const std::size_t brent_kung = brent_kung_schedule(n + 1).combines.size();
    EXPECT_EQ(reduction - brent_kung, floor_log2(n) - static_cast<std::uint64_t>(std::countr_zero(n))) << n;
    EXPECT_EQ(reduction == brent_kung, std::has_single_bit(n)) << n;
  }
}

TEST(CyclicReduction, EliminatesWithMatricesAndSubstitutesWithVectors) {
  const Schedule schedule = cyclic_reduction_schedule(30);
  const Products products = in_order(schedule);
  for (std::size_t id = 0; id < products.size(); ++id)
    EXPECT_EQ(is_mv(products[id]), schedule.combines[id].phase == Phase::down) << id;
}

TEST(Blocked, TakesTheLevelsOfABlockTwiceAndALogarithm) {
  for (std::uint64_t n = 1; n <= 100; ++n) {
    for (std::uint64_t blocks = 3; blocks <= n; ++blocks) {
      const std::uint64_t longest = (n + blocks - 1) / blocks;
      // Down: the last block has one step more than others of its size, but is one of the shorter ones.
      const std::uint64_t second = n / blocks + (n % blocks > 1 ? 1 : 0);
      const std::uint64_t down = std::max(second - 1, n / blocks);
      EXPECT_EQ(blocked_schedule(n + 1, blocks).levels, longest - 1 + ceil_log2(blocks - 1) + down)
          << n << " elements, " << blocks << " blocks";
    }
  }
}

TEST(Blocked, WorksOnItsBlocksSideBySide) {
  // 12 elements in 4 blocks: 3 of them in 2 levels, Sklansky over 3 values in 2, then 3 of them in 3.
  const Schedule schedule = blocked_schedule(13, 4);
  EXPECT_EQ(schedule.name, "blocked:4");
  EXPECT_EQ(level_sizes(schedule), (std::vector<std::size_t>{3, 3, 1, 1, 3, 3, 1}));
  std::map<Phase, std::size_t> phases;
  for (const Combine& combine : schedule.combines) ++phases[combine.phase];
  EXPECT_EQ(phases, (std::map<Phase, std::size_t>{{Phase::up, 6}, {Phase::middle, 2}, {Phase::down, 7}}));
  EXPECT_EQ(schedule.combines[1], (Combine{Phase::up, 0, 3, 4, Combine::kReduction, 3, 4}));
  EXPECT_EQ(schedule.combines[4].left, Combine::kReduction);
  EXPECT_EQ(schedule.combines[4].target, 5) << "the product of a block ends in its last position";
}

TEST(Blocked, OfOneOrTwoBlocksIsPlainBackPropagation) {
  for (std::size_t length = 2; length <= 40; ++length) {
    for (const std::size_t blocks : {1U, 2U}) {
      const Schedule schedule = blocked_schedule(length, blocks);
      EXPECT_EQ(in_order(schedule), in_order(linear_schedule(length)));
      EXPECT_EQ(schedule.levels, length - 2);
    }
  }
  EXPECT_EQ(blocked_schedule(4, 9).name, "blocked:3") << "there are no more blocks than elements";
}

TEST(DirectSchedule, RefusesArraysWithoutAJacobianAndNoBlocks) {
  EXPECT_THROW(static_cast<void>(kogge_stone_schedule(1)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(recursive_doubling_schedule(0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(blocked_schedule(1, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(blocked_schedule(9, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
