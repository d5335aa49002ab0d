#include "upsweep/search/homogeneous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/homogeneous.hpp"

namespace upsweep {
namespace {

using testing::all_kinds;
using testing::explicit_profiles;

void expect_equal_results(const HomogeneousSearchResult& got, const SearchResult& want) {
  EXPECT_EQ(got.workers, want.workers);
  EXPECT_EQ(got.best, want.best);
  EXPECT_EQ(got.margin, want.margin);
  ASSERT_EQ(got.candidates.size(), want.candidates.size());
  for (std::size_t i = 0; i < got.candidates.size(); ++i) {
    EXPECT_EQ(got.candidates[i].depth, want.candidates[i].depth);
    EXPECT_EQ(got.candidates[i].schedule, want.candidates[i].schedule);
    EXPECT_EQ(got.candidates[i].feasible, want.candidates[i].feasible);
    EXPECT_EQ(got.candidates[i].reason, want.candidates[i].reason);
    EXPECT_EQ(got.candidates[i].score, want.candidates[i].score);
    EXPECT_EQ(got.candidates[i].levels, want.candidates[i].levels);
    EXPECT_EQ(got.candidates[i].totals, want.candidates[i].totals);
    EXPECT_EQ(got.candidates[i].same_as, want.candidates[i].same_as);
  }
}

TEST(SearchHomogeneous, EqualsTheSearchOverTheExplicitChain) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 2, 3, 7, 16, 21, 50, 100}) {
      const HomogeneousChain chain{3, n, kinds};
      const auto profiles = explicit_profiles(chain, 8);
      for (const Objective objective : {Objective::time, Objective::critical_flops, Objective::work_flops}) {
        for (const Execution execution : {Execution::level, Execution::dag}) {
          for (const Scope scope : {Scope::all, Scope::live}) {
            SearchOptions options;
            options.objective = objective;
            options.execution = execution;
            options.scope = scope;
            options.value_bytes = 8;
            expect_equal_results(search_homogeneous(chain, options), search_depth(profiles, options));
            options.workers = 5;
            expect_equal_results(search_homogeneous(chain, options), search_depth(profiles, options));
          }
        }
      }
    }
  }
}

TEST(SearchHomogeneous, GivesTheReasonsOfTheExplicitSearch) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 6, 22, 41}) {
      const HomogeneousChain chain{3, n, kinds};
      const auto profiles = explicit_profiles(chain, 4);
      for (const Scope scope : {Scope::all, Scope::live}) {
        for (const std::uint64_t limit : {5, 20, 41, 80, 90, 500, 1000, 1500, 3000}) {
          SearchOptions options;
          options.scope = scope;
          options.memory_limit = limit;
          expect_equal_results(search_homogeneous(chain, options), search_depth(profiles, options));
        }
      }
    }
  }
}

TEST(SearchHomogeneous, ScoresAHundredMillionSteps) {
  for (const HomogeneousChain& chain : {fused_chain(100, 100'000'000), unfused_chain(100, 100'000'000)}) {
    SearchOptions options;
    options.workers = 82'944;
    const HomogeneousSearchResult result = search_homogeneous(chain, options);
    ASSERT_TRUE(result.best.has_value());
    EXPECT_EQ(result.candidates.size(), max_depth(chain.length()) + std::size_t{1});
    EXPECT_GT(result.candidates[*result.best].depth, 0U);
    EXPECT_LT(*result.candidates[*result.best].score, *result.linear().score);
    EXPECT_EQ(*result.linear().score, static_cast<double>(result.reference.linear_flops));
  }
}

TEST(SearchHomogeneous, RefusesAMachine) {
  const Machine machine;
  SearchOptions options;
  options.machine = &machine;
  EXPECT_THROW(static_cast<void>(search_homogeneous(fused_chain(2, 5), options)), std::invalid_argument);
}

/// The smallest number of workers, one after the other.
std::optional<Overtaking> overtaking_by_definition(const HomogeneousChain& chain, Execution execution, Scope scope,
                                                   std::uint64_t most_workers) {
  const auto profiles = explicit_profiles(chain, 4);
  for (std::uint64_t workers = 1; workers <= most_workers; ++workers) {
    std::optional<Overtaking> best;
    const std::uint64_t linear = pram_profile(profiles.front(), workers, scope).makespan(execution).flops;
    for (const ScheduleProfile& profile : profiles) {
      const std::uint64_t flops = pram_profile(profile, workers, scope).makespan(execution).flops;
      if (flops < (best ? best->scan_flops : linear)) best = {workers, profile.schedule.depth, flops, linear};
    }
    if (best) return best;
  }
  return std::nullopt;
}

TEST(OvertakingWorkers, AreTheSmallestNumberWithWhichADepthIsFaster) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 2, 5, 9, 16, 33, 60}) {
      for (const std::uint64_t h : {1, 2, 3}) {
        const HomogeneousChain chain{h, n, kinds};
        for (const Execution execution : {Execution::level, Execution::dag}) {
          for (const Scope scope : {Scope::all, Scope::live}) {
            EXPECT_EQ(overtaking_workers(chain, execution, scope, 20),
                      overtaking_by_definition(chain, execution, scope, 20))
                << "h " << h << ", n " << n;
          }
        }
      }
    }
  }
}

TEST(OvertakingWorkers, AreAboutTheSizeOfTheDenseMatrixForLongChains) {
  // A product of matrices does h products with a vector, so h workers replace one.
  for (const Execution execution : {Execution::level, Execution::dag}) {
    const auto found = overtaking_workers(fused_chain(100, 100'000'000), execution, Scope::all, 1'000'000);
    ASSERT_TRUE(found.has_value());
    EXPECT_GE(found->workers, 100U);
    EXPECT_LE(found->workers, 102U);
    EXPECT_EQ(overtaking_workers(fused_chain(100, 100'000'000), execution, Scope::all, 99), std::nullopt);
  }
}

}  // namespace
}  // namespace upsweep
