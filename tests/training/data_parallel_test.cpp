#include "upsweep/training/data_parallel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

#include "support/data_parallel_orders.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "upsweep/training/study.hpp"

namespace upsweep::data_parallel_test {
namespace {

using testing::brute_force_optimum;
using ::testing::ElementsAre;
using testing::equal_data_parallel;

/// The instance of the paper's figure 4: section 7 of training-schedules.
DataParallel figure4() { return equal_data_parallel(2, 1, 2, {4, 1, 4, 4, 4}); }

DataParallelRun run(const DataParallel& step, std::size_t k, LinkRule rule) {
  return simulate_data_parallel(step, reverse_first_k(step.layers(), k), rule);
}

std::string text(const std::vector<StepOp>& order) {
  std::vector<std::string> names;
  for (const StepOp& op : order) names.push_back(to_string(op));
  return fmt::format("{}", fmt::join(names, " "));
}

std::string refusal(const DataParallel& step) {
  return testing::refusal_of<std::invalid_argument>([&] { return check_data_parallel(step); });
}

TEST(DataParallel, HasTheFiguresOfFigure4) {
  EXPECT_EQ(run(figure4(), 0, LinkRule::fifo).makespan, 29);
  EXPECT_EQ(run(figure4(), 0, LinkRule::priority).makespan, 28);
  EXPECT_EQ(run(figure4(), 3, LinkRule::priority).makespan, 25);
  EXPECT_EQ(run(figure4(), 4, LinkRule::priority).makespan, 25) << "k = 4 ties";
  EXPECT_EQ(optimum_nonpreemptive(figure4()), 24);
  const DataParallelAnswers answers = evaluate(DataParallelStudy{figure4(), LinkRule::priority, {}, {}}, {});
  EXPECT_EQ(answers.search.k, 3U) << "the smaller of equal k";
  EXPECT_THAT(answers.search.evaluated, ElementsAre(0, 1, 2, 3, 4)) << "and never k = L";
  EXPECT_EQ(answers.max_k, 5U) << "without a limit";
  EXPECT_EQ(answers.runs.size(), 3U);
  EXPECT_EQ(answers.runs[0].size(), 6U);
  EXPECT_EQ(answers.optimum_nonpreemptive, 24);
}

TEST(ReverseFirstK, PutsTheFirstWeightGradientsLast) {
  EXPECT_EQ(text(reverse_first_k(3, 0)), "W3.0 O3.0 W2.0 O2.0 W1.0 O1.0");
  EXPECT_EQ(text(reverse_first_k(3, 2)), "W3.0 O3.0 O2.0 O1.0 W1.0 W2.0");
  EXPECT_EQ(text(reverse_first_k(3, 3)), "O3.0 O2.0 O1.0 W1.0 W2.0 W3.0");
}

// Unit costs, S = 1, 1, 10: W end at 1, 3 and 5, the backward pass at 5.
TEST(LinkRule, FifoSendsInTheOrderOfComputation) {
  const DataParallelRun fifo = run(equal_data_parallel(1, 1, 1, {1, 1, 10}), 0, LinkRule::fifo);
  EXPECT_THAT(fifo.sync_end, ElementsAre(13, 12, 11));
  EXPECT_THAT(fifo.forward_start, ElementsAre(13, 14, 15));
  EXPECT_EQ(fifo.makespan, 16);
  EXPECT_EQ(fifo.backward_end, 5);
  EXPECT_EQ(fifo.busy, 8);
  EXPECT_EQ(fifo.idle, 8);
}

TEST(LinkRule, PrioritySendsTheLowestLayerThatWaitsAndInterruptsNothing) {
  const DataParallelRun priority = run(equal_data_parallel(1, 1, 1, {1, 1, 10}), 0, LinkRule::priority);
  EXPECT_THAT(priority.sync_end, ElementsAre(12, 13, 11));
  EXPECT_THAT(priority.forward_start, ElementsAre(12, 13, 14));
  EXPECT_EQ(priority.makespan, 15);
}

TEST(LinkRule, PreemptiveInterruptsAndKeepsProgress) {
  const DataParallelRun preemptive = run(equal_data_parallel(1, 1, 1, {1, 1, 10}), 0, LinkRule::preemptive);
  EXPECT_THAT(preemptive.sync_end, ElementsAre(6, 4, 13));
  EXPECT_THAT(preemptive.forward_start, ElementsAre(6, 7, 13));
  EXPECT_EQ(preemptive.makespan, 14);
  std::vector<double> times;
  for (const StepEntry& part : preemptive.link) {
    if (part.op.layer == 2) times.insert(times.end(), {part.start, part.end});
  }
  EXPECT_THAT(times, ElementsAre(1, 3, 4, 5, 6, 13)) << "10 units in three parts";
}

TEST(DataParallel, SyncsNothingWhereThereAreNoWeights) {
  DataParallel step = equal_data_parallel(1, 1, 1, {9, 9, 9});
  step.weight_gradient = {1, 0, 1};
  const DataParallelRun fifo = run(step, 0, LinkRule::fifo);
  EXPECT_THAT(fifo.sync_end, ElementsAre(19, 0, 10));
  EXPECT_THAT(fifo.forward_start, ElementsAre(19, 20, 21));
  EXPECT_EQ(fifo.link.size(), 2U);
}

TEST(DataParallel, TheFirstOutputGradientCountsOnlyWhereItIsKept) {
  DataParallel step = equal_data_parallel(1, 3, 1, {0, 0});
  EXPECT_EQ(run(step, 0, LinkRule::fifo).makespan, 1 + 3 + 1 + 2);
  step.skip_first_output_gradient = false;
  EXPECT_EQ(run(step, 0, LinkRule::fifo).makespan, 1 + 3 + 1 + 3 + 2);
  EXPECT_EQ(run(step, 0, LinkRule::fifo).backward_end, 8);
}

TEST(FirstKMemory, GrowsByWhatADelayedKernelKeeps) {
  // f(0) = 40 - 31; f(j + 1) - f(j) = M_O + M_W.
  const FirstKMemory memory{40, {3, 1, 4, 1, 5, 9, 2, 6}, {2, 7, 1, 8, 2, 8, 1, 8}};
  const std::vector<double> limits = {9, 10, 14, 14.5, 36, 40, 77, 78, 1e9};
  const FirstKTable table = first_k_memory(memory, limits);
  EXPECT_THAT(table.memory_of_k, ElementsAre(9, 14, 22, 27, 36, 43, 60, 63, 77));
  EXPECT_THAT(table.largest_k, ElementsAre(std::nullopt, 0U, 0U, 1U, 3U, 4U, 7U, 8U, 8U));
  const FirstKTable ties = first_k_memory({5, {0, 0, 0}, {2, 0, 0}}, std::vector<double>{8});
  EXPECT_THAT(ties.largest_k, ElementsAre(3U)) << "ties to the largest";
}

TEST(FirstKMemory, AddsDecimalFractionsExactly) {
  const FirstKTable table = first_k_memory({1, {0, 0.9}, {0, 1}}, std::vector<double>{0.1, 0.11});
  EXPECT_THAT(table.memory_of_k, ElementsAre(0.1, 0.1, 2));
  EXPECT_THAT(table.largest_k, ElementsAre(std::nullopt, 1U)) << "0.1 is not below 0.1";
}

TEST(FirstKMemory, RefusesASumThatIsNotFinite) {
  EXPECT_THROW((void)first_k_memory({1, {1e308}, {1e308}}, {}), std::invalid_argument);
}

TEST(FirstKMemory, RefusesToFreeMoreThanThereIs) {
  EXPECT_THROW((void)first_k_memory({10, {20, 4}, {1, 1}}, {}), std::invalid_argument) << "no memory of -14";
  EXPECT_NO_THROW((void)first_k_memory({24, {20, 4}, {1, 1}}, {}));
}

TEST(FirstKMemory, BoundsTheSearch) {
  DataParallelStudy study{figure4(), LinkRule::priority, FirstKMemory{10, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1}}, 7};
  // f = 0, 3, 6, 9, ..
  const DataParallelAnswers answers = evaluate(study, {});
  EXPECT_EQ(answers.max_k, 2U);
  EXPECT_THAT(answers.search.evaluated, ElementsAre(0, 1, 2));
  EXPECT_LE(answers.search.k, 2U);
}

/// The search of section 5, as its words say.
FirstKSearch search_by_definition(std::size_t layers, const std::vector<double>& makespan) {
  FirstKSearch search;
  std::set<std::size_t> known;
  const auto evaluate_one = [&](long k) {
    if (k < 0 || k >= static_cast<long>(layers) || !known.insert(static_cast<std::size_t>(k)).second) return;
    search.evaluated.push_back(static_cast<std::size_t>(k));
  };
  const auto best = [&] {
    std::size_t found = *known.begin();
    for (const std::size_t k : known) {
      if (makespan[k] < makespan[found]) found = k;
    }
    return found;
  };
  long step = std::max(1L, static_cast<long>(layers) / 10);
  for (long k = 0; k < static_cast<long>(layers); k += step) evaluate_one(k);
  while (step > 1) {
    const long half = step / 2;
    const auto middle = static_cast<long>(best());
    for (long j = -step; j <= step; ++j) {
      if (std::abs(j * half) < step) evaluate_one(middle + j * half);
    }
    step = half;
  }
  search.k = best();
  return search;
}

class DataParallelTest : public testing::SeededTest {
 protected:
  std::vector<double> numbers(std::size_t count, std::uint64_t least) {
    std::vector<double> list(count);
    for (double& number : list) number = static_cast<double>(between(least, 9));
    return list;
  }
  DataParallel random_step(std::size_t layers) {
    DataParallel step{numbers(layers, 1), numbers(layers, 1), numbers(layers, 1), numbers(layers, 0), chance(0.7)};
    for (double& cost : step.weight_gradient) cost = chance(0.1) ? 0 : cost;
    return step;
  }
};

TEST_F(DataParallelTest, SearchTriesTheKOfTheDefinitionInItsOrder) {
  for (std::size_t layers = 1; layers <= 130; ++layers) {
    const std::vector<double> makespan = numbers(layers, 0);
    const FirstKSearch want = search_by_definition(layers, makespan);
    std::vector<std::size_t> asked;
    const FirstKSearch got = search_first_k(layers, layers, [&](std::size_t k) {
      asked.push_back(k);
      return makespan.at(k);
    });
    EXPECT_EQ(got.evaluated, want.evaluated) << layers << " layers";
    EXPECT_EQ(asked, want.evaluated) << "every k once";
    EXPECT_EQ(got.k, want.k) << layers << " layers";
  }
}

TEST_F(DataParallelTest, OptimumIsThatOfAllOrdersAndNoRuleBeatsIt) {
  for (int round = 0; round < 25; ++round) {
    const DataParallel step = random_step(between(1, 4));
    const double optimum = optimum_nonpreemptive(step);
    EXPECT_EQ(optimum, brute_force_optimum(step)) << "round " << round;
    for (std::size_t k = 0; k <= step.layers(); ++k) {
      EXPECT_LE(optimum, run(step, k, LinkRule::fifo).makespan) << "round " << round << ", k " << k;
      EXPECT_LE(optimum, run(step, k, LinkRule::priority).makespan) << "round " << round << ", k " << k;
    }
  }
}

TEST_F(DataParallelTest, TheOptimumOfAnyOrderIsNoLargerThanThatWithoutGaps) {
  for (int round = 0; round < 10; ++round) {
    const DataParallelStudy study{random_step(between(2, 4)), LinkRule::fifo, {}, {}};
    const DataParallelAnswers answers = evaluate(study, OptimumSearch{.is_wanted = true});
    ASSERT_TRUE(answers.optimum.has_value());
    EXPECT_TRUE(answers.optimum->is_proven);
    EXPECT_LE(answers.optimum->makespan, *answers.optimum_nonpreemptive);
    EXPECT_EQ(answers.optimum->lower_bound, answers.optimum->makespan);
    EXPECT_EQ(answers.optimum->gap, 0);
  }
}

TEST_F(DataParallelTest, LinkAndDeviceAreNeverUsedTwiceAndNothingStartsTooEarly) {
  for (int round = 0; round < 100; ++round) {
    const DataParallel step = random_step(between(1, 8));
    const LinkRule rule = kLinkRules[between(0, 2)];
    const DataParallelRun found = run(step, between(0, step.layers()), rule);
    double device = 0, link = 0;
    std::vector<double> weight_end(step.layers(), 0), sent(step.layers(), 0);
    for (const StepEntry& entry : found.compute) {
      EXPECT_GE(entry.start, device);
      device = entry.end;
      if (entry.op.kind == StepOpKind::weight_gradient) weight_end[entry.op.layer] = entry.end;
    }
    for (const StepEntry& part : found.link) {
      EXPECT_GE(part.start, std::max(link, weight_end[part.op.layer])) << to_string(rule);
      link = part.end;
      sent[part.op.layer] += part.end - part.start;
    }
    for (std::size_t layer = 0; layer < step.layers(); ++layer) {
      EXPECT_EQ(sent[layer], step.weight_gradient[layer] > 0 ? step.synchronisation[layer] : 0) << to_string(rule);
      EXPECT_GE(found.forward_start[layer], std::max(found.sync_end[layer], found.backward_end));
    }
    EXPECT_EQ(found.makespan, found.forward_start.back() + step.forward.back());
    EXPECT_EQ(found.idle, found.makespan - found.busy);
  }
}

TEST(DataParallel, RefusesListsThatDoNotFit) {
  DataParallel step = equal_data_parallel(1, 1, 1, {1, 1});
  EXPECT_EQ(refusal(step), "accepted");
  step.weight_gradient.pop_back();
  EXPECT_EQ(refusal(step), "W has 1 entries, accepted are 2");
  step = equal_data_parallel(1, 1, 1, {1, -1});
  EXPECT_EQ(refusal(step), "S of layer 2 is -1, accepted are finite numbers of at least 0");
  step = equal_data_parallel(1, 0, 1, {1, 1});
  EXPECT_EQ(refusal(step), "O of layer 2 is 0, accepted is a number above 0");
  step.forward[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(step), "F of layer 1 is inf, accepted are finite numbers above 0");
  EXPECT_EQ(refusal({}), "0 layers, accepted is at least 1");
  const DataParallel good = equal_data_parallel(1, 1, 1, {1, 1});
  EXPECT_THROW(static_cast<void>(simulate_data_parallel(good, {}, LinkRule::fifo)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(optimum_nonpreemptive(equal_data_parallel(1, 1, 1, std::vector<double>(7, 1)))),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::data_parallel_test
