#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/stored_runs.hpp"
#include "trace/read_trace.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/trace/trace.hpp"

namespace upsweep {
namespace {

using testing::details_of;
using testing::makespan_of;
using testing::most;
using testing::ReadTrace;
using testing::runs_op;
using testing::value_at;

class TraceCounters : public testing::StoredRunTest {};

TEST_F(TraceCounters, LiveBytesByLevelPeakAtThePeakOfTheRun) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::uint64_t inputs = between(1, 3);
    const RunDetails run =
        details_of(random_profile(inputs), between(1, 6), Execution::level, chance(0.5) ? Scope::live : Scope::all);
    const ReadTrace trace(trace_json(run));
    EXPECT_EQ(most(trace.counters.at("live bytes")), run.run.peak_live_bytes);
  }
}

TEST_F(TraceCounters, LiveBytesOfPlainBackPropagationHaveOnePeakByTimeAndByLevel) {
  // One op per level on one worker: both rules say the same but for ops that take no time.
  for (int repeat = 0; repeat < 20; ++repeat) {
    const JacobianChain chain = random_chain(between(2, 30), 1);
    const ScheduleProfile profile = profile_schedules({linear_schedule(chain.jacobians.size() + 1)}, chain, 4).front();
    const RunDetails run = details_of(profile, 1, Execution::dag);
    EXPECT_EQ(most(ReadTrace(trace_json(run)).counters.at("live bytes")), run.run.peak_live_bytes);
  }
}

TEST_F(TraceCounters, OpsWaitOnlyWhileAllWorkersAreBusy) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const RunDetails run = random_run(1);
    const ReadTrace trace(trace_json(run));
    const auto& busy = trace.counters.at("busy workers");
    const auto& ready = trace.counters.at("ready ops");
    double work = 0;
    for (std::size_t i = 0; i < busy.size(); ++i) {
      EXPECT_LE(busy[i].second, static_cast<double>(run.run.workers));
      if (i + 1 < busy.size()) work += busy[i].second * static_cast<double>(busy[i + 1].first - busy[i].first) / 1000;
    }
    double flops = 0;
    for (const StoredOp& op : run.ops)
      if (runs_op(run, op)) flops += op.flops;
    EXPECT_EQ(work, flops);
    EXPECT_EQ(busy.back().second, 0);
    for (const auto& [at, waiting] : ready) {
      EXPECT_GE(waiting, 0);
      EXPECT_TRUE(waiting == 0 || value_at(busy, at) == static_cast<double>(run.run.workers)) << "at " << at;
    }
  }
}

TEST_F(TraceCounters, InTheEndTheResultsRemainInMemory) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const RunDetails run = random_run(1);
    const Schedule schedule = make_schedule(parse_schedule(run.run.requested), run.run.length);
    // a[0], of which another op makes the gradient before it, and the vectors that results stand for.
    double bytes = 0;
    for (const StoredOp& op : run.ops) {
      const Combine& combine = schedule.combines[op.id];
      const bool is_result = std::count(schedule.results.begin(), schedule.results.end(), schedule.value_of(op.id)) > 0;
      if (is_result) bytes += op.bytes;
      if (is_result && combine.earlier == 0 && combine.later == 1)
        bytes += op.bytes / static_cast<double>(op.m) * static_cast<double>(op.k);
    }
    const ReadTrace trace(trace_json(run));
    const auto& live = trace.counters.at("live bytes");
    EXPECT_EQ(live.back().second, bytes) << run.run.schedule << ", " << run.search->execution;
    EXPECT_LE(static_cast<double>(live.back().first), 1000 * makespan_of(run));
  }
}

}  // namespace
}  // namespace upsweep
