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

// Over two links every schedule has the ops of plain back-propagation.
TEST(Explain, SaysOfPlainBPUnderAnotherNameThatItIsPlainBP) {
  const TemporaryFolder folder;
  const std::string model = folder.write("two.yaml",
                                         "name: two\ninput: [8]\nweights: {init: he_normal, seed: 0}\n"
                                         "operators: [{linear: {name: a, out_features: 6}}, {relu: {name: r}}]\n");
  using Pair = std::pair<std::string, std::string>;
  for (const auto& [schedule, against] : {Pair{"hybrid:1", "linear"}, Pair{"linear", "kogge-stone"}}) {
    const Json explained = json_of({"explain", model, "--schedule", schedule, "--against", against});
    EXPECT_THAT(explained["sentences"].back().get<std::string>(),
                HasSubstr(schedule + " has no products of matrices: it is plain BP."));
  }
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
  const Json sentences = json_of(explain)["sentences"];
  for (const Json& sentence : sentences) EXPECT_THAT(html, HasSubstr(sentence.get<std::string>()));
}

TEST(Explain, StandsOnThePageOfEverySearchWithItsTables) {
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{kModels + "lenet5.yaml", "--machine", kGpu, "--execution", "level"},
        std::vector<std::string>{kModels + "densenet-block.yaml", "--machine", kGpu, "--execution", "level"},
        std::vector<std::string>{kModels + "rnn-bitstream.yaml", "--machine", kGpu},
        std::vector<std::string>{kModels + "rnn-bitstream.yaml", "--steps", "100", "--workers", "8", "--execution",
                                 "level"},
        std::vector<std::string>{kModels + "rnn-stacked.yaml", "--workers", "16"}}) {
    SCOPED_TRACE(question.front());
    const TemporaryFolder folder;
    const std::string db = folder.path("runs.sqlite");
    const bool has_schemes = question.front() != kModels + "rnn-stacked.yaml" &&
                             question.front() + question[1] != kModels + "rnn-bitstream.yaml--machine";
    std::vector<std::string> search = {"search", "--db", db};
    search.insert(search.end(), question.begin(), question.end());
    if (has_schemes) search.insert(search.end(), {"--schemes", "hybrid"});
    const Json found = json_of(search);
    const std::string scan = found["verdict"]["baselines"][0]["best_scan"];
    ASSERT_EQ(upsweep({"report", "--db", db, "--out", folder.path("page.html")}).exit_code, 0);
    const std::string html = read_file(folder.path("page.html"));
    EXPECT_THAT(html, HasSubstr("Why: the best scan, " + scan + ", beside plain back-propagation"));
    EXPECT_THAT(html, HasSubstr("Levels of the scan"));
    std::vector<std::string> explain = {"explain", "--schedule", scan};
    explain.insert(explain.end(), question.begin(), question.end());
    // Of passes by blocks a search has more that are no scan than a profile, and its verdict is beside the best of
    // them.
    if (html.find("beside plain back-propagation, blocked:2<") != std::string::npos)
      explain.insert(explain.end(), {"--against", "blocked:2"});
    const Json explained = json_of(explain);
    for (const Json& sentence : explained["sentences"]) EXPECT_THAT(html, HasSubstr(sentence.get<std::string>()));
    EXPECT_EQ(html.find("Products of matrices, entries of") != std::string::npos, !explained["products"].empty());
  }
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

TEST(Explain, OfPlainBackPropagationComparesItWithTheBestScan) {
  for (const std::string model : {"lenet5.yaml", "rnn-bitstream.yaml", "rnn-stacked.yaml"}) {
    std::vector<std::string> question = {kModels + model, "--workers", "64"};
    if (model != "lenet5.yaml") question.insert(question.end(), {"--steps", "40"});
    std::vector<std::string> search = {"search"};
    std::vector<std::string> explain = {"explain", "--schedule", "linear"};
    if (model == "rnn-bitstream.yaml") search.insert(search.end(), {"--schemes", "hybrid"});
    search.insert(search.end(), question.begin(), question.end());
    explain.insert(explain.end(), question.begin(), question.end());
    const Json explained = json_of(explain);
    EXPECT_FALSE(explained["found_by_search"]);
    EXPECT_EQ(explained["against"], json_of(search)["verdict"]["baselines"][0]["best_scan"]) << model;
    EXPECT_EQ(explained["schedule"], model == "rnn-stacked.yaml" ? "wavefront" : "linear");
    EXPECT_FALSE(explained["verdict"]["baselines"][0]["best_scan"].is_null()) << "the scan's";
  }
  const Finished none = upsweep({"explain", kModels + "two-streams.yaml", "--schedule", "linear"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("has no scan to compare it with, accepted is with --against"));
}

TEST(Explain, WithoutAScheduleIsOfTheScanThatASearchNames) {
  for (const std::vector<std::string>& question :
       {std::vector<std::string>{kModels + "lenet5.yaml", "--workers", "64"},
        std::vector<std::string>{kModels + "rnn-bitstream.yaml", "--steps", "100", "--machine", kGpu},
        std::vector<std::string>{kModels + "rnn-stacked.yaml", "--steps", "40", "--workers", "16"}}) {
    std::vector<std::string> search = {"search"};
    std::vector<std::string> explain = {"explain"};
    search.insert(search.end(), question.begin(), question.end());
    explain.insert(explain.end(), question.begin(), question.end());
    const std::string scan = json_of(search)["verdict"]["baselines"][0]["best_scan"];
    EXPECT_EQ(json_of(explain)["schedule"], scan);
    EXPECT_TRUE(json_of(explain)["found_by_search"]);
    EXPECT_THAT(upsweep(explain).out, HasSubstr(scan + " is the best scan that `search` finds with these settings."));
  }
  const Finished chain = upsweep({"explain", kModels + "rnn-bitstream.yaml", "--steps", "40", "--workers", "64"});
  EXPECT_THAT(chain.out, HasSubstr("finds with these settings among hybrids.")) << chain.err;
  EXPECT_FALSE(json_of({"explain", kModels + "two-streams.yaml"})["found_by_search"]) << "there is none";
}

TEST(Explain, TakesNoOtherNameOfPlainBackPropagationForAScan) {
  const std::string model = kModels + "mlp-mnist.yaml";  // of 5 operators: 4 blocks multiply no Jacobians
  const Finished search = upsweep({"search", model});
  EXPECT_THAT(search.out, ::testing::ContainsRegex("blocked:4 .*= depth 0 \\(linear\\)\n"));
  EXPECT_THAT(search.out, HasSubstr("guaranteed pattern: hybrid:1 is 0.5112x as fast as plain BP"));
  EXPECT_EQ(json_of({"explain", model})["schedule"], "hybrid:1");
  EXPECT_THAT(upsweep({"profile", model, "--schedule", "blocked:4"}).out,
              HasSubstr("blocked:4 is plain BP by its ops: there is no scan to compare with plain BP."));
}

TEST(Explain, OfAStackStatesTheFiguresOfItsWay) {
  const std::vector<std::string> options = {"--schedule", "hybrid:2", "--workers", "16"};
  std::vector<std::string> profile = {"profile", kModels + "rnn-stacked.yaml"};
  std::vector<std::string> explain = {"explain", kModels + "rnn-stacked.yaml"};
  profile.insert(profile.end(), options.begin(), options.end());
  explain.insert(explain.end(), options.begin(), options.end());
  const Json counted = json_of(profile);
  const Json explained = json_of(explain);
  const std::string way = counted["verdict"]["baselines"][0]["best_scan"];
  EXPECT_EQ(explained["kind"], "stack");
  EXPECT_EQ(explained["schedule"], way);
  EXPECT_EQ(explained["against"], "wavefront");
  EXPECT_EQ(explained["verdict"], counted["verdict"]);
  for (const Json& method : counted["methods"]) {
    if (method["name"] != way) continue;
    EXPECT_EQ(explained["accounts"][0]["total"], method["makespan"]["flops"]);
    EXPECT_EQ(explained["accounts"][1]["total"], method["makespan_shared"]);
    EXPECT_EQ(explained["blocks"]["products"], method["mm_ops"]);
  }
  const Json named = json_of({"explain", kModels + "rnn-stacked.yaml", "--workers", "16", "--schedule",
                              "layers-then-time/kogge-stone", "--against", way});
  EXPECT_EQ(named["schedule"], "layers-then-time/kogge-stone");
  EXPECT_EQ(named["accounts"][0]["against"], explained["accounts"][0]["total"]);
}

TEST(Explain, OfARecurrentModelOnAMachineStatesTheSecondsOfItsPass) {
  const std::vector<std::string> options = {kModels + "rnn-bitstream.yaml", "--schedule", "hybrid:5", "--machine",
                                            kGpu};
  std::vector<std::string> profile = {"profile"};
  std::vector<std::string> explain = {"explain"};
  profile.insert(profile.end(), options.begin(), options.end());
  explain.insert(explain.end(), options.begin(), options.end());
  const Json counted = json_of(profile);
  const Json explained = json_of(explain);
  EXPECT_EQ(explained["against"], "blocked:1") << "the sequential pass in one kernel, which is the faster one";
  EXPECT_DOUBLE_EQ(explained["accounts"][0]["against"], counted["verdict"]["baselines"][0]["score"].get<double>());
  EXPECT_DOUBLE_EQ(explained["accounts"][0]["total"], counted["predicted"]["hidden_s"].get<double>());
  EXPECT_EQ(explained["verdict"], counted["verdict"]);
  explain.insert(explain.end(), {"--against", "blocked:32"});
  EXPECT_EQ(json_of(explain)["against"], "blocked:32");
}

TEST(Explain, OfAScheduleBesideItselfHasNothingToTurn) {
  const Finished same = upsweep({"explain", kModels + "lenet5.yaml", "--schedule", "linear", "--against", "linear"});
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
  const Json counted = json_of({"profile", kModels + "rnn-bitstream.yaml", "--steps", "100", "--workers", "8",
                                "--schedule", recurrent["schedule"]});
  EXPECT_EQ(recurrent["accounts"][0]["total"], counted["pram"]["makespan"]["level"]["flops"]);
  EXPECT_EQ(recurrent["accounts"][1]["total"], counted["makespan_shared"]);
}

TEST(Explain, RefusesWhatHasNoLevelsToExplain) {
  const std::string rnn = kModels + "rnn-bitstream.yaml";
  const Finished way = upsweep({"explain", rnn, "--schedule", "wavefront"});
  EXPECT_EQ(way.exit_code, 2);
  EXPECT_THAT(way.err, HasSubstr("is 'wavefront', a way through a stack of layers, accepted of"));
  const Finished stack = upsweep({"explain", kModels + "rnn-stacked.yaml", "--against", "up/down"});
  EXPECT_EQ(stack.exit_code, 2);
  EXPECT_THAT(stack.err, HasSubstr("--against is 'up/down', accepted of a stack of layers are wavefront and"));
  const Finished length = upsweep({"explain", rnn, "--steps", "100000"});
  EXPECT_EQ(length.exit_code, 2);
  EXPECT_THAT(length.err, HasSubstr("has 100000 elements, accepted are up to 10000"));
  const Finished against = upsweep({"explain", rnn, "--against", "best"});
  EXPECT_EQ(against.exit_code, 2);
  EXPECT_THAT(against.err, HasSubstr("--against is 'best', accepted are linear"));
}

}  // namespace
}  // namespace upsweep::testing::cli_explain_test
