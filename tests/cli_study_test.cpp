#include <gmock/gmock.h>
#include <signal.h>
#include <sqlite3.h>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::testing::cli_study_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kBase = "name: small\nbase:\n  model: {name: made, chain: {length: 100, size: 4, kind: dense}}\n";

/// A study of nine points over chains.
std::string small_study(const TemporaryFolder& folder) {
  return folder.write("small.yaml", std::string(kBase) +
                                        "axes:\n"
                                        "  - {path: model.chain.length, values: [10, 100, 1000]}\n"
                                        "  - {path: workers, values: [1, 4, 64]}\n"
                                        "questions:\n  - best\n  - crossover: {along: workers}\n");
}

/// What sqlite3 prints for a query.
std::string query(const std::string& file, const std::string& sql) {
  const Finished run = run_program({"/usr/bin/sqlite3", file, sql});
  return run.exit_code == 0 ? run.out : "error: " + run.err;
}

TEST(Study, PrintsAnswersForPeople) {
  const TemporaryFolder folder;
  const Finished run = upsweep({"study", small_study(folder)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "") << "no progress where nobody watches";
  EXPECT_THAT(run.out, StartsWith("Study small\n"));
  EXPECT_THAT(run.out, HasSubstr("Grid: 3 model.chain.length x 3 workers = 9 points\n"));
  EXPECT_THAT(run.out, HasSubstr("Points: 9 done\n"));
  EXPECT_THAT(run.out, HasSubstr("\nBest\n"));
  EXPECT_THAT(run.out, HasSubstr("\nCrossover along workers\n"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "nothing is kept";
}

TEST(Study, IsListedBesideRuns) {
  const TemporaryFolder folder;
  const std::string db = folder.path("kept.sqlite");
  ASSERT_EQ(upsweep({"study", small_study(folder), "--db", db}).exit_code, 0);
  const Finished run = upsweep({"runs", "--db", db});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("No runs.\n\nstudies\n"));
  EXPECT_THAT(run.out, ::testing::ContainsRegex("small +9 +9 +yes "));
  const auto lists_it = [&](const std::string& option, const std::string& value) {
    return upsweep({"runs", "--db", db, option, value}).out.find("small") != std::string::npos;
  };
  EXPECT_TRUE(lists_it("--model", "mal") && lists_it("--command", "study") && lists_it("--since", "2026-01-01"));
  EXPECT_FALSE(lists_it("--model", "nosuch")) << "filters are of studies, too";
  EXPECT_FALSE(lists_it("--command", "search"));
  EXPECT_FALSE(lists_it("--since", "2999-01-01"));
}

TEST(Study, FailsWhereNoPointIsValid) {
  const TemporaryFolder folder;
  const std::string db = folder.path("kept.sqlite");
  const std::string file =
      folder.write("wrong.yaml", std::string(kBase) + "axes:\n  - {path: model.chain.size, values: [0, -1]}\n");
  const Finished run = upsweep({"study", file, "--db", db});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.out, HasSubstr("2 invalid")) << "the report is there all the same";
  EXPECT_THAT(run.err, HasSubstr("wrong.yaml: no point is valid; the first that is not, 0, because: "));
  EXPECT_EQ(query(db, "select count(*) from study_points where status = 'invalid'"), "2\n");
}

TEST(Study, SaysWhyPlacesHaveNoCrossover) {
  const TemporaryFolder folder;
  const std::string db = folder.path("kept.sqlite");
  const std::string page = folder.path("page.html");
  const std::string file = folder.write("s.yaml", std::string(kBase) +
                                                      "axes:\n"
                                                      "  - {path: schedule, values: [best, linear]}\n"
                                                      "  - {path: workers, values: [1, 4, 64]}\n"
                                                      "questions:\n  - crossover: {along: workers}\n");
  const std::string out = upsweep({"study", file, "--db", db}).out;
  EXPECT_THAT(out, ::testing::ContainsRegex("linear +unknown: no scan among its schedules"));
  EXPECT_THAT(out, HasSubstr("; at 1 of 2 places no point has scores of both methods (no scan among its schedules). "
                             "Between the values of workers it may change and change back unseen.\n"));
  ASSERT_EQ(upsweep({"report", "--db", db, "--out", page}).exit_code, 0);
  const std::string html = read_file(page);
  EXPECT_THAT(html, HasSubstr("unknown: no scan among its schedules</td>"));
  EXPECT_THAT(html, ::testing::ContainsRegex("<dt>Overtakes</dt> <dd>from workers = [0-9]+ on, at 1 of 2 places</dd>"));
}

TEST(Study, SaysHowManyJobsThereMayBe) {
  const TemporaryFolder folder;
  for (const std::string jobs : {"0", "1025", "two"}) {
    const Finished run = upsweep({"study", small_study(folder), "--jobs", jobs});
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_THAT(run.err, HasSubstr("--jobs is '" + jobs + "', accepted is an integer from 1 to 1024"));
  }
}

TEST(Study, PrintsTheDocumentedKeys) {
  const TemporaryFolder folder;
  const Json json = json_of({"study", small_study(folder)});
  EXPECT_TRUE(has_keys(json, {"study", "points", "cache", "answers", "invalid", "rows"}));
  EXPECT_TRUE(has_keys(json["study"], {"name", "description", "file", "content_hash", "axes", "questions"}));
  EXPECT_TRUE(
      has_keys(json["points"], {"total", "open", "done", "infeasible", "invalid", "excluded", "evaluated", "found",
                                "resumed", "interrupted", "seconds", "points_per_s", "unit", "exact"}));
  EXPECT_EQ(json["points"]["total"], 9);
  EXPECT_EQ(json["points"]["evaluated"], 9);
  EXPECT_EQ(json["points"]["interrupted"], false);
  EXPECT_EQ(json["rows"].size(), 9) << "without --db too";
  EXPECT_EQ(json["rows"][4]["coordinates"]["workers"], 4);
  long crossovers = 0;
  for (const Json& answer : json["answers"]) {
    EXPECT_TRUE(has_keys(answer, {"question", "where", "sentence", "answer"}));
    if (answer["question"] == "crossover") ++crossovers;
  }
  EXPECT_GE(crossovers, 3) << "one for each length";
}

TEST(Study, WritesARowPerPoint) {
  const TemporaryFolder folder;
  const std::string csv = upsweep({"study", small_study(folder), "--format", "csv"}).out;
  EXPECT_EQ(lines(csv), 10);
  EXPECT_THAT(
      csv,
      StartsWith("position,model.chain.length,workers,status,best_schedule,unit,score,plain_score,scan_score,speedup"));
  EXPECT_THAT(csv, HasSubstr("\n8,1000,64,done,"));
}

TEST(Study, ScoresAsSearchDoes) {
  const TemporaryFolder folder;
  const std::string chain = folder.write("chain.yaml", "chain: {length: 1000, size: 4, kind: dense}\n");
  const Json search = json_of({"search", chain, "--execution", "level", "--schemes", "hybrid", "--workers", "64"});
  const Json row = json_of({"study", small_study(folder)})["rows"][8];
  EXPECT_EQ(row["schedule"], search["best"]["schedule"]);
  EXPECT_EQ(row["score"], search["best"]["score"]);
  EXPECT_EQ(row["plain_score"], search["candidates"][0]["score"]);
}

TEST(Study, GoesOnWithWhatTheStoreHas) {
  const TemporaryFolder folder;
  const std::string file = small_study(folder);
  const std::string db = folder.path("s.sqlite");
  const Json first = json_of({"study", file, "--db", db});
  const Finished told = upsweep({"study", file, "--db", db});
  EXPECT_THAT(told.err, HasSubstr("stored in " + db + " as study 1"));
  const Json second = json_of({"study", file, "--db", db});
  EXPECT_EQ(second["points"]["resumed"], 9);
  EXPECT_EQ(second["points"]["evaluated"], 0);
  EXPECT_EQ(second["rows"], first["rows"]);
  EXPECT_EQ(second["answers"], first["answers"]);
  // Another study over some of the same points.
  const std::string other =
      folder.write("other.yaml", std::string(kBase) + "axes:\n  - {path: workers, values: [4, 5]}\n");
  const Json shared = json_of({"study", other, "--db", db});
  EXPECT_EQ(shared["points"]["found"], 1) << "the point of length 100 on 4 workers";
  EXPECT_EQ(shared["points"]["evaluated"], 1);
  EXPECT_EQ(query(db, "select count(*) from studies"), "2\n");
}

TEST(Study, GivesTheSameRowsWithMoreJobs) {
  const TemporaryFolder folder;
  // Units of at most 64 points at first: there is something for every job.
  const std::string file =
      folder.write("wide.yaml", std::string(kBase) +
                                    "axes:\n  - {path: model.chain.length, range: {from: 10, to: 109}}\n"
                                    "  - {path: workers, values: [1, 4, 64, 0]}\n");
  const std::string alone = upsweep({"study", file, "--format", "csv"}).out;
  EXPECT_EQ(lines(alone), 401);
  EXPECT_EQ(upsweep({"study", file, "--format", "csv", "--jobs", "3"}).out, alone);
}

TEST(Study, KeepsPointsThatAreNotValidWithTheReason) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("odd.yaml", std::string(kBase) +
                                   "axes:\n  - {path: model.chain.size, values: [4, 0]}\n  - {path: workers, values: "
                                   "[1, 200]}\nconstraints: workers <= model.chain.length\n");
  const std::string db = folder.path("s.sqlite");
  const Json json = json_of({"study", file, "--db", db});
  EXPECT_EQ(json["points"]["done"], 1);
  EXPECT_EQ(json["points"]["invalid"].get<int>() + json["points"]["excluded"].get<int>(), 3);
  ASSERT_GE(json["invalid"].size(), 1);
  EXPECT_THAT(json["invalid"][0]["reason"].get<std::string>(), HasSubstr("size"));
  EXPECT_EQ(query(db, "select count(*) from study_points where status = 'invalid' and reason is null"), "0\n");
  const Finished text = upsweep({"study", file, "--db", db});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.out, HasSubstr("\nNot valid: "));
}

TEST(Study, RefusesAWrongCommandLineBeforeItOpensAnything) {
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"study"},
                                             {"study", "/nonexistent.yaml", "--jobs", "0"},
                                             {"study", "/nonexistent.yaml", "--jobs", "1025"},
                                             {"study", "/nonexistent.yaml", "--jobs", "many"},
                                             {"study", "/nonexistent.yaml", "--format", "xml"}}) {
    const Finished run = upsweep(wrong);
    EXPECT_EQ(run.exit_code, 2) << run.err;
    EXPECT_EQ(lines(run.err), 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("\nusage: upsweep study FILE [OPTIONS]"));
  }
}

TEST(Study, HasItsUsageErrorSaidByTheFirstRankOnly) {
  const auto of_rank = [](const std::string& rank, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"/usr/bin/env", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=" + rank,
                                        UPSWEEP_BINARY};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_program(command);
  };
  const Finished first = of_rank("0", {"study", "/nonexistent.yaml", "--jobs", "0"});
  EXPECT_EQ(first.exit_code, 2);
  EXPECT_THAT(first.err, HasSubstr("\nusage: upsweep study"));
  for (const std::vector<std::string>& wrong :
       {std::vector<std::string>{"study", "/nonexistent.yaml", "--jobs", "0"}, {"study"}, {"study", "--what"}}) {
    const Finished other = of_rank("3", wrong);
    EXPECT_EQ(other.exit_code, 0) << "mpirun would end the first rank";
    EXPECT_EQ(other.err, "");
  }
  EXPECT_EQ(of_rank("3", {"profile"}).exit_code, 2) << "which every rank would run by itself";
}

TEST(Study, RefusesWrongInput) {
  const TemporaryFolder folder;
  const std::string base = kBase;
  const auto study = [&](const std::string& text) { return folder.write("wrong.yaml", base + text); };
  struct Refusal {
    std::string text;
    const char* message;
  };
  const std::vector<Refusal> cases = {
      {"axes:\n  - {path: model.chain.lenght, values: [1]}\n", "model.chain.length"},
      {"axes:\n  - {path: workers, values: []}\n", "workers"},
      {"axes:\n  - {path: workers, range: {from: 1, to: 100000}}\n  - {path: batch, range: {from: 1, to: 100000}}\n",
       "10000000000"},
      {"axes:\n  - {path: workers, range: {from: 1, to: 100000000}}\n  - {path: batch, range: {from: 1, to: "
       "100000000}}\n",
       "a grid of 1e+16 points or more"},
      {"axis: []\n", "axis"},
  };
  for (const Refusal& refusal : cases) {
    const std::string db = folder.path("s.sqlite");
    const Finished run = upsweep({"study", study(refusal.text), "--db", db});
    EXPECT_EQ(run.exit_code, 3) << refusal.text << run.err;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr("wrong.yaml:"));
    EXPECT_THAT(run.err, HasSubstr(refusal.message));
    EXPECT_FALSE(std::filesystem::exists(db)) << "nothing is made for a study that is none";
  }
  EXPECT_EQ(upsweep({"study", folder.path("nothing.yaml")}).exit_code, 3);
}

TEST(Study, RefusesStoresThatItCannotUse) {
  const TemporaryFolder folder;
  const std::string file = small_study(folder);
  const std::string newer = folder.path("newer.sqlite");
  ASSERT_EQ(upsweep({"study", file, "--db", newer}).exit_code, 0);
  ASSERT_EQ(query(newer, "pragma user_version = 9999"), "");
  const std::string text = folder.write("text.sqlite", std::string(5000, 'x'));
  for (const std::string& db : {newer, text, folder.path("no/such/folder.sqlite"), folder.path()}) {
    const Finished run = upsweep({"study", file, "--db", db});
    EXPECT_EQ(run.exit_code, 3) << db << ": " << run.err;
    EXPECT_EQ(lines(run.err), 1) << run.err;
    EXPECT_EQ(run.out, "");
  }
  EXPECT_THAT(upsweep({"study", file, "--db", newer}).err, HasSubstr("newer"));
}

TEST(Study, RefusesAStoreThatIsReadOnly) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  const std::string file = small_study(folder);
  const std::string db = folder.path("s.sqlite");
  ASSERT_EQ(upsweep({"study", file, "--db", db}).exit_code, 0);
  std::filesystem::permissions(db, std::filesystem::perms::owner_read);
  const std::string other =
      folder.write("other.yaml", std::string(kBase) + "axes:\n  - {path: workers, values: [7]}\n");
  const Finished run = upsweep({"study", other, "--db", db});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr(db));
}

TEST(Study, IsRunByOneProcessAtATime) {
  const TemporaryFolder folder;
  const std::string file = small_study(folder);
  const std::string db = folder.path("s.sqlite");
  {
    const StudyLock held(db, load_study(file).content_hash);
    const Finished run = upsweep({"study", file, "--db", db});
    EXPECT_EQ(run.exit_code, 4) << run.err;
    EXPECT_THAT(run.err, HasSubstr("is being run by process " + std::to_string(getpid())));
    EXPECT_EQ(run.out, "");
    const std::string other =
        folder.write("other.yaml", std::string(kBase) + "axes:\n  - {path: workers, values: [7]}\n");
    EXPECT_EQ(upsweep({"study", other, "--db", db}).exit_code, 0) << "another study in the same store";
  }
  EXPECT_EQ(upsweep({"study", file, "--db", db}).exit_code, 0);
}

/// A study of so many points that it is not over when a signal comes.
std::string endless_study(const TemporaryFolder& folder) {
  return folder.write("endless.yaml", std::string(kBase) +
                                          "axes:\n"
                                          "  - {path: model.chain.length, range: {from: 1001, to: 2000}}\n"
                                          "  - {path: workers, range: {from: 1, to: 1000}}\n");
}

/// Waits until a running study has written points; false where it ended before.
bool has_begun(pid_t child, const std::string& db) {
  while (waitpid(child, nullptr, WNOHANG) == 0) {
    sqlite3* connection = nullptr;
    bool is_there = false;
    // A reader is in nobody's way once there is a write-ahead log.
    if (std::filesystem::exists(db + "-wal") &&
        sqlite3_open_v2(db.c_str(), &connection, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK) {
      const auto found = [](void* flag, int, char**, char**) { return *static_cast<bool*>(flag) = true, 0; };
      sqlite3_exec(connection, "select 1 from study_members limit 1", found, &is_there, nullptr);
    }
    sqlite3_close(connection);
    if (is_there) return true;
    usleep(1000);
  }
  return false;
}

TEST(Study, PrintsWhatThereIsWhenInterrupted) {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string db = folder.path(std::to_string(signal) + ".sqlite");  // without points that are there already
    const pid_t child = start_program({UPSWEEP_BINARY, "study", endless_study(folder), "--db", db}, folder.path("out"),
                                      folder.path("err"));
    ASSERT_TRUE(has_begun(child, db)) << read_file(folder.path("err"));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_THAT(read_file(folder.path("out")), HasSubstr(" still open\n"));
    EXPECT_THAT(read_file(folder.path("out")), Not(HasSubstr("\nBest\n"))) << "no answers of half a grid";
    const std::string said = read_file(folder.path("err"));
    EXPECT_THAT(said, HasSubstr("finishing the points under way; once more stops at once\n"));
    EXPECT_THAT(said, HasSubstr("stored in " + db + " as study 1\n"));
    EXPECT_THAT(said, HasSubstr("the same command goes on"));
    EXPECT_EQ(query(db, "pragma integrity_check"), "ok\n");
  }
}

}  // namespace
}  // namespace upsweep::testing::cli_study_test
