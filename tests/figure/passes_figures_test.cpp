#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "figure/made_study.hpp"
#include "support/random.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class PassesFigures : public SeededTest {};

StoredPasses two_methods() {
  StoredPasses passes;
  passes.record.model = "rnn";
  passes.record.passes = {{.method = "bptt", .backend = "cpu"}, {.method = "hybrid:2", .backend = "cpu"}};
  passes.record.passes[0].measured = PassSeconds{.down = 4};
  passes.record.passes[1].measured = PassSeconds{.jacobians = 1, .up = 2, .middle = 3, .down = 4};
  passes.record.passes[1].predicted = PassSeconds{.up = 5, .down = 1};
  passes.record.passes[1].best = true;
  return passes;
}

TEST_F(PassesFigures, PhasesStandEndToEnd) {
  const std::optional<Figure> figure = passes_figure(two_methods());
  ASSERT_TRUE(figure);
  std::map<std::pair<int, std::string>, double> ends;
  for (const FigureData& part : rows_of(*figure, "parts")) {
    double& end = ends[{part["row"], part["kind"]}];
    EXPECT_EQ(part["from"].get<double>(), end);
    end = part["to"];
  }
  EXPECT_EQ(ends, (std::map<std::pair<int, std::string>, double>{
                      {{0, "measured"}, 4}, {{1, "measured"}, 10}, {{1, "predicted"}, 6}}));
  EXPECT_EQ(figure->signals["labels"], FigureData({"bptt", "hybrid:2"}));
  EXPECT_THAT(figure->caption, HasSubstr("Predicted (pale) and measured"));
  std::size_t best = 0;
  for (const FigureData& end : rows_of(*figure, "ends")) best += end["label"] == "10.00 s, best" ? 1 : 0;
  EXPECT_EQ(best, 1U);
}

TEST_F(PassesFigures, MethodsThatFailedAreSaidInTheCaption) {
  StoredPasses passes = two_methods();
  passes.record.passes.push_back({.method = "blelloch", .failure = "needs 3 GiB,\nhas 2"});
  passes.record.passes[1].mismatch = "h_3";
  const std::optional<Figure> figure = passes_figure(passes);
  ASSERT_TRUE(figure);
  EXPECT_THAT(figure->caption,
              AllOf(HasSubstr("blelloch: needs 3 GiB, has 2."), HasSubstr("hybrid:2 (cpu): wrong gradients, h_3.")));
  EXPECT_THAT(figure->signals["labels"], SizeIs(2));
}

TEST_F(PassesFigures, RunsWithoutTimesOrLossesHaveNoFigures) {
  StoredPasses passes;
  passes.record.passes = {{.method = "bptt"}};
  EXPECT_FALSE(passes_figure(passes));
  EXPECT_FALSE(losses_figure(passes));
}

TEST_F(PassesFigures, ShortCurvesKeepEveryPoint) {
  StoredPasses passes = two_methods();
  for (std::uint64_t i = 0; i < 20; ++i) {
    for (std::uint32_t pass = 0; pass < 2; ++pass)
      passes.record.losses.push_back({pass, i, 3.0 / static_cast<double>(i + 1), 0.5});
  }
  passes.record.losses[4].loss = std::numeric_limits<double>::quiet_NaN();
  passes.record.passes[1].failure = "the loss is not finite";
  const std::optional<Figure> figure = losses_figure(passes);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> points = rows_of(*figure, "points");
  EXPECT_THAT(points, SizeIs(40));
  EXPECT_EQ(points[0]["x"], 1.0);
  EXPECT_TRUE(points[2]["loss"].is_null());
  EXPECT_THAT(figure->caption, HasSubstr("Gaps"));
  EXPECT_EQ(figure->signals["labels"], FigureData({"bptt", "hybrid:2, ended at 21"}));
  EXPECT_EQ(points[0]["accuracy"], 50);
}

TEST_F(PassesFigures, LongCurvesAreMeansOfEqualRuns) {
  StoredPasses passes = two_methods();
  const std::uint64_t iterations = between(kMostMarks + 1, 20'000);
  std::vector<double> losses;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    losses.push_back(10 + normal());
    passes.record.losses.push_back({1, i, losses.back(), 0});
  }
  const std::optional<Figure> figure = losses_figure(passes);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> points = rows_of(*figure, "points");
  const std::vector<FigureData> runs = rows_of(*figure, "runs");
  EXPECT_LE(points.size(), 500U);
  ASSERT_EQ(points.size(), runs.size());
  double covered = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto from = static_cast<std::uint64_t>(runs[i]["from"].get<double>() - 0.5);
    const auto to = std::min(static_cast<std::uint64_t>(runs[i]["to"].get<double>() - 0.5), iterations);
    double sum = 0;
    for (std::uint64_t at = from; at < to; ++at) sum += losses[at];
    EXPECT_NEAR(points[i]["loss"].get<double>(), sum / static_cast<double>(to - from), 1e-4);
    covered += static_cast<double>(to - from);
  }
  EXPECT_EQ(covered, static_cast<double>(iterations));
  EXPECT_THAT(figure->caption, HasSubstr("A point is the mean of "));
}

TEST_F(PassesFigures, VariantsShowTheirMakespansAndMarkTheBest) {
  StoredTraining training;
  training.record.is_in_seconds = true;
  training.record.variants = {"a", "b", "c"};
  training.record.best = 1;
  training.record.figures = {{0, "makespan", {}, 3},
                             {0, "bubble_fraction", {}, 0.25},
                             {1, "makespan", {}, 2},
                             {1, "busy", 0, 9},
                             {2, "makespan", {}, 1}};
  const std::optional<Figure> figure = variants_figure(training);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> bars = rows_of(*figure, "bars");
  ASSERT_THAT(bars, SizeIs(3));
  EXPECT_EQ(bars[0]["makespan"], 3);
  EXPECT_THAT(bars[0]["about"].get<std::string>(), HasSubstr("bubble fraction 0.25"));
  EXPECT_EQ(bars[1]["best"], true);
  EXPECT_EQ(bars[1]["label"], "2.000 s, best");
  EXPECT_THAT(bars[1]["about"].get<std::string>(), AllOf(HasSubstr("1.500x as fast as a"), Not(HasSubstr("busy"))));
}

TEST_F(PassesFigures, VariantsThatAreNoCandidatesAreGreyAndSaidSo) {
  StoredTraining training;
  training.record.kind = "pipeline";
  training.record.variants = {"a", "b", "c", "scan hybrid:1"};
  training.record.best = 1;
  training.record.best_makespan = 2;
  training.record.figures = {{0, "makespan", {}, 3},
                             {1, "makespan", {}, 2},
                             {2, "makespan", {}, 1},
                             {3, "makespan", {}, 2.5},
                             {3, "gradients_end", {}, 2}};
  const Figure pipeline = variants_figure(training).value();
  std::vector<bool> refused;
  for (const FigureData& bar : rows_of(pipeline, "bars")) refused.push_back(bar["refused"]);
  EXPECT_EQ(refused, (std::vector{false, false, true, true})) << "c is faster and not the best; scans are no policies";
  EXPECT_THAT(pipeline.caption,
              AllOf(HasSubstr("Green: b"), HasSubstr("a scan, beside the policies; does not fit the memory")));
  EXPECT_THAT(rows_of(pipeline, "bars")[2]["about"].get<std::string>(), HasSubstr("no candidate: does not fit"));

  training.record.kind = "data_parallel";
  training.record.variants = {"fifo k=0", "priority k=1", "priority k=2", "fifo k=1"};
  training.record.figures.pop_back();
  const Figure parallel = variants_figure(training).value();
  refused.clear();
  for (const FigureData& bar : rows_of(parallel, "bars")) refused.push_back(bar["refused"]);
  EXPECT_EQ(refused, (std::vector{true, false, true, true}));
  EXPECT_THAT(parallel.caption, HasSubstr("another link rule than the search's"));
}

TEST_F(PassesFigures, OfManyVariantsTheFirstTheBestAndTheFastestAreShown) {
  StoredTraining training;
  training.record.best = 200;
  for (std::uint32_t i = 0; i < 366; ++i) {
    training.record.variants.push_back(fmt::format("k={}", i));
    training.record.figures.push_back({i, "makespan", {}, 1000.0 - i});
  }
  const std::optional<Figure> figure = variants_figure(training);
  ASSERT_TRUE(figure);
  const auto labels = figure->signals["labels"].get<std::vector<std::string>>();
  EXPECT_THAT(labels, SizeIs(24));
  EXPECT_EQ(labels[0], "k=0");
  EXPECT_EQ(labels[1], "k=200");
  EXPECT_EQ(labels[2], "k=344");
  EXPECT_EQ(labels.back(), "k=365");
  EXPECT_THAT(figure->caption, HasSubstr("of 366 variants"));
}

TEST_F(PassesFigures, StepShowsTheTasksOfTheOnlyVariantWithSome) {
  StoredTraining training;
  training.record.variants = {"a", "b"};
  training.record.best = 1;
  training.record.tasks = {{1, "device 10", 'F', false, 1, 0, 0, 2},
                           {1, "device 2", 'W', false, 3, 1, 1, 4},
                           {1, "2 to 10", 'F', true, 1, 0, 2, 2}};
  const std::optional<Figure> figure = step_timeline_figure(training);
  ASSERT_TRUE(figure);
  EXPECT_EQ(figure->signals["labels"], FigureData({"device 2", "device 10"}));
  const std::vector<FigureData> tasks = rows_of(*figure, "tasks");
  ASSERT_THAT(tasks, SizeIs(2));
  EXPECT_EQ(tasks[0]["start"], 1);
  EXPECT_EQ(tasks[0]["end"], 4);
  EXPECT_EQ(tasks[0]["kind"], 2) << "W";
  EXPECT_THAT(tasks[0]["about"].get<std::string>(), HasSubstr("layer 3, micro-batch 1"));
  EXPECT_THAT(figure->caption, HasSubstr("1 resource on which nothing takes time"));
  EXPECT_THAT(figure->caption, HasSubstr("of b, the best of 2 variants; the others are not drawn"));
  EXPECT_THAT(rows_of(*figure, "memory"), SizeIs(0));
  EXPECT_FALSE(step_timeline_figure({}));
}

TEST_F(PassesFigures, StepsOfSeveralVariantsStandAlongOneAxisWithTheirMemory) {
  StoredTraining training;
  training.record.variants = {"a", "b", "scan hybrid:1"};
  training.record.best = 1;
  training.record.tasks = {{0, "device 0", 'F', false, 1, 0, 0, 9},
                           {1, "device 0", 'F', false, 1, 0, 0, 2},
                           {1, "0 to 1", 'F', true, 1, 0, 2, 3},
                           {1, "device 1", 'W', false, 2, 0, 3, 4}};
  training.record.figures = {{0, "memory_from", 0, 0}, {0, "memory_most", 0, 8}, {1, "memory_from", 0, 0},
                             {1, "memory_most", 0, 2}, {1, "memory_from", 1, 3}, {1, "memory_most", 1, 4}};
  const Figure figure = step_timeline_figure(training).value();
  EXPECT_EQ(figure.signals["labels"], FigureData({"", "device 0", "memory", "", "device 0", "device 1", "memory"}));
  EXPECT_EQ(figure.signals["x_domain"], FigureData({0, 9}));
  const std::vector<FigureData> heads = rows_of(figure, "heads");
  ASSERT_THAT(heads, SizeIs(2));
  EXPECT_EQ(heads[0]["text"], "a: 9");
  EXPECT_EQ(heads[1]["text"], "b: 4, best");
  EXPECT_EQ(heads[1]["row"], 3);
  const std::vector<FigureData> tasks = rows_of(figure, "tasks");
  ASSERT_THAT(tasks, SizeIs(3)) << "without the transfer";
  EXPECT_EQ(tasks[2]["row"], 5);
  const std::vector<FigureData> memory = rows_of(figure, "memory");
  ASSERT_THAT(memory, SizeIs(3));
  EXPECT_EQ(memory[0]["end"], 9);
  EXPECT_EQ(memory[1]["row"], 6);
  EXPECT_EQ(memory[1]["share"], 0.25) << "all at one scale";
  EXPECT_EQ(memory[2]["end"], 4) << "to the end of its own step";
  EXPECT_THAT(memory[2]["about"].get<std::string>(), HasSubstr("most on a device: 4 tensors from 3 to 4"));
  EXPECT_THAT(figure.caption, HasSubstr("One training step of each of 2 variants of 3, along the same axis."));
  training.record.figures.push_back({0, "memory_bytes", 0, 8});
  EXPECT_THAT(step_timeline_figure(training)->caption, HasSubstr("at most 8 B."));
}

TEST_F(PassesFigures, StepsAreDrawnWithAllTheirDevicesOrNotAtAll) {
  const auto drawn = [](std::uint32_t variants, std::uint32_t devices) {
    StoredTraining training;
    training.record.best = variants - 1;
    for (std::uint32_t variant = 0; variant < variants; ++variant) {
      training.record.variants.push_back(fmt::format("v{}", variant));
      for (std::uint32_t device = 0; device < devices; ++device)
        training.record.tasks.push_back({variant, fmt::format("device {}", device), 'F', false, 1, 0, 0, 2});
    }
    const Figure figure = step_timeline_figure(training).value();
    EXPECT_EQ(figure.signals["labels"].size(), rows_of(figure, "heads").size() * (1 + devices));
    EXPECT_THAT(rows_of(figure, "heads").back()["text"].get<std::string>(), HasSubstr(", best"));
    return rows_of(figure, "heads").size();
  };
  EXPECT_EQ(drawn(9, 8), 9U);
  EXPECT_EQ(drawn(12, 16), 8U);
}

TEST_F(PassesFigures, SlicesOfLongStepsAreBusyAsLongAsTheirTasks) {
  StoredTraining training;
  training.record.variants = {"a"};
  std::map<int, double> busy;
  for (int device = 0; device < 3; ++device) {
    double at = 0;
    for (int i = 0; i < 1000; ++i) {
      const double start = at + (chance(0.3) ? 0.01 * static_cast<double>(between(1, 100)) : 0);
      at = start + 0.01 * static_cast<double>(between(1, 100));
      busy[device] += at - start;
      training.record.tasks.push_back({0, fmt::format("device {}", device), "FOWU"[i % 4], false, 1, 0, start, at});
    }
  }
  const std::optional<Figure> figure = step_timeline_figure(training);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> rows = rows_of(*figure, "tasks");
  EXPECT_LE(rows.size(), kMostMarks);
  std::map<int, double> shown;
  for (const FigureData& row : rows)
    shown[row["row"]] += row["share"].get<double>() * (row["end"].get<double>() - row["start"].get<double>());
  for (const auto& [device, time] : busy) EXPECT_NEAR(shown[device] / time, 1, 1e-3) << device;
  EXPECT_THAT(figure->caption, HasSubstr("200 slices of time"));
}

}  // namespace
}  // namespace upsweep::testing
