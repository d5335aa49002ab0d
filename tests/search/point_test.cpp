#include "upsweep/search/point.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>

#include "support/random.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous_schedule.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/chain_search.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::point_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Scope kScopes[] = {Scope::all, Scope::live};
constexpr Execution kExecutions[] = {Execution::level, Execution::dag};
constexpr Objective kObjectives[] = {Objective::time, Objective::critical_flops, Objective::work_flops};

Machine machine_of(MachineKind kind, std::uint64_t memory_bytes = 0) {
  Machine machine;
  machine.name = "small";
  machine.kind = kind;
  machine.memory_bytes = memory_bytes;
  machine.cache_bytes = 10'000;
  machine.fill_teams = 30;
  for (const std::size_t workers : {1, 4, 64}) {
    Rates rates;
    rates.workers = workers;
    rates.op_latency_s = 1e-7;
    rates.level_latency_s = 2e-7;
    for (KindRates* kind_rates : {&rates.fp32.mv, &rates.fp32.mm, &rates.fp64.mv, &rates.fp64.mm}) {
      kind_rates->flops_per_s = 1e9 * static_cast<double>(workers);
      kind_rates->bytes_per_s = 3e9;
    }
    machine.rates.push_back(rates);
  }
  return machine;
}

/// The same settings for a search.
SearchOptions options_of(const PointSettings& settings, const Machine* machine, unsigned value_bytes,
                         std::uint64_t workers) {
  SearchOptions options;
  options.objective = settings.objective;
  options.execution = settings.execution;
  options.scope = settings.scope;
  options.batch = settings.batch;
  options.workers = workers;
  options.memory_limit = settings.memory_limit;
  options.machine = machine;
  options.value_bytes = value_bytes;
  return options;
}

TEST(PointOps, SharedOnesScoreAsASearchShowsThem) {
  const HomogeneousChain chain = fused_chain(5, 30);
  PointSettings settings;
  settings.schedule = "hybrid:2";
  settings.workers = 7;
  settings.ops = Ops::shared;
  const PointFigures figures = score_point(chain, 4, nullptr, settings);
  const SearchResult search = search_chain(chain, options_of(settings, nullptr, 4, 7));
  EXPECT_EQ(figures.best->score, static_cast<double>(search.candidates[2].pram.shared_flops));
  EXPECT_EQ(figures.plain.score, static_cast<double>(search.candidates[0].pram.shared_flops));
  settings.batch = 3;
  EXPECT_EQ(score_point(chain, 4, nullptr, settings).plain.score, 29 * 22.0) << "ceil(3 * 50 / 7) in each of 29 levels";
  settings.batch = 1;
  settings.execution = Execution::dag;
  EXPECT_THAT([&] { static_cast<void>(score_point(chain, 4, nullptr, settings)); },
              ::testing::ThrowsMessage<std::invalid_argument>(HasSubstr("ops are shared and execution is dag")));
  settings.execution = Execution::level;
  const Machine pram = machine_of(MachineKind::pram);
  settings.workers = pram.workers();
  const PointFigures on_pram = score_point(chain, 4, &pram, settings);
  EXPECT_FALSE(on_pram.is_in_seconds) << "a pram's seconds are those of whole ops";
  EXPECT_EQ(on_pram.best->score, score_point(chain, 4, nullptr, settings).best->score);
  const Machine gpu = machine_of(MachineKind::gpu);
  const PointFigures shared = score_point(chain, 4, &gpu, settings);
  settings.ops = Ops::whole;
  EXPECT_EQ(shared.best->score, score_point(chain, 4, &gpu, settings).best->score) << "a GPU shares them anyway";
}

void expect_score(double got, double want) { EXPECT_NEAR(got, want, 1e-12 * want); }

/// `is_exact`: scores equal to the last digit.
void expect_equal(const PointSchedule& got, const Candidate& want, Execution execution, double inputs, bool is_exact) {
  EXPECT_EQ(got.schedule, want.schedule);
  EXPECT_EQ(got.depth, want.depth);
  EXPECT_EQ(got.is_feasible, want.feasible);
  EXPECT_EQ(got.reason.empty(), want.reason.empty());
  EXPECT_EQ(got.reason.substr(0, got.reason.find(", more")), want.reason.substr(0, want.reason.find(", more")));
  if (is_exact) {
    EXPECT_EQ(got.score, want.score);
  } else {
    expect_score(got.score, *want.score);
  }
  EXPECT_EQ(got.levels, static_cast<double>(want.levels));
  EXPECT_EQ(got.ops, static_cast<double>(want.totals.ops));
  EXPECT_EQ(got.flops, static_cast<double>(want.totals.flops) / inputs);
  EXPECT_EQ(got.critical_path_flops, static_cast<double>(want.totals.critical_path(execution)) / inputs);
  EXPECT_EQ(got.steps, static_cast<double>(want.pram.steps));
  EXPECT_EQ(got.per_step_flops, static_cast<double>(want.pram.per_step_flops) / inputs);
  EXPECT_EQ(got.peak_live_bytes, static_cast<double>(want.pram.peak_live_bytes) / inputs);
}

/// The best feasible one of the first `count` of a search, or of the scans among them, ties to the first; seconds of
/// equal length may differ in their last digits.
std::optional<std::size_t> best_of(const SearchResult& result, bool scans, std::size_t count, double tie) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < count; ++i) {
    if (scans && !result.at(i).is_scan()) continue;
    if (result.at(i).feasible && (!best || *result.at(i).score < *result.at(*best).score * (1 - tie))) best = i;
  }
  return best;
}

void expect_equal(const PointFigures& got, const SearchResult& want, bool with_schemes, bool is_exact) {
  const Execution execution = want.options.execution;
  const auto inputs = static_cast<double>(want.inputs);
  const std::size_t count = with_schemes ? want.size() : want.candidates.size();
  const double tie = 1e-12;  // seconds of equal length; FLOPs here are too few to be that close
  const auto best = best_of(want, false, count, tie);
  if (is_exact) {
    EXPECT_EQ(best, with_schemes ? want.best_scheme : want.best);
  }
  const auto margin = with_schemes ? want.scheme_margin : want.margin;
  EXPECT_EQ(got.is_in_seconds, want.options.in_seconds());
  EXPECT_EQ(got.workers, want.workers);
  expect_equal(got.plain, want.linear(), execution, inputs, is_exact);
  ASSERT_EQ(got.best.has_value(), best.has_value());
  if (best) expect_equal(*got.best, want.at(*best), execution, inputs, is_exact);
  const auto scan = best_of(want, true, count, tie);
  ASSERT_EQ(got.scan.has_value(), scan.has_value());
  if (scan) expect_equal(*got.scan, want.at(*scan), execution, inputs, is_exact);
  bool has_scans = false;
  for (std::size_t i = 0; i < count; ++i) has_scans = has_scans || want.at(i).is_scan();
  EXPECT_EQ(got.refused_scan.has_value(), !scan && has_scans);
  ASSERT_EQ(got.margin.has_value(), margin.has_value());
  if (margin) {
    EXPECT_NEAR(*got.margin, *margin, is_exact ? 0 : 1e-11);
  }
}

class ScorePointTest : public testing::SeededTest {
 protected:
  /// A network of random Jacobians under all depths and the other schemes for `workers`.
  Analysis random_analysis(std::size_t inputs, std::size_t workers) {
    std::vector<Index> sizes;
    const std::size_t links = between(2, 20);
    for (std::size_t i = 0; i <= links; ++i) sizes.push_back(static_cast<Index>(between(1, 30)));
    std::vector<JacobianChain> chains(inputs);
    Analysis analysis;
    analysis.network.inputs = inputs;
    analysis.network.links.resize(links);
    for (JacobianChain& chain : chains) {
      chain.gradient_length = sizes[0];
      for (std::size_t i = 0; i < links; ++i) {
        const auto pattern = std::make_shared<const Pattern>(random_pattern(sizes[i + 1], sizes[i], 0.3));
        chain.jacobians.push_back(pattern);
        // Links stand in the order of the network, the chain's first is the last.
        LinkProfile& link = analysis.network.links[links - 1 - i];
        link.rows = pattern->rows();
        link.cols = pattern->cols();
        link.bytes += csr_bytes(pattern->rows(), pattern->nnz(), 4);
        if (i + 1 < links) analysis.network.build_values += pattern->nnz();
      }
    }
    std::vector<Schedule> schedules = depth_candidates(links + 1);
    for (Schedule& scheme : scheme_candidates(links + 1, workers)) schedules.push_back(std::move(scheme));
    analysis.schedules = profile_schedules(
        std::move(schedules), inputs, [&](std::size_t i) { return chains[i]; }, 4);
    return analysis;
  }

  HomogeneousChain random_chain() {
    HomogeneousChain chain{between(1, 12), between(1, 60), {ElementKind::dense}};
    if (chance(0.3)) chain.kinds = {ElementKind::diagonal, ElementKind::dense};
    if (chance(0.3)) {
      chain.kinds = {ElementKind::banded};
      chain.half_bandwidth = between(0, chain.size - 1);
    }
    return chain;
  }
};

TEST_F(ScorePointTest, OfANetworkEqualsTheSearch) {
  const Machine pram = machine_of(MachineKind::pram);
  const Machine cpu = machine_of(MachineKind::cpu);
  const Machine gpu = machine_of(MachineKind::gpu);
  for (int round = 0; round < 4; ++round) {
    PointSettings settings;
    settings.workers = between(1, 20);
    const Analysis analysis = random_analysis(between(1, 2), *settings.workers);
    if (chance(0.5)) settings.memory_limit = between(1, 20'000);
    for (const Objective objective : kObjectives) {
      for (const Execution execution : kExecutions) {
        for (const Scope scope : kScopes) {
          settings.objective = objective;
          settings.execution = execution;
          settings.scope = scope;
          settings.batch = execution == Execution::dag || chance(0.5) ? 1 : between(2, 9);
          for (const Machine* machine : {static_cast<const Machine*>(nullptr), &pram, &cpu, &gpu}) {
            const SearchResult want =
                search_depth(analysis.schedules, options_of(settings, machine, 4, *settings.workers));
            for (const bool with_schemes : {false, true}) {
              settings.schedule = with_schemes ? "best-of-all" : "best";
              expect_equal(score_point(CountedNetwork{analysis, 4}, machine, settings), want, with_schemes, true);
            }
          }
        }
      }
    }
    if (HasFailure()) return;
  }
}

TEST_F(ScorePointTest, OfAChainEqualsTheSearchOverTheExplicitSchedules) {
  const Machine pram = machine_of(MachineKind::pram);
  const Machine gpu = machine_of(MachineKind::gpu);
  for (int round = 0; round < 8; ++round) {
    const HomogeneousChain chain = random_chain();
    PointSettings settings;
    settings.workers = between(1, 40);
    if (chance(0.5)) settings.memory_limit = between(1, 30'000);
    std::vector<ScheduleProfile> profiles;
    std::vector<Schedule> schedules = depth_candidates(chain.length());
    for (Schedule& scheme : scheme_candidates(chain.length(), *settings.workers))
      schedules.push_back(std::move(scheme));
    for (Schedule& schedule : schedules)
      profiles.push_back(profile_homogeneous_schedule(std::move(schedule), chain, 8));
    for (const Objective objective : kObjectives) {
      for (const Execution execution : kExecutions) {
        for (const Scope scope : kScopes) {
          settings.objective = objective;
          settings.execution = execution;
          settings.scope = scope;
          settings.batch = execution == Execution::dag || chance(0.5) ? 1 : between(2, 9);
          for (const Machine* machine : {static_cast<const Machine*>(nullptr), &pram, &gpu}) {
            if (machine != nullptr && execution == Execution::dag) continue;
            const SearchResult want = search_depth(profiles, options_of(settings, machine, 8, *settings.workers));
            for (const bool with_schemes : {false, true}) {
              settings.schedule = with_schemes ? "best-of-all" : "best";
              expect_equal(score_point(chain, 8, machine, settings), want, with_schemes, machine == nullptr);
            }
          }
        }
      }
    }
    if (HasFailure()) return;
  }
}

TEST(SchedulesOfPoint, AreThoseOfASearchByName) {
  for (std::size_t length = 2; length < 40; ++length) {
    for (const std::size_t workers : {1U, 2U, 3U, 4U, 7U, 8U, 30U, 100U}) {
      std::vector<std::string> depths;
      for (const Schedule& schedule : depth_candidates(length)) depths.push_back(schedule.name);
      std::vector<std::string> all = depths;
      for (const Schedule& schedule : scheme_candidates(length, workers)) all.push_back(schedule.name);
      PointSettings settings;
      EXPECT_EQ(schedules_of_point(settings, length, workers), depths);
      settings.schedule = "best-of-all";
      EXPECT_EQ(schedules_of_point(settings, length, workers), all) << length << ", " << workers;
    }
  }
}

TEST(SchedulesOfPoint, SayWhatAScheduleBecomesAtTheLength) {
  const auto names = [](const std::string& schedule, std::size_t length) {
    PointSettings settings;
    settings.schedule = schedule;
    return schedules_of_point(settings, length, 1);
  };
  EXPECT_THAT(names("linear", 10), ElementsAre("linear"));
  EXPECT_THAT(names("substitution", 10), ElementsAre("linear"));
  EXPECT_THAT(names("hybrid:0", 10), ElementsAre("linear"));
  EXPECT_THAT(names("hybrid:2", 10), ElementsAre("linear", "hybrid:2"));
  EXPECT_THAT(names("hybrid:9", 10), ElementsAre("linear", "hybrid:3"));
  EXPECT_THAT(names("blelloch", 10), ElementsAre("linear", "hybrid:3"));
  EXPECT_THAT(names("blelloch", 2), ElementsAre("linear"));
  EXPECT_THAT(names("sklansky", 10), ElementsAre("linear", "sklansky"));
  EXPECT_THAT(names("blocked:4", 10), ElementsAre("linear", "blocked:4"));
  EXPECT_THAT(names("blocked:40", 10), ElementsAre("linear", "blocked:9"));
  EXPECT_THROW(static_cast<void>(names("fastest", 10)), std::invalid_argument);
}

TEST(WorkersOfPoint, AreTheWidestLevelOfAllDepthsAndAtMostTheMachines) {
  const Machine machine = machine_of(MachineKind::pram);
  for (std::size_t length = 2; length < 300; ++length) {
    std::size_t widest = 1;
    for (const Schedule& schedule : depth_candidates(length)) widest = std::max(widest, widest_level(schedule));
    EXPECT_EQ(workers_of_point({}, length, nullptr), widest) << length;
    EXPECT_EQ(workers_of_point({}, length, &machine), std::min<std::size_t>(widest, 64)) << length;
  }
  PointSettings settings;
  settings.workers = 64;
  EXPECT_EQ(workers_of_point(settings, 5, &machine), 64U);
  settings.workers = 65;
  EXPECT_EQ(workers_of_point(settings, 5, nullptr), 65U);
  EXPECT_THROW(static_cast<void>(workers_of_point(settings, 5, &machine)), std::invalid_argument);
  settings.workers = 0;
  EXPECT_THROW(static_cast<void>(workers_of_point(settings, 5, nullptr)), std::invalid_argument);
}

TEST(ScorePoint, KnowsWhatDoesNotDependOnTheSchedule) {
  const HomogeneousChain chain = unfused_chain(10, 3);
  PointSettings settings;
  settings.batch = 7;
  const PointFigures figures = score_point(chain, 4, nullptr, settings);
  EXPECT_TRUE(figures.is_exact);
  EXPECT_FALSE(figures.is_in_seconds);
  EXPECT_EQ(figures.elements, 6U);
  EXPECT_EQ(figures.chain_build_values, 7 * (3 * 10 + 2 * 100)) << "all but the last element";
  EXPECT_EQ(figures.largest_jacobian_bytes, static_cast<double>(csr_bytes(10, 100, 4)));
  EXPECT_EQ(figures.largest_vector_bytes, 40);
  const HomogeneousChain single{10, 1, {ElementKind::diagonal, ElementKind::dense}};
  EXPECT_EQ(score_point(single, 4, nullptr, {}).largest_jacobian_bytes, static_cast<double>(csr_bytes(10, 10, 4)));
  EXPECT_FALSE(score_point({10, 50, {ElementKind::uniform}, 0, 0.1}, 4, nullptr, {}).is_exact);
}

TEST_F(ScorePointTest, KnowsTheLargestPartsOfANetwork) {
  const Analysis analysis = random_analysis(2, 1);
  const PointFigures figures = score_point(CountedNetwork{analysis, 4}, nullptr, {});
  double jacobian = 0;
  double vector = 0;
  for (const LinkProfile& link : analysis.network.links) {
    jacobian = std::max(jacobian, static_cast<double>(link.bytes) / 2);
    vector = std::max(vector, 4 * static_cast<double>(link.cols));
  }
  EXPECT_EQ(figures.elements, analysis.network.links.size());
  EXPECT_EQ(figures.largest_jacobian_bytes, jacobian);
  EXPECT_EQ(figures.largest_vector_bytes, vector);
  EXPECT_EQ(figures.chain_build_values, static_cast<double>(analysis.network.build_values) / 2);
}

TEST_F(ScorePointTest, ABatchIsSoManyTimesTheWorkAndMemoryOnTheSameWorkers) {
  const Analysis analysis = random_analysis(1, 3);
  PointSettings settings;
  settings.workers = 3;
  settings.schedule = "hybrid:1";
  const PointSchedule one = score_point(CountedNetwork{analysis, 4}, nullptr, settings).best.value();
  settings.batch = 5;
  const PointFigures figures = score_point(CountedNetwork{analysis, 4}, nullptr, settings);
  const PointSchedule& five = figures.best.value();
  EXPECT_EQ(five.ops, 5 * one.ops);
  EXPECT_EQ(five.flops, 5 * one.flops);
  EXPECT_EQ(five.peak_live_bytes, 5 * one.peak_live_bytes);
  EXPECT_EQ(five.levels, one.levels);
  EXPECT_EQ(five.critical_path_flops, one.critical_path_flops);
  EXPECT_EQ(five.per_step_flops, one.per_step_flops);
  EXPECT_GE(five.score, one.score);
  // Graham's bound for each level, added up: 1/3 of the work and 2/3 of the longest combines.
  EXPECT_GE(five.score, five.flops / 3);
  EXPECT_LE(five.score, (five.flops + 2 * one.critical_path_flops) / 3 * (1 + 1e-12));
  EXPECT_GE(five.steps, five.ops / 3);
  settings.workers = 1;
  EXPECT_EQ(score_point(CountedNetwork{analysis, 4}, nullptr, settings).best->score, five.flops);
  settings.objective = Objective::work_flops;
  EXPECT_EQ(score_point(CountedNetwork{analysis, 4}, nullptr, settings).best->score, five.flops);
  settings.objective = Objective::critical_flops;
  EXPECT_EQ(score_point(CountedNetwork{analysis, 4}, nullptr, settings).best->score, one.critical_path_flops);
}

TEST(ScorePoint, ABatchOfAChainIsThatOfItsSchedule) {
  const HomogeneousChain chain = fused_chain(3, 10);  // linear: 9 ops of 18 FLOPs
  PointSettings settings;
  settings.schedule = "linear";
  settings.workers = 4;
  settings.batch = 6;
  const PointFigures figures = score_point(chain, 4, nullptr, settings);
  EXPECT_EQ(figures.best->score, 9 * 2 * 18) << "six ops on four workers take two rounds";
  EXPECT_EQ(figures.best->steps, 18);
  EXPECT_EQ(figures.best->ops, 54);
  EXPECT_EQ(figures.best->critical_path_flops, 9 * 18);
  EXPECT_FALSE(figures.scan.has_value());
  EXPECT_FALSE(figures.refused_scan.has_value());
  EXPECT_FALSE(figures.margin.has_value());
}

TEST(ScorePoint, AFixedScheduleIsTheOnlyOneAskedFor) {
  const HomogeneousChain chain = fused_chain(8, 30);
  PointSettings settings;
  settings.schedule = "hybrid:4";
  const PointFigures figures = score_point(chain, 4, nullptr, settings);
  EXPECT_EQ(figures.best->schedule, "hybrid:4");
  EXPECT_EQ(figures.scan->schedule, "hybrid:4");
  EXPECT_EQ(figures.plain.schedule, "linear");
  EXPECT_GT(figures.best->score, figures.plain.score) << "products of matrices do not pay off on 15 workers";
  EXPECT_FALSE(figures.margin.has_value());
  settings.schedule = "kogge-stone";
  EXPECT_EQ(score_point(chain, 4, nullptr, settings).scan->schedule, "kogge-stone");
}

TEST(ScorePoint, TheMachinesMemoryIsTheLimitUnlessTheSettingsSayOtherwise) {
  const HomogeneousChain chain = fused_chain(10, 100);
  const double peak = score_point(chain, 4, nullptr, {}).plain.peak_live_bytes;
  const auto bytes = static_cast<std::uint64_t>(peak);
  const Machine enough = machine_of(MachineKind::pram, bytes);
  const Machine small = machine_of(MachineKind::pram, bytes - 1);
  EXPECT_TRUE(score_point(chain, 4, &enough, {}).plain.is_feasible);
  const PointFigures refused = score_point(chain, 4, &small, {});
  EXPECT_FALSE(refused.plain.is_feasible);
  EXPECT_THAT(refused.plain.reason,
              HasSubstr("peak live bytes are " + std::to_string(bytes) + ", more than the limit of "));
  EXPECT_FALSE(refused.best.has_value());
  EXPECT_FALSE(refused.scan.has_value());
  ASSERT_TRUE(refused.refused_scan.has_value());
  EXPECT_FALSE(refused.refused_scan->reason.empty());
  EXPECT_GT(refused.plain.score, 0) << "scored all the same";
  PointSettings settings;
  settings.is_limited_by_machine = false;
  EXPECT_TRUE(score_point(chain, 4, &small, settings).plain.is_feasible);
  settings.is_limited_by_machine = true;
  settings.memory_limit = bytes;
  EXPECT_TRUE(score_point(chain, 4, &small, settings).plain.is_feasible);
  settings.batch = 2;
  EXPECT_FALSE(score_point(chain, 4, &enough, settings).plain.is_feasible) << "each input has its own Jacobians";
  settings.memory_limit = 2 * bytes;
  EXPECT_TRUE(score_point(chain, 4, &small, settings).plain.is_feasible);
}

TEST_F(ScorePointTest, ThePeakThatIsTooLargeIsNamedAsLargerThanTheLimit) {
  for (int attempts = 0;; ++attempts) {
    ASSERT_LT(attempts, 200) << "no mean peak that is not whole";
    const Analysis analysis = random_analysis(3, 2);
    PointSettings settings;
    settings.schedule = "linear";  // of products of vectors: none alone is larger
    const double peak = score_point(CountedNetwork{analysis, 4}, nullptr, settings).plain.peak_live_bytes;
    if (peak == std::floor(peak)) continue;
    const auto limit = static_cast<std::uint64_t>(peak);
    settings.memory_limit = limit;
    const PointFigures figures = score_point(CountedNetwork{analysis, 4}, nullptr, settings);
    const std::string reason = "peak live bytes are " + std::to_string(limit + 1) + ", more than ";
    EXPECT_THAT(figures.plain.reason, HasSubstr(reason + "the limit of " + std::to_string(limit) + " bytes"));
    const SearchResult searched = search_depth(analysis.schedules, options_of(settings, nullptr, 4, 2));
    EXPECT_EQ(searched.linear().reason, figures.plain.reason);
    return;
  }
}

TEST(ScorePoint, TakesAScanByTwoBlocksForPlainBackPropagation) {
  const HomogeneousChain chain = fused_chain(8, 30);
  for (const std::string name : {"blocked:1", "blocked:2"}) {
    PointSettings settings;
    settings.schedule = name;
    PointFigures figures = score_point(chain, 4, nullptr, settings);
    EXPECT_EQ(figures.best->schedule, name);
    EXPECT_EQ(figures.best->score, figures.plain.score);
    EXPECT_EQ(figures.best->peak_live_bytes, figures.plain.peak_live_bytes);
    EXPECT_FALSE(figures.scan.has_value());
    settings.memory_limit = 1;
    figures = score_point(chain, 4, nullptr, settings);
    EXPECT_FALSE(figures.best.has_value());
    EXPECT_FALSE(figures.refused_scan.has_value());
  }
  PointSettings settings;
  settings.schedule = "blocked:3";
  EXPECT_TRUE(score_point(chain, 4, nullptr, settings).scan.has_value());
  settings.schedule = "blocked:4";
  EXPECT_TRUE(score_point(fused_chain(8, 6), 4, nullptr, settings).scan.has_value());
  EXPECT_FALSE(score_point(fused_chain(8, 5), 4, nullptr, settings).scan.has_value()) << "the ops of linear";
}

TEST(ScorePoint, NamesTheProductThatIsTooLarge) {
  PointSettings settings;
  settings.schedule = "hybrid:2";
  settings.memory_limit = 200;
  const PointFigures figures = score_point(fused_chain(10, 40), 4, nullptr, settings);
  EXPECT_FALSE(figures.best.has_value());
  EXPECT_EQ(figures.refused_scan->reason, "op 1: its 10 x 10 product takes " + std::to_string(csr_bytes(10, 100, 4)) +
                                              " bytes, more than the limit of 200 bytes");
}

TEST(ScorePoint, ScoresABillionElements) {
  const Machine machine = machine_of(MachineKind::gpu);
  const PointFigures figures = score_point(fused_chain(20, 1'000'000'000), 4, &machine, {});
  EXPECT_TRUE(figures.is_in_seconds);
  EXPECT_EQ(figures.workers, 64U);
  EXPECT_GT(figures.scan->score, 0);
  EXPECT_LE(figures.best->score, figures.plain.score);
}

TEST(ScorePoint, OfAProfiledChainIsTheSameForEveryPoint) {
  const Machine machine = machine_of(MachineKind::pram);
  const HomogeneousChain chain = unfused_chain(6, 500);
  ProfiledChain profiled(chain, 8);
  for (const char* schedule : {"hybrid:3", "best", "linear", "blelloch"}) {
    for (const std::uint64_t workers : {1, 5, 64}) {
      PointSettings settings;
      settings.schedule = schedule;
      settings.workers = workers;
      const PointFigures got = score_point(profiled, &machine, settings);
      const PointFigures want = score_point(chain, 8, &machine, settings);
      EXPECT_EQ(got.best->schedule, want.best->schedule);
      EXPECT_EQ(got.best->score, want.best->score);
      EXPECT_EQ(got.plain.score, want.plain.score);
      EXPECT_EQ(got.margin, want.margin);
    }
  }
}

TEST(ScorePoint, RefusesSettingsThatDoNotGoTogether) {
  const HomogeneousChain chain = fused_chain(3, 20);
  const Machine machine = machine_of(MachineKind::gpu);
  const auto refuses = [&](const PointSettings& settings, const Machine* on, const HomogeneousChain& of) {
    EXPECT_THROW(static_cast<void>(score_point(of, 4, on, settings)), std::invalid_argument);
  };
  PointSettings settings;
  settings.batch = 0;
  refuses(settings, nullptr, chain);
  settings.batch = 2;
  settings.execution = Execution::dag;
  refuses(settings, nullptr, chain);
  settings.batch = 1;
  EXPECT_GT(score_point(chain, 4, &machine, settings).plain.score, 0) << "seconds without barriers";
  settings.execution = Execution::level;
  settings.workers = 65;
  refuses(settings, &machine, chain);
  settings.workers = std::nullopt;
  settings.schedule = "no-such";
  refuses(settings, nullptr, chain);
  settings.schedule = "sklansky";
  refuses(settings, nullptr, fused_chain(3, kMostSchemeElements + 1));
  refuses(settings, nullptr, {10, 50, {ElementKind::uniform}, 0, 0.1});
  settings.schedule = "best-of-all";
  refuses(settings, nullptr, {10, 50, {ElementKind::uniform}, 0, 0.1});
  settings.schedule = "best";
  refuses(settings, nullptr, {10, 0, {ElementKind::dense}});
  settings.batch = ~std::uint64_t{0};
  EXPECT_THROW(static_cast<void>(score_point(chain, 4, nullptr, settings)), CountOverflow);
}

TEST_F(ScorePointTest, RefusesAScheduleThatTheNetworkWasNotCountedUnder) {
  Analysis analysis = random_analysis(1, 1);
  analysis.schedules.resize(1);
  PointSettings settings;
  settings.schedule = "linear";
  EXPECT_EQ(score_point(CountedNetwork{analysis, 4}, nullptr, settings).best->schedule, "linear");
  settings.schedule = "sklansky";
  EXPECT_THROW(static_cast<void>(score_point(CountedNetwork{analysis, 4}, nullptr, settings)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::point_test
