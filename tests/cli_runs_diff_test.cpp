#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_runs_diff_test {
namespace {

using ::testing::HasSubstr;

const std::string kLenet = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml";

/// A store with three runs of one model: 1 and 2 alike, 3 with another schedule.
std::string three_runs(const TemporaryFolder& folder) {
  std::string db = folder.path("runs.sqlite");
  for (const char* schedule : {"blelloch", "blelloch", "hybrid:1"})
    EXPECT_EQ(upsweep({"profile", kLenet, "--schedule", schedule, "--db", db}).exit_code, 0);
  return db;
}

bool names(const Json& rows, const std::string& name) {
  return std::any_of(rows.begin(), rows.end(), [&](const Json& row) { return row["name"] == name; });
}

TEST(RunsDiff, SaysThatEqualRunsDoNotDiffer) {
  const TemporaryFolder folder;
  const std::string db = three_runs(folder);
  const Json diff = json_of({"runs", "diff", "1", "2", "--db", db});
  EXPECT_EQ(diff, (Json{{"before", 1},
                        {"after", 2},
                        {"inputs", Json::array()},
                        {"rules", Json::array()},
                        {"figures", Json::array()}}));
  EXPECT_THAT(upsweep({"runs", "diff", "1", "2", "--db", db}).out, HasSubstr("Nothing differs"));
  EXPECT_EQ(upsweep({"runs", "diff", "1", "2", "--db", db, "--format", "csv"}).out, "kind,name,before,after,ratio\r\n");
}

TEST(RunsDiff, NamesTheInputThatMovedTheFigures) {
  const TemporaryFolder folder;
  const std::string db = three_runs(folder);
  const Json diff = json_of({"runs", "diff", "1", "3", "--db", db});
  EXPECT_TRUE(names(diff["inputs"], "schedule")) << diff["inputs"];
  EXPECT_TRUE(diff["rules"].empty()) << diff["rules"];
  EXPECT_TRUE(names(diff["figures"], "flops")) << "a scan cut after one level has other products";
  EXPECT_THAT(upsweep({"runs", "diff", "1", "3", "--db", db}).out, HasSubstr("Figures moved because"));
  const Json back = json_of({"runs", "diff", "3", "1", "--db", db});
  EXPECT_EQ(back["figures"].size(), diff["figures"].size());
  EXPECT_EQ(back["figures"][0]["before"], diff["figures"][0]["after"]);
}

TEST(RunsDiff, RefusesRunsThatAreNotThere) {
  const TemporaryFolder folder;
  const std::string db = three_runs(folder);
  const Finished missing = upsweep({"runs", "diff", "1", "9", "--db", db});
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_THAT(missing.err, HasSubstr("9"));
  EXPECT_THAT(missing.err, HasSubstr(db));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"runs", "diff"}, {"runs", "diff", "1"}, {"runs", "diff", "x", "1"}}) {
    const Finished run = upsweep(wrong);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("\nusage: upsweep runs [list | show ID | delete ID | diff A B]"));
  }
}

}  // namespace
}  // namespace upsweep::testing::cli_runs_diff_test
