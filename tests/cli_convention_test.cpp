#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

// Costs of a network by the conventions of other tools, as users ask for them.

namespace upsweep::testing::cli_convention_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";

Finished profile(const std::string& model, std::vector<std::string> options) {
  options.insert(options.begin(), {"profile", kModels + model, "--schedule", "linear"});
  return upsweep(options);
}

TEST(Costs, AreALineUnlessAskedFor) {
  const Finished plain = profile("lenet5.yaml", {});
  EXPECT_THAT(plain.out, AllOf(HasSubstr("Parameters: 61706; forward pass of one input: 416520 multiply-accumulates"),
                               Not(HasSubstr("torchinfo MACs"))));
  EXPECT_THAT(profile("lenet5.yaml", {"--batch", "4"}).out, HasSubstr("a batch of 4: 1666080 multiply"));
}

TEST(Costs, OfAllConventionsStandSideBySide) {
  const Finished done = profile("lenet5.yaml", {"--convention", "all"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, AllOf(HasSubstr("torchinfo MACs  fvcore MACs  DeepSpeed MACs  DeepSpeed FLOPs"),
                              HasSubstr("Here it counts nothing of: tanh, avgpool2d."),
                              HasSubstr("Not known, and left out of sums: conv2d, tanh, avgpool2d")));
}

TEST(Costs, OfOneConventionHaveItsNumbersAlone) {
  const Finished done = profile("resnet50-imagenet.yaml", {"--convention", "torchinfo"});
  EXPECT_THAT(done.out, AllOf(HasSubstr("25557032    4089238376"), Not(HasSubstr("DeepSpeed"))));
}

TEST(Costs, AreTheTableOfCsvAndAnObjectOfJson) {
  const Finished csv = profile("lenet5.yaml", {"--convention", "fvcore", "--format", "csv"});
  EXPECT_THAT(csv.out, StartsWith("name,kind,module,fvcore_parameters,fvcore_forward_macs,fvcore_activation_bytes\r\n"
                                  "conv1,conv2d,conv1,156,117600,"));
  EXPECT_THAT(profile("lenet5.yaml", {"--format", "csv"}).out, StartsWith("id,phase,level"));
  const Json json =
      Json::parse(profile("resnet20-cifar10-pruned90.yaml", {"--convention", "all", "--format", "json"}).out);
  const Json& costs = json["network_costs"];
  EXPECT_EQ(costs["operators"].size(), json["model"]["operators"].size());
  EXPECT_EQ(costs["totals"].size(), 5U);
  EXPECT_EQ(costs["conventions"][3]["name"], "deepspeed");
  EXPECT_TRUE(costs["totals"][3]["activation_bytes"].is_null());
  EXPECT_EQ(costs["totals"][0]["forward_macs"], costs["totals"][3]["forward_macs"]);
  EXPECT_EQ(Json::parse(profile("lenet5.yaml", {"--format", "json"}).out)["network_costs"]["totals"][0]["parameters"],
            61706);
}

TEST(Costs, AreFoldedByModules) {
  const TemporaryFolder folder;
  const std::string file = folder.write("net.yaml",
                                        "name: net\ninput: [4]\noperators:\n"
                                        "  - linear: {name: head.0, out_features: 3}\n  - relu: {name: head.1}\n"
                                        "  - linear: {name: tail, out_features: 2}\n");
  const Finished one = upsweep({"profile", file, "--convention", "upsweep"});
  EXPECT_THAT(one.out, AllOf(HasSubstr("module  operators"), HasSubstr("\nhead            2          15")));
  const Finished two = upsweep({"profile", file, "--convention", "upsweep", "--module-depth", "2"});
  EXPECT_THAT(two.out, Not(HasSubstr("module  operators"))) << "each operator is one";
}

TEST(Costs, RefuseWhatTheyDoNotCount) {
  EXPECT_THAT(profile("lenet5.yaml", {"--convention", "thop"}).err, HasSubstr("torchinfo"));
  EXPECT_EQ(profile("lenet5.yaml", {"--convention", "thop"}).exit_code, 2);
  EXPECT_THAT(profile("lenet5.yaml", {"--module-depth", "2"}).err, HasSubstr("accepted is with --convention"));
  EXPECT_EQ(profile("lenet5.yaml", {"--convention", "all", "--module-depth", "0"}).exit_code, 2);
  const Finished recurrent = upsweep({"profile", kModels + "rnn-bitstream.yaml", "--convention", "all"});
  EXPECT_EQ(recurrent.exit_code, 2);
  EXPECT_THAT(recurrent.err, HasSubstr("accepted is without: conventions count networks of operators"));
}

}  // namespace
}  // namespace upsweep::testing::cli_convention_test
