#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "store/sql_query.hpp"
#include "support/command_line.hpp"
#include "support/files.hpp"

namespace upsweep::testing::cli_branches_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string model(const std::string& name) { return std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name + ".yaml"; }

/// A residual block between two linear operators.
constexpr const char* kResidual =
    "input: [2]\n"
    "operators:\n"
    "  - linear: {name: in, out_features: 3}\n"
    "  - linear: {name: f, out_features: 3}\n"
    "  - tanh: {name: act}\n"
    "  - add: {name: sum, inputs: [in, act]}\n"
    "  - linear: {name: out, out_features: 2}\n";

TEST(ProfileOfBranches, PrintsInputsLinksAndTheCostOfFormation) {
  const TemporaryFolder folder;
  const Json profile = json_of({"profile", folder.write("m.yaml", kResidual), "--schedule", "hybrid:1"});
  const Json& operators = profile["model"]["operators"];
  EXPECT_EQ(operators[0]["inputs"], (Json{"input"}));
  EXPECT_EQ(operators[3]["inputs"], (Json{"in", "act"}));
  EXPECT_TRUE(operators[3]["jacobian"].is_null());
  EXPECT_EQ(operators[1]["jacobian"]["nnz"], 9);
  ASSERT_EQ(profile["links"].size(), 3U);
  EXPECT_EQ(profile["links"][0]["kind"], "operator");
  EXPECT_TRUE(profile["links"][0]["formation"].is_null());
  const Json& block = profile["links"][1];
  EXPECT_EQ(block["kind"], "block");
  EXPECT_EQ(block["input"], "in");
  EXPECT_EQ(block["operators"], (Json{"f", "act", "sum"}));
  EXPECT_EQ(block["nnz"], 9);
  EXPECT_EQ(block["formation"]["product_flops"], 18);
  EXPECT_EQ(block["formation"]["addition_flops"], 3);
  EXPECT_EQ(profile["chain_build"]["values"], 9 + 6);
  EXPECT_EQ(profile["chain_build"]["formation_flops"], 21);
  EXPECT_EQ(profile["linear"]["flops"], 2 * (9 + 6));
  EXPECT_EQ(profile["schedule"]["length"], 4);
}

TEST(ProfileOfBranches, ComparesTheScanWithBackPropagationOverTheGraph) {
  const TemporaryFolder folder;
  const Json profile = json_of({"profile", folder.write("m.yaml", kResidual), "--schedule", "linear"});
  const Json& graph = profile["graph_bp"];
  EXPECT_EQ(graph["flops"], 2 * 6 + 2 * 3 + 2 * 9 + 3);
  EXPECT_EQ(graph["steps"], 4);
  EXPECT_EQ(graph["makespan"]["dag"]["flops"], 39);
  const Json& ratio = profile["ratio_to_graph_bp"]["dag"];
  EXPECT_DOUBLE_EQ(ratio["scan"].get<double>(), 30.0 / 39);
  EXPECT_DOUBLE_EQ(ratio["with_formation"].get<double>(), (30.0 + 21) / 39);
  EXPECT_DOUBLE_EQ(ratio["with_formation_and_inner"].get<double>(), (30.0 + 21 + 6) / 39);
  const std::string text = upsweep({"profile", folder.path("m.yaml"), "--schedule", "linear"}).out;
  EXPECT_THAT(text, HasSubstr("forms the Jacobians of blocks first, 21 FLOPs"));
  EXPECT_THAT(text, HasSubstr("Plain BP over the graph, operator by operator: 39 FLOPs in 4 topological levels"));
  EXPECT_THAT(text, HasSubstr("with formation and gradients inside"));
}

TEST(ProfileOfBranches, StoresWhatTheScanIsToBeComparedWith) {
  const TemporaryFolder folder;
  const std::string db = folder.path("r.sqlite");
  const Json profile = json_of({"profile", folder.write("m.yaml", kResidual), "--schedule", "linear", "--db", db});
  EXPECT_EQ(
      testing::query(db,
                     "SELECT graph_bp_makespan_dag_flops, branch_makespan_dag_flops, branch_makespan_level_flops, "
                     "binding IS NULL FROM runs"),
      "39|27|27|1\n");
}

TEST(ProfileOfBranches, SaysThatANetworkWithoutACutLeavesAScanNothingToDo) {
  const Json profile = json_of({"profile", model("two-streams")});
  EXPECT_EQ(profile["links"].size(), 1U);
  EXPECT_TRUE(profile["ops"].empty());
  EXPECT_GT(profile["graph_bp"]["flops"], 0);
  EXPECT_EQ(profile["ratio_to_graph_bp"]["level"]["with_formation_and_inner"], 1.0);
  const std::string text = upsweep({"profile", model("two-streams")}).out;
  EXPECT_THAT(text, HasSubstr("No activation between input and output lies on all paths"));
  EXPECT_THAT(text, HasSubstr("plain BP over the graph, which works level by level"));
}

TEST(ProfileOfBranches, LeavesNetworksWithoutThemAsTheyWere) {
  const Json profile = json_of({"profile", model("lenet5"), "--schedule", "linear"});
  EXPECT_FALSE(profile["model"]["operators"][0].contains("inputs"));
  EXPECT_TRUE(std::all_of(profile["links"].begin(), profile["links"].end(),
                          [](const Json& link) { return link["kind"] == "operator"; }));
  EXPECT_EQ(profile["graph_bp"]["flops"], profile["linear"]["flops"]);
  EXPECT_EQ(profile["chain_build"]["formation_flops"], 0);
  EXPECT_EQ(profile["ratio_to_graph_bp"]["level"]["with_formation"], 1.0);
  EXPECT_THAT(upsweep({"profile", model("lenet5")}).out, Not(HasSubstr("topological levels")));
}

TEST(ValidateOfBranches, FindsTheGradientsOfShippedModelsRight) {
  for (const std::string& file : {model("inception-block"), model("densenet-block")}) {
    for (const char* pattern : {"guaranteed", "sample"}) {
      const Json validation =
          json_of({"validate", file, "--backend", "reference", "--schedule", "hybrid:1", "--pattern", pattern});
      ASSERT_EQ(validation["schedules"].size(), 1U) << file;
      EXPECT_TRUE(validation["schedules"][0]["mismatch"].is_null()) << file << ", " << pattern;
      const Json& graph = validation["graph_bp"];
      EXPECT_TRUE(graph["mismatch"].is_null()) << file << ", " << pattern;
      EXPECT_GT(graph["flops"], 0) << file;
      EXPECT_TRUE(validation["valid"]) << file;
    }
  }
}

TEST(ValidateOfBranches, SaysWhichGradientsWereCompared) {
  const std::string joined = upsweep({"validate", model("inception-block"), "--backend", "reference"}).out;
  EXPECT_THAT(joined, HasSubstr("every gradient between links (those inside blocks are no part of a scan) agrees"));
  EXPECT_THAT(joined, HasSubstr("Plain BP over the graph on this processor, "));
  EXPECT_THAT(joined,
              ::testing::ContainsRegex("together [0-9.]+x (faster than|as fast as) the fastest scan with forming"));
  const std::string text = upsweep({"validate", model("two-streams"), "--backend", "reference"}).out;
  EXPECT_THAT(text, HasSubstr("without an op: the chain has one link, so that nothing but the loss gradient was "
                              "compared; the gradient of the input is that of plain BP over the graph.\n"));
  EXPECT_THAT(text, HasSubstr("Plain BP over the graph on this processor, "));
  EXPECT_THAT(text, HasSubstr(": right, "));
  EXPECT_THAT(text, Not(HasSubstr("fastest scan"))) << "there is none";
  EXPECT_THAT(text, HasSubstr("No Jacobian is built"));
  EXPECT_THAT(text, Not(HasSubstr("formed by products"))) << "the first link's is not, for any schedule";
}

TEST(ValidateOfBranches, ProvesTheGradientsOfANetworkWithoutACutByBackPropagationOverItsGraph) {
  const Json counted = json_of({"profile", model("two-streams")})["graph_bp"];
  for (const char* pattern : {"guaranteed", "sample"}) {
    const Json validation = json_of({"validate", model("two-streams"), "--backend", "reference", "--pattern", pattern});
    const Json& graph = validation["graph_bp"];
    EXPECT_EQ(validation["valid"], true) << pattern;
    EXPECT_TRUE(graph["mismatch"].is_null());
    EXPECT_EQ(graph["levels"], counted["steps"]);
    EXPECT_EQ(graph["flops"] == counted["flops"], std::string(pattern) == "guaranteed");
    EXPECT_GT(graph["input_flops"], 0);
    EXPECT_GT(graph["measured_s"], 0.0);
    EXPECT_LE(graph["worst_share_of_bound"], 1.0);
  }
  EXPECT_FALSE(json_of({"validate", model("lenet5"), "--backend", "reference"}).contains("graph_bp"));
}

TEST(SearchOfBranches, RanksTheDepthsOfTheChainOfBlocks) {
  const Json search = json_of({"search", model("inception-block")});
  EXPECT_EQ(search["candidates"].size(), 3U) << "6 links, 7 elements";
  EXPECT_FALSE(search["best"].is_null());
}

TEST(SearchOfBranches, ComparesTheBestSchemeWithBackPropagationOverTheGraph) {
  const TemporaryFolder folder;
  const std::string file = folder.write("m.yaml", kResidual);
  const Json search = json_of({"search", file});
  EXPECT_EQ(search["graph_bp"]["flops"], 39);
  EXPECT_EQ(search["formation"]["flops"], 21);
  EXPECT_EQ(search["inside_blocks"]["flops"], 6);
  EXPECT_EQ(search["best_scheme"]["schedule"], "linear");
  const Json& ratio = search["best_scheme_ratio_to_graph_bp"]["dag"];
  EXPECT_DOUBLE_EQ(ratio["scan"].get<double>(), 30.0 / 39);
  EXPECT_DOUBLE_EQ(ratio["with_formation_and_inner"].get<double>(), (30.0 + 21 + 6) / 39);
  EXPECT_THAT(
      upsweep({"search", file}).out,
      HasSubstr(
          "Plain BP above is that over the chain, Jacobians of blocks given. In FLOPs, with hybrid:1 for the scan:\n"))
      << "of the verdict: linear is none";
  EXPECT_FALSE(json_of({"search", model("lenet5")}).contains("graph_bp")) << "plain BP is the linear schedule";
}

TEST(SearchOfBranches, SaysNoRatioWherePlainBackPropagationOverTheChainHasNoWork) {
  const std::string text = upsweep({"search", model("two-streams")}).out;
  EXPECT_THAT(text, Not(HasSubstr("Best:"))) << "there is nothing to choose from";
  EXPECT_THAT(text, HasSubstr("the whole network is one block"));
}

TEST(StoreOfBranches, KeepsBackPropagationOverTheGraphAndFormationWhereThereAreBranches) {
  const TemporaryFolder folder;
  const std::string db = folder.path("runs.sqlite");
  ASSERT_EQ(upsweep({"profile", folder.write("m.yaml", kResidual), "--db", db}).exit_code, 0);
  ASSERT_EQ(upsweep({"profile", model("lenet5"), "--db", db}).exit_code, 0);
  const Json runs = json_of({"runs", "--db", db});
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0]["graph_bp_flops"].is_null() && runs[0]["formation_flops"].is_null()) << "newest first";
  EXPECT_EQ(runs[1]["graph_bp_flops"], 39);
  EXPECT_EQ(runs[1]["formation_flops"], 21);
}

}  // namespace
}  // namespace upsweep::testing::cli_branches_test
