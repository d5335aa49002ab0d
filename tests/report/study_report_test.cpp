#include "upsweep/report/study_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/rendered.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Axis axis_of(const std::string& path, const std::vector<double>& numbers) {
  AxisColumn column{path, false, {}};
  for (const double number : numbers) column.values.push_back(axis_value(number));
  return {path, {column}};
}

PointBrief done(double score, double plain, double scan, std::uint32_t schedule) {
  PointBrief brief;
  brief.score = score;
  brief.plain_score = plain;
  brief.scan_score = scan;
  brief.best_bytes = 2048;
  brief.schedule = schedule;
  brief.status = PointStatus::done;
  return brief;
}

/// A study of two workers by two lengths: two points done, one invalid, one infeasible.
struct Example {
  Example() {
    study.file = "study.yaml";
    study.spec.name = "lengths";
    study.spec.description = "how long may a chain be";
    study.spec.axes = {axis_of("workers", {4, 8}), axis_of("model.chain.length", {10, 1000})};
    study.model.file = "chain.yaml";
    study.content_hash = "0123";
    result.id = 3;
    result.schedules = {"", "linear", "hybrid:3"};
    result.points = {done(100, 100, 200, 1), done(50, 150, 50, 2), PointBrief{}, PointBrief{}};
    result.points[2].status = PointStatus::invalid;
    result.points[3].status = PointStatus::infeasible;
    result.invalid = {2};
    result.reasons = {"workers is 8, accepted are at most 4"};
    result.evaluated = 4;
    result.seconds = 0.5;
  }
  [[nodiscard]] StudyReport report() const { return {study, result, nullptr}; }

  StudyFile study;
  StudyResult result;
};

AnswerRecord crossover(const std::string& where, const std::string& answer) {
  return {"crossover", where, "the scan is faster somewhere", answer};
}

TEST(StudyReport, SaysWhatWasRunAndWhatBecameOfIt) {
  const Example example;
  const std::string text = to_text(example.report());
  EXPECT_THAT(text, HasSubstr("Study lengths: how long may a chain be\n"));
  EXPECT_THAT(text, HasSubstr("Base: chain.yaml, no machine: scores are FLOPs\n"));
  EXPECT_THAT(text, HasSubstr("Grid: 2 workers x 2 model.chain.length = 4 points\n"));
  EXPECT_THAT(text, HasSubstr("Points: 2 done, 1 infeasible (no asked schedule fits the memory), 1 invalid"));
  EXPECT_THAT(text, Not(HasSubstr("excluded")));
  EXPECT_THAT(text, HasSubstr("4 evaluated in 500.0 ms, 8 a second.\n"));
  EXPECT_THAT(text, HasSubstr("Not valid: 1 point, for instance\n  workers = 8, model.chain.length = 10: workers is 8, "
                              "accepted are at most 4\n"));
}

TEST(StudyReport, SaysWhereScoresAreNoExactFlops) {
  Example example;
  EXPECT_THAT(to_text(example.report()), Not(HasSubstr("Expected")));
  example.result.is_exact = false;
  EXPECT_THAT(to_text(example.report()), HasSubstr("Expected counts, not exact ones"));
  EXPECT_EQ(to_json(example.report())["points"]["unit"], "FLOPs");
}

TEST(StudyReport, SaysHowManyNetworksWereNotCountedAgain) {
  Example example;
  EXPECT_THAT(to_text(example.report()), Not(HasSubstr("Counted networks")));
  example.result.counts = {40, 29, 1, 10};
  example.result.found = 5;
  example.result.resumed = 6;
  const std::string text = to_text(example.report());
  EXPECT_THAT(text, HasSubstr("needed 40 times, found 30 (75 %; 29 in memory, 1 stored), counted 10.\n"));
  EXPECT_THAT(text, HasSubstr("5 found in the store, 6 there from earlier runs of this study.\n"));
}

TEST(StudyReport, ShowsTheLotOfFewPointsOnly) {
  Example example;
  const std::string few = to_text(example.report());
  EXPECT_THAT(few,
              HasSubstr("workers  model.chain.length      best  score  plain BP  best scan  speedup     memory\n"));
  EXPECT_THAT(few,
              HasSubstr("      4                1000  hybrid:3     50       150         50   3.000x  2.000 KiB\n"));
  EXPECT_THAT(few, HasSubstr("infeasible\n"));
  std::vector<double> lengths;
  for (int i = 1; i <= 21; ++i) lengths.push_back(i);
  example.study.spec.axes[1] = axis_of("model.chain.length", lengths);
  example.result.points.assign(42, done(1, 1, 2, 1));
  EXPECT_THAT(to_text(example.report()), Not(HasSubstr("plain BP")));
}

TEST(StudyReport, HasTheDocumentedKeys) {
  Example example;
  example.result.answers = {crossover(R"({"workers": 4})", R"({"value": 12})"), {"best", "", "linear wins", "{}"}};
  const Json json = to_json(example.report());
  EXPECT_EQ(json["study"]["name"], "lengths");
  EXPECT_EQ(json["study"]["id"], 3);
  EXPECT_TRUE(json["study"]["machine"].is_null());
  EXPECT_EQ(json["study"]["axes"][1]["size"], 2);
  EXPECT_EQ(json["points"]["total"], 4);
  EXPECT_EQ(json["points"]["done"], 2);
  EXPECT_EQ(json["points"]["infeasible"], 1);
  EXPECT_EQ(json["points"]["invalid"], 1);
  EXPECT_EQ(json["points"]["open"], 0);
  EXPECT_EQ(json["points"]["points_per_s"], 8.0);
  EXPECT_EQ(json["points"]["unit"], "FLOPs");
  EXPECT_EQ(json["cache"]["hit_rate"], 0.0);
  EXPECT_EQ(json["answers"][0]["where"]["workers"], 4);
  EXPECT_EQ(json["answers"][0]["answer"]["value"], 12);
  EXPECT_TRUE(json["answers"][1]["where"].is_null()) << "of all points";
  EXPECT_EQ(json["invalid"][0]["position"], 2);
  EXPECT_EQ(json["invalid"][0]["at"]["workers"], "8");
  EXPECT_TRUE(json["rows"].is_null());
}

TEST(StudyReport, GivesProgramsTheRowsOfTheStore) {
  const Example example;
  const QueryResult rows{{"position", "coordinates", "reason"},
                         {{std::int64_t{3}, std::string(R"({"workers": 8})"), std::string("too large")}}};
  const StudyReport report{example.study, example.result, &rows};
  EXPECT_EQ(to_json(report)["rows"][0]["coordinates"]["workers"], 8);
  EXPECT_THAT(to_csv(report), HasSubstr("3,8,1000,infeasible,,,,,,,,,,,,,,too large,,\r\n"));
}

TEST(StudyReport, WritesARowPerPoint) {
  const Example example;
  EXPECT_EQ(
      to_csv(example.report()),
      "position,workers,model.chain.length,status,best_schedule,unit,score,plain_score,scan_score,speedup,peak_"
      "live_bytes,"
      "plain_bytes,scan_bytes,bppsa_bytes,pipeline_bytes,memory_limit,dense_score,reason,graph_score,blocks_score\r\n"
      "0,4,10,done,linear,FLOPs,100,100,200,0.5,2048,,,,,,,,,\r\n"
      "1,4,1000,done,hybrid:3,FLOPs,50,150,50,3,2048,,,,,,,,,\r\n"
      "2,8,10,invalid,,,,,,,,,,,,,,\"workers is 8, accepted are at most 4\",,\r\n"
      "3,8,1000,infeasible,,,,,,,,,,,,,,,,\r\n");
}

TEST(StudyReport, NamesTheColumnsOfZippedAxes) {
  Example example;
  Axis image = axis_of("model.input[1]", {32, 64});
  image.name = "image";
  image.columns.push_back({"model.input[2]", false, {axis_value(32), axis_value(48)}});
  example.study.spec.axes = {image, axis_of("workers", {1, 2})};
  const std::string csv = to_csv(example.report());
  EXPECT_THAT(csv, ::testing::StartsWith("position,model.input[1],model.input[2],workers,status"));
  EXPECT_THAT(csv, HasSubstr("\n3,64,48,2,infeasible"));
}

TEST(StudyReport, ShowsCrossoversAsATable) {
  Example example;
  example.result.answers = {
      crossover(R"({"model.chain.length": 10})",
                R"({"along": "workers", "faster": "nowhere", "speedup_least": 0.1, "speedup_most": 0.9, "value": 8,
                    "binding": "latency"})"),
      crossover(R"({"model.chain.length": 1000})",
                R"({"along": "workers", "faster": "from", "value": 33, "plain_value": 32, "speedup": 1.25,
                    "plain_speedup": 0.98, "binding": "workers"})"),
      {"crossover", "", "7 more are not answered one by one", R"({"more": 7})"}};
  const std::string text = to_text(example.report());
  EXPECT_THAT(text, HasSubstr("\nCrossover along workers\n"
                              "model.chain.length  scan is faster  not at  speedup             limited by\n"));
  EXPECT_THAT(text, HasSubstr("                10  nowhere              -  0.1000x to 0.9000x  latency\n"));
  EXPECT_THAT(text, HasSubstr("              1000  from 33             32  0.9800x to 1.250x   workers\n"));
  EXPECT_THAT(text, HasSubstr("\n7 more are not answered one by one\n"));
  EXPECT_THAT(text, Not(HasSubstr("somewhere"))) << "a sentence of a row that is in the table";
}

TEST(StudyReport, ShowsFilesByTheirStemsToPeopleOnly) {
  Example example;
  const auto files = [&](const std::string& first, const std::string& second) {
    example.study.spec.axes[0] = {"machine", {{"machine", false, {{first}, {second}}}}};
    const std::string place = R"({"machine": ")";
    example.result.answers = {crossover(place + first + "\"}", R"({"along": "n", "faster": "nowhere"})"),
                              crossover(place + second + "\"}", R"({"along": "n", "faster": "nowhere"})")};
  };
  files("../machines/a100.yaml", "../machines/h200-141gb.yaml");
  const std::string text = to_text(example.report());
  EXPECT_THAT(text, HasSubstr("\nh200-141gb                1000  "));
  EXPECT_THAT(text, HasSubstr("\n      a100  nowhere"));
  EXPECT_EQ(text.find("a100.yaml"), std::string::npos);
  EXPECT_THAT(text, HasSubstr("  machine = ../machines/h200-141gb.yaml, ")) << "where a point is not valid";
  EXPECT_THAT(to_csv(example.report()), HasSubstr("\n0,../machines/a100.yaml,10,done"));
  EXPECT_EQ(to_json(example.report())["answers"][0]["where"]["machine"], "../machines/a100.yaml");
  files("old/a100.yaml", "new/a100.yaml");
  EXPECT_THAT(to_text(example.report()), HasSubstr("\nold/a100.yaml  ")) << "two files, one stem";
  files("machines/a100.yaml", "machines/tpu");
  EXPECT_THAT(to_text(example.report()), HasSubstr("machines/a100.yaml  ")) << "not all are such files";
}

TEST(StudyReport, ShowsOtherAnswersAsSentencesByQuestion) {
  Example example;
  example.result.answers = {
      {"best", "", "linear wins", "{}"},
      {"crossover", "", "faster from 3", R"({"along": "workers", "faster": "from", "value": 3, "plain_value": 2})"},
      {"fewest_workers", "", "9 are enough", R"({"along": "workers"})"},
      {"fewest_workers", "", "10 are enough", R"({"along": "model.workers"})"}};
  EXPECT_THAT(
      to_text(example.report()),
      ::testing::EndsWith("\nBest\nlinear wins\n\nCrossover along workers\nfaster from 3\n\nFewest workers along "
                          "workers\n9 are enough\n\nFewest workers along model.workers\n10 are enough\n"));
}

TEST(StudyReport, LeavesOutLongListsButSaysSo) {
  Example example;
  for (int i = 0; i < 45; ++i) example.result.answers.push_back({"top", "", "point", "{}"});
  for (std::size_t i = 0; i < 8; ++i) {
    example.result.invalid.push_back(i % 4);
    example.result.reasons.push_back("reason " + std::to_string(i));
  }
  const std::string text = to_text(example.report());
  EXPECT_THAT(text, HasSubstr("... 5 more: --format json\n"));
  EXPECT_THAT(text, HasSubstr("... 4 reasons more: --format json\n"));
}

TEST(StudyProgressLine, SaysHowFarAndHowLong) {
  StudyProgress progress;
  progress.done = 1200;
  progress.points = 5000;
  progress.points_per_s = 830;
  progress.seconds_left = 4.58;
  progress.best = "hybrid:3";
  progress.best_score = 12.3e-6;
  progress.is_in_seconds = true;
  EXPECT_EQ(progress_text(progress),
            "1200 of 5000 points, 24 %, 830 a second, 4.6 s left, best hybrid:3 with 12.30 us");
  progress.seconds_left = 3725;
  progress.is_in_seconds = false;
  progress.best_score = 26'061'648;
  EXPECT_THAT(progress_text(progress), HasSubstr("1 h 2 min left, best hybrid:3 with 26.06 M FLOPs"));
  progress.seconds_left = 130;
  EXPECT_THAT(progress_text(progress), HasSubstr("2 min 10 s left"));
}

TEST(StudyProgressLine, SaysNothingThatIsNotKnown) {
  StudyProgress progress;
  progress.points = 3;
  EXPECT_EQ(progress_text(progress), "0 of 3 points, 0 %");
  progress.done = 3;
  progress.points_per_s = 51'234;
  EXPECT_EQ(progress_text(progress), "3 of 3 points, 100 %, 51.23 k a second");
}

}  // namespace
}  // namespace upsweep
