#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_chain_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kUnitPram = std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/pram-unit.yaml";

/// A chain file with this structure.
std::string chain_file(const TemporaryFolder& folder, const std::string& structure) {
  return folder.write("chain.yaml", "name: made\nchain: {" + structure + "}\n");
}

TEST(Chain, ProfilesAnyLength) {
  const TemporaryFolder folder;
  const std::string file = chain_file(folder, "length: 1000000000, size: 20, kind: dense");
  const Json linear = json_of({"profile", file, "--schedule", "linear"});
  EXPECT_EQ(linear["totals"]["all"]["ops"], 999'999'999);
  EXPECT_EQ(linear["linear"]["flops"], 999'999'999ULL * 2 * 20 * 20);
  EXPECT_EQ(linear["exact"], true);
  const Json scan = json_of({"profile", file});
  EXPECT_TRUE(has_keys(scan, {"model", "exact", "pattern", "schedule", "levels", "totals", "baseline", "linear",
                              "chain_build", "pram", "time"}));
  EXPECT_EQ(scan["schedule"]["length"], 1'000'000'001);
  EXPECT_EQ(scan["model"]["chain"]["kind"], "dense");
}

TEST(Chain, CountsDenseChainsLikeTheRecurrentNetworkWithThem) {
  const TemporaryFolder folder;
  const std::string chain = chain_file(folder, "length: 100, size: 20, kind: dense");
  const std::string recurrent =
      folder.write("rnn.yaml",
                   "name: rnn\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 20, steps: 100}\nhead: "
                   "{out_features: 10}\n");
  for (const char* schedule : {"linear", "hybrid:2", "blelloch"}) {
    const Json ours = json_of({"profile", chain, "--schedule", schedule, "--workers", "7"});
    const Json theirs = json_of({"profile", recurrent, "--schedule", schedule, "--workers", "7"});
    for (const char* key : {"schedule", "levels", "totals", "linear", "chain_build", "pram"})
      EXPECT_EQ(ours[key], theirs[key]) << schedule << ": " << key;
  }
  const Json ours = json_of({"search", chain, "--workers", "16"});
  const Json theirs = json_of({"search", recurrent, "--workers", "16"});
  for (const char* key : {"execution", "workers", "margin", "overtaking", "scan_pays"})
    EXPECT_EQ(ours[key], theirs[key]) << key;
  EXPECT_EQ(ours["best"]["score"], theirs["best"]["score"]);
  EXPECT_EQ(ours["best_scheme"]["schedule"], theirs["best_scheme"]["schedule"]);
}

TEST(Chain, SaysWhereCountsAreExpectations) {
  const TemporaryFolder folder;
  const std::string file = chain_file(folder, "length: 100, size: 20, kind: uniform, density: 0.1");
  for (const char* command : {"profile", "search"}) {
    EXPECT_EQ(json_of({command, file})["exact"], false) << command;
    EXPECT_THAT(upsweep({command, file}).out, HasSubstr("Expected counts, not exact ones: entries are random."));
  }
  const std::string banded = chain_file(folder, "length: 100, size: 20, kind: banded, nnz_per_row: 3");
  EXPECT_EQ(json_of({"profile", banded})["exact"], true);
  EXPECT_EQ(json_of({"profile", banded})["model"]["chain"]["half_bandwidth"], 1);
  EXPECT_THAT(upsweep({"profile", banded}).out, Not(HasSubstr("Expected")));
}

TEST(Chain, PredictsSecondsOnAMachine) {
  const TemporaryFolder folder;
  const std::string file = chain_file(folder, "length: 1000, size: 4, kind: dense");
  const Json profile = json_of({"profile", file, "--machine", kUnitPram, "--workers", "8"});
  EXPECT_EQ(profile["time"]["machine"], "pram-unit");
  EXPECT_DOUBLE_EQ(profile["time"]["seconds"]["level"].get<double>(), profile["pram"]["steps"].get<double>())
      << "every op takes one second there";
  for (const std::string execution : {"dag", "level"}) {
    const Json search = json_of({"search", file, "--machine", kUnitPram, "--workers", "8", "--execution", execution});
    EXPECT_EQ(search["machine"], "pram-unit");
    EXPECT_EQ(search["execution"], execution);
    double least = 1e300;
    for (const Json& candidate : search["candidates"]) {
      if (execution == "level") {
        EXPECT_DOUBLE_EQ(candidate["score"].get<double>(), candidate["steps"].get<double>());
      } else {
        EXPECT_LE(candidate["score"].get<double>(), candidate["steps"].get<double>()) << "no barriers";
      }
      EXPECT_EQ(candidate["score"], candidate["seconds"][execution]);
      least = std::min(least, candidate["score"].get<double>());
    }
    EXPECT_EQ(search["best"]["score"], least);
  }
  EXPECT_EQ(json_of({"search", file, "--machine", kUnitPram, "--workers", "8"})["execution"], "dag");
  EXPECT_THAT(upsweep({"search", file, "--machine", kUnitPram, "--workers", "8"}).out,
              HasSubstr("predicted for one iteration on pram-unit"));
}

TEST(Chain, FallsBackToBarriersWhereNothingIsKnownWithoutThem) {
  const TemporaryFolder folder;
  // Long and thinning out: products cost less from level to level.
  const std::string file = chain_file(folder, "length: 5000, size: 100, kind: uniform, density: 0.005");
  const Json search = json_of({"search", file, "--workers", "8"});
  EXPECT_EQ(search["execution"], "level");
  EXPECT_THAT(search["verdict"]["sentence"].get<std::string>(), HasSubstr("level execution"));
  EXPECT_FALSE(search["best"].is_null());
  EXPECT_TRUE(json_of({"search", file, "--workers", "8", "--execution", "dag"})["best"].is_null());
}

TEST(Chain, SearchWritesARowPerCandidate) {
  const TemporaryFolder folder;
  const std::string file = chain_file(folder, "length: 1000, size: 4, kind: diagonal");
  const Json search = json_of({"search", file, "--schemes", "hybrid"});
  EXPECT_TRUE(search["schemes"].empty());
  EXPECT_EQ(lines(upsweep({"search", file, "--schemes", "hybrid", "--format", "csv"}).out),
            1 + static_cast<long>(search["candidates"].size()));
}

TEST(Chain, RefusesWhatChainsDoNotHave) {
  const TemporaryFolder folder;
  const std::string file = chain_file(folder, "length: 100, size: 4, kind: dense");
  struct Refusal {
    std::vector<std::string> command;
    int exit_code;
    const char* text;
  };
  const std::vector<Refusal> cases = {
      {{"profile", file, "--steps", "3"}, 2, "--steps is for recurrent models"},
      {{"profile", file, "--schedule", "sklansky"}, 2, "accepted of a synthetic chain are linear, blelloch and"},
      {{"profile", file, "--db", folder.path("runs.sqlite")}, 2, "runs of chains are kept by 'upsweep study'"},
      {{"search", file, "--db", folder.path("runs.sqlite")}, 2, "runs of chains are kept by 'upsweep study'"},
      {{"profile", file, "--pattern", "sample"}, 3, "--pattern sample with a synthetic chain"},
      {{"search", file, "--machine", kUnitPram, "--objective", "work-flops"}, 2, "accepted is time"},
      {{"search", file, "--machine", kUnitPram, "--schemes", "all"}, 2, "accepted is hybrid"},
      {{"search", file, "--machine", kUnitPram, "--workers", "9999999"}, 3, "workers"},
      {{"validate", file, "--backend", "reference"}, 3, "are networks of operators"},
      {{"solve", file}, 3, "are networks of operators"},
  };
  for (const Refusal& refusal : cases) {
    const Finished run = upsweep(refusal.command);
    EXPECT_EQ(run.exit_code, refusal.exit_code) << refusal.command.front() << ": " << run.err;
    EXPECT_THAT(run.err, HasSubstr(refusal.text));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.path("runs.sqlite")));
  const std::string train =
      folder.write("train.yaml",
                   "name: t\nmodel: chain.yaml\ntrain:\n  data: {images: {seed: 0, count: 8, classes: 2}}\n  batch: 2\n"
                   "  iterations: 1\n  optimizer: {sgd: {learning_rate: 0.1}}\n  backward: [bptt]\n");
  EXPECT_EQ(upsweep({"train", train}).exit_code, 3);
}

TEST(Chain, BadChainsAreInputErrorsWithTheirLine) {
  const TemporaryFolder folder;
  const std::string file = chain_file(folder, "length: 0, size: 4, kind: dense");
  const Finished run = upsweep({"profile", file});
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("chain.yaml:2: "));
}

}  // namespace
}  // namespace upsweep::testing::cli_chain_test
