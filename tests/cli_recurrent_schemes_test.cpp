#include <gmock/gmock.h>

#include "support/command_line.hpp"

namespace upsweep::testing::cli_recurrent_schemes_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kModels = std::string(UPSWEEP_SOURCE_DIR) + "/models/";

TEST(RecurrentSchemes, SearchSetsEverySchemeBesideTheDepths) {
  for (const char* model : {"rnn-bitstream.yaml", "rnn-bitstream-unfused.yaml"}) {
    const std::vector<std::string> command = {"search", kModels + model, "--steps", "40", "--workers", "8"};
    const Json all = json_of(command);
    const std::uint64_t elements = model == std::string("rnn-bitstream.yaml") ? 40 : 80;
    ASSERT_EQ(all["schemes"].size(), 5 + 3) << "circuits and eliminations, 4, 8 and 9 blocks";
    for (const Json& scheme : all["schemes"]) {
      EXPECT_TRUE(has_keys(scheme, {"schedule", "depth", "feasible", "score", "levels", "ops", "flops", "steps",
                                    "makespan", "peak_live_bytes", "ratio_to_linear", "same_as"}));
      EXPECT_TRUE(scheme["depth"].is_null());
      EXPECT_GE(scheme["score"], all["best_scheme"]["score"]);
    }
    EXPECT_EQ(all["schemes"][0]["schedule"], "kogge-stone");
    const std::uint64_t lg = elements == 40 ? 6 : 7;
    EXPECT_EQ(all["schemes"][0]["ops"], elements * lg - (1ULL << lg) + 1);
    EXPECT_EQ(all["schemes"][0]["levels"], lg);
    EXPECT_GE(all["scheme_margin"], 0);
    EXPECT_EQ(all["scheme_steps_limit"], elements == 40 ? 10'000 : 5'000);

    std::vector<std::string> hybrid = command;
    hybrid.insert(hybrid.end(), {"--schemes", "hybrid"});
    const Json depths = json_of(hybrid);
    EXPECT_EQ(depths["candidates"], all["candidates"]);
    EXPECT_EQ(depths["best"], all["best"]);
    EXPECT_TRUE(depths["schemes"].is_array());
    EXPECT_TRUE(depths["schemes"].empty());
    EXPECT_EQ(depths["best_scheme"], depths["best"]);
    EXPECT_TRUE(depths["scheme_steps_limit"].is_null());

    std::vector<std::string> csv = command;
    csv.insert(csv.end(), {"--format", "csv"});
    const std::string rows = upsweep(csv).out;
    EXPECT_EQ(lines(rows), 1 + static_cast<long>(all["candidates"].size() + all["schemes"].size()));
    EXPECT_THAT(rows, HasSubstr("\nblocked:9,,true,"));
  }
}

TEST(RecurrentSchemes, SearchNamesTheBestOfAllSchemes) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  const Finished depth = upsweep({"search", model, "--steps", "64"});
  EXPECT_THAT(depth.out, HasSubstr("No other scheme does better than depth"));
  const std::vector<std::string> numbers = {"search", model, "--steps", "64", "--hidden", "1", "--workers", "64"};
  EXPECT_EQ(json_of(numbers)["best_scheme"]["schedule"], "kogge-stone");
  EXPECT_THAT(upsweep(numbers).out, HasSubstr("Best of all: kogge-stone with 12, "));
}

TEST(RecurrentSchemes, SearchSaysUpToWhichLengthItHasOtherSchemes) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  const std::vector<std::string> command = {"search", model, "--steps", "100000000"};
  const Json json = json_of(command);
  EXPECT_FALSE(json["best"].is_null());
  for (const char* key : {"schemes", "best_scheme", "scheme_margin"}) EXPECT_TRUE(json[key].is_null()) << key;
  EXPECT_EQ(json["scheme_steps_limit"], 10'000);
  EXPECT_THAT(upsweep(command).out, HasSubstr("have no closed forms and are searched up to T = 10000."));
  std::vector<std::string> hybrid = command;
  hybrid.insert(hybrid.end(), {"--schemes", "hybrid"});
  EXPECT_THAT(upsweep(hybrid).out, Not(HasSubstr("Other schemes")));
}

}  // namespace
}  // namespace upsweep::testing::cli_recurrent_schemes_test
