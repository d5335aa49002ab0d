#include "upsweep/commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Structs of requests and outcomes; tests/schemas_check reads the outcomes of all commands.

namespace upsweep::testing::commands_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kModel = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml";

template <class T>
std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(json::read<T>(text));
  } catch (const json::ReadError& error) {
    return error.what();
  }
  return "";
}

TEST(JsonStructs, HaveValuesOfAllKinds) {
  const auto text = json::read<std::string>(R"("a\u00e9\u20ac\ud83d\ude00\n\"")");
  EXPECT_EQ(text, "a\u00e9\u20ac\U0001F600\n\"");
  EXPECT_EQ(json::read<std::string>(json::in_quotes(text)), text);
  EXPECT_EQ(json::read<std::string>(json::in_quotes("\x01")), "\x01");
  EXPECT_THAT(json::read<std::vector<std::optional<double>>>(" [1, null, -2.5e-3] "),
              ElementsAre(1, std::nullopt, -2.5e-3));
  EXPECT_EQ(json::read<std::int64_t>("9007199254740993"), 9007199254740993);
  const auto varying = json::read<std::map<std::string, json::Text>>(R"({"a": {"b": [1]}})");
  EXPECT_EQ(varying.at("a").json, R"({"b": [1]})");
  EXPECT_EQ(json::read<bool>("true"), true);
}

TEST(JsonStructs, IgnoreWhatLaterVersionsHaveMore) {
  const auto makespan = json::read<commands::Makespan>(R"({"more": [], "unit": 3, "flops": 1e3})");
  EXPECT_EQ(makespan.unit, 3);
  EXPECT_EQ(makespan.flops, 1000);
}

TEST(JsonStructs, SayWhatDoesNotFit) {
  EXPECT_EQ(fault_of<commands::Makespan>(R"({"unit": 3})"), "an object has no field flops");
  EXPECT_EQ(fault_of<commands::Makespan>(R"({"unit": "3", "flops": 1})"), "\"3\" is no number");
  EXPECT_EQ(fault_of<commands::Makespan>(R"({"unit": 1.5, "flops": 1})"), "1.5 is no number of that type");
  EXPECT_EQ(fault_of<std::int64_t>("9223372036854775808"), "9223372036854775808 is no number of that type");
  EXPECT_EQ(fault_of<double>("1e999"), "1e999 is no number of that type");
  EXPECT_EQ(fault_of<commands::Interval>("[1]"), "a list has another length");
}

TEST(JsonStructs, RefuseWhatIsNoJson) {
  for (const char* text : {"", "{", "[1", "[1,]", R"({"a" 1})", "nul", R"("\x")", R"("\u12g4")", R"("\ud800\u0041")",
                           "1 2", "inf", "-inf", "nan", "\"open", "+1"}) {
    EXPECT_THAT(fault_of<json::Text>(text), StartsWith("JSON, character ")) << text;
  }
  EXPECT_THAT(fault_of<json::Text>(std::string(1000, '[')), HasSubstr("fewer values inside each other"));
}

TEST(CommandStructs, GiveSettingsThatAreSet) {
  EXPECT_EQ(commands::SearchRequest{}.settings(), "{}");
  commands::SearchRequest request;
  request.workers = 16;
  request.count_limit = 0.1;
  request.memory = "1 \"GiB\"";
  request.fold_norms = false;
  request.live = true;
  request.input = {"x=1x3x8x8", "y=1x2"};
  EXPECT_EQ(request.settings(),
            R"({"workers": 16, "input": ["x=1x3x8x8", "y=1x2"], "fold_norms": false, "live": true, )"
            R"("memory": "1 \"GiB\"", "count_limit": 0.1})");
}

TEST(CommandStructs, AskAndAnswer) {
  commands::SearchRequest request{{kModel}};
  request.workers = 16;
  const commands::SearchOutcome found = commands::run(request);
  EXPECT_EQ(found.workers, 16);
  ASSERT_TRUE(found.best);
  EXPECT_EQ(found.best->schedule, "linear");
  EXPECT_EQ(found.best->score, found.linear.score);
  EXPECT_EQ(found.verdict.pays, "no");
  EXPECT_FALSE(found.machine);
  const auto path = json::read<commands::FlopsByExecution>(found.best->critical_path_flops.json);
  EXPECT_EQ(path.level, found.linear.flops);
}

TEST(CommandStructs, ThrowWhatIsWrong) {
  commands::SearchRequest request{{kModel}};
  request.pattern = "all";
  try {
    static_cast<void>(commands::run(request));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), UPSWEEP_USAGE);
    EXPECT_THAT(error.what(), HasSubstr("pattern"));
  }
}

}  // namespace
}  // namespace upsweep::testing::commands_test
