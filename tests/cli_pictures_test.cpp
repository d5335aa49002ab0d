#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep::testing::cli_pictures_test {
namespace {

using ::testing::IsEmpty;

std::string model(const std::string& name) { return std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name; }

std::vector<std::string> names_of(const std::vector<StoredPicture>& pictures) {
  std::vector<std::string> names;
  for (const StoredPicture& one : pictures) names.push_back(one.name);
  return names;
}

TEST(Pictures, AreStoredWithTheFirstRunOfAModelAndAgreeWithItsJacobians) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const Json profile = json_of({"profile", model("lenet5.yaml"), "--db", db});
  const StoreReader reader(db);
  const std::string hash = reader.runs().at(0).model_hash;
  EXPECT_THAT(reader.pictures(hash, "sample"), IsEmpty()) << "not of a pattern that nothing was run in";
  const std::vector<StoredPicture> pictures = reader.pictures(hash, "guaranteed");
  // The array begins with the last operator.
  std::vector<Json> operators;
  for (const Json& op : profile["model"]["operators"]) {
    if (!op["jacobian"].is_null()) operators.insert(operators.begin(), op);
  }
  ASSERT_GT(pictures.size(), operators.size()) << "and products";
  for (std::size_t i = 0; i < operators.size(); ++i) {
    EXPECT_EQ(pictures[i].first, i + 1);
    EXPECT_EQ(pictures[i].last, i + 1);
    EXPECT_EQ(pictures[i].name, operators[i]["name"].get<std::string>());
    EXPECT_EQ(pictures[i].rows, operators[i]["jacobian"]["rows"].get<std::uint64_t>());
    EXPECT_EQ(pictures[i].cols, operators[i]["jacobian"]["cols"].get<std::uint64_t>());
    EXPECT_EQ(pictures[i].nnz, operators[i]["jacobian"]["nnz"].get<std::uint64_t>());
  }
  // Products of the up-sweep are those that the profile counts.
  std::size_t compared = 0;
  for (const Json& op : profile["ops"]) {
    for (const StoredPicture& one : pictures) {
      if (op["phase"] != "up" || op["kind"] != "mm" || one.first == one.last || op["target"] != one.last) continue;
      if (op["left"] != (one.first + one.last) / 2 || op["left"].get<std::uint32_t>() < one.first) continue;
      EXPECT_EQ(one.nnz, op["nnz"].get<std::uint64_t>()) << one.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 2U);
}

TEST(Pictures, AreMadeOnceAndDeletedWithTheLastRun) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string lenet = model("lenet5.yaml");
  EXPECT_EQ(upsweep({"search", lenet, "--pattern", "sample", "--schemes", "hybrid", "--db", db}).exit_code, 0);
  const auto query = [&](const std::string& sql) { return run_program({"/usr/bin/sqlite3", db, sql}).out; };
  EXPECT_NE(query("SELECT COUNT(*) FROM pattern_pictures WHERE pattern = 'sample'"), "0\n");
  query("UPDATE pattern_pictures SET name = 'of the first run'");
  EXPECT_EQ(upsweep({"profile", lenet, "--pattern", "sample", "--db", db}).exit_code, 0);
  EXPECT_EQ(query("SELECT DISTINCT name FROM pattern_pictures"), "of the first run\n");
  const std::vector<StoredRun> runs = StoreReader(db).runs();
  for (const StoredRun& run : runs) {
    EXPECT_NE(query("SELECT COUNT(*) FROM pattern_pictures"), "0\n");
    EXPECT_EQ(upsweep({"runs", "delete", std::to_string(run.id), "--db", db}).exit_code, 0);
  }
  EXPECT_EQ(query("SELECT COUNT(*) FROM pattern_pictures"), "0\n");
}

TEST(Pictures, ThatCannotBeKeptLeaveTheRunAndItsExitCode) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  EXPECT_EQ(upsweep({"profile", model("inception-block.yaml"), "--db", db}).exit_code, 0);
  const std::string trigger =
      "CREATE TRIGGER refuse BEFORE INSERT ON pattern_pictures BEGIN SELECT RAISE(ABORT, 'no more pictures'); END";
  ASSERT_EQ(run_program({"/usr/bin/sqlite3", db, trigger}).exit_code, 0);
  const Finished run = upsweep({"profile", model("lenet5.yaml"), "--db", db});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, ::testing::HasSubstr("no pictures of sparsity patterns are kept: " + db + ": no more pictures"));
  EXPECT_EQ(StoreReader(db).runs().size(), 2U);
}

TEST(Pictures, OfAValidationNameBlocksByTheirJoin) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  EXPECT_EQ(upsweep({"validate", model("inception-block.yaml"), "--backend", "reference", "--db", db}).exit_code, 0);
  const StoreReader reader(db);
  const StoredRun run = reader.runs().at(0);
  const std::vector<StoredPicture> pictures = reader.pictures(run.model_hash, run.pattern);
  ASSERT_GE(pictures.size(), run.length - 1);
  const std::vector<StoredOperator> operators = reader.details(run.id)->operators;
  EXPECT_EQ(pictures[0].name, operators.back().name) << "the array begins with the network's end";
  const bool has_join = std::any_of(operators.begin(), operators.end(), [&](const StoredOperator& op) {
    const std::vector<std::string> names = names_of(pictures);
    return op.kind == "concat" && std::find(names.begin(), names.end(), op.name) != names.end();
  });
  EXPECT_TRUE(has_join) << ::testing::PrintToString(names_of(pictures));
}

}  // namespace
}  // namespace upsweep::testing::cli_pictures_test
