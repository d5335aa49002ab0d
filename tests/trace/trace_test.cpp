#include "upsweep/trace/trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "support/stored_runs.hpp"
#include "trace/read_trace.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

using testing::details_of;
using testing::makespan_of;
using testing::nanoseconds;
using testing::nesting_fault;
using testing::ReadTrace;
using testing::running_at;
using testing::runs_op;
using testing::Slice;

class TraceTest : public testing::StoredRunTest {};

TEST_F(TraceTest, EventsOfATrackAreStrictlyNested) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const ReadTrace trace(trace_json(random_run(between(1, 3))));
    for (const auto& [track, slices] : trace.tracks) {
      ASSERT_TRUE(trace.names.contains(track));
      EXPECT_EQ(nesting_fault(slices), "") << trace.names.at(track);
    }
  }
}

TEST_F(TraceTest, AWorkerDoesOneOpAtATime) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const ReadTrace trace(trace_json(random_run(between(1, 3))));
    for (const auto& [track, slices] : trace.workers()) {
      for (std::size_t i = 1; i < slices.size(); ++i)
        EXPECT_LE(slices[i - 1].end, slices[i].start) << trace.names.at(track) << ", event " << i;
    }
  }
}

TEST(ReadTraceCheck, FindsEventsThatAreNotNested) {
  EXPECT_EQ(nesting_fault({{0, 10, {}}, {2, 5, {}}, {5, 10, {}}, {10, 10, {}}, {10, 12, {}}}), "");
  EXPECT_NE(nesting_fault({{0, 10, {}}, {5, 11, {}}}), "");
  EXPECT_NE(nesting_fault({{3, 4, {}}, {1, 2, {}}}), "");
}

TEST_F(TraceTest, EveryOpRunsOnceForItsFlopsAndTheTraceEndsWithTheMakespan) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const RunDetails run = random_run(between(0, 1) == 0 ? 1 : 4);  // means over 4 inputs are exact in nanoseconds
    const ReadTrace trace(trace_json(run));
    std::map<int, double> flops;
    std::uint64_t end = 0;
    for (const auto& [track, slices] : trace.workers()) {
      for (const Slice& slice : slices) {
        EXPECT_TRUE(flops.emplace(slice.args.at("op"), slice.args.at("flops")).second);
        EXPECT_EQ(static_cast<double>(slice.end - slice.start), 1000 * slice.args.at("flops").get<double>());
        end = std::max(end, slice.end);
      }
    }
    std::size_t expected = 0;
    for (const StoredOp& op : run.ops) {
      if (!runs_op(run, op)) continue;
      ++expected;
      EXPECT_EQ(flops.at(static_cast<int>(op.id)), op.flops);
    }
    EXPECT_EQ(flops.size(), expected);
    EXPECT_EQ(static_cast<double>(end), 1000 * makespan_of(run));
    EXPECT_EQ(trace.other.at("makespan_flops").get<double>(), makespan_of(run));
    EXPECT_LE(trace.workers().size(), run.run.workers);
  }
}

TEST_F(TraceTest, WhatIsNoWholeNumberOfTicksStandsBesideThemExactly) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    const RunDetails run = random_run(3);
    const ReadTrace trace(trace_json(run));
    double last = 0;
    for (const auto& [track, slices] : trace.workers()) {
      for (const Slice& slice : slices) {
        const double start = slice.args.at("start_flops");
        const double end = slice.args.at("end_flops");
        EXPECT_EQ(std::llround(3 * end) - std::llround(3 * start),
                  std::llround(3 * slice.args.at("flops").get<double>()));
        EXPECT_EQ(start, static_cast<double>(std::llround(3 * start)) / 3) << "the nearest double of a mean over 3";
        EXPECT_NEAR(static_cast<double>(slice.start), 1000 * start, 0.5 + 1e-9) << "to the nearest, not down";
        EXPECT_NEAR(static_cast<double>(slice.end), 1000 * end, 0.5 + 1e-9);
        last = std::max(last, end);
      }
    }
    EXPECT_EQ(last, makespan_of(run));
  }
  EXPECT_FALSE(ReadTrace(trace_json(random_run(1))).op(0)->args.contains("start_flops"));
}

TEST_F(TraceTest, ArrowsGoForwardFromTheOpsThatMakeOperandsToThoseThatReadThem) {
  for (int repeat = 0; repeat < 40; ++repeat) {
    const RunDetails run = random_run(1);
    const ReadTrace trace(trace_json(run));
    const Schedule schedule = make_schedule(parse_schedule(run.run.requested), run.run.length);
    const auto takes_time = [&](const StoredOp& op) { return runs_op(run, op) && op.flops > 0; };
    std::size_t expected = 0;
    for (std::size_t id = 0; id < run.ops.size(); ++id) {
      for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
        if (operand < schedule.length) continue;
        expected += takes_time(run.ops[id]) && takes_time(run.ops[operand - schedule.length]) ? 1U : 0U;
      }
    }
    EXPECT_EQ(trace.arrows.size(), expected);
    for (const auto& [id, arrow] : trace.arrows) {
      const auto& [from, to] = arrow;
      ASSERT_FALSE(from.is_null()) << "an arrow without a start";
      ASSERT_FALSE(to.is_null()) << "an arrow without an end";
      EXPECT_LT(from.at("ts").get<double>(), to.at("ts").get<double>());
      const Slice* producer = running_at(trace.tracks.at(from.at("tid")), nanoseconds(from.at("ts")));
      const Slice* consumer = running_at(trace.tracks.at(to.at("tid")), nanoseconds(to.at("ts")));
      ASSERT_TRUE(producer != nullptr && consumer != nullptr);
      const Combine& combine = schedule.combines[consumer->args.at("op")];
      const ValueId value = schedule.value_of(producer->args.at("op"));
      EXPECT_TRUE(combine.earlier == value || combine.later == value);
    }
  }
}

TEST_F(TraceTest, LevelsFollowEachOtherAndCoverTheirOps) {
  const RunDetails run = details_of(random_profile(1), 3, Execution::level);
  const ReadTrace trace(trace_json(run));
  std::vector<Slice> levels;
  for (const auto& [track, slices] : trace.tracks)
    if (trace.names.at(track) == "levels") levels = slices;
  ASSERT_EQ(levels.size(), run.run.levels);
  for (std::size_t level = 1; level < levels.size(); ++level) EXPECT_EQ(levels[level].start, levels[level - 1].end);
  for (const auto& [track, slices] : trace.workers()) {
    for (const Slice& slice : slices) {
      const Slice& level = levels.at(slice.args.at("level"));
      EXPECT_TRUE(level.start <= slice.start && slice.end <= level.end);
    }
  }
}

/// Ops on the chain, by start.
std::vector<Slice> chain_of(const ReadTrace& trace) {
  std::vector<Slice> chain;
  for (const auto& [track, slices] : trace.workers()) {
    for (const Slice& slice : slices)
      if (slice.args.at("on_longest_chain")) chain.push_back(slice);
  }
  std::sort(chain.begin(), chain.end(),
            [](const Slice& a, const Slice& b) { return std::pair(a.start, a.end) < std::pair(b.start, b.end); });
  return chain;
}

TEST_F(TraceTest, TheLongestChainHasNoGapFromTheStartToTheEnd) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const RunDetails run = random_run(1);
    const ReadTrace trace(trace_json(run));
    std::uint64_t reached = 0;
    for (const Slice& slice : chain_of(trace)) {
      EXPECT_EQ(slice.start, reached);
      reached = slice.end;
    }
    EXPECT_EQ(static_cast<double>(reached), 1000 * makespan_of(run));
  }
}

TEST_F(TraceTest, WithAWorkerPerOpTheLongestChainIsThatOfTheDependencies) {
  for (int repeat = 0; repeat < 30; ++repeat) {
    const ScheduleProfile profile = random_profile(1);
    std::uint64_t flops = 0;
    for (const Slice& slice : chain_of(ReadTrace(trace_json(details_of(profile, profile.ops.size(), Execution::dag)))))
      flops += slice.args.at("flops").get<std::uint64_t>();
    EXPECT_EQ(flops, totals(profile, Scope::all).critical_path_dag);
  }
}

}  // namespace
}  // namespace upsweep
