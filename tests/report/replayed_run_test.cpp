#include "upsweep/report/replayed_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "support/stored_runs.hpp"

namespace upsweep {
namespace {

using testing::details_of;
using ::testing::HasSubstr;
using testing::makespan_of;

class ReplayedRuns : public testing::StoredRunTest {};

TEST_F(ReplayedRuns, TakeAsLongAsTheRunThatWasStored) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const RunDetails run = random_run(between(1, 3));
    const ReplayedRun replayed = replayed_run(run);
    EXPECT_EQ(static_cast<double>(replayed.timeline.makespan) / static_cast<double>(run.run.inputs), makespan_of(run));
  }
}

TEST_F(ReplayedRuns, AreFoundByTheNameOfTheScheduleWhereTheRequestIsOfAnotherVersion) {
  RunDetails run = random_run(1);
  run.run.requested = "in words of another version";
  EXPECT_EQ(stored_schedule(run).name, run.run.schedule);
}

/// What a run that was changed is refused with; empty where it is not.
std::string refusal(const RunDetails& run) {
  try {
    static_cast<void>(replayed_run(run));
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(ReplayedRunOfEditedRows, SaysWhatDoesNotFit) {
  const RunDetails run = details_of(blelloch_schedule(8), 2, 1, [](std::size_t) { return 2.0; });
  ASSERT_EQ(refusal(run), "");
  RunDetails wrong = run;
  wrong.ops[2].left = 5;
  EXPECT_THAT(refusal(wrong), HasSubstr("op 2 is not that of schedule"));
  wrong = run;
  wrong.ops.erase(wrong.ops.begin() + 3);
  EXPECT_THAT(refusal(wrong), HasSubstr("ops are stored"));
  wrong = run;
  wrong.ops[1].flops = 0x1p62;
  wrong.ops[2].flops = 0x1p62;
  wrong.ops[3].flops = 0x1p62;
  wrong.ops[4].flops = 0x1p62;
  wrong.run.workers = 1;
  EXPECT_THAT(refusal(wrong), HasSubstr("exceeds 64 bits"));
  wrong = run;
  wrong.run.inputs = 0;
  EXPECT_THAT(refusal(wrong), HasSubstr("0 inputs"));
  wrong = run;
  wrong.run.length = std::uint64_t{1} << 60U;
  EXPECT_THAT(refusal(wrong), HasSubstr("elements"));
}

TEST(ReplayedRunOfEditedRows, NamesFileAndRun) {
  StoredRun run;
  run.id = 12;
  run.command = "search";
  run.model = "two\nlines";
  EXPECT_EQ(unfit_run("runs.sqlite", run, "op 2 has -1 FLOPs").what(),
            std::string("runs.sqlite: run 12 (search of two lines) cannot be simulated again: op 2 has -1 FLOPs; "
                        "accepted is a run as upsweep stored it"));
}

/// A scan of unit costs on workers, under an execution.
RunDetails unit_run(std::size_t workers, const char* execution) {
  RunDetails run = details_of(blelloch_schedule(16), workers, 1, [](std::size_t) { return 1.0; });
  run.search.emplace();
  run.search->scope = "all";
  run.search->execution = execution;
  return run;
}

TEST(LongestChain, IsAsLongAsTheRun) {
  for (const char* execution : {"dag", "level"}) {
    for (const std::size_t workers : {1U, 3U, 100U}) {
      SCOPED_TRACE(std::string(execution) + " on " + std::to_string(workers));
      const ReplayedRun run = replayed_run(unit_run(workers, execution));
      EXPECT_EQ(longest_chain(run).size(), run.timeline.makespan)
          << "ops of one FLOP without a gap from the start to the end";
    }
  }
}

TEST(LongestChain, WaitsForWorkersAndForData) {
  // Equal products on one worker wait for the worker, on many for their operands.
  const Schedule schedule = blelloch_schedule(16);
  const std::vector<std::size_t> one = longest_chain(replayed_run(unit_run(1, "dag")));
  EXPECT_EQ(one.size(), schedule.combines.size());
  EXPECT_EQ(one.back(), 0U) << "last first";
  const std::vector<std::size_t> many = longest_chain(replayed_run(unit_run(100, "dag")));
  ASSERT_GT(many.size(), 1U);
  for (std::size_t i = 0; i + 1 < many.size(); ++i) {
    const Combine& combine = schedule.combines[many[i]];
    const ValueId before = schedule.value_of(many[i + 1]);
    EXPECT_TRUE(combine.earlier == before || combine.later == before) << many[i];
  }
}

TEST(ReplayedRun, RunsAsItWasMeasured) {
  RunDetails run = unit_run(100, "dag");
  run.measurements.resize(1);
  run.measurements[0].execution = "level";
  EXPECT_EQ(replayed_run(run).execution, Execution::level);
}

}  // namespace
}  // namespace upsweep
