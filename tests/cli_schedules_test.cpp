#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_schedules_test {
namespace {

using ::testing::HasSubstr;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";
const std::string kLenet = kModels + "lenet5.yaml";
const std::string kUnitPram = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/pram-unit.yaml";

TEST(DirectSchedules, AreProfiledByName) {
  for (const std::string name :
       {"kogge-stone", "sklansky", "brent-kung", "recursive-doubling", "cyclic-reduction", "blocked:4"}) {
    const Json profile = json_of({"profile", kLenet, "--schedule", name, "--workers", "3"});
    EXPECT_EQ(profile["schedule"]["name"], name);
    EXPECT_EQ(profile["schedule"]["requested"], name);
    EXPECT_TRUE(profile["schedule"]["depth"].is_null()) << name;
    EXPECT_EQ(profile["totals"]["all"], profile["totals"]["live"]) << "no dead op";
    EXPECT_EQ(profile["pram"]["work"], profile["totals"]["all"]["ops"]);
    long vectors = 0;
    for (const Json& op : profile["ops"]) vectors += op["kind"] == "mv" ? 1 : 0;
    EXPECT_EQ(vectors, 10) << "n - 1";
    EXPECT_THAT(upsweep({"profile", kLenet, "--schedule", name}).out, HasSubstr("Schedule " + name + " over 12"));
  }
  const Json substitution = json_of({"profile", kLenet, "--schedule", "substitution"});
  EXPECT_EQ(substitution["schedule"]["name"], "linear");
  EXPECT_EQ(substitution["schedule"]["requested"], "substitution");
  EXPECT_EQ(substitution["schedule"]["depth"], 0);
  EXPECT_EQ(json_of({"profile", kLenet, "--schedule", "blocked:99"})["schedule"]["name"], "blocked:11");
}

TEST(SearchSchemes, StandBesideTheDepths) {
  const Json all = json_of({"search", kLenet, "--workers", "8", "--execution", "level"});
  const Json hybrid = json_of({"search", kLenet, "--workers", "8", "--execution", "level", "--schemes", "hybrid"});
  EXPECT_EQ(all["candidates"], hybrid["candidates"]);
  EXPECT_EQ(all["best"], hybrid["best"]);
  EXPECT_EQ(all["margin"], hybrid["margin"]);
  EXPECT_TRUE(hybrid["schemes"].empty());
  EXPECT_EQ(hybrid["best_scheme"], hybrid["best"]);
  std::set<std::string> names;
  for (const Json& scheme : all["schemes"]) {
    names.insert(scheme["schedule"]);
    EXPECT_TRUE(scheme["depth"].is_null());
    EXPECT_TRUE(has_keys(all["candidates"][0], {"score", "makespan", "same_as"}));
    for (const auto& [key, value] : all["candidates"][0].items()) EXPECT_TRUE(scheme.contains(key)) << key;
    EXPECT_GE(scheme["score"], all["best_scheme"]["score"]);
  }
  EXPECT_EQ(names, (std::set<std::string>{"kogge-stone", "sklansky", "brent-kung", "recursive-doubling",
                                          "cyclic-reduction", "blocked:4", "blocked:8", "blocked:9"}));
  EXPECT_TRUE(all["scheme_margin"].is_number());
}

TEST(SearchSchemes, FollowTheDepthsInTableAndCsv) {
  const Finished text = upsweep({"search", kLenet, "--workers", "8"});
  EXPECT_THAT(text.out, HasSubstr("depth or scheme"));
  EXPECT_THAT(text.out, HasSubstr("No other scheme does better than depth 0 (linear), as fast as plain BP."));
  const Finished csv = upsweep({"search", kLenet, "--workers", "8", "--format", "csv"});
  EXPECT_EQ(lines(csv.out), 1 + 4 + 8);
  EXPECT_THAT(csv.out, HasSubstr("\nkogge-stone,,true,"));
  EXPECT_THAT(upsweep({"search", kLenet, "--schemes", "hybrid"}).out, Not(HasSubstr("scheme")));
}

TEST(SearchSchemes, AreNamedWhereTheyAreTheBest) {
  // Where every op takes a second, the fewest levels win.
  const std::vector<std::string> command = {"search", kLenet, "--machine", kUnitPram, "--workers", "11"};
  const Json search = json_of(command);
  EXPECT_EQ(search["best_scheme"]["schedule"], "kogge-stone");
  EXPECT_EQ(search["best_scheme"]["score"], 4) << "ceil(log2 11) levels";
  EXPECT_EQ(search["best"]["schedule"], "hybrid:2");
  EXPECT_THAT(upsweep(command).out,
              HasSubstr("Best of all: kogge-stone with 4.000 s, 2.500x faster than plain BP; latency binds; the best "
                        "depth is 2 with 5.000 s, 25 % more.\n"));
}

TEST(SearchSchemes, CanPayWhereNoDepthThatFitsDoes) {
  const std::string text =
      upsweep({"search", kLenet, "--machine", kUnitPram, "--workers", "11", "--memory", "6MiB"}).out;
  EXPECT_THAT(text, HasSubstr("\nBest of all: cyclic-reduction with "));
  EXPECT_THAT(text, ::testing::ContainsRegex(": cyclic-reduction is [0-9.]+x faster than plain BP"));
  EXPECT_THAT(text, HasSubstr("the scan pays"));
}

TEST(SearchSchemes, AreStoredAsRunsWithTheBestDepthAndTheBestOfAll) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  ASSERT_EQ(upsweep({"search", kLenet, "--machine", kUnitPram, "--workers", "11", "--db", db}).exit_code, 0);
  const Json runs = json_of({"runs", "--db", db});
  EXPECT_GT(runs.size(), 4U + 6U);
  for (const Json& run : runs) {
    const auto schedule = run["schedule"].get<std::string>();
    EXPECT_EQ(run["best"], schedule == "hybrid:2" ? 1 : 0) << schedule;
    EXPECT_EQ(run["best_of_all"], schedule == "kogge-stone" ? 1 : 0) << schedule;
    EXPECT_EQ(run["depth"].is_null(), schedule != "linear" && !schedule.starts_with("hybrid:")) << schedule;
    const Json shown = json_of({"runs", "show", std::to_string(run["id"].get<long>()), "--db", db});
    EXPECT_EQ(shown["depth"], run["depth"]) << schedule;
  }
}

TEST(ValidateSchedules, ProvesEveryScheduleOfLenetRight) {
  const Json report =
      json_of({"validate", kLenet, "--machine", kUnitPram, "--backend", "cpu", "--workers", "1", "--all-schedules"});
  ASSERT_EQ(report["schedules"].size(), 4U + 6U);
  for (const Json& one : report["schedules"]) {
    EXPECT_TRUE(one["skipped"].is_null() && one["failed"].is_null() && one["mismatch"].is_null()) << one["schedule"];
    EXPECT_EQ(one["depth"].is_null(), one["schedule"] != "linear" && one["schedule"].get<std::string>()[0] != 'h');
  }
}

TEST(Schedules, ThatNobodyKnowsAreRefusedWithTheList) {
  for (const std::string command : {"profile", "validate"}) {
    const Finished run = upsweep({command, "/nonexistent.yaml", "--schedule", "kogge"});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("kogge-stone, sklansky, brent-kung, recursive-doubling, cyclic-reduction"));
  }
  EXPECT_EQ(upsweep({"validate", kLenet, "--all-depths", "--all-schedules"}).exit_code, 2);
  EXPECT_EQ(upsweep({"search", kLenet, "--schemes", "some"}).exit_code, 2);
}

}  // namespace
}  // namespace upsweep::testing::cli_schedules_test
