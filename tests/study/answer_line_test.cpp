#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "support/chain_studies.hpp"
#include "upsweep/study/answer_study.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep::answer_line_test {
namespace {

using testing::chain_study;
using Json = nlohmann::json;

/// Answers to a question of the axis.
std::vector<Json> answers(const std::string& axis, const std::string& question, const std::string& more = "") {
  StudyOptions options;
  options.tool_version = "1.2.3";
  const StudyFile study = chain_study(fmt::format("axes: [{{{}}}{}]\nquestions: [{}]\n", axis, more, question));
  std::vector<Json> all;
  for (const AnswerRecord& record : run_study(study, nullptr, options).answers)
    all.push_back(Json::parse(record.answer));
  return all;
}

TEST(AnswerLines, CrossoversAreTheSameInWhateverOrderValuesStand) {
  std::vector<Json> ascending = answers("path: workers, values: [1, 8, 64]", "crossover: {along: workers}");
  ASSERT_EQ(ascending.size(), 1U);
  EXPECT_EQ(ascending[0]["faster"], "from");
  EXPECT_GT(ascending[0]["value"], 1);
  for (const char* values : {"[64, 8, 1]", "[1, 64, 8]", "[8, 1, 64]", "[64, 1, 8]"}) {
    EXPECT_EQ(answers(fmt::format("path: workers, values: {}", values), "crossover: {along: workers}"), ascending)
        << values;
  }
}

TEST(AnswerLines, AQuantityIsNarrowedAlsoBetweenWholeNumbers) {
  std::vector<Json> found =
      answers("path: machine.launch_latency_ns, values: [1, 100, 1000, 2000]",
              "crossover: {along: machine.launch_latency_ns, tolerance: 0.001}", ", {path: workers, values: [1]}");
  ASSERT_EQ(found.size(), 1U);
  const double value = found[0]["value"];
  const double plain = found[0]["plain_value"];
  EXPECT_EQ(found[0]["faster"], "up to");
  EXPECT_LT(value, plain);
  EXPECT_LE(plain - value, 0.001 * plain);
  EXPECT_LT(plain - value, 1);
  EXPECT_GT(found[0]["speedup"], 1);
  EXPECT_LE(found[0]["plain_speedup"], 1);
}

TEST(AnswerLines, AMemoryLimitIsNarrowedBetweenWholeNumbers) {
  std::vector<Json> found =
      answers("path: memory_limit_MiB, values: [1, 2]", "capacity: {along: memory_limit_MiB, of: plain}",
              ", {path: model.chain.length, values: [10000]}");
  ASSERT_EQ(found.size(), 2U) << "and what rules of ops mean";
  ASSERT_EQ(found[0]["fits"], "from");
  const double value = found[0]["value"];
  EXPECT_NEAR(value * 1048576, found[0]["bytes"].get<double>(), 0.001 * value * 1048576);
}

TEST(AnswerLines, CountsEndAsNeighbours) {
  std::vector<Json> found =
      answers("path: model.chain.length, values: [10, 1000000]",
              "capacity: {along: model.chain.length, of: plain, memory_MiB: 10, tolerance: 0.000000001}");
  ASSERT_EQ(found.size(), 2U) << "and what rules of ops mean";
  EXPECT_EQ(found[0]["beyond"].get<int>(), found[0]["value"].get<int>() + 1);
}

TEST(AnswerLines, FewestWorkersAreExactAmongMany) {
  // From many workers on, a difference of one is less than the tolerance of other questions.
  std::vector<Json> workers = answers(
      "name: p, path: workers, values: [1, 60000]", "fewest_workers: {target_us: 0.5}",
      ", {path: \"machine.rates[0].workers\", values: [100000]}, {path: model.chain.length, values: [20000000]}, "
      "{path: memory_limit_MiB, values: [none]}, {path: machine.launch_latency_us, values: [0.0001]}, "
      "{path: machine.level_latency_us, values: [0]}");
  ASSERT_EQ(workers.size(), 1U);
  ASSERT_EQ(workers[0]["is_reached"], true) << workers[0].dump();
  EXPECT_GT(workers[0]["value"], 5000) << workers[0].dump();
  EXPECT_EQ(workers[0]["below"].get<int>(), workers[0]["value"].get<int>() - 1);
}

}  // namespace
}  // namespace upsweep::answer_line_test
