#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/random.hpp"
#include "trace/read_trace.hpp"
#include "upsweep/trace/trace.hpp"

namespace upsweep {
namespace {

using testing::ReadTrace;

/// A training of two devices and a link whose transfers overlap.
StoredTraining small_training() {
  StoredTraining training;
  training.id = 3;
  TrainingRecord& record = training.record;
  record.name = "two <devices>";
  record.kind = "pipeline";
  record.variants = {"gpipe", "fast \"forward\""};
  record.best = 1;
  record.tasks = {{
                      0,
                      "device 0",
                      'F',
                      false,
                      1,
                      0,
                      0,
                      9,
                  },
                  {1, "device 0", 'F', false, 1, 0, 0, 0.1},
                  {1, "device 0", 'F', false, 1, 1, 0.1, 0.30000000000000004},
                  {1, "0 to 1", 'F', true, 1, 0, 0.1, 0.6},
                  {1, "0 to 1", 'F', true, 1, 1, 0.3, 0.8},
                  {1, "device 1", 'W', false, 2, 0, 0.6, 0.9}};
  return training;
}

TEST(TrainingTrace, HasATrackPerResourceOfEveryVariantAndNoneOverlaps) {
  const ReadTrace trace(trace_json(small_training()));
  std::vector<std::string> names;
  for (const auto& [track, name] : trace.names) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("device 0", "device 0", "0 to 1", "0 to 1 (2)", "device 1"));
  std::size_t tasks = 0;
  for (const auto& [track, slices] : trace.tracks) {
    tasks += slices.size();
    for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_LE(slices[i - 1].end, slices[i].start);
  }
  EXPECT_EQ(tasks, 6U);
  EXPECT_EQ(trace.other.at("variant"), "fast \"forward\"");
  EXPECT_EQ(trace.other.at("microsecond"), "1 unit of the file");
  EXPECT_EQ(trace.other.at("notes").size(), 1U);
}

TEST(TrainingTrace, HasAProcessPerVariantWithItsMemory) {
  StoredTraining training = small_training();
  training.record.figures = {{0, "memory_bytes", 0, 7}, {0, "memory_from", 0, 0}, {0, "memory_from", 1, 9},
                             {0, "memory_most", 0, 7},  {0, "memory_most", 1, 5}, {1, "memory_from", 0, 0},
                             {1, "memory_most", 0, 6}};
  const std::string text = trace_json(training);
  const ReadTrace trace(text);
  EXPECT_EQ(trace.other.at("variants"), (nlohmann::json{"gpipe", "fast \"forward\""}));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("pid":1,"name":"process_name","args":{"name":"two <devices>: gpipe"})"));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("pid":2,"name":"process_name","args":{"name":"two <devices>: fast \"f)"));
  EXPECT_THAT(text, ::testing::HasSubstr("forward\\\" (best)\""));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("ph":"C","pid":2,"name":"memory of the fullest device")"));
  EXPECT_THAT(trace.counters.at("memory of the fullest device"), ::testing::SizeIs(3));
  EXPECT_THAT(text, ::testing::HasSubstr(R"("args":{"bytes":5})"));
}

class RandomTrainingTrace : public testing::SeededTest {};

TEST_F(RandomTrainingTrace, HasEveryTaskOnceAndNoneOverlapOnATrack) {
  for (int repeat = 0; repeat < 30; ++repeat) {
    StoredTraining training = small_training();
    training.record.tasks.clear();
    const std::size_t count = between(1, 60);
    for (std::size_t i = 0; i < count; ++i) {
      const double start = static_cast<double>(between(0, 100)) / 10;
      training.record.tasks.push_back({1, chance(0.5) ? "device 0" : "0 to 1", 'F', chance(0.5), 1, 0, start,
                                       start + static_cast<double>(between(0, 20)) / 10});
    }
    const ReadTrace trace(trace_json(training));
    std::size_t tasks = 0;
    for (const auto& [track, slices] : trace.tracks) {
      tasks += slices.size();
      for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_LE(slices[i - 1].end, slices[i].start);
    }
    EXPECT_EQ(tasks, count);
  }
}

TEST(TrainingTrace, OfSecondsIsInMicroseconds) {
  StoredTraining training = small_training();
  training.record.is_in_seconds = true;
  EXPECT_THAT(trace_json(training), ::testing::HasSubstr("\"ts\":600000,\"dur\":300000,"));
  EXPECT_EQ(ReadTrace(trace_json(training)).other.at("microsecond"), "1 us");
}

TEST(TrainingTrace, RefusesTimesThatAreNone) {
  for (const double time : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    StoredTraining training = small_training();
    training.record.tasks[1].start = time;
    EXPECT_THROW(static_cast<void>(trace_json(training)), std::invalid_argument);
  }
}

TEST(TrainingTrace, RefusesToBeEmpty) {
  StoredTraining training = small_training();
  training.record.tasks.clear();
  EXPECT_THROW(static_cast<void>(trace_json(training)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
