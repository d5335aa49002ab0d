#include "upsweep/search/overtaking.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>

#include "support/explicit_chain.hpp"
#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/best_ways.hpp"
#include "upsweep/search/chain_search.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::overtaking_test {
namespace {

using Overtaking = testing::SeededTest;

struct Found {
  std::uint64_t workers = 0;
  std::set<std::string> scans;  ///< that are faster with these
};

/// The fewest workers up to `most` with which a scan is faster than the best that is none, by a look at every number.
std::optional<Found> looked_up(const std::vector<ScheduleProfile>& profiles, SearchOptions options, bool is_shared,
                               std::uint64_t most) {
  for (std::uint64_t workers = 1; workers <= most; ++workers) {
    std::optional<std::uint64_t> plain;
    std::map<std::string, std::uint64_t> scans;
    for (const ScheduleProfile& profile : profiles) {
      const PramProfile pram = pram_profile(profile, workers, options.scope);
      const std::uint64_t flops = is_shared ? pram.shared_flops : pram.makespan(options.execution)->flops;
      if (is_plain_schedule(profile.schedule.name)) {
        plain = std::min(plain.value_or(flops), flops);
      } else {
        scans[profile.schedule.name] = flops;
      }
    }
    Found found{workers, {}};
    for (const auto& [scan, flops] : scans) {
      if (flops < *plain) found.scans.insert(scan);
    }
    if (!found.scans.empty()) return found;
  }
  return std::nullopt;
}

void expect_same(const OvertakingWorkers& overtaking, const std::optional<Found>& found) {
  ASSERT_EQ(overtaking.from, found ? std::optional(found->workers) : std::nullopt);
  EXPECT_EQ(!found, overtaking.scan.empty());
  if (!found) return;
  EXPECT_TRUE(found->scans.contains(overtaking.scan)) << overtaking.scan;
}

TEST_F(Overtaking, IsWhereALookAtEveryNumberOfWorkersFindsIt) {
  int found = 0;
  for (int trial = 0; trial < 40; ++trial) {
    JacobianChain chain;
    const auto size = static_cast<Index>(between(2, 6));
    chain.gradient_length = size;
    const std::size_t links = between(3, 14);
    const double density = 0.1 * static_cast<double>(between(2, 10));
    for (std::size_t link = 0; link < links; ++link)
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(size, size, density)));
    std::vector<Schedule> schedules = depth_candidates(links + 1);
    for (const char* name : {"sklansky", "blocked:3"})
      schedules.push_back(make_schedule(parse_schedule(name), links + 1));
    const std::vector<ScheduleProfile> profiles = profile_schedules(std::move(schedules), chain, 4);
    for (const Execution execution : {Execution::level, Execution::dag}) {
      SearchOptions options;
      options.execution = execution;
      options.scope = chance(0.5) ? Scope::live : Scope::all;
      const SearchResult result = search_depth(profiles, options);
      const std::optional<Overtakes>& overtakes = result.overtakes;
      ASSERT_EQ(overtakes.has_value(), best_scan(result) != nullptr) << "short chains have none without dead ops";
      if (!overtakes) continue;
      EXPECT_TRUE(overtakes->whole.is_known);
      expect_same(overtakes->whole, looked_up(profiles, options, false, 60));
      const auto shared = looked_up(profiles, options, true, 1000);
      if (shared || !overtakes->shared.from || *overtakes->shared.from <= 1000) expect_same(overtakes->shared, shared);
      found += overtakes->whole.from ? 1 : 0;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(found, 5) << "chains in which a scan does overtake";
}

TEST(OvertakingWorkers, OfAChainThatClosedFormsCountAreThoseOfItsOps) {
  for (const Execution execution : {Execution::level, Execution::dag}) {
    for (const std::uint64_t n : {2, 7, 40}) {
      const HomogeneousChain chain = fused_chain(3, n);
      SearchOptions options;
      options.execution = execution;
      const std::optional<Overtakes> closed = search_chain(chain, options).overtakes;
      std::vector<ScheduleProfile> profiles =
          profile_schedules(depth_candidates(chain.length()), explicit_chain(chain, 1), 4);
      const std::optional<Overtakes> listed = search_depth(profiles, options).overtakes;
      ASSERT_EQ(closed.has_value(), listed.has_value());
      if (!closed) continue;
      EXPECT_EQ(closed->whole.from, listed->whole.from) << n;
      EXPECT_EQ(closed->whole.scan.empty(), listed->whole.scan.empty()) << n;
      EXPECT_EQ(closed->shared.from, listed->shared.from) << n;
      EXPECT_EQ(closed->shared.scan, listed->shared.scan) << n;
      EXPECT_EQ(closed->shared.always_from, listed->shared.always_from) << n;
    }
  }
}

TEST(OvertakingWorkers, DoNotCountWhatDoesNotFit) {
  const HomogeneousChain chain = fused_chain(20, 1000);
  SearchOptions options;
  ASSERT_TRUE(search_chain(chain, options).overtakes);
  options.memory_limit = 4'000'000;  // plain back-propagation alone
  const SearchResult result = search_chain(chain, options);
  ASSERT_TRUE(result.linear().feasible);
  EXPECT_FALSE(result.overtakes);
  EXPECT_TRUE(result.overtaking) << "an older figure, of all depths";
}

TEST(SearchOfALongChain, IsAnsweredWhereABatchWouldCountTooFar) {
  SearchOptions options;
  options.workers = 1;
  const SearchResult result = search_chain({.size = 80, .elements = std::uint64_t{1} << 40U}, options);
  EXPECT_TRUE(result.linear().score);
  EXPECT_FALSE(result.candidates.back().batched_score) << "32 times as many FLOPs are more than 64 bits";
}

}  // namespace
}  // namespace upsweep::overtaking_test
