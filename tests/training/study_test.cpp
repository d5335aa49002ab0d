#include "upsweep/training/study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/pipelines.hpp"

namespace upsweep {
namespace {

using testing::equal_stages;

PipelineChoice choice(const Pipeline& pipeline, const std::string& policy) { return {policy, policy, pipeline, 0}; }

/// The answers of the policies on one pipeline.
PipelineAnswers answer(PipelineStudy& study, const Pipeline& pipeline, const std::vector<std::string>& names) {
  PipelineAnswers answers;
  study.micro_batches = pipeline.micro_batches;
  for (const std::string& name : names) {
    study.choices.push_back(choice(pipeline, name));
    answers.choices.push_back(evaluate(study.choices.back(), {}));
  }
  apply_limit(study, answers);
  return answers;
}

TEST(PipelineStudy, BestIsTheFirstOfTheShortest) {
  PipelineStudy study;
  const PipelineAnswers answers = answer(study, equal_stages(2, 2, 4), {"gpipe", "1f1b_ff", "ff", "eager_fow"});
  ASSERT_TRUE(answers.best.has_value());
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    EXPECT_EQ(answers.choices[i].does_not_fit, "");
    const double makespan = answers.choices[i].run.makespan;
    EXPECT_GE(makespan, answers.choices[*answers.best].run.makespan);
    EXPECT_TRUE(i >= *answers.best || makespan > answers.choices[*answers.best].run.makespan) << "the first of equals";
  }
}

/// Two layers on two devices, every operation one unit: device 0 runs F1 at 0 and W1 at 4, device 1 F2, W2, O2 from 1.
Pipeline two_layers_in_bytes() {
  Pipeline pipeline = equal_stages(2, 1, 1);
  pipeline.bytes = {{10, 20, 3}, {20, 5, 4}};
  return pipeline;
}

TEST(PipelineStudy, MemoryInBytesIsThatOfTensorsAndWeights) {
  const PipelineRun run = testing::run_policy(two_layers_in_bytes(), "gpipe");
  ASSERT_EQ(run.makespan, 5);
  ASSERT_EQ(run.bytes.size(), 2U);
  EXPECT_EQ(run.bytes[0].tensors.activations, 10U) << "what layer 1 reads, from F1 to W1";
  EXPECT_EQ(run.bytes[0].tensors.gradients, 20U) << "of what it makes, from the end of O2 on";
  EXPECT_EQ(run.bytes[0].tensors.together, 30U);
  EXPECT_EQ(run.bytes[0].weights, 6U) << "with their gradients";
  EXPECT_EQ(run.bytes[0].together(), 36U);
  EXPECT_EQ(run.bytes[1].tensors.together, 25U);
  EXPECT_EQ(run.bytes[1].together(), 33U);
  const std::vector<std::pair<double, std::uint64_t>> expected = {{0, 16}, {1, 28}, {2, 33}, {3, 16}, {4, 36}, {5, 8}};
  ASSERT_EQ(run.memory.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(std::pair(run.memory[i].from, run.memory[i].most), expected[i]) << i;
  const PipelineRun stale = testing::run_policy(two_layers_in_bytes(), "pipedream");
  EXPECT_EQ(stale.bytes[0].weights, 9U) << "two versions and gradients";
  EXPECT_EQ(stale.bytes[1].weights, 8U);
}

TEST(PipelineStudy, WithoutBytesMemoryIsCountedInTensors) {
  const PipelineRun run = testing::run_policy(equal_stages(2, 1, 1), "gpipe");
  EXPECT_TRUE(run.bytes.empty());
  std::uint64_t most = 0;
  for (const MemoryEntry& entry : run.memory) most = std::max(most, entry.most);
  EXPECT_EQ(most, 2U) << "the activation and the gradient of W1";
}

TEST(PipelineStudy, ALimitInBytesCountsTensorsAndWeightsOfTheFullestDevice) {
  PipelineStudy study;
  study.is_limit_in_bytes = true;
  study.memory_limit = 36;
  EXPECT_EQ(answer(study, two_layers_in_bytes(), {"gpipe"}).best, 0U);
  study.memory_limit = 38;
  study.choices.clear();
  const PipelineAnswers answers = answer(study, two_layers_in_bytes(), {"gpipe", "pipedream"});
  EXPECT_EQ(answers.best, 0U);
  EXPECT_EQ(answers.choices[1].does_not_fit, "39 B are needed on device 0, the limit is 38 B");
}

TEST(PipelineStudy, BestIsOfThoseThatFitTheMemory) {
  PipelineStudy study;
  const Pipeline pipeline = equal_stages(4, 1, 8);
  study.memory_limit = 6;
  const PipelineAnswers answers = answer(study, pipeline, {"gpipe", "ff", "1f1b"});
  EXPECT_EQ(answers.best, 2U) << "ff is shorter, but keeps all activations";
  EXPECT_LT(answers.choices[1].run.makespan, answers.choices[2].run.makespan);
  for (const std::size_t i : {0U, 1U}) {
    std::uint64_t most = 0;
    for (const TensorPeaks& peaks : answers.choices[i].run.peaks) most = std::max(most, peaks.together);
    EXPECT_THAT(answers.choices[i].does_not_fit, ::testing::StartsWith(std::to_string(most) + " tensors are needed"));
    EXPECT_THAT(answers.choices[i].does_not_fit, ::testing::EndsWith(", the limit is 6"));
  }
  study.choices.clear();
  study.memory_limit = 8;
  EXPECT_EQ(answer(study, pipeline, {"gpipe"}).choices[0].run.peaks[0].activations, 8U);
  EXPECT_FALSE(answer(study, pipeline, {"gpipe"}).best.has_value()) << "gradients count, too";
  study.choices.clear();
  study.memory_limit = 1;
  EXPECT_FALSE(answer(study, pipeline, {"gpipe", "1f1b"}).best.has_value());
}

TEST(PipelineStudy, TheOptimumOfFigure5IsFastForwardingOnModulo) {
  Pipeline pipeline = testing::equal_pipeline(modulo_allocation(8, 2, 1), 2, 1);
  const PipelineOutcome outcome = evaluate(choice(pipeline, "ff"), OptimumSearch{.is_wanted = true});
  ASSERT_TRUE(outcome.optimum.has_value());
  EXPECT_EQ(outcome.optimum->makespan, 16);
  EXPECT_TRUE(outcome.optimum->is_proven);
  EXPECT_FALSE(evaluate(choice(pipeline, "ff"), {}).optimum.has_value()) << "not asked for";
  const auto skipped = evaluate(choice(pipeline, "ff"), OptimumSearch{.is_wanted = true, .max_tasks = 5}).optimum;
  ASSERT_TRUE(skipped.has_value());
  EXPECT_THAT(skipped->skipped, ::testing::HasSubstr("at most 5 are tried")) << "never left out in silence";
}

TEST(PipelineStudy, LargerTensorsOfFewerMicroBatchesCountAsMore) {
  PipelineStudy study;
  study.micro_batches = 4;
  PipelineChoice whole = choice(equal_stages(2, 1, 1), "gpipe");
  EXPECT_EQ(tensors_of_the_file(study, whole, 3), 12);
  whole.pipeline.micro_batches = 8;
  EXPECT_EQ(tensors_of_the_file(study, whole, 3), 1.5);
}

TEST(PipelineStudy, FindsTheOptimumOfCostsThatHaveNoCommonTick) {
  Pipeline pipeline = equal_stages(2, 2, 3);
  for (std::size_t layer = 0; layer < pipeline.layers(); ++layer) {
    pipeline.forward[layer] = std::sqrt(2.0 + static_cast<double>(layer));
    pipeline.output_gradient[layer] = std::sqrt(3.0 + static_cast<double>(layer));
    pipeline.weight_gradient[layer] = 1e-5 * std::sqrt(5.0);
  }
  for (const char* policy : {"gpipe", "ff", "zb_h1"}) {
    const PipelineOutcome outcome = evaluate(choice(pipeline, policy), OptimumSearch{.is_wanted = true});
    EXPECT_FALSE(outcome.run.is_exact);
    ASSERT_TRUE(outcome.optimum.has_value());
    EXPECT_LE(outcome.optimum->lower_bound, outcome.optimum->makespan);
    EXPECT_LE(outcome.optimum->makespan, outcome.run.makespan);
  }
  DataParallelStudy study;
  study.step.forward = pipeline.forward;
  study.step.output_gradient = pipeline.output_gradient;
  study.step.weight_gradient = pipeline.weight_gradient;
  study.step.synchronisation = pipeline.forward;
  const DataParallelAnswers answers = evaluate(study, OptimumSearch{.is_wanted = true});
  ASSERT_TRUE(answers.optimum.has_value());
  EXPECT_LE(answers.optimum->makespan, answers.chosen.makespan);
}

TEST(Pipeline, UpdatesNoWeightsWhereThereAreNone) {
  Pipeline pipeline = equal_stages(2, 2, 2);
  pipeline.update.assign(pipeline.layers(), 5);
  pipeline.weight_gradient[1] = 0;
  EXPECT_FALSE(pipeline.exists({StepOpKind::update, 1, 0}));
  EXPECT_TRUE(pipeline.exists({StepOpKind::update, 0, 0}));
}

TEST(PipelineStudy, TheOptimumOfThirdsIsNoShorterThanTheWork) {
  Pipeline pipeline = equal_stages(2, 2, 2);  // wire times of 1/3
  pipeline.transfer_sizes = {1, 1, 1};
  pipeline.bandwidth = 3;
  const PipelineOutcome outcome = evaluate(choice(pipeline, "gpipe"), OptimumSearch{.is_wanted = true});
  EXPECT_NEAR(outcome.run.makespan, 17 + 2.0 / 3, 1e-12);
  ASSERT_TRUE(outcome.optimum.has_value());
  EXPECT_LE(outcome.optimum->makespan, outcome.run.makespan);
  EXPECT_GE(outcome.optimum->lower_bound, 12) << "the work of device 1";
  EXPECT_LE(outcome.optimum->lower_bound, outcome.optimum->makespan);
}

TEST(PipelineStudy, AStoppedSearchStillHasASchedule) {
  const Pipeline pipeline = equal_stages(4, 2, 6, {3, 5, 4});
  int problems = 0;
  OptimumSearch search{.is_wanted = true, .stop = [] { return true; }, .begin = [&] { ++problems; }};
  const PipelineOutcome outcome = evaluate(choice(pipeline, "gpipe"), search);
  EXPECT_EQ(problems, 1);
  ASSERT_TRUE(outcome.optimum.has_value());
  EXPECT_LE(outcome.optimum->makespan, outcome.run.makespan);
  EXPECT_GE(outcome.optimum->gap, 0);
  EXPECT_EQ(outcome.optimum->is_proven, outcome.optimum->gap == 0);
}

class StudyTest : public testing::PipelineTest {};

TEST_F(StudyTest, NoPolicyBeatsTheLowerBound) {
  for (int round = 0; round < 15; ++round) {
    Pipeline pipeline = random_pipeline("1f1b");
    pipeline.micro_batches = std::min<std::size_t>(pipeline.micro_batches, 2);
    if (pipeline.layers() > 5) continue;
    const auto until = std::make_shared<int>(0);
    OptimumSearch search{.is_wanted = true, .stop = [until] { return ++*until > 5; }};
    const auto optimum = evaluate(choice(pipeline, "gpipe"), search).optimum;
    for (const char* policy : {"gpipe", "ff", "eager_ofw", "eager_fow", "paired", "1f1b", "1f1b_ff", "zb_h1"})
      EXPECT_GE(testing::run_policy(pipeline, policy).makespan, optimum->lower_bound) << policy << ", round " << round;
  }
}

}  // namespace
}  // namespace upsweep
