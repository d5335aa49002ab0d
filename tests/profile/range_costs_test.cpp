#include "upsweep/profile/range_costs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kUnused = RangeCosts::kUnused;

class RangeCostsTest : public testing::SeededTest {
 protected:
  JacobianChain random_chain(std::size_t jacobians) {
    JacobianChain chain;
    Index cols = 6;
    chain.gradient_length = cols;
    for (std::size_t i = 0; i < jacobians; ++i) {
      const Index rows = chance(0.4) ? cols : static_cast<Index>(between(2, 12));
      chain.jacobians.push_back(std::make_shared<const Pattern>(
          rows == cols && chance(0.4) ? Pattern::diagonal(rows) : random_pattern(rows, cols, 0.4)));
      cols = rows;
    }
    return chain;
  }
};

RangeCosts all_costs(const std::vector<JacobianChain>& chains, const RangeLimits& limits = {}) {
  return range_costs(chains.front().length(), chains.size(), [&](std::size_t i) { return chains[i]; }, limits, {});
}

TEST_F(RangeCostsTest, AreTheFlopsOfEveryScheduleSummedOverInputs) {
  for (int round = 0; round < 20; ++round) {
    std::vector<JacobianChain> chains = {random_chain(between(1, 14))};
    for (std::uint64_t more = between(0, 2); more > 0; --more) {  // the same sizes, other entries
      JacobianChain chain = chains.front();
      for (std::shared_ptr<const Pattern>& jacobian : chain.jacobians)
        jacobian = std::make_shared<const Pattern>(random_pattern(jacobian->rows(), jacobian->cols(), 0.5));
      chains.push_back(std::move(chain));
    }
    const std::size_t length = chains.front().length();
    const RangeCosts costs = all_costs(chains);
    EXPECT_TRUE(costs.is_complete());
    std::vector<Schedule> schedules = depth_candidates(length);
    for (Schedule& scheme : testing::schemes(length)) schedules.push_back(std::move(scheme));
    for (const ScheduleProfile& profile : profile_schedules(
             std::move(schedules), chains.size(), [&](std::size_t i) { return chains[i]; }, 4)) {
      SCOPED_TRACE(profile.schedule.name);
      const std::vector<ValueRange> ranges = value_ranges(profile.schedule);
      for (std::size_t id = 0; id < profile.ops.size(); ++id) {
        const Combine& combine = profile.schedule.combines[id];
        const OrderedProduct made{ranges[combine.earlier].first, ranges[combine.earlier].last,
                                  ranges[combine.later].last};
        if (made.last + 1 == length) continue;  // a dead one, of the element that no result reads
        EXPECT_EQ(costs.at(made), profile.ops[id].flops) << made.first << '.' << made.split << '.' << made.last;
      }
    }
  }
}

TEST_F(RangeCostsTest, LeaveOutWhatTakesMoreThanTheLimits) {
  for (int round = 0; round < 20; ++round) {
    const std::vector<JacobianChain> one = {random_chain(10)};
    const RangeCosts all = all_costs(one);
    const RangeLeasts leasts(all);
    const std::uint64_t path = leasts.at({0, 9}).path / between(1, 3) + 1;
    const std::uint64_t work = leasts.at({0, 9}).work / between(1, 3) + 1;
    const RangeCosts some = all_costs(one, {path, work});
    EXPECT_TRUE(some.is_complete());
    for (std::uint32_t first = 1; first < 10; ++first) {
      for (std::uint32_t last = first + 1; last < 10; ++last) {
        const RangeLeast& least = leasts.at({first, last});
        const bool is_kept = least.path < path && least.work < work;
        EXPECT_EQ(some.at({0, first - 1, last}), is_kept ? all.at({0, first - 1, last}) : kUnused);
        bool is_made = false;
        for (std::uint32_t split = first; split < last; ++split) {
          const std::uint64_t cost = some.at({first, split, last});
          EXPECT_TRUE(cost == kUnused || cost == all.at({first, split, last}));
          is_made = is_made || cost != kUnused;
        }
        EXPECT_EQ(is_made, is_kept) << first << " to " << last;
      }
    }
  }
}

TEST_F(RangeCostsTest, AreIncompleteWhereCountingEnds) {
  const std::vector<JacobianChain> chains = {random_chain(8)};
  CountLimits limits;
  limits.pairs = 0;
  const RangeCosts costs = range_costs(
      9, 1, [&](std::size_t) { return chains.front(); }, {}, limits);
  EXPECT_FALSE(costs.is_complete());
  EXPECT_NE(costs.at({0, 0, 1}), kUnused) << "steps of plain back-propagation need no product";
  std::atomic<bool> stop = true;
  limits = {};
  limits.stop = &stop;
  EXPECT_THROW(static_cast<void>(range_costs(
                   9, 1, [&](std::size_t) { return chains.front(); }, {}, limits)),
               Interrupted);
}

}  // namespace
}  // namespace upsweep
