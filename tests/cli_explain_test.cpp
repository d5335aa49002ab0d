#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_explain_test {
namespace {

using ::testing::HasSubstr;

const std::string kSource = UPSWEEP_SOURCE_DIR;
const std::string kModels = kSource + "/models/";
const std::string kGpu = kSource + "/configs/machines/v100-sxm2-32gb.yaml";

TEST(Explain, StatesTheFiguresOfAProfile) {
  const std::vector<std::string> options = {"--schedule", "hybrid:1", "--workers", "4"};
  std::vector<std::string> profile = {"profile", kModels + "lenet5.yaml"};
  std::vector<std::string> explain = {"explain", kModels + "lenet5.yaml"};
  profile.insert(profile.end(), options.begin(), options.end());
  explain.insert(explain.end(), options.begin(), options.end());
  const Json counted = json_of(profile);
  const Json explained = json_of(explain);
  ASSERT_EQ(explained["accounts"].size(), 2U);
  EXPECT_EQ(explained["accounts"][0]["total"], counted["pram"]["makespan"]["level"]["flops"]);
  EXPECT_EQ(explained["accounts"][1]["total"], counted["makespan_shared"]);
  EXPECT_EQ(explained["accounts"][0]["against"], counted["linear"]["flops"]);
  EXPECT_EQ(explained["verdict"], counted["verdict"]);
  EXPECT_EQ(explained["accounts"][0]["levels"].size(), counted["levels"].size());
  for (const Json& product : explained["products"]) {
    const Json& op = counted["ops"][product["op"].get<std::size_t>()];
    EXPECT_EQ(op["kind"], "mm");
    EXPECT_EQ(product["nnz"], op["nnz"]);
    EXPECT_EQ(product["flops"], op["flops"]);
  }
}

TEST(Explain, NamesTheFrameOfItsAccounts) {
  const Json explained = json_of({"explain", kModels + "lenet5.yaml", "--schedule", "hybrid:1", "--workers", "4"});
  const std::string frame = "On 4 workers, one input, level execution, guaranteed pattern, ";
  EXPECT_THAT(explained["sentences"][0].get<std::string>(), HasSubstr(frame + "with each op on one worker, hybrid:1"));
  EXPECT_THAT(explained["sentences"][1].get<std::string>(), HasSubstr(frame + "with ops that workers share, hybrid:1"));
}

TEST(Explain, OfTheBestScanStandsOnThePageOfASearch) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  const std::string page = folder.path("page.html");
  const std::vector<std::string> question = {kModels + "lenet5.yaml", "--workers", "8"};
  std::vector<std::string> search = {"search", "--schemes", "hybrid", "--db", db};
  search.insert(search.end(), question.begin(), question.end());
  const std::string scan = json_of(search)["verdict"]["baselines"][0]["best_scan"];
  ASSERT_EQ(upsweep({"report", "--db", db, "--out", page}).exit_code, 0);
  std::vector<std::string> explain = {"explain", "--schedule", scan};
  explain.insert(explain.end(), question.begin(), question.end());
  const std::string html = read_file(page);
  for (const Json& sentence : json_of(explain)["sentences"]) EXPECT_THAT(html, HasSubstr(sentence.get<std::string>()));
}

TEST(Explain, OnAMachineStatesItsSecondsAndNamesLinks) {
  const std::vector<std::string> options = {kModels + "lenet5.yaml", "--schedule", "hybrid:1", "--machine", kGpu};
  std::vector<std::string> profile = {"profile"};
  std::vector<std::string> explain = {"explain"};
  profile.insert(profile.end(), options.begin(), options.end());
  explain.insert(explain.end(), options.begin(), options.end());
  const Finished table = upsweep(explain);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("conv1 to tanh1"));
  const Json explained = json_of(explain);
  const Json counted = json_of(profile);
  ASSERT_EQ(explained["accounts"].size(), 1U);
  EXPECT_DOUBLE_EQ(explained["accounts"][0]["total"], counted["time"]["seconds"]["level"].get<double>());
  for (const Json& sentence : explained["sentences"]) EXPECT_THAT(table.out, HasSubstr(sentence.get<std::string>()));
}

TEST(Explain, OfAScheduleBesideItselfHasNothingToTurn) {
  const Finished same = upsweep({"explain", kModels + "lenet5.yaml", "--schedule", "linear"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_THAT(same.out, ::testing::Not(HasSubstr("would be")));
  const Finished block = upsweep({"explain", kModels + "two-streams.yaml"});
  EXPECT_EQ(block.exit_code, 0) << block.err;
  EXPECT_THAT(block.out, HasSubstr("linear has nothing to do."));
}

TEST(Explain, TakesMachinesWhoseTimesEndSoon) {
  const Finished unit =
      upsweep({"explain", kModels + "mlp-mnist.yaml", "--machine", kSource + "/configs/machines/pram-unit.yaml"});
  EXPECT_EQ(unit.exit_code, 0) << unit.err;
}

TEST(Explain, TakesRecurrentModelsAndChains) {
  const Json recurrent =
      json_of({"explain", kModels + "rnn-bitstream.yaml", "--steps", "100", "--workers", "8", "--against", "hybrid:2"});
  EXPECT_EQ(recurrent["kind"], "recurrent");
  EXPECT_EQ(recurrent["against"], "hybrid:2");
  const Json counted = json_of({"profile", kModels + "rnn-bitstream.yaml", "--steps", "100", "--workers", "8"});
  EXPECT_EQ(recurrent["accounts"][0]["total"], counted["pram"]["makespan"]["level"]["flops"]);
  EXPECT_EQ(recurrent["accounts"][1]["total"], counted["makespan_shared"]);
}

TEST(Explain, RefusesWhatHasNoLevelsToExplain) {
  const std::string rnn = kModels + "rnn-bitstream.yaml";
  const Finished machine = upsweep({"explain", rnn, "--machine", kGpu});
  EXPECT_EQ(machine.exit_code, 2);
  EXPECT_THAT(machine.err, HasSubstr("--machine with a recurrent model"));
  const Finished stack = upsweep({"explain", kModels + "rnn-stacked.yaml"});
  EXPECT_EQ(stack.exit_code, 2);
  EXPECT_THAT(stack.err, HasSubstr("is a stack of layers"));
  const Finished length = upsweep({"explain", rnn, "--steps", "100000"});
  EXPECT_EQ(length.exit_code, 2);
  EXPECT_THAT(length.err, HasSubstr("has 100000 elements, accepted are up to 10000"));
  const Finished against = upsweep({"explain", rnn, "--against", "best"});
  EXPECT_EQ(against.exit_code, 2);
  EXPECT_THAT(against.err, HasSubstr("--against is 'best', accepted are linear"));
}

}  // namespace
}  // namespace upsweep::testing::cli_explain_test
