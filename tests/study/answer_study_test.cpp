#include "upsweep/study/answer_study.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/chain_studies.hpp"
#include "support/studies.hpp"
#include "upsweep/grid/answers.hpp"
#include "upsweep/study/run_study.hpp"

namespace upsweep::answer_study_test {
namespace {

using testing::chain_study;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;

StudyResult run(const StudyFile& study) {
  StudyOptions options;
  options.tool_version = "1.2.3";
  return run_study(study, nullptr, options);
}

std::vector<Json> answers_of(const StudyResult& result) {
  std::vector<Json> answers;
  for (const AnswerRecord& record : result.answers) answers.push_back(Json::parse(record.answer));
  return answers;
}

/// The points of a fine grid along one axis of whole numbers from `from` to `to`.
std::vector<PointBrief> fine(const std::string& path, int from, int to, const std::string& more = "") {
  return run(chain_study(fmt::format("axes: [{}{{path: {}, range: {{from: {}, to: {}}}}}]", more, path, from, to)))
      .points;
}

TEST(AnswerStudy, CrossoversAreThoseOfAFineGrid) {
  const StudyResult result = run(chain_study(R"(
axes:
  - {path: model.chain.length, values: [40, 200]}
  - {path: workers, values: [1, 5, 30, 64]}
questions: [crossover: {along: workers}]
)"));
  const std::vector<Json> answers = answers_of(result);
  ASSERT_EQ(answers.size(), 2U);
  for (std::size_t line = 0; line < 2; ++line) {
    const std::string length = line == 0 ? "40" : "200";
    const auto points = fine("workers", 1, 64, "{path: model.chain.length, values: [" + length + "]}, ");
    const auto first =
        std::find_if(points.begin(), points.end(), [](const PointBrief& brief) { return brief.speedup() > 1; });
    ASSERT_NE(first, points.end());
    ASSERT_NE(first, points.begin());
    const Json& answer = answers[line];
    EXPECT_EQ(answer["along"], "workers");
    EXPECT_EQ(answer["faster"], "from");
    EXPECT_EQ(answer["value"], first - points.begin() + 1);
    EXPECT_EQ(answer["plain_value"], first - points.begin());
    EXPECT_DOUBLE_EQ(answer["speedup"], first->speedup());
    EXPECT_DOUBLE_EQ(answer["plain_speedup"], (first - 1)->speedup());
    EXPECT_EQ(answer["binding"], "workers");
    EXPECT_EQ(answer["is_blocked"], false);
    EXPECT_EQ(result.answers[line].question, "crossover");
    EXPECT_EQ(result.answers[line].where, R"({"model.chain.length":)" + length + "}");
    EXPECT_THAT(result.answers[line].sentence,
                StartsWith(fmt::format("model.chain.length = {}: the scan is faster from workers = {} (", length,
                                       answer["value"].get<int>())));
    EXPECT_THAT(result.answers[line].sentence, HasSubstr("held back by workers"));
  }
}

TEST(AnswerStudy, ACrossoverOfARealNumberIsNarrowedToItsTolerance) {
  const StudyResult result = run(chain_study(R"(
axes:
  - {path: machine.launch_latency_us, values: [50.5, 0.001]}
  - {path: workers, values: [1]}
questions: [crossover: {along: machine.launch_latency_us, tolerance: 0.01}]
)",
                                             "latency"));
  const std::vector<Json> answers = answers_of(result);
  ASSERT_EQ(answers.size(), 1U);
  const double value = answers[0]["value"];
  const double plain = answers[0]["plain_value"];
  EXPECT_EQ(answers[0]["faster"], "up to");
  EXPECT_LT(value, plain);
  EXPECT_LE(plain - value, 0.01 * plain);
  EXPECT_GT(answers[0]["speedup"], 1);
  EXPECT_LE(answers[0]["plain_speedup"], 1);
  EXPECT_LE(answers[0]["evaluations"], 20);
}

TEST(AnswerStudy, WithoutACrossingTheRangeOfSpeedupsIsSaid) {
  const StudyResult everywhere = run(chain_study(R"(
axes: [{path: workers, values: [16, 32, 64]}]
questions: [crossover: {along: workers}]
)"));
  Json answer = answers_of(everywhere).at(0);
  EXPECT_EQ(answer["faster"], "everywhere");
  EXPECT_DOUBLE_EQ(answer["speedup_least"], everywhere.points[0].speedup());
  EXPECT_DOUBLE_EQ(answer["speedup_most"], everywhere.points[2].speedup());
  EXPECT_EQ(answer["value"], 16);
  EXPECT_EQ(everywhere.answers[0].where, "");
  EXPECT_THAT(everywhere.answers[0].sentence, StartsWith("the scan is faster everywhere along workers ("));

  const StudyResult nowhere = run(chain_study(R"(
axes: [{path: workers, values: [1]}]
questions: [crossover: {along: workers}]
)"));
  answer = answers_of(nowhere).at(0);
  EXPECT_EQ(answer["faster"], "nowhere");
  EXPECT_EQ(answer["value"], 1);
  EXPECT_EQ(answer["binding"], "workers");
  EXPECT_THAT(nowhere.answers[0].sentence, StartsWith("the scan is faster nowhere along workers (0."));
}

TEST(AnswerStudy, OfAnAxisWithoutNumbersTheTwoPlacesAreTheAnswer) {
  const StudyResult result = run(chain_study(R"(
axes:
  - name: machine size
    zip:
      - {path: workers, values: [1, 64]}
      - {path: model.chain.length, values: [100, 101]}
questions: [crossover: {along: machine size}]
)"));
  const Json answer = answers_of(result).at(0);
  EXPECT_EQ(answer["faster"], "at");
  EXPECT_EQ(answer["value"], 64);
  EXPECT_EQ(answer["plain_value"], 1);
  EXPECT_EQ(answer["evaluations"], 0);
}

TEST(AnswerStudy, ALineWithoutScoresIsUnknown) {
  const StudyResult result = run(chain_study(R"(
axes: [{path: workers, values: [100, 200]}]
questions: [crossover: {along: workers}, capacity: {along: workers}, fewest_workers: {target_ms: 1}, top, pareto, best]
)"));
  EXPECT_EQ(result.invalid.size(), 2U);
  const std::vector<Json> answers = answers_of(result);
  ASSERT_EQ(answers.size(), 6U);
  EXPECT_EQ(answers[0]["faster"], "unknown");
  EXPECT_EQ(answers[1]["fits"], "unknown");
  EXPECT_EQ(answers[2]["is_reached"], false);
  EXPECT_EQ(answers[5]["points"], 0);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(answers[i]["missing_points"], 2);
    EXPECT_EQ(answers[i]["missing"], Json::parse(R"(["values that are not valid together"])"));
    EXPECT_THAT(result.answers[i].sentence, HasSubstr("values that are not valid together"));
  }
}

TEST(AnswerStudy, SaysWhyPointsHaveNoScores) {
  const auto answer = [](const std::string& rest) {
    return run(chain_study(rest + "\nquestions: [crossover: {along: workers}]")).answers.at(0);
  };
  const auto missing = [](const AnswerRecord& record) { return Json::parse(record.answer)["missing"]; };
  const std::string workers = "axes: [{path: workers, values: [1, 64, 100]}, {path: schedule, values: [";
  const AnswerRecord linear = answer(workers + "linear]}]\nconstraints: workers > 1");
  EXPECT_EQ(linear.sentence,
            "schedule = linear: no point along workers has scores of both methods: left out by a constraint, no scan "
            "among its schedules, values that are not valid together");
  EXPECT_EQ(missing(linear).size(), 3U);
  const AnswerRecord scan = answer(workers + "best]}]\nconstraints: workers < 100");
  EXPECT_EQ(missing(scan), Json::parse(R"(["left out by a constraint"])"));
  EXPECT_THAT(scan.sentence, HasSubstr("; 1 of 3 points have no scores: left out by a constraint; between"));
  const AnswerRecord large =
      answer("axes: [{path: model.chain.length, values: [100000]}, {path: workers, values: [1, 64]}]");
  EXPECT_EQ(missing(large), Json::parse(R"(["no asked schedule fits the memory"])"));
}

TEST(AnswerStudy, SaysOfTheSchedulesThatWereAskedForThatTheyDoNotFit) {
  // Plain back-propagation fits, two levels of scan do not.
  const auto asked = [](const std::string& schedule) {
    return run(testing::parse_study("base:\n"
                                    "  model: {dtype: fp32, chain: {length: 64, size: 4, kind: dense}}\n"
                                    "  memory_limit_B: 10500\n"
                                    "  schedule: " +
                                    schedule +
                                    "\n"
                                    "axes: [{path: workers, values: [1, 64]}]\n"
                                    "questions: [crossover: {along: workers}]\n"))
        .answers.at(0)
        .sentence;
  };
  EXPECT_THAT(asked("hybrid:2"), HasSubstr("no asked schedule fits the memory"));
  EXPECT_THAT(asked("linear"), Not(HasSubstr("fits the memory")));
}

TEST(AnswerStudy, SaysWhereNumbersBetweenValuesAreNotLookedAt) {
  const auto sentence = [](const std::string& axis) {
    return run(chain_study("axes: [" + axis + "]\nquestions: [crossover: {along: workers}]")).answers.at(0).sentence;
  };
  const std::string unseen = "; between the 3 values of workers it may change and change back unseen";
  EXPECT_THAT(sentence("{path: workers, values: [1, 64, 30]}"), ::testing::EndsWith(unseen));
  EXPECT_THAT(sentence("{path: workers, values: [16, 64, 30]}"), ::testing::EndsWith(unseen));
  EXPECT_THAT(sentence("{path: workers, range: {from: 1, to: 8}}"), ::testing::Not(HasSubstr("unseen")));
  EXPECT_THAT(sentence("{path: workers, values: [64]}"), ::testing::Not(HasSubstr("unseen")));
}

TEST(AnswerStudy, CapacityIsThatOfAFineGridForEachKindOfMemory) {
  const auto points = fine("model.chain.length", 1, 1500);
  for (const MemoryOf memory : {MemoryOf::best, MemoryOf::plain, MemoryOf::scan, MemoryOf::bppsa, MemoryOf::pipeline}) {
    const std::string of = to_string(memory);
    const StudyResult result = run(chain_study(fmt::format(R"(
axes: [{{path: model.chain.length, values: [1000, 10, 100, 1500]}}]
questions: [capacity: {{along: model.chain.length, of: {}, memory_KiB: 6}}]
)",
                                                           of)));
    const Json answer = answers_of(result).at(0);
    const auto does_not_fit = [&](const PointBrief& brief) { return bytes_of(brief, memory) > 6 * 1024; };
    const auto first = std::find_if(points.begin() + 9, points.end(), does_not_fit);
    if (first == points.end()) {
      EXPECT_EQ(answer["fits"], "all") << of;
      EXPECT_EQ(answer["value"], 1500) << of;
      continue;
    }
    EXPECT_EQ(answer["fits"], "up to") << of;
    EXPECT_EQ(answer["value"], first - points.begin()) << of;
    EXPECT_EQ(answer["beyond"], first - points.begin() + 1) << of;
    EXPECT_EQ(answer["bytes"].get<double>(), bytes_of(*(first - 1), memory)) << of;
    EXPECT_EQ(answer["beyond_bytes"].get<double>(), bytes_of(*first, memory)) << of;
    EXPECT_EQ(answer["limit_bytes"], 6 * 1024) << of;
  }
}

TEST(AnswerStudy, WhereMemoryFallsTheSmallestValueThatFitsIsTheAnswer) {
  const StudyResult result = run(chain_study(R"(
axes: [{path: workers, values: [64, 8, 1]}]
questions: [capacity: {along: workers, of: bppsa, memory_KiB: 1}]
)"));
  const auto points = fine("workers", 1, 64);
  const auto first =
      std::find_if(points.begin(), points.end(), [](const PointBrief& brief) { return brief.bppsa_bytes <= 1024; });
  ASSERT_NE(first, points.begin());
  const Json answer = answers_of(result).at(0);
  EXPECT_EQ(answer["fits"], "from");
  EXPECT_EQ(answer["value"], first - points.begin() + 1);
  EXPECT_EQ(answer["beyond"], first - points.begin());
  EXPECT_THAT(result.answers[0].sentence, StartsWith("fits from workers = "));
}

TEST(AnswerStudy, WhereMemoryFallsAndGrowsAgainBothEndsAreTheAnswer) {
  // (100 / K + K) activations of 16 bytes: at most 512 bytes for 4 to 28 workers.
  const StudyResult result = run(chain_study(R"(
axes: [{path: workers, values: [1, 2, 8, 16, 48, 64]}]
questions: [capacity: {along: workers, of: pipeline, memory_B: 512}]
)"));
  const Json answer = answers_of(result).at(0);
  EXPECT_EQ(answer["fits"], "between");
  EXPECT_EQ(answer["from"], 4);
  EXPECT_EQ(answer["below"], 3);
  EXPECT_EQ(answer["value"], 28);
  EXPECT_EQ(answer["beyond"], 29);
  EXPECT_EQ(answer["is_one_range"], true);
  EXPECT_THAT(result.answers[0].sentence, HasSubstr("fits from workers = 4 to 28"));
}

TEST(AnswerStudy, CapacityByTheMachinesMemoryKnowsInfeasiblePoints) {
  const StudyResult result = run(chain_study(R"(
axes: [{path: model.chain.length, values: [10, 100000]}]
questions: [capacity: {along: model.chain.length}]
)"));
  ASSERT_EQ(result.points[1].status, PointStatus::infeasible);
  const Json answer = answers_of(result).at(0);
  EXPECT_EQ(answer["fits"], "up to");
  EXPECT_EQ(answer["beyond"], answer["value"].get<int>() + 1);
  EXPECT_LE(answer["bytes"], 64 * 1024);
  EXPECT_TRUE(answer["beyond_bytes"].is_null());
  EXPECT_THAT(result.answers[0].sentence, HasSubstr("no schedule fits"));
}

TEST(AnswerStudy, FewestWorkersAreThoseOfAFineGrid) {
  const auto points = fine("workers", 1, 64);
  const double target = (points[10].score + points[11].score) / 2;
  const auto study = [&](double ms) {
    return chain_study(fmt::format(R"(
axes: [{{path: workers, values: [64, 1, 20]}}]
questions: [fewest_workers: {{target_ms: {}}}]
)",
                                   ms));
  };
  const StudyResult result = run(study(target * 1e3));
  Json answer = answers_of(result).at(0);
  const int value = answer["value"];
  EXPECT_EQ(answer["is_reached"], true);
  EXPECT_LE(points[static_cast<std::size_t>(value) - 1].score, target);
  EXPECT_GT(points[static_cast<std::size_t>(value) - 2].score, target);
  EXPECT_EQ(answer["below"], value - 1);
  EXPECT_DOUBLE_EQ(answer["score"], points[static_cast<std::size_t>(value) - 1].score);

  answer = answers_of(run(study(1000))).at(0);
  EXPECT_EQ(answer["is_reached"], true);
  EXPECT_EQ(answer["value"], 1);
  EXPECT_FALSE(answer.contains("below"));

  const StudyResult missed = run(study(1e-6));
  answer = answers_of(missed).at(0);
  EXPECT_EQ(answer["is_reached"], false);
  EXPECT_EQ(answer["value"], 64);
  EXPECT_THAT(missed.answers[0].sentence, StartsWith("no workers reaches 1 ns: the best is "));
}

TEST(AnswerStudy, TopParetoAndBestNameThePoints) {
  const StudyResult result = run(chain_study(R"(
axes:
  - {path: workers, values: [1, 2, 4, 8, 16, 32, 64]}
  - {path: schedule, values: [linear, best]}
questions: [best, pareto, top: {count: 3, by: speedup}]
)"));
  std::vector<Json> answers = answers_of(result);
  EXPECT_EQ(answers[0]["points"], 14);
  std::uint64_t wins = 0;
  for (const auto& [name, count] : answers[0]["wins"].items()) wins += count.get<std::uint64_t>();
  EXPECT_EQ(wins, 14U);
  const auto least = std::min_element(result.points.begin(), result.points.end(),
                                      [](const PointBrief& a, const PointBrief& b) { return a.score < b.score; });
  EXPECT_EQ(answers[1]["score"].get<double>(), least->score);
  EXPECT_EQ(answers[1]["position"], least - result.points.begin());
  EXPECT_EQ(answers[1]["unit"], "s");

  const std::vector<std::uint64_t> front = pareto_front(result.points);
  ASSERT_GE(front.size(), 2U);
  for (std::size_t i = 0; i < front.size(); ++i) {
    EXPECT_EQ(result.answers[2 + i].question, "pareto");
    EXPECT_EQ(answers[2 + i]["position"], front[i]);
    EXPECT_EQ(answers[2 + i]["rank"], i + 1);
  }
  const std::size_t first_top = 2 + front.size();
  ASSERT_EQ(answers.size(), first_top + 3);
  EXPECT_EQ(answers[first_top]["coordinates"]["workers"], 64);
  EXPECT_EQ(answers[first_top]["coordinates"]["schedule"], "best");
  EXPECT_GE(answers[first_top]["speedup"], answers[first_top + 1]["speedup"]);
}

TEST(AnswerStudy, MoreLinesThanAnyoneReadsAreCounted) {
  const StudyResult result = run(chain_study(R"(
axes:
  - {path: model.chain.length, range: {from: 1, to: 10003}}
  - {path: workers, values: [1]}
constraints: "workers > 1"
questions: [fewest_workers: {target_ms: 100}]
)"));
  ASSERT_EQ(result.answers.size(), kMostAnswers + 1);
  EXPECT_EQ(answers_of(result).back()["more"], 3);
}

std::string ops_sentence(const StudyResult& result) {
  const AnswerRecord& last = result.answers.back();
  return last.question == "ops" ? last.sentence : "";
}

TEST(AnswerStudy, SharedOpsOnAPramAreComparedInFlops) {
  const StudyResult result = run(chain_study(R"(
axes:
  - {path: ops, values: [whole, shared]}
  - {path: workers, values: [1, 64]}
questions: [crossover: {along: workers}, best, top: {count: 9, by: score}, fewest_workers: {target_ms: 1000}]
)"));
  ASSERT_EQ(result.points.size(), 4U);
  EXPECT_TRUE(result.points[1].is_in_seconds);
  EXPECT_FALSE(result.points[3].is_in_seconds);
  EXPECT_EQ(result.points[2].plain_score, 99 * 2 * 16) << "FLOPs of one worker";
  EXPECT_EQ(result.points[3].plain_score, 99 * 3) << "spans: a multiplication, then a tree of additions of four";
  const std::vector<Json> answers = answers_of(result);
  EXPECT_GT(answers[1]["value"].get<int>(), answers[0]["value"].get<int>()) << "plain BP uses all workers";
  const Json& best = answers[2]["by_ops"];
  for (const char* ops : {"whole", "shared"}) {
    const std::size_t first = std::string(ops) == "whole" ? 0 : 2;
    EXPECT_EQ(best[ops]["points"], 2);
    EXPECT_EQ(best[ops]["speedup_least"],
              std::fmin(result.points[first].speedup(), result.points[first + 1].speedup()));
    EXPECT_EQ(best[ops]["speedup_most"], std::fmax(result.points[first].speedup(), result.points[first + 1].speedup()));
    EXPECT_THAT(result.answers[2].sentence, HasSubstr("; where ops are " + std::string(ops) + ", the best scan"));
  }
  EXPECT_THAT(result.answers[4].sentence, HasSubstr("ops = whole"));
  EXPECT_THAT(result.answers[5].sentence, HasSubstr("ops = whole"));
  EXPECT_EQ(result.answers[6].question, "fewest_workers");
  EXPECT_EQ(Json::parse(result.answers[7].answer)["is_reached"], false) << "FLOPs are no milliseconds";
  EXPECT_EQ(ops_sentence(result),
            "shared ops on a pram are compared in FLOPs, since its seconds are those of whole ops; by score and time, "
            "points in seconds alone are compared");
  EXPECT_EQ(answers.back()["whole_equals_shared"], false);
  EXPECT_EQ(ops_sentence(run(chain_study("axes: [{path: workers, values: [1, 64]}]"))), "") << "nobody asks for them";
}

TEST(AnswerStudy, OfSharedOpsOnAPramAloneIsInFlops) {
  std::istringstream in(R"(
base:
  model: {chain: {length: 100, size: 4, kind: dense}}
  machine: {name: p, kind: pram, provenance: {origin: definition}, rates: [{workers: 64, op_latency_us: 1}]}
  ops: shared
axes: [{path: workers, values: [1, 64]}]
questions: [fewest_workers: {target_flops: 3168}]
)");
  const StudyResult result = run(load_study(in, "shared.yaml"));
  EXPECT_FALSE(result.is_in_seconds);
  EXPECT_EQ(answers_of(result).at(0)["value"], 1) << "99 ops of 32 FLOPs";
  EXPECT_EQ(ops_sentence(result),
            "shared ops on a pram are compared in FLOPs, since its seconds are those of whole ops");
}

TEST(AnswerStudy, SaysWhereRulesOfOpsMakeNoDifference) {
  const std::string lead = "whether ops are whole or shared makes no difference";
  EXPECT_EQ(ops_sentence(run(chain_study("axes: [{path: workers, values: [1, 64]}]\nquestions: [capacity: {along: "
                                         "workers, of: bppsa, memory_KiB: 6}]"))),
            lead + ": every question is about memory, which holds values, whoever works on them");
  const std::string gpu = UPSWEEP_SOURCE_DIR "/configs/machines/v100-sxm2-32gb.yaml";
  const std::string axis = "{path: machine, values: [" + gpu + "]}";
  EXPECT_EQ(ops_sentence(run(chain_study("axes: [" + axis + "]"))),
            lead + " on a gpu, where an op uses the whole device");
  EXPECT_EQ(ops_sentence(run(chain_study("axes: [" + axis + ", {path: ops, values: [whole, shared]}]"))),
            lead + " on a gpu, where an op uses the whole device");
}

TEST(AnswerStudy, PointsThatDoNotSayStopTheBisection) {
  const StudyResult result = run(chain_study(R"(
axes: [{path: workers, values: [1, 64]}]
constraints: "(workers - 1) * (workers - 64) == 0"
questions: [crossover: {along: workers}]
)"));
  const Json answer = answers_of(result).at(0);
  EXPECT_EQ(answer["is_blocked"], true);
  EXPECT_EQ(answer["plain_value"], 1);
  EXPECT_EQ(answer["value"], 64);
  EXPECT_THAT(result.answers[0].sentence, HasSubstr("a point between the two has no scores"));
}

}  // namespace
}  // namespace upsweep::answer_study_test
