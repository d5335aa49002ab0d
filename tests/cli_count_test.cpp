#include <gmock/gmock.h>

#include "support/command_line.hpp"
#include "support/files.hpp"

// What counting may take, how it was done, and counts as formulas, as users ask for them.

namespace upsweep::testing::cli_count_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";

TEST(Counting, SaysByWhichMethodItCounted) {
  const Finished classes = upsweep({"profile", kModels + "lenet5.yaml"});
  EXPECT_THAT(classes.out, HasSubstr("Counted by classes of rows that are shifts of each other: "));
  const Finished rows = upsweep({"search", kModels + "vgg11-quarter-pruned90.yaml", "--pattern", "sample"});
  EXPECT_THAT(rows.out, AllOf(HasSubstr("Counted by rows: all "), HasSubstr(" of the Jacobians.")));
}

TEST(Counting, RefusesLimitsThatAreNone) {
  for (const std::string text : {"0", "-1", "many", "1e", ""}) {
    const Finished done = upsweep({"search", kModels + "lenet5.yaml", "--count-limit", text});
    EXPECT_EQ(done.exit_code, 2) << text;
    EXPECT_THAT(done.err, HasSubstr("--count-limit is '" + text + "', accepted is a number of pairs from 1")) << text;
  }
  EXPECT_EQ(upsweep({"search", kModels + "lenet5.yaml", "--count-memory", "much"}).exit_code, 2);
  const Finished recurrent = upsweep({"search", kModels + "rnn-bitstream.yaml", "--count-limit", "5"});
  EXPECT_EQ(recurrent.exit_code, 2);
  EXPECT_THAT(recurrent.err, HasSubstr("--count-limit with a model that closed forms count"));
}

TEST(Counting, OfAProfileThatTakesTooMuchIsAnErrorAtItsOperator) {
  const Finished done =
      upsweep({"profile", kModels + "vgg11-cifar10-pruned97.yaml", "--schedule", "hybrid:3", "--count-limit", "1e6"});
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, AllOf(HasSubstr("vgg11-cifar10-pruned97.yaml:"), HasSubstr("hybrid:3: the product of the "),
                              HasSubstr("and a larger --count-limit")));
}

TEST(Formula, GivesCoefficientsThatMeetAProfile) {
  const std::string model = kModels + "vgg11-cifar10-pruned97.yaml";
  const Json json = json_of({"formula", model, "--axis", "image"});
  const Json profile = json_of({"profile", model, "--schedule", "linear"});
  EXPECT_EQ(json["step"], 32);
  const Json& formulas = json["residues"][0]["formulas"];
  std::size_t met = 0;
  for (const Json& formula : formulas) {
    const bool is_path = formula["what"].get<std::string>().starts_with("critical_path");
    EXPECT_EQ(formula["status"], is_path ? "derived" : "checked");
    if (formula["of"] != "network" || formula["what"] != "linear_flops") continue;
    const Json& c = formula["coefficients"];
    const std::int64_t sum = c["1"].get<std::int64_t>() + 32 * c["h"].get<std::int64_t>() +
                             32 * c["w"].get<std::int64_t>() + 32 * 32 * c["hw"].get<std::int64_t>();
    EXPECT_EQ(sum / formula["divisor"].get<std::int64_t>(), profile["linear"]["flops"].get<std::int64_t>());
    ++met;
  }
  EXPECT_EQ(met, 1U);
}

TEST(Formula, RefusesWhatHasNone) {
  const Finished features = upsweep({"formula", kModels + "mlp-mnist.yaml", "--axis", "image"});
  EXPECT_EQ(features.exit_code, 3);
  EXPECT_THAT(features.err, HasSubstr("`input` is [features], accepted is [channels, height, width]"));
  const Finished residue = upsweep({"formula", kModels + "lenet5.yaml", "--axis", "image", "--residue", "9"});
  EXPECT_EQ(residue.exit_code, 2);
  EXPECT_THAT(residue.err, HasSubstr("--residue is 9x9, accepted are 0 to 3: the accumulated stride is 4"));
  EXPECT_EQ(upsweep({"formula", kModels + "lenet5.yaml"}).exit_code, 2) << "without --axis";
}

}  // namespace
}  // namespace upsweep::testing::cli_count_test
