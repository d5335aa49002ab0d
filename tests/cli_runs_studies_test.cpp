#include <gmock/gmock.h>

#include <filesystem>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing {
namespace {

using ::testing::HasSubstr;

/// A store with a run and a study of four points.
std::string run_and_study(const TemporaryFolder& folder) {
  std::string db = folder.path("runs.sqlite");
  const std::string lenet = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml";
  EXPECT_EQ(upsweep({"profile", lenet, "--db", db}).exit_code, 0);
  const std::string study = folder.write("s.yaml",
                                         "name: lengths\nbase:\n  model: {name: c, chain: {length: 8, size: 4, kind: "
                                         "dense}}\naxes:\n  - {path: workers, values: [1, 2, 4, 8]}\n"
                                         "questions:\n  - best\n");
  const Finished run = upsweep({"study", study, "--db", db});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return db;
}

// The best of all has one product in sequence for each doubling; no depth has so few.
TEST(RunsList, ShowsTheBestOfAllSchedulesOfASearch) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string lenet = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml";
  const Json found = json_of({"search", lenet, "--machine", "pram-unit", "--workers", "11", "--db", db});
  const auto best = found["best_scheme"]["schedule"].get<std::string>();
  ASSERT_NE(best, found["best"]["schedule"]);
  const std::string listed = upsweep({"runs", "--db", db}).out;
  EXPECT_THAT(listed, HasSubstr(" " + best + " "));
  EXPECT_THAT(listed, HasSubstr("best of "));
  EXPECT_EQ(listed.find(" " + found["best"]["schedule"].get<std::string>() + " "), std::string::npos) << listed;
}

TEST(RunsStudies, AreListedShownAndDeleted) {
  const TemporaryFolder folder;
  const std::string db = run_and_study(folder);
  EXPECT_EQ(json_of({"runs", "--db", db}).size(), 1U);
  const Json studies = json_of({"runs", "--studies", "--db", db});
  ASSERT_EQ(studies.size(), 1U);
  EXPECT_EQ(studies[0]["name"], "lengths");
  EXPECT_EQ(studies[0]["points"], 4);
  const std::string csv = upsweep({"runs", "list", "--studies", "--db", db, "--format", "csv"}).out;
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 2) << csv;
  EXPECT_THAT(upsweep({"runs", "--db", db}).out, HasSubstr("lengths")) << "people see both";

  const Json shown = json_of({"runs", "show", "--study", "1", "--db", db});
  EXPECT_EQ(shown["name"], "lengths");
  EXPECT_EQ(shown["axes"], Json::parse(R"([{"name": "workers", "values": [1, 2, 4, 8]}])"));
  ASSERT_FALSE(shown["answers"].empty());
  EXPECT_EQ(shown["answers"][0]["question"], "best");
  const std::string text = upsweep({"runs", "show", "--study", "1", "--db", db}).out;
  EXPECT_THAT(text, HasSubstr(shown["answers"][0]["sentence"].get<std::string>()));

  EXPECT_EQ(upsweep({"runs", "delete", "--study", "1", "--db", db}).exit_code, 0);
  EXPECT_TRUE(json_of({"runs", "--studies", "--db", db}).empty());
  EXPECT_EQ(json_of({"runs", "--db", db}).size(), 1U) << "run 1 is another thing than study 1";
  const Finished again = upsweep({"runs", "delete", "--study", "1", "--db", db});
  EXPECT_EQ(again.exit_code, 3);
  EXPECT_THAT(again.err, HasSubstr(db + ": there is no study 1"));
  EXPECT_EQ(upsweep({"runs", "show", "--study", "1", "--db", db}).exit_code, 3);
}

TEST(RunsStudies, AreNamedApartFromRuns) {
  for (const char* what : {"show", "delete"}) {
    EXPECT_EQ(upsweep({"runs", what}).exit_code, 2);
    EXPECT_EQ(upsweep({"runs", what, "1", "--study", "1"}).exit_code, 2);
    EXPECT_EQ(upsweep({"runs", what, "--study", "x"}).exit_code, 2);
  }
}

TEST(RunsStudies, NoCommandThatReadsMakesADatabaseOfAnEmptyFile) {
  const TemporaryFolder folder;
  const std::string db = folder.write("empty.sqlite", "");
  const std::vector<std::vector<std::string>> commands = {
      {"runs"},
      {"runs", "show", "1"},
      {"runs", "delete", "1"},
      {"runs", "delete", "--study", "1"},
      {"runs", "diff", "1", "2"},
      {"report", "--out", folder.path("r.html")},
      {"trace", "--run", "1", "--out", folder.path("t.json")},
      {"plot", "depth", "--run", "1", "--out", folder.path("p.svg")}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--db", db});
    const Finished run = upsweep(command);
    EXPECT_EQ(run.exit_code, 3) << command[0];
    EXPECT_THAT(run.err, HasSubstr(db + ": the file is empty"));
  }
  EXPECT_EQ(std::filesystem::file_size(db), 0U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace upsweep::testing
