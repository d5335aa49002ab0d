#include "upsweep/backend/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

struct Lifetime {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// From the definition: the levels in which a combine's value must be there.
Lifetime lifetime(const Schedule& schedule, std::size_t id) {
  const ValueId value = schedule.value_of(id);
  Lifetime life{schedule.combines[id].level, schedule.combines[id].level};
  for (const Combine& combine : schedule.combines) {
    if (combine.earlier == value || combine.later == value) life.last = std::max<std::size_t>(life.last, combine.level);
  }
  if (std::find(schedule.results.begin(), schedule.results.end(), value) != schedule.results.end()) {
    life.last = schedule.levels;
  }
  return life;
}

void expect_no_overlap(const Schedule& schedule, const std::vector<std::uint64_t>& lengths, std::size_t element_bytes,
                       Execution execution) {
  const Arena arena = plan_arena(schedule, lengths, element_bytes, execution);
  ASSERT_EQ(arena.offsets.size(), schedule.values());
  for (std::size_t i = 0; i < schedule.length; ++i) EXPECT_EQ(arena.offsets[i], Arena::kNotInArena);
  std::uint64_t sum = 0;
  for (std::size_t a = 0; a < schedule.combines.size(); ++a) {
    const ValueId value = schedule.value_of(a);
    const std::uint64_t begin = arena.offsets[value];
    const std::uint64_t end = begin + lengths[value] * element_bytes;
    EXPECT_EQ(begin % kArenaAlignment, 0U);
    EXPECT_LE(end, arena.bytes);
    sum += (lengths[value] * element_bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
    for (std::size_t b = 0; b < a; ++b) {
      const ValueId other = schedule.value_of(b);
      const Lifetime x = lifetime(schedule, a);
      const Lifetime y = lifetime(schedule, b);
      const bool together = execution == Execution::dag || (x.first <= y.last && y.first <= x.last);
      const std::uint64_t other_begin = arena.offsets[other];
      const std::uint64_t other_end = other_begin + lengths[other] * element_bytes;
      const bool overlap = std::max(begin, other_begin) < std::min(end, other_end);
      EXPECT_FALSE(together && overlap) << schedule.name << " over " << schedule.length << ": values " << value
                                        << " and " << other;
    }
  }
  EXPECT_LE(arena.bytes, sum);
  if (execution == Execution::dag) {
    EXPECT_EQ(arena.bytes, sum);
  }
}

class ArenaRandom : public testing::SeededTest {};

TEST_F(ArenaRandom, ValuesThatLiveTogetherNeverOverlap) {
  for (const std::size_t length : {2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 48}) {
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) {
      const Schedule schedule = hybrid_schedule(length, depth);
      for (int round = 0; round < 3; ++round) {
        std::vector<std::uint64_t> lengths(schedule.values());
        for (std::uint64_t& n : lengths) n = chance(0.1) ? 0 : between(1, chance(0.5) ? 100 : 100000);
        const std::size_t element_bytes = chance(0.5) ? 4 : 8;
        expect_no_overlap(schedule, lengths, element_bytes, Execution::level);
        expect_no_overlap(schedule, lengths, element_bytes, Execution::dag);
      }
    }
  }
}

TEST(Arena, ResultsOfALinearScanAreAllKept) {
  const Schedule schedule = linear_schedule(5);
  const Arena arena = plan_arena(schedule, std::vector<std::uint64_t>(schedule.values(), 64), 4, Execution::level);
  EXPECT_EQ(arena.bytes, schedule.combines.size() * 256);
}

TEST(Arena, MemoryOfWhatDiedIsUsedAgain) {
  const Schedule schedule = blelloch_schedule(33);
  const std::vector<std::uint64_t> lengths(schedule.values(), 64);
  EXPECT_LT(plan_arena(schedule, lengths, 4, Execution::level).bytes,
            plan_arena(schedule, lengths, 4, Execution::dag).bytes);
}

TEST(Arena, ValuesWithoutElementsNeedNoMemory) {
  const Schedule schedule = blelloch_schedule(9);
  EXPECT_EQ(plan_arena(schedule, std::vector<std::uint64_t>(schedule.values(), 0), 8, Execution::level).bytes, 0U);
}

TEST(Arena, RefusesAWrongNumberOfLengths) {
  const Schedule schedule = linear_schedule(3);
  EXPECT_THROW(static_cast<void>(plan_arena(schedule, std::vector<std::uint64_t>(2), 4, Execution::level)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
