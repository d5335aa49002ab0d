#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/stored_runs.hpp"
#include "trace/read_trace.hpp"
#include "upsweep/trace/trace.hpp"

namespace upsweep {
namespace {

using testing::details_of;
using testing::ReadTrace;
using testing::TraceJson;

class TraceFile : public testing::StoredRunTest {};

TEST_F(TraceFile, NamesOfUsersStayText) {
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
    const std::string title = process.at("args").at("name");
    EXPECT_THAT(title, ::testing::HasSubstr(" execution on "));
    EXPECT_LT(title.size(), 500U) << "a track's head has little room";
  }
}

TEST(TraceTimes, WritesTimesExactlyWhereDoublesWouldNot) {
  // A chain of 1 x 1 matrices with made-up FLOPs: the second op ends at 2^53 + 1.
  const std::vector<double> flops = {0x1p53 - 1, 2};
  RunDetails run = details_of(linear_schedule(4), 1, 1, [&](std::size_t id) { return flops[id]; });
  EXPECT_THAT(trace_json(run), ::testing::HasSubstr("\"ts\":9007199254740993,"));
  // Beyond what readers can count in nanoseconds a microsecond is more FLOPs.
  run.ops[1].flops = 0x1p62;
  const ReadTrace trace(trace_json(run));
  EXPECT_EQ(trace.other.at("microsecond"), "1000 FLOPs");
  EXPECT_THAT(trace_json(run), ::testing::HasSubstr("\"ts\":9007199254740.991,\"dur\":4611686018427387.904,"));
}

TEST(TraceOfEditedRows, RefusesOpsThatAreNotThoseOfTheSchedule) {
  const RunDetails run = details_of(blelloch_schedule(8), 2, 1, [](std::size_t) { return 2.0; });
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
  wrong.run.requested = wrong.run.schedule = "no such schedule";
  is_refused(wrong);
  wrong = run;
  wrong.run.length = std::uint64_t{1} << 60U;
  is_refused(wrong);
  wrong = run;
  wrong.run.workers = 0;
  is_refused(wrong);
  wrong = run;
  wrong.ops.clear();
  wrong.run.length = 2;
  is_refused(wrong);
}

TEST(TraceOfManyOps, HasNoArrowsAndSaysSo) {
  const RunDetails run =
      details_of(blelloch_schedule(60'000), 64, 8, [](std::size_t id) { return static_cast<double>(id % 7 * 1000); });
  ASSERT_GT(run.ops.size(), 100'000U);
  const std::string text = trace_json(run);
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
