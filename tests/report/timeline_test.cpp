#include "upsweep/report/timeline.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "support/pipelines.hpp"
#include "upsweep/io/training_file.hpp"

namespace upsweep::timeline_test {
namespace {

using enum StepOpKind;

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

TEST(Timeline, NamesKindLayerAndMicroBatchInEveryUnit) {
  const std::vector<StepEntry> entries = {{{forward, 0, 0}, 0, 0, 1},
                                          {{forward, 0, 1}, 0, 1, 2},
                                          {{output_gradient, 1, 0}, 1, 1, 3},
                                          {{weight_gradient, 1, 1}, 1, 3, 4},
                                          {{update, 0, 0}, 0, 3, 4}};
  EXPECT_EQ(timeline_text(entries, {"dev 0", "b"}),
            "dev 0  F F . U\n"
            "       1 1   1\n"
            "       a b\n"
            "b      . O O W\n"
            "         2   2\n"
            "         a   b\n");
}

TEST(Timeline, LeavesOutTheLineOfMicroBatchesWhereThereIsOne) {
  const std::vector<StepEntry> entries = {{{forward, 0, 0}, 0, 0, 0.5}, {{weight_gradient, 9, 0}, 0, 1, 2}};
  EXPECT_EQ(timeline_text(entries, {"d"}),
            "d  F  .  W  W\n"
            "   1     10\n");
}

TEST(Timeline, ShowsUnitsWithoutLabelsWhereThereIsNoRoomForThem) {
  const std::vector<StepEntry> entries = {{{forward, 0, 0}, 0, 0, 1}, {{weight_gradient, 0, 0}, 0, 2, 100}};
  EXPECT_EQ(timeline_text(entries, {"d"}), "d  F." + std::string(98, 'W') + "\n");
  const std::vector<StepEntry> few = {{{forward, 0, 0}, 0, 0, 1}, {{forward, 0, 26}, 0, 1, 2}};
  EXPECT_EQ(timeline_text(few, {"d"}), "d  FF\n") << "there are 26 letters";
}

TEST(Timeline, SharesAHundredColumnsWhereTimesHaveNoUnit) {
  // A column is 0.0314: F fills 31.8 of them, then nothing, W from column 63.7 on, where it takes a third.
  const std::vector<StepEntry> entries = {{{forward, 0, 0}, 0, 0, 1}, {{weight_gradient, 0, 0}, 0, 2, 3.14159}};
  EXPECT_EQ(timeline_text(entries, {"d"}),
            "d  " + std::string(32, 'F') + std::string(31, '.') + 'w' + std::string(36, 'W') + "\n");
}

TEST(Timeline, AColumnOfSeveralKindsIsMarkedAsOne) {
  // Two kinds in turn, the first twice as long; far more operations than there are columns.
  const auto in_turn = [](StepOpKind one, StepOpKind other) {
    std::vector<StepEntry> entries;
    for (int i = 0; i < 1000; ++i) {
      entries.push_back({{one, 0, 0}, 0, i * 3.0, i * 3.0 + 2});
      entries.push_back({{other, 0, 0}, 0, i * 3.0 + 2, i * 3.0 + 3});
    }
    return entries;
  };
  // One for each operation would be 3000, a line has 168.
  EXPECT_EQ(timeline_text(in_turn(forward, weight_gradient), {"d"}), "d  " + std::string(168, '*') + "\n");
  EXPECT_EQ(timeline_text(in_turn(output_gradient, weight_gradient), {"d"}), "d  " + std::string(168, 'B') + "\n");
  EXPECT_EQ(timeline_text(in_turn(output_gradient, output_gradient), {"d"}), "d  " + std::string(168, 'O') + "\n");
  const TimelineScale scale = timeline_scale(in_turn(forward, weight_gradient), TimelineStyle::kinds);
  EXPECT_THAT(
      timeline_heading(scale, "17.86"),
      ::testing::StartsWith("A column of a timeline is 17.86. F, O, W, U: nothing else runs in it; B: O and W;"));
}

TEST(Timeline, GoesOnBelowWhereALineIsTooShort) {
  const std::vector<StepEntry> entries = {{{forward, 0, 0}, 0, 0, 1}, {{weight_gradient, 0, 0}, 1, 100, 201}};
  EXPECT_EQ(timeline_text(entries, {"a", "b"}), "a  F" + std::string(100, '.') + "\nb  " + std::string(100, '.') +
                                                    "W\n\na  " + std::string(100, '.') + "\nb  " +
                                                    std::string(100, 'W') + "\n");
  EXPECT_EQ(
      timeline_heading(timeline_scale(entries, TimelineStyle::labels), "1"),
      "A column of a timeline is 1, a line 101 columns, continued below, of which all times are multiples; a dot: "
      "idle.\n");
}

/// The marks of each device, its lines put together.
std::vector<std::string> marks_of(const std::string& text, const std::vector<std::string>& rows) {
  std::vector<std::string> marks(rows.size());
  for (const std::string& line : lines(text)) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (line.starts_with(rows[row] + "  ")) marks[row] += line.substr(rows[row].size() + 2);
    }
  }
  return marks;
}

/// Checks that each operation stands in all columns that it takes part of, alone or in a mixture, and that no other
/// column has its letter.
void expect_no_alias(const PipelineRun& run, const TimelineScale& scale) {
  std::vector<std::string> rows;
  for (std::size_t device = 0; device < run.busy.size(); ++device) rows.push_back(fmt::format("d{}", device));
  const std::vector<std::string> marks = marks_of(timeline_text(run.timeline, rows, scale), rows);
  std::vector<std::vector<std::string>> kinds(rows.size(), std::vector<std::string>(marks[0].size()));
  for (const StepEntry& entry : run.timeline) {
    const double slack = 1e-4 * scale.column;
    const auto first = static_cast<std::size_t>((entry.start + slack) / scale.column);
    for (std::size_t at = first; static_cast<double>(at) * scale.column < entry.end - slack; ++at) {
      std::string& of = kinds[entry.device][at];
      if (of.find(letter(entry.op.kind)) == std::string::npos) of += letter(entry.op.kind);
    }
  }
  for (std::size_t device = 0; device < rows.size(); ++device) {
    for (std::size_t at = 0; at < marks[device].size(); ++at) {
      std::string of = kinds[device][at];
      std::ranges::sort(of);
      const std::string mark = of.empty() ? "." : of == "OW" ? "B" : of.size() > 1 ? "*" : of;
      EXPECT_EQ(std::string(1, static_cast<char>(std::toupper(marks[device][at]))), mark)
          << run.policy << ", " << rows[device] << ", column " << at;
    }
  }
}

TEST(Timeline, OfAFileShowsTheKindsOfEachDeviceInTheOrderOfItsTasks) {
  for (const char* file : {"policies", "figure12", "section-8.4.1", "scan-vs-pipeline", "bert-24-nvlink"}) {
    const TrainingFile training =
        load_training(read_yaml(fmt::format("{}/configs/training/{}.yaml", UPSWEEP_SOURCE_DIR, file)));
    std::vector<PipelineRun> runs;
    std::vector<StepEntry> all;
    for (const PipelineChoice& choice : std::get<PipelineStudy>(training.study).choices) {
      runs.push_back(evaluate(choice, {}).run);
      all.insert(all.end(), runs.back().timeline.begin(), runs.back().timeline.end());
    }
    for (const PipelineRun& run : runs) expect_no_alias(run, timeline_scale(all, TimelineStyle::kinds));
  }
}

TEST(Timeline, OfManyLayersShowsEveryOperationAsAColumn) {
  // 206 units: (16 micro-batches + 7 stages) times 9, less O of layer 1.
  const PipelineRun run = testing::run_policy(testing::equal_stages(8, 3, 16), "gpipe");
  EXPECT_EQ(run.makespan, 206);
  std::vector<std::string> rows;
  std::vector<std::string> expected(8, std::string(206, '.'));
  for (const StepEntry& entry : run.timeline)
    expected[entry.device][static_cast<std::size_t>(entry.start)] = letter(entry.op.kind);
  for (int device = 0; device < 8; ++device) rows.push_back(fmt::format("device {}", device));
  EXPECT_EQ(marks_of(timeline_text(run.timeline, rows), rows), expected);
  EXPECT_EQ(expected[7].substr(21, 56), std::string(48, 'F') + "WOWOWOWO");
}

TEST(Timeline, OfSeveralHasOneScale) {
  const std::vector<StepEntry> slow = {{{forward, 0, 0}, 0, 0, 3}, {{weight_gradient, 0, 0}, 0, 3, 6}};
  const std::vector<StepEntry> fast = {{{forward, 0, 0}, 0, 0, 2}, {{weight_gradient, 0, 0}, 0, 2, 4}};
  std::vector<StepEntry> both = slow;
  both.insert(both.end(), fast.begin(), fast.end());
  const TimelineScale scale = timeline_scale(both, TimelineStyle::kinds);
  EXPECT_EQ(scale.column, 1);
  EXPECT_EQ(timeline_text(slow, {"d"}, scale), "d  FFFWWW\n");
  EXPECT_EQ(timeline_text(fast, {"d"}, scale), "d  FFWW\n");
}

TEST(Timeline, OfNothingIsEmpty) { EXPECT_EQ(timeline_text({}, {"d"}), ""); }

class TimelineTest : public testing::PipelineTest {};

TEST_F(TimelineTest, HasTheSameWidthAndCountOfLinesForEveryDevice) {
  for (const Policy& policy : policies()) {
    for (int round = 0; round < 10; ++round) {
      const Pipeline pipeline = random_pipeline(policy.name);
      const PipelineRun run = simulate_pipeline(pipeline, policy);
      std::vector<std::string> rows;
      for (std::size_t device = 0; device < pipeline.devices; ++device) rows.push_back(fmt::format("d{}", device));
      const TimelineScale scale = timeline_scale(run.timeline, TimelineStyle::labels);
      const std::string text = timeline_text(run.timeline, rows, scale);
      for (const std::string& line : lines(text)) EXPECT_LE(line.size(), 172U);
      if (scale.form == TimelineScale::Form::labels) {
        ASSERT_EQ(lines(text).size() % rows.size(), 0U);
      } else {
        // Each part has a line for every device, and a line between it and the next.
        ASSERT_EQ((lines(text).size() + 1) % (rows.size() + 1), 0U);
      }
      const std::vector<std::string> marks = marks_of(text, rows);
      for (std::size_t device = 0; device < rows.size(); ++device) {
        EXPECT_EQ(marks[device].size(), marks[0].size());
        EXPECT_EQ(marks[device].find_first_not_of("FOWUfowuBb*. "), std::string::npos) << marks[device];
        EXPECT_EQ(marks[device].find_first_of("FOWUfowuBb*") != std::string::npos, run.busy[device] > 0) << device;
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::timeline_test
