#include "upsweep/report/run_diff_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rendered.hpp"

namespace upsweep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = DiffRow::Kind;

const DiffRow kWorkers{Kind::input, "workers", std::int64_t{4}, std::int64_t{8}, 2};
const DiffRow kRule{Kind::rule, "rule", std::string("rule 1"), std::string("rule 2"), 0};
const DiffRow kFlops{Kind::figure, "flops", std::int64_t{1000}, 250.0, 0.25};

RunDiff diff_of(std::vector<DiffRow> rows) { return {3, 7, std::move(rows)}; }

TEST(RunDiffReport, SaysWhyFiguresMoved) {
  EXPECT_THAT(to_text(diff_of({})), HasSubstr("Nothing differs"));
  EXPECT_THAT(to_text(diff_of({kWorkers, kFlops})),
              HasSubstr("Figures moved because they differ in what was asked for (workers).\n"));
  EXPECT_THAT(to_text(diff_of({kRule, kFlops})),
              HasSubstr("Figures moved because they were counted by another rule or version (counting rule).\n"));
  EXPECT_THAT(to_text(diff_of({kWorkers, kRule, kFlops})),
              HasSubstr("(workers), and they were counted by another rule or version (counting rule).\n"));
  EXPECT_THAT(to_text(diff_of({kWorkers})), HasSubstr("All figures are equal, although they differ in what"));
  EXPECT_THAT(to_text(diff_of({kFlops})), HasSubstr("though inputs, rule and version are equal"));
}

TEST(RunDiffReport, NamesTheFirstOfManyInputs) {
  std::vector<DiffRow> rows;
  for (int i = 0; i < 9; ++i) rows.push_back({Kind::input, "input" + std::to_string(i), 1.0, 2.0, 2});
  rows.push_back(kFlops);
  EXPECT_THAT(to_text(diff_of(rows)), HasSubstr("input4, input5 and 3 more)"));
}

TEST(RunDiffReport, HasATablePerKindThatDiffers) {
  const std::string text = to_text(diff_of({kWorkers, kFlops}));
  EXPECT_THAT(text, HasSubstr("Run 3 against run 7"));
  EXPECT_THAT(text, HasSubstr("workers      4      8  2.000x"));
  EXPECT_THAT(text, HasSubstr("0.2500x"));
  EXPECT_THAT(text, Not(HasSubstr("\nrule")));
  const DiffRow text_row{Kind::input, "machine", std::string(200, 'x'), std::string("two\nlines"), 0};
  const std::string cut = to_text(diff_of({text_row}));
  EXPECT_THAT(cut, HasSubstr(std::string(37, 'x') + "..."));
  EXPECT_THAT(cut, Not(HasSubstr(std::string(38, 'x'))));
  EXPECT_THAT(cut, HasSubstr("two lines"));
}

TEST(RunDiffReport, ShowsWhereLongTextsDiffer) {
  const std::string folder = "models/a-folder-with-a-long-name/another/network-\xc3\xa4-";
  const DiffRow file{Kind::input, "model_file", folder + "dense.yaml", folder + "pruned.yaml", 0};
  const std::string text = to_text(diff_of({file}));
  EXPECT_THAT(text, HasSubstr("...r/network-\xc3\xa4-dense.yaml"));
  EXPECT_THAT(text, HasSubstr("...r/network-\xc3\xa4-pruned.yaml"));
  const DiffRow tail{Kind::input, "machine", std::string(90, 'x'), std::string(90, 'x') + std::string(90, 'y'), 0};
  const std::string cut = to_text(diff_of({tail}));
  EXPECT_THAT(cut, HasSubstr("..." + std::string(12, 'x') + ' '));
  EXPECT_THAT(cut, HasSubstr("..." + std::string(12, 'x') + std::string(22, 'y') + "..."));
}

TEST(RunDiffReport, HasWordsAndUnitsForPeopleAndNumbersWithoutLossForPrograms) {
  const DiffRow makespan{Kind::figure, "makespan_dag_flops", 1048576.0, 2097152.0, 2};
  const DiffRow level{Kind::figure, "level 3: flops_max", std::int64_t{100'000'000}, std::int64_t{100'000'001}, 1};
  const DiffRow time{Kind::figure, "measurement: measured_s", 0.0025, 0.005, 2};
  const std::string text = to_text(diff_of({makespan, level, time}));
  EXPECT_THAT(text, ContainsRegex("makespan in FLOPs \\(dag\\) +1.049 M +2.097 M"));
  EXPECT_THAT(text, ContainsRegex("level 3: largest FLOPs +100000000 +100000001")) << "else they would look equal";
  EXPECT_THAT(text, ContainsRegex("measurement: measured +2.500 ms +5.000 ms"));
  EXPECT_THAT(to_csv(diff_of({makespan})), HasSubstr("figure,makespan_dag_flops,1048576,2097152,2"));
  EXPECT_EQ(to_json(diff_of({makespan}))["figures"][0]["before"], 1048576.0);
}

TEST(RunDiffReport, ShowsAFigureInOneFormatInBothColumns) {
  const DiffRow flops{Kind::figure, "score", 536576.0, 1049600.0, 1.956, "score_flops", "score_flops"};
  const DiffRow seconds{Kind::figure, "score", 3.702e-6, 0.001154, 311.7, "score_s", "score_s"};
  const DiffRow other{Kind::figure, "score", 536576.0, 3.702e-6, 0, "score_flops", "score_s"};
  const DiffRow ratio{Kind::figure, "verdict_ratio", 1.0, 1.34805, 1.348};
  const DiffRow ops{Kind::figure, "ops", std::int64_t{4}, std::int64_t{2'000'000}, 500'000};
  const DiffRow near{Kind::figure, "predicted_level_s", 0.0025, 0.00250000001, 1};
  EXPECT_THAT(to_text(diff_of({flops})), ContainsRegex("score +536.6 k +1.050 M +1.956x"));
  EXPECT_THAT(to_text(diff_of({seconds})), ContainsRegex("score +3.702 us +1.154 ms +311.7x"));
  EXPECT_THAT(to_text(diff_of({other})), ContainsRegex("score +536.6 k +3.702 us +-"));
  EXPECT_THAT(to_text(diff_of({ratio})), ContainsRegex("verdict ratio +1.000x +1.348x"));
  EXPECT_THAT(to_text(diff_of({ops})), ContainsRegex("ops +4 +2.000 M"));
  EXPECT_THAT(to_text(diff_of({near})), ContainsRegex("predicted \\(level\\) +0.0025 s +0.00250000001 s"));
}

TEST(RunDiffReport, HasTheDocumentedKeys) {
  const Json json = to_json(diff_of({kWorkers, kRule, kFlops}));
  EXPECT_EQ(json["before"], 3);
  EXPECT_EQ(json["after"], 7);
  ASSERT_EQ(json["inputs"].size(), 1);
  EXPECT_EQ(json["inputs"][0]["name"], "workers");
  EXPECT_EQ(json["inputs"][0]["before"], 4);
  EXPECT_EQ(json["inputs"][0]["after"], 8);
  EXPECT_EQ(json["inputs"][0]["ratio"], 2.0);
  EXPECT_EQ(json["rules"][0]["after"], "rule 2");
  EXPECT_TRUE(json["rules"][0]["ratio"].is_null());
  EXPECT_EQ(json["figures"][0]["after"], 250.0);
  const DiffRow missing{Kind::figure, "level 3: flops_sum", {}, std::int64_t{5}, 0};
  EXPECT_TRUE(to_json(diff_of({missing}))["figures"][0]["before"].is_null());
}

TEST(RunDiffReport, WritesARowPerDifference) {
  EXPECT_EQ(to_csv(diff_of({kWorkers, kRule, kFlops})),
            "kind,name,before,after,ratio\r\ninput,workers,4,8,2\r\nrule,rule,rule 1,rule 2,\r\n"
            "figure,flops,1000,250,0.25\r\n");
}

}  // namespace
}  // namespace upsweep
