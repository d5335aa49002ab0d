#include "upsweep/search/chain_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/homogeneous.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::chain_search_test {
namespace {

using testing::all_kinds;
using testing::explicit_chain;
using testing::explicit_profiles;

/// The explicit profiles of all depths and, after them, of the schemes for so many workers.
std::vector<ScheduleProfile> with_schemes(const HomogeneousChain& chain, std::vector<ScheduleProfile> depths,
                                          std::size_t workers, unsigned value_bytes) {
  auto schemes = profile_schedules(scheme_candidates(chain.length(), workers), explicit_chain(chain), value_bytes);
  for (ScheduleProfile& scheme : schemes) depths.push_back(std::move(scheme));
  return depths;
}

void expect_equal(const Candidate& got, const Candidate& want) {
  EXPECT_EQ(got.depth, want.depth);
  EXPECT_EQ(got.schedule, want.schedule);
  EXPECT_EQ(got.feasible, want.feasible);
  EXPECT_EQ(got.reason, want.reason);
  EXPECT_EQ(got.score, want.score);
  EXPECT_EQ(got.levels, want.levels);
  EXPECT_EQ(got.totals, want.totals);
  EXPECT_EQ(got.pram.workers, want.pram.workers);
  EXPECT_EQ(got.pram.steps, want.pram.steps);
  EXPECT_EQ(got.pram.work, want.pram.work);
  EXPECT_EQ(got.pram.per_step_flops, want.pram.per_step_flops);
  EXPECT_EQ(got.pram.level, want.pram.level);
  EXPECT_EQ(got.pram.dag, want.pram.dag);
  EXPECT_EQ(got.pram.peak_live_bytes, want.pram.peak_live_bytes);
  EXPECT_EQ(got.same_as, want.same_as);
  EXPECT_EQ(got.same_scheme, want.same_scheme);
}

void expect_equal_results(const SearchResult& got, const SearchResult& want) {
  EXPECT_EQ(got.workers, want.workers);
  EXPECT_EQ(got.best, want.best);
  EXPECT_EQ(got.margin, want.margin);
  EXPECT_EQ(got.best_scheme, want.best_scheme);
  EXPECT_EQ(got.scheme_margin, want.scheme_margin);
  ASSERT_EQ(got.candidates.size(), want.candidates.size());
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    SCOPED_TRACE(want.at(i).schedule);
    expect_equal(got.at(i), want.at(i));
  }
}

TEST(SearchChain, EqualsTheSearchOverTheExplicitChain) {
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
            expect_equal_results(search_chain(chain, options), search_depth(profiles, options));
            options.workers = 5;
            expect_equal_results(search_chain(chain, options), search_depth(profiles, options));
          }
        }
      }
    }
  }
}

TEST(SearchChain, GivesTheReasonsOfTheExplicitSearch) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 6, 22, 41}) {
      const HomogeneousChain chain{3, n, kinds};
      const auto profiles = explicit_profiles(chain, 4);
      for (const Scope scope : {Scope::all, Scope::live}) {
        for (const std::uint64_t limit : {5, 20, 41, 80, 90, 500, 1000, 1500, 3000}) {
          SearchOptions options;
          options.scope = scope;
          options.memory_limit = limit;
          expect_equal_results(search_chain(chain, options), search_depth(profiles, options));
        }
      }
    }
  }
}

TEST(SearchChain, WithSchemesEqualsTheSearchOverTheExplicitChain) {
  for (const auto& kinds : all_kinds()) {
    for (const std::uint64_t n : {1, 2, 7, 21, 33}) {
      const HomogeneousChain chain{3, n, kinds};
      for (const std::uint64_t workers : {1, 5, 1000}) {
        SearchOptions options;
        options.workers = workers;
        options.value_bytes = 8;
        const auto profiles = with_schemes(chain, explicit_profiles(chain, 8), workers, 8);
        expect_equal_results(search_chain(chain, options, n), search_depth(profiles, options));
        options.execution = Execution::level;
        options.scope = Scope::live;
        expect_equal_results(search_chain(chain, options, n), search_depth(profiles, options));
        options.memory_limit = 40 * n;
        expect_equal_results(search_chain(chain, options, n), search_depth(profiles, options));
      }
    }
  }
}

TEST(SearchChain, WithSchemesSimulatesTheWorkersOfTheDepths) {
  const HomogeneousChain chain = unfused_chain(2, 20);
  const SearchResult without = search_chain(chain, {});
  const SearchResult with = search_chain(chain, {}, chain.elements);
  EXPECT_EQ(with.workers, without.workers);
  EXPECT_EQ(with.best, without.best);
  EXPECT_EQ(with.margin, without.margin);
  EXPECT_EQ(without.best_scheme, without.best);
  EXPECT_EQ(without.scheme_margin, without.margin);
  expect_equal_results(with, search_depth(with_schemes(chain, explicit_profiles(chain, 4), with.workers, 4), {}));
}

TEST(SearchChain, SearchesSchemesUpToTheGivenNumberOfElements) {
  EXPECT_FALSE(search_chain(fused_chain(3, 40), {}, 40).schemes.empty());
  EXPECT_TRUE(search_chain(fused_chain(3, 41), {}, 40).schemes.empty());
  EXPECT_TRUE(search_chain(unfused_chain(3, 21), {}, 40).schemes.empty()) << "two elements per step";
  EXPECT_TRUE(search_chain(fused_chain(3, 100'000'000), {}, kMostSchemeElements).schemes.empty());
}

TEST(SearchChain, PrefersFewLevelsWhereAMatrixIsANumber) {
  SearchOptions options;
  options.workers = 1000;
  const SearchResult numbers = search_chain(fused_chain(1, 256), options, 256);
  ASSERT_TRUE(numbers.best_scheme.has_value());
  EXPECT_EQ(numbers.at(*numbers.best_scheme).schedule, "kogge-stone") << "the first of those with 8 levels";
  EXPECT_EQ(numbers.at(*numbers.best_scheme).score, 8 * 2);
  EXPECT_GT(numbers.candidates[*numbers.best].score, 8 * 2);
  const SearchResult matrices = search_chain(fused_chain(100, 256), options, 256);
  ASSERT_TRUE(matrices.best_scheme.has_value());
  EXPECT_EQ(matrices.best_scheme, matrices.best) << "fewer products of matrices on the path";
}

TEST(SearchChain, ScoresAHundredMillionSteps) {
  for (const HomogeneousChain& chain : {fused_chain(100, 100'000'000), unfused_chain(100, 100'000'000)}) {
    SearchOptions options;
    options.workers = 82'944;
    const SearchResult result = search_chain(chain, options);
    ASSERT_TRUE(result.best.has_value());
    EXPECT_EQ(result.candidates.size(), max_depth(chain.length()) + std::size_t{1});
    EXPECT_GT(result.candidates[*result.best].depth, 0U);
    EXPECT_LT(*result.candidates[*result.best].score, *result.linear().score);
    EXPECT_EQ(*result.linear().score, static_cast<double>(homogeneous_reference(chain, 4).linear_flops));
  }
}

TEST(SearchChain, OnAMachineHasTheSecondsOfTheExplicitChain) {
  Machine machine;
  machine.kind = MachineKind::pram;
  machine.rates.resize(1);
  machine.rates[0].workers = 4;
  machine.rates[0].op_latency_s = 1e-6;
  const HomogeneousChain chain = fused_chain(3, 21);
  SearchOptions options;
  options.machine = &machine;
  options.execution = Execution::level;
  options.workers = 4;
  const SearchResult got = search_chain(chain, options);
  const SearchResult want = search_depth(explicit_profiles(chain, 4), options);
  EXPECT_EQ(got.best, want.best);
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_NEAR(*got.at(i).score, *want.at(i).score, 1e-12 * *want.at(i).score);
    EXPECT_EQ(got.at(i).score, got.at(i).level_s);
    ASSERT_TRUE(got.at(i).dag_s.has_value());
    EXPECT_NEAR(*got.at(i).dag_s, *want.at(i).dag_s, 1e-12 * *want.at(i).dag_s);
  }
}

TEST(Choose, TakesTheSmallestScoreTheFirstOfEqualOnesAndNoneWhereOneIsUnknown) {
  std::vector<Candidate> all(4);
  all[0].score = 3;
  all[1].score = 2;
  all[2].score = 2;
  all[3].score = 1;
  all[3].feasible = false;
  std::vector<const Candidate*> pointers;
  for (const Candidate& one : all) pointers.push_back(&one);
  EXPECT_EQ(choose(pointers), (Choice{1, 0.0}));
  all[2].score = 5;
  EXPECT_EQ(choose(pointers), (Choice{1, 0.5}));
  all[2].score.reset();
  EXPECT_EQ(choose(pointers), Choice{}) << "it might be the best";
  all[2].feasible = false;
  EXPECT_EQ(choose(pointers), (Choice{1, 0.5}));
}

/// The smallest number of workers, one after the other.
std::optional<Overtaking> overtaking_by_definition(const HomogeneousChain& chain, Execution execution, Scope scope,
                                                   std::uint64_t most_workers) {
  const auto profiles = explicit_profiles(chain, 4);
  for (std::uint64_t workers = 1; workers <= most_workers; ++workers) {
    std::optional<Overtaking> best;
    const std::uint64_t linear = pram_profile(profiles.front(), workers, scope).makespan(execution)->flops;
    for (const ScheduleProfile& profile : profiles) {
      const std::uint64_t flops = pram_profile(profile, workers, scope).makespan(execution)->flops;
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
            EXPECT_EQ(hybrid_overtaking(chain, execution, scope, 20),
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
    const auto found = hybrid_overtaking(fused_chain(100, 100'000'000), execution, Scope::all, 1'000'000);
    ASSERT_TRUE(found.has_value());
    EXPECT_GE(found->workers, 100U);
    EXPECT_LE(found->workers, 102U);
    EXPECT_EQ(hybrid_overtaking(fused_chain(100, 100'000'000), execution, Scope::all, 99), std::nullopt);
  }
}

}  // namespace
}  // namespace upsweep::chain_search_test
