#include "upsweep/report/timeline.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/pipelines.hpp"

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
  // A column is 0.0314: F fills 31.8 of them, then nothing, W from column 63.7 on.
  const std::vector<StepEntry> entries = {{{forward, 0, 0}, 0, 0, 1}, {{weight_gradient, 0, 0}, 0, 2, 3.14159}};
  EXPECT_EQ(timeline_text(entries, {"d"}),
            "d  " + std::string(32, 'F') + std::string(32, '.') + std::string(36, 'W') + "\n");
}

TEST(Timeline, AColumnHasTheKindThatTakesMostOfIt) {
  std::vector<StepEntry> entries;  // F and W in turn, F twice as long; far more than there are columns
  for (int i = 0; i < 1000; ++i) {
    entries.push_back({{forward, 0, 0}, 0, i * 3.0, i * 3.0 + 2});
    entries.push_back({{weight_gradient, 0, 0}, 0, i * 3.0 + 2, i * 3.0 + 3});
  }
  EXPECT_EQ(timeline_text(entries, {"d"}), "d  " + std::string(100, 'F') + "\n");
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
      std::vector<std::string> all = lines(timeline_text(run.timeline, rows));
      ASSERT_EQ(all.size() % rows.size(), 0U);
      const std::size_t per_row = all.size() / rows.size();
      for (std::size_t device = 0; device < rows.size(); ++device) {
        const std::string& line = all[device * per_row];
        EXPECT_TRUE(line.starts_with(rows[device] + "  ")) << line;
        EXPECT_EQ(line.find_first_not_of("FOWU. ", 2), std::string::npos) << line;
        EXPECT_LE(line.size(), 172U);
        const bool is_busy = run.busy[device] > 0;
        EXPECT_TRUE(is_busy || line.find_first_of("FOWU") == std::string::npos) << line;
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::timeline_test
