#include "upsweep/app/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/kept_runs.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_trace_test {
namespace {

using ::testing::HasSubstr;

TEST(TraceRequests, WriteATrace) {
  const KeptRun kept;
  const std::string out = kept.folder.path("trace.json");
  const TraceOutcome outcome = run_quietly(TraceRequest{kept.db, 1, out});
  const std::string text = read_file(out);
  EXPECT_EQ(outcome.bytes, text.size());
  EXPECT_FALSE(nlohmann::json::parse(text)["traceEvents"].empty());
}

TEST(TraceRequests, NameTheFieldThatIsWrong) {
  const KeptRun kept;
  EXPECT_EQ(wrong_field(TraceRequest{kept.db, 1, "trace.txt"}), "out");
  EXPECT_THAT(refusal<InputError>(TraceRequest{kept.db, 7, kept.folder.path("trace.json")}),
              HasSubstr("there is no run 7"));
}

TEST(TraceRequests, CanBeStopped) {
  const KeptRun kept;
  EXPECT_TRUE(is_interrupted(TraceRequest{kept.db, 1, kept.folder.path("trace.json")}));
}

}  // namespace
}  // namespace upsweep::testing::app_trace_test
