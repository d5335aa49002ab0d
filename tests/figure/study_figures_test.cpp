#include "upsweep/figure/study_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "figure/made_study.hpp"
#include "support/random.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class StudyFigures : public SeededTest {};

MadeStudy lengths_and_workers() {
  return made_study({{"length", {10, 100, 1000, 10000}}, {"workers", {1, 2, 4}}},
                    [](const auto& at, StudyPointRow& point) {
                      const double length = at["length"];
                      set_scores(point, length * 1e-6, length * 2e-6 / at["workers"].template get<double>() + 3e-6);
                    });
}

TEST_F(StudyFigures, LinesStandWhereTheScoresAre) {
  const MadeStudy made = lengths_and_workers();
  const std::vector<Figure> figures = study_line_figures(made.study, made.points);
  ASSERT_THAT(figures, SizeIs(2));
  EXPECT_EQ(figures[0].kind, "study-lines");
  const std::vector<FigureData> rows = rows_of(figures[0], "points");
  EXPECT_THAT(rows, SizeIs(2 * 12));
  for (const FigureData& row : rows) {
    const double length = std::pow(10, row["x"].get<double>());
    const double workers = std::exp2(row["series"].get<int>());
    const double score = row["method"] == 0 ? length * 1e-6 : length * 2e-6 / workers + 3e-6;
    EXPECT_NEAR(std::pow(10, row["y"].get<double>()) / score, 1, 1e-4) << row;
    EXPECT_THAT(row["about"].get<std::string>(),
                HasSubstr(fmt::format("length = {:.0f}, workers = {:.0f}", length, workers)));
  }
  EXPECT_EQ(figures[0].signals["x_title"], "length");
  EXPECT_EQ(figures[0].signals["y_title"], "score (s)");
  EXPECT_EQ(figures[0].signals["series_title"], "workers");
}

TEST_F(StudyFigures, LinesOfSeveralUnitsStandOverPlainBackPropagation) {
  const MadeStudy made =
      made_study({{"ops", {"whole", "shared"}}, {"workers", {1, 2, 4}}}, [](const auto& at, StudyPointRow& point) {
        const bool is_whole = at["ops"] == "whole";
        point.unit = is_whole ? "s" : "FLOPs";
        set_scores(point, is_whole ? 1e-3 : 400, is_whole ? 5e-4 : 800);
      });
  const Figure figure = study_line_figures(made.study, made.points).at(1);
  for (const FigureData& row : rows_of(figure, "points")) {
    const double scan = row["series"] == 0 ? 2 : 0.5;
    EXPECT_NEAR(row["y"].get<double>(), row["method"] == 0 ? 1 : scan, 1e-4) << row;
    EXPECT_THAT(row["about"].get<std::string>(),
                HasSubstr(row["series"] == 0 ? "s, ops = whole" : " FLOPs, ops = shared"));
  }
  EXPECT_EQ(figure.signals["y_title"], "speed-up over plain BP");
  EXPECT_THAT(figure.caption, HasSubstr("above 1x the scan is faster"));
}

TEST_F(StudyFigures, PlacesOfAZippedAxisAreToldApart) {
  MadeStudy made = made_study({{"ops", {"whole", "whole", "shared"}}, {"workers", {1, 2}}},
                              [](const auto&, StudyPointRow& point) { set_scores(point, 2, 1); });
  for (StudyPointRow& point : made.points) {
    FigureData coordinates = FigureData::parse(point.coordinates);
    coordinates["latency"] = point.position / 2;
    point.coordinates = coordinates.dump();
  }
  const Figure figure = study_line_figures(made.study, made.points).at(1);
  EXPECT_EQ(figure.signals["series_labels"], FigureData::array({"whole, 0", "whole, 1", "shared, 2"}));
}

TEST_F(StudyFigures, CrossoverStandsAtTheLineOfItsPlaceOnly) {
  MadeStudy made = lengths_and_workers();
  made.study.answers.push_back(
      {"crossover", R"({"workers":4})", "", R"({"along":"length","faster":"from","value":7})"});
  made.study.answers.push_back(
      {"crossover", R"({"workers":3})", "", R"({"along":"length","faster":"from","value":9})"});
  made.study.answers.push_back({"crossover", R"({"workers":2})", "", R"({"along":"length","faster":"nowhere"})"});
  made.study.answers.push_back({"crossover", "not JSON", "", "[1"});
  const std::vector<Figure> figures = study_line_figures(made.study, made.points);
  const std::vector<FigureData> rules = rows_of(figures.at(0), "crossings");
  ASSERT_THAT(rules, SizeIs(1));
  EXPECT_NEAR(rules[0]["x"].get<double>(), std::log10(7), 1e-5);
  EXPECT_EQ(rules[0]["series"], 2);
  EXPECT_EQ(rules[0]["label"], "from 7");
  EXPECT_THAT(rows_of(figures.at(1), "crossings"), SizeIs(0)) << "that is along the other axis";
}

TEST_F(StudyFigures, LinesWithoutACrossoverHaveNoRuleButASentence) {
  MadeStudy made = lengths_and_workers();
  made.study.answers = {
      {"crossover", R"({"workers":1})", "", R"({"along":"length","faster":"nowhere","value":10})"},
      {"crossover", R"({"workers":2})", "", R"({"along":"length","faster":"nowhere","value":100})"},
      {"crossover", R"({"workers":4})", "", R"({"along":"length","faster":"everywhere","value":10})"}};
  const Figure figure = study_line_figures(made.study, made.points).at(0);
  EXPECT_THAT(rows_of(figure, "crossings"), SizeIs(0));
  EXPECT_THAT(figure.caption, HasSubstr("The scan is faster nowhere along length at workers = 1, 2."));
  EXPECT_THAT(figure.caption, HasSubstr("The scan is faster everywhere along length at workers = 4."));
  EXPECT_THAT(figure.caption, Not(HasSubstr("Vertical rules")));
  made.study.answers[2].details = R"({"along":"length","faster":"nowhere","value":10})";
  EXPECT_THAT(study_line_figures(made.study, made.points).at(0).caption,
              HasSubstr("The scan is faster nowhere along length in all lines."));
}

TEST_F(StudyFigures, EqualCrossoversOfSeveralLinesAreOneRule) {
  MadeStudy made = lengths_and_workers();
  for (const char* place : {R"({"workers":2})", R"({"workers":4})"})
    made.study.answers.push_back({"crossover", place, "", R"({"along":"length","faster":"up to","value":50})"});
  const std::vector<FigureData> rules = rows_of(study_line_figures(made.study, made.points).at(0), "crossings");
  ASSERT_THAT(rules, SizeIs(1));
  EXPECT_EQ(rules[0]["label"], "up to 50 (2 of 3 lines)");
}

TEST_F(StudyFigures, PointsWithoutScoresLeaveGapsAndTheCaptionSaysSo) {
  MadeStudy made = lengths_and_workers();
  made.points[4].plain_score.reset();
  made.points[4].scan_score.reset();
  made.points.erase(made.points.begin() + 7);  // not computed yet
  const Figure figure = study_line_figures(made.study, made.points).at(0);
  const std::vector<FigureData> rows = rows_of(figure, "points");
  EXPECT_EQ(std::count_if(rows.begin(), rows.end(), [](const FigureData& row) { return row["y"].is_null(); }), 4);
  EXPECT_THAT(figure.caption, HasSubstr("Gaps: 2 points without a score"));
}

TEST_F(StudyFigures, FilesAreNamedByTheirStems) {
  const MadeStudy made = made_study({{"gpu", {"../m/a100.yaml", "../m/h100.yaml"}}, {"batch", {1, 2}}},
                                    [](const auto&, StudyPointRow& point) { set_scores(point, 2, 1); });
  const Figure figure = study_line_figures(made.study, made.points).at(0);
  EXPECT_EQ(figure.signals["x_labels"], FigureData({"a100", "h100"}));
  EXPECT_EQ(figure.signals["is_ordinal"], true);
  const std::optional<Figure> map = study_map_figure(made.study, made.points);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->signals["y_labels"], FigureData({"a100", "h100"})) << "texts go down the side";
}

TEST_F(StudyFigures, AtMostSixOtherValuesAreLinesTheEndsAmongThem) {
  FigureData values = FigureData::array();
  for (int i = 0; i < 40; ++i) values.push_back(i);
  const MadeStudy made =
      made_study({{"x", {1, 2}}, {"y", values}}, [](const auto&, StudyPointRow& point) { set_scores(point, 2, 1); });
  const Figure figure = study_line_figures(made.study, made.points).at(0);
  const auto labels = figure.signals["series_labels"].get<std::vector<std::string>>();
  EXPECT_THAT(labels, SizeIs(6));
  EXPECT_EQ(std::set(labels.begin(), labels.end()).size(), 6U);
  EXPECT_EQ(labels.front(), "0");
  EXPECT_EQ(labels.back(), "39");
  EXPECT_THAT(figure.caption, HasSubstr("6 of 40 values of y are shown"));
}

TEST_F(StudyFigures, StudiesThatHaveNothingToShowHaveNoFigures) {
  MadeStudy made = lengths_and_workers();
  made.study.points = 13;  // not what the axes make
  EXPECT_THAT(study_line_figures(made.study, made.points), SizeIs(0));
  EXPECT_FALSE(study_map_figure(made.study, made.points));
  made.study.points = 12;
  made.study.axes[0].values = "no JSON";
  EXPECT_THAT(study_line_figures(made.study, made.points), SizeIs(0));
  EXPECT_THAT(study_line_figures({}, {}), SizeIs(0));
  EXPECT_FALSE(study_map_figure({}, {}));
  EXPECT_FALSE(study_front_figure({}, {}));
}

TEST_F(StudyFigures, MapHasTheSpeedupOfEveryPlace) {
  std::map<std::pair<int, int>, double> speedups;
  const MadeStudy made =
      made_study({{"a", {1, 2, 3, 4, 5}}, {"b", {1, 2, 3}}}, [&](const auto& at, StudyPointRow& point) {
        const double plain = std::exp(normal());
        const double scan = std::exp(normal());
        speedups[{at["a"], at["b"]}] = plain / scan;
        set_scores(point, plain, scan);
      });
  const std::optional<Figure> map = study_map_figure(made.study, made.points);
  ASSERT_TRUE(map);
  EXPECT_EQ(map->signals["x_title"], "a") << "the longer axis goes across";
  const std::vector<FigureData> cells = rows_of(*map, "cells");
  EXPECT_THAT(cells, SizeIs(15));
  for (const FigureData& cell : cells) {
    const double expected = speedups.at({cell["x"].get<int>() + 1, cell["y"].get<int>() + 1});
    EXPECT_NEAR(cell["power"].get<double>(), std::log2(expected), 1e-4);
    EXPECT_EQ(cell["text"], expected >= 1 && expected != 1 ? "hybrid:2" : "linear");
    EXPECT_LE(cell["power"].get<double>(), map->signals["high"].get<double>() + 1e-4);
    EXPECT_GE(cell["power"].get<double>(), map->signals["low"].get<double>() - 1e-4);
  }
}

TEST_F(StudyFigures, SayOfWhichStudyAndFrameTheyAre) {
  MadeStudy made =
      made_study({{"a", {1, 2, 3}}, {"b", {1, 2}}}, [](const auto&, StudyPointRow& point) { set_scores(point, 3, 1); });
  made.study.file = "studies/s.yaml";
  EXPECT_EQ(study_map_figure(made.study, made.points)->context, "studies/s.yaml") << "a study of an earlier version";
  made.study.verdict.details = R"({"parts": {"under": "All with one input, level execution"}})";
  EXPECT_EQ(study_map_figure(made.study, made.points)->context, "studies/s.yaml, all with one input, level execution");
  EXPECT_EQ(study_line_figures(made.study, made.points).at(0).context,
            "studies/s.yaml, all with one input, level execution");
  made.study.verdict.details = R"({"parts": 3})";
  EXPECT_EQ(study_map_figure(made.study, made.points)->context, "studies/s.yaml") << "a database may hold anything";
}

TEST_F(StudyFigures, MapIsOfTheMedianSliceNotOfWhereTheScanGainsMost) {
  const MadeStudy made =
      made_study({{"a", {1, 2, 3}}, {"b", {1, 2}}, {"c", {1, 2, 3}}}, [](const auto& at, StudyPointRow& point) {
        set_scores(point, std::array{0.5, 8.0, 2.0}[at["c"].template get<std::size_t>() - 1], 1);
      });
  const std::optional<Figure> map = study_map_figure(made.study, made.points);
  ASSERT_TRUE(map);
  EXPECT_THAT(map->caption, HasSubstr(" At c = 3, the slice whose median speedup is the middle one of all slices."));
  for (const FigureData& cell : rows_of(*map, "cells")) EXPECT_EQ(cell["power"], 1.0) << "of c = 3";
}

TEST_F(StudyFigures, MapTellsWhyACellHasNoSpeedup) {
  MadeStudy made =
      made_study({{"a", {1, 2, 3}}, {"b", {1, 2}}}, [](const auto&, StudyPointRow& point) { set_scores(point, 3, 1); });
  const std::vector<std::string> statuses = {"infeasible", "invalid", "excluded"};
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    made.points[i].status = statuses[i];
    made.points[i].plain_score.reset();
  }
  made.points.pop_back();
  const std::optional<Figure> map = study_map_figure(made.study, made.points);
  ASSERT_TRUE(map);
  std::set<std::string> signs;
  for (const FigureData& cell : rows_of(*map, "cells")) {
    if (cell["power"].is_null()) signs.insert(cell["text"].get<std::string>());
  }
  EXPECT_EQ(signs, (std::set<std::string>{"×", "?", "–", "·"}));
  EXPECT_THAT(map->caption, AllOf(HasSubstr("× does not fit"), HasSubstr("? invalid"), HasSubstr("– excluded"),
                                  HasSubstr("· not computed yet")));
}

TEST_F(StudyFigures, LargeMapsShowEveryKthValueAndSaySo) {
  FigureData values = FigureData::array();
  for (int i = 1; i <= 150; ++i) values.push_back(i);
  const MadeStudy made =
      made_study({{"a", values}, {"b", values}}, [](const auto&, StudyPointRow& point) { set_scores(point, 3, 1); });
  const std::optional<Figure> map = study_map_figure(made.study, made.points);
  ASSERT_TRUE(map);
  EXPECT_LE(rows_of(*map, "cells").size(), kMostMarks);
  EXPECT_THAT(map->caption, HasSubstr("One of 3 values of "));
  for (const Figure& lines : study_line_figures(made.study, made.points))
    EXPECT_LE(rows_of(lines, "points").size(), kMostMarks);
}

TEST_F(StudyFigures, TextsOfUsersStayShortAndOnOneLine) {
  MadeStudy made = made_study({{std::string(5000, 'n'), {"a\nb", "\x01<b>"}}, {"b\"<script>", {1, 2}}},
                              [](const auto&, StudyPointRow& point) { set_scores(point, 3, 1); });
  made.study.name = "\xff\xfe name\n</script>";
  for (const Figure& figure : study_line_figures(made.study, made.points)) {
    const std::string text = to_json(figure).dump(-1, ' ', false, FigureData::error_handler_t::replace);
    EXPECT_THAT(text, AllOf(Not(HasSubstr("\\n")), Not(HasSubstr("\\u0001"))));
    EXPECT_LT(text.size(), 20'000U);
  }
}

}  // namespace
}  // namespace upsweep::testing
