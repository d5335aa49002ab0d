#include "upsweep/trace/trace.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <stdexcept>

#include "support/random.hpp"
#include "support/schedules.hpp"
#include "trace/read_trace.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/request.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {
namespace {

using testing::most;
using testing::nanoseconds;
using testing::ReadTrace;
using testing::running_at;
using testing::Slice;
using testing::TraceJson;
using testing::value_at;

/// What a store would hand out of a profile.
RunDetails details_of(const ScheduleProfile& profile, std::size_t workers, Execution execution) {
  const PramProfile pram = pram_profile(profile, workers);
  const auto mean = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(profile.inputs); };
  RunDetails details;
  StoredRun& run = details.run;
  run.id = 7;
  run.model = "random chain";
  run.inputs = profile.inputs;
  run.requested = run.schedule = profile.schedule.name;
  run.length = profile.schedule.length;
  run.levels = profile.schedule.levels;
  run.workers = workers;
  run.ops = profile.ops.size();
  run.makespan_level_flops = mean(pram.level.flops);
  run.makespan_dag_flops = mean(pram.dag.flops);
  run.peak_live_bytes = mean(pram.peak_live_bytes);
  details.search = StoredSearch{};
  details.search->execution = to_string(execution);
  for (std::size_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    details.levels.push_back({static_cast<std::uint32_t>(level), to_string(mine.phase), mine.ops, mean(mine.flops_sum),
                              mean(mine.flops_max)});
  }
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const Combine& combine = profile.schedule.combines[id];
    details.ops.push_back({static_cast<std::uint32_t>(id), combine.level, combine.left, combine.right, combine.target,
                           op.is_mv, op.dead, op.m, op.k, op.n, mean(op.left_nnz), mean(op.right_nnz), mean(op.nnz),
                           mean(op.flops), mean(op.bytes)});
  }
  return details;
}

class TraceTest : public testing::SeededTest {
 protected:
  JacobianChain random_chain(std::size_t links, double density) {
    JacobianChain chain;
    chain.gradient_length = between(1, 12);
    std::uint64_t size = chain.gradient_length;
    for (std::size_t i = 0; i < links; ++i) {
      const auto rows = static_cast<Index>(between(1, 12));
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(rows, static_cast<Index>(size), density)));
      size = rows;
    }
    return chain;
  }

  /// A schedule of a random kind, over a random chain at `inputs` inputs; some products are empty.
  ScheduleProfile random_profile(std::size_t inputs) {
    const std::size_t length = between(3, 40);
    std::vector<Schedule> all = testing::schemes(length);
    for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) all.push_back(hybrid_schedule(length, depth));
    Schedule schedule = all[between(0, all.size() - 1)];
    JacobianChain shape = random_chain(length - 1, 1);
    const double density = chance(0.3) ? 0.05 : 0.4;
    const unsigned value_bytes = chance(0.5) ? 4 : 8;
    const auto at = [&](std::size_t) {
      JacobianChain chain = shape;
      for (auto& jacobian : chain.jacobians)
        jacobian = std::make_shared<Pattern>(random_pattern(jacobian->rows(), jacobian->cols(), density));
      return chain;
    };
    return profile_schedules({schedule}, inputs, at, value_bytes).front();
  }

  RunDetails random_run(std::size_t inputs) {
    const ScheduleProfile profile = random_profile(inputs);
    return details_of(profile, between(1, 6), chance(0.5) ? Execution::level : Execution::dag);
  }
};

double makespan_of(const RunDetails& run) {
  return run.search->execution == "level" ? run.run.makespan_level_flops : run.run.makespan_dag_flops;
}

TEST_F(TraceTest, EventsOfATrackAreSortedAndDoNotOverlap) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const ReadTrace trace(trace_json(random_run(between(1, 3))));
    for (const auto& [track, slices] : trace.tracks) {
      ASSERT_TRUE(trace.names.contains(track));
      for (std::size_t i = 1; i < slices.size(); ++i)
        EXPECT_LE(slices[i - 1].end, slices[i].start) << trace.names.at(track) << ", event " << i;
    }
  }
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
    EXPECT_EQ(flops.size(), run.ops.size());
    for (const StoredOp& op : run.ops) EXPECT_EQ(flops.at(static_cast<int>(op.id)), op.flops);
    EXPECT_EQ(static_cast<double>(end), 1000 * makespan_of(run));
    EXPECT_EQ(trace.other.at("makespan_flops").get<double>(), makespan_of(run));
    EXPECT_LE(trace.workers().size(), run.run.workers);
  }
}

TEST_F(TraceTest, LiveBytesByLevelPeakAtThePeakOfTheRun) {
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::uint64_t inputs = between(1, 3);
    const RunDetails run = details_of(random_profile(inputs), between(1, 6), Execution::level);
    const ReadTrace trace(trace_json(run));
    EXPECT_EQ(most(trace.counters.at("live bytes")), run.run.peak_live_bytes);
  }
}

TEST_F(TraceTest, LiveBytesOfPlainBackPropagationHaveOnePeakByTimeAndByLevel) {
  // One op per level on one worker: both rules say the same but for ops that take no time.
  for (int repeat = 0; repeat < 20; ++repeat) {
    const JacobianChain chain = random_chain(between(2, 30), 1);
    const ScheduleProfile profile = profile_schedules({linear_schedule(chain.jacobians.size() + 1)}, chain, 4).front();
    const RunDetails run = details_of(profile, 1, Execution::dag);
    EXPECT_EQ(most(ReadTrace(trace_json(run)).counters.at("live bytes")), run.run.peak_live_bytes);
  }
}

TEST_F(TraceTest, OpsWaitOnlyWhileAllWorkersAreBusy) {
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
    for (const StoredOp& op : run.ops) flops += op.flops;
    EXPECT_EQ(work, flops);
    EXPECT_EQ(busy.back().second, 0);
    for (const auto& [at, waiting] : ready) {
      EXPECT_GE(waiting, 0);
      EXPECT_TRUE(waiting == 0 || value_at(busy, at) == static_cast<double>(run.run.workers)) << "at " << at;
    }
  }
}

TEST_F(TraceTest, ArrowsGoForwardFromTheOpsThatMakeOperandsToThoseThatReadThem) {
  for (int repeat = 0; repeat < 40; ++repeat) {
    const RunDetails run = random_run(1);
    const ReadTrace trace(trace_json(run));
    const Schedule schedule = make_schedule(parse_schedule(run.run.requested), run.run.length);
    std::size_t expected = 0;
    for (std::size_t id = 0; id < run.ops.size(); ++id) {
      for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
        if (operand < schedule.length) continue;
        expected += run.ops[id].flops > 0 && run.ops[operand - schedule.length].flops > 0 ? 1U : 0U;
      }
    }
    EXPECT_EQ(trace.arrows.size(), expected);
    for (const auto& [id, arrow] : trace.arrows) {
      const auto& [from, to] = arrow;
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

TEST_F(TraceTest, CriticalOpsAddUpToTheCriticalPath) {
  for (int repeat = 0; repeat < 30; ++repeat) {
    const ScheduleProfile profile = random_profile(1);
    const Totals sums = totals(profile, Scope::all);
    const ReadTrace by_level(trace_json(details_of(profile, 2, Execution::level)));
    const ReadTrace by_time(trace_json(details_of(profile, profile.ops.size(), Execution::dag)));
    std::uint64_t level_path = 0;
    for (std::size_t id = 0; id < profile.ops.size(); ++id) {
      if (by_level.op(static_cast<int>(id))->args.at("critical")) level_path += profile.ops[id].flops;
    }
    EXPECT_EQ(level_path, sums.critical_path_level);
    // With a worker per op, what is critical runs without a gap from the start to the end.
    std::uint64_t covered = 0;
    for (bool is_longer = true; is_longer;) {
      is_longer = false;
      for (const auto& [track, slices] : by_time.tracks) {
        for (const Slice& slice : slices) {
          if (!slice.args.at("critical") || slice.start > covered || slice.end <= covered) continue;
          covered = slice.end;
          is_longer = true;
        }
      }
    }
    EXPECT_EQ(covered, 1000 * sums.critical_path_dag);
  }
}

TEST_F(TraceTest, NamesOfUsersStayText) {
  for (const std::string& name :
       {std::string("\"}],\"traceEvents\":[{"), std::string("a\nb\t\x01<script>&\\"), std::string("\xff\xfe not UTF-8"),
        std::string("\0zero", 5), std::string(100'000, '"')}) {
    RunDetails run = random_run(1);
    run.run.model = name;
    run.run.schedule = name;
    const TraceJson trace = TraceJson::parse(trace_json(run));
    const TraceJson& process = trace.at("traceEvents").front();
    ASSERT_EQ(process.at("name"), "process_name");
    const std::string seen = trace.at("otherData").at("model");
    EXPECT_TRUE(seen == name || name[0] == '\xff');
    EXPECT_THAT(process.at("args").at("name").get<std::string>(), ::testing::StartsWith(seen));
  }
}

TEST(Trace, WritesTimesExactlyWhereDoublesWouldNot) {
  // A chain of 1 x 1 matrices with made-up FLOPs: the second op ends at 2^53 + 1.
  const std::vector<double> flops = {0x1p53 - 1, 2};
  RunDetails run;
  run.run.requested = run.run.schedule = "linear";
  run.run.length = 4;
  run.run.workers = 1;
  for (std::uint32_t id = 0; id < 2; ++id)
    run.ops.push_back({id, id, -1, id + 1, -1, true, false, 1, 1, 1, 1, 1, 1, flops[id], 4});
  const Schedule schedule = linear_schedule(4);
  for (std::uint32_t id = 0; id < 2; ++id) {
    run.ops[id].left = schedule.combines[id].left;
    run.ops[id].right = schedule.combines[id].right;
    run.ops[id].target = schedule.combines[id].target;
  }
  EXPECT_THAT(trace_json(run), ::testing::HasSubstr("\"ts\":9007199254740993,"));
  // Beyond what readers can count in nanoseconds a microsecond is more FLOPs.
  run.ops[1].flops = 0x1p62;
  const ReadTrace trace(trace_json(run));
  EXPECT_EQ(trace.other.at("microsecond"), "1000 FLOPs");
  EXPECT_THAT(trace_json(run), ::testing::HasSubstr("\"ts\":9007199254740.991,\"dur\":4611686018427387.904,"));
}

TEST(Trace, RefusesOpsThatAreNotThoseOfTheSchedule) {
  const Schedule schedule = blelloch_schedule(8);
  RunDetails run;
  run.run.requested = "blelloch";
  run.run.length = 8;
  run.run.workers = 2;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    run.ops.push_back({static_cast<std::uint32_t>(id), combine.level, combine.left, combine.right, combine.target,
                       combine.earlier == 0, false, 1, 1, 1, 1, 1, 1, 2, 4});
  }
  const auto is_refused = [](const RunDetails& wrong) {
    EXPECT_THROW(static_cast<void>(trace_json(wrong)), std::invalid_argument);
  };
  ASSERT_NO_THROW(static_cast<void>(trace_json(run)));
  for (const double flops : {-1.0, std::nan(""), 1e300}) {
    RunDetails wrong = run;
    wrong.ops[1].flops = flops;
    is_refused(wrong);
  }
  RunDetails wrong = run;
  wrong.ops[2].target += 1;
  is_refused(wrong);
  wrong = run;
  wrong.ops.pop_back();
  is_refused(wrong);
  wrong = run;
  wrong.run.requested = "no such schedule";
  is_refused(wrong);
  wrong = run;
  wrong.run.length = std::uint64_t{1} << 60U;
  is_refused(wrong);
  wrong = run;
  wrong.run.workers = 0;
  is_refused(wrong);
}

TEST(Trace, WithoutOpsHasTheMemoryOfTheGradient) {
  RunDetails run;
  run.run.requested = run.run.schedule = "linear";
  run.run.length = 2;
  run.run.peak_live_bytes = 40;
  const ReadTrace trace(trace_json(run));
  EXPECT_TRUE(trace.tracks.empty());
  EXPECT_EQ(most(trace.counters.at("live bytes")), 40);
}

TEST(Trace, OfManyOpsHasNoArrowsAndSaysSo) {
  const Schedule schedule = blelloch_schedule(60'000);
  RunDetails run;
  run.run.requested = run.run.schedule = "blelloch";
  run.run.length = 60'000;
  run.run.workers = 64;
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    run.ops.push_back({static_cast<std::uint32_t>(id), combine.level, combine.left, combine.right, combine.target,
                       combine.earlier == 0, false, 8, 8, 8, 8, 8, 8, static_cast<double>(id % 7 * 1000), 32});
  }
  ASSERT_GT(run.ops.size(), 100'000U);
  const auto before = std::chrono::steady_clock::now();
  const std::string text = trace_json(run);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
  RecordProperty("seconds", std::to_string(seconds.count()));
  RecordProperty("bytes", std::to_string(text.size()));
  ASSERT_TRUE(TraceJson::accept(text));
  std::size_t ops = 0;
  for (std::size_t at = text.find("\"ph\":\"X\""); at != std::string::npos; at = text.find("\"ph\":\"X\"", at + 1))
    ++ops;
  EXPECT_EQ(ops, run.ops.size());
  EXPECT_EQ(text.find("\"ph\":\"s\""), std::string::npos);
  EXPECT_THAT(text.substr(0, 2000), ::testing::HasSubstr("No arrows: more than 5000 ops."));
}

}  // namespace
}  // namespace upsweep
