#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "trace/read_trace.hpp"

namespace upsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTracedModel =
    "name: made\ninput: [12]\nweights: {init: he_normal, seed: 1}\noperators:\n  - linear: {name: first, out_features: "
    "8}\n  - relu: {name: on}\n  - linear: {name: last, out_features: 3}\n";
constexpr const char* kOneLayer =
    "name: single\ninput: [12]\nweights: {init: he_normal, seed: 1}\noperators:\n  - linear: {name: only, "
    "out_features: 8}\n";

/// A database that commands write to, and traces of its runs.
class TraceCommand : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string db = folder.path("kept.sqlite");
  std::string out = folder.path("trace.json");

  void store(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--db", db});
    const Finished run = upsweep(arguments);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  /// Without arguments and options: a profile of a small model, as run 1.
  void store_profile() const {
    store({"profile", folder.write("made.yaml", kTracedModel), "--schedule", "blelloch", "--workers", "2"});
  }
  /// Changes rows as somebody might who has the file.
  void edit(const std::string& statement) const {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(db.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
  }
  [[nodiscard]] Finished trace(const std::string& run) const {
    return upsweep({"trace", "--db", db, "--run", run, "--out", out});
  }
  /// What is said of a run that has no trace.
  [[nodiscard]] std::string refusal(const std::string& run) const {
    const Finished finished = trace(run);
    EXPECT_EQ(finished.exit_code, 3) << finished.err;
    EXPECT_FALSE(std::filesystem::exists(out)) << "an error leaves no file";
    return finished.err;
  }
};

TEST_F(TraceCommand, WritesJsonWithAnEventPerOp) {
  store_profile();
  const Finished run = trace("1");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const ReadTrace read(read_file(out));
  std::size_t ops = 0;
  for (const auto& [track, slices] : read.workers()) {
    ops += slices.size();
    EXPECT_EQ(nesting_fault(slices), "");
  }
  EXPECT_GT(ops, 0U);
  EXPECT_EQ(ops, read.other.at("ops").get<std::size_t>());
}

TEST_F(TraceCommand, NamesFileAndRunWhoseOpsAreNotThoseOfTheSchedule) {
  store_profile();
  store({"profile", folder.path("made.yaml"), "--schedule", "linear"});
  const std::string whole = read_file(db);
  for (const std::string statement :
       {"update ops set target = target + 1 where run_id = 1 and id = 1", "delete from ops where run_id = 1 and id = 0",
        "update schedule_runs set length = 100000000000 where id = 1",
        "update schedule_runs set requested = 'x', schedule = 'x' where id = 1",
        "update schedule_runs set inputs = 0 where id = 1",
        "update ops set level = 4000000000 where run_id = 1 and id = 1",
        "update schedule_runs set workers = 0 where id = 1"}) {
    folder.write("kept.sqlite", whole);
    edit(statement);
    EXPECT_THAT(refusal("1"), AllOf(HasSubstr(db + ": run 1 (profile of made) cannot be simulated again: "),
                                    HasSubstr("accepted is a run as upsweep stored it")))
        << statement;
    const Finished plot = upsweep({"plot", "timeline", "--db", db, "--run", "1", "--out", folder.path("figure.svg")});
    EXPECT_EQ(plot.exit_code, 3) << statement;
    EXPECT_THAT(plot.err, HasSubstr(db + ": run 1 (profile of made) cannot be simulated again: ")) << statement;
    EXPECT_EQ(trace("2").exit_code, 0) << "the other run is as it was";
    std::filesystem::remove(out);
  }
  folder.write("kept.sqlite", whole);
  edit("update ops set flops = -5 where run_id = 1 and id = 0");
  EXPECT_THAT(refusal("1"), HasSubstr("table ops, id 0 has '-5' as flops"));
}

TEST_F(TraceCommand, SaysOfARunWithoutOpsWhatItIsAndWhatItHas) {
  store({"profile", folder.write("single.yaml", kOneLayer)});
  EXPECT_THAT(refusal("1"), AllOf(HasSubstr("run 1 (profile of single) has no ops: a scan over 2 elements"),
                                  HasSubstr("'upsweep plot spy --run 1' draws what it has")));
}

TEST_F(TraceCommand, SaysOfRecurrentRunsAndTrainingsWhatTheyAre) {
  store({"search", UPSWEEP_SOURCE_DIR "/models/rnn-bitstream.yaml", "--workers", "4", "--steps", "50"});
  EXPECT_THAT(refusal("1"),
              AllOf(HasSubstr("run 1 (search of the recurrent model rnn-bitstream) has counts and times by phase, not "
                              "ops"),
                    HasSubstr("'upsweep plot crossover --run 1' draws what it has"), Not(HasSubstr("training"))));
  store({"train", UPSWEEP_SOURCE_DIR "/configs/training/rnn-bitstream.yaml", "--iterations", "1", "--steps", "20",
         "--batch", "2", "--backward", "bptt"});
  EXPECT_THAT(refusal("2"), AllOf(HasSubstr("run 2 (train of the recurrent model rnn-bitstream) has losses"),
                                  HasSubstr("'upsweep plot losses|passes --run 2' draws what it has")));
}

TEST_F(TraceCommand, IsOfTrainingStepsThatHaveTasks) {
  store({"training", UPSWEEP_SOURCE_DIR "/configs/training/figure5.yaml"});
  EXPECT_EQ(trace("1").exit_code, 0);
  EXPECT_FALSE(ReadTrace(read_file(out)).tracks.empty());
  std::filesystem::remove(out);
  store({"training", UPSWEEP_SOURCE_DIR "/configs/training/first-k-memory-example.yaml"});
  EXPECT_THAT(refusal("2"), AllOf(HasSubstr("run 2 (training of first-k-memory-example) is of kind"),
                                  HasSubstr("which has figures but no tasks"), HasSubstr("'upsweep runs show 2'")));
}

TEST_F(TraceCommand, RefusesRunsThatAreNotThere) {
  store_profile();
  EXPECT_THAT(refusal("99"), HasSubstr("there is no run 99"));
  EXPECT_EQ(upsweep({"trace", "--db", db, "--run", "0", "--out", out}).exit_code, 2);
}

}  // namespace
}  // namespace upsweep::testing
