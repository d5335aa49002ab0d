#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "figure/made_study.hpp"
#include "support/random.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class StudyFront : public SeededTest {};

TEST_F(StudyFront, FrontIsWhatNoOtherPointBeats) {
  const MadeStudy made = made_study(
      {{"a", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, {"b", {1, 2, 3, 4, 5}}}, [&](const auto&, StudyPointRow& point) {
        set_scores(point, static_cast<double>(between(1, 20)), static_cast<double>(between(1, 20)));
        point.peak_live_bytes = static_cast<double>(between(1, 20));
      });
  const auto beats = [](const StudyPointRow& a, const StudyPointRow& b) {
    return *a.score <= *b.score && *a.peak_live_bytes <= *b.peak_live_bytes &&
           (*a.score < *b.score || *a.peak_live_bytes < *b.peak_live_bytes);
  };
  std::set<std::pair<double, double>> expected;
  for (const StudyPointRow& point : made.points) {
    const bool is_beaten = std::any_of(made.points.begin(), made.points.end(),
                                       [&](const StudyPointRow& other) { return beats(other, point); });
    if (!is_beaten) expected.emplace(std::round(*point.peak_live_bytes), std::round(*point.score));
  }
  const std::optional<Figure> figure = study_front_figure(made.study, made.points);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> rows = rows_of(*figure, "points");
  EXPECT_THAT(rows, SizeIs(50));
  std::vector<std::pair<double, double>> front;
  for (const FigureData& row : rows) {
    if (row["front"] == 1)
      front.emplace_back(std::round(std::pow(10, row["x"].get<double>())),
                         std::round(std::pow(10, row["y"].get<double>())));
  }
  EXPECT_TRUE(std::is_sorted(front.begin(), front.end())) << "it is joined in this order";
  EXPECT_EQ(std::set(front.begin(), front.end()), expected);
  EXPECT_EQ(front.size(), expected.size()) << "of equal points one";
}

TEST_F(StudyFront, EachProblemHasAFrontOfItsOwn) {
  const MadeStudy made = made_study(
      {{"length", {10, 100, 1000}}, {"gpu", {"a", "b", "c", "d"}}}, [&](const auto& at, StudyPointRow& point) {
        const double length = at["length"];
        set_scores(point, length * static_cast<double>(between(1, 9)), length * static_cast<double>(between(1, 9)));
        point.peak_live_bytes = length * static_cast<double>(between(10, 19));
        point.plain_bytes = 10 * length;  // of the problem, whatever the GPU
      });
  const Figure figure = study_front_figure(made.study, made.points).value();
  std::map<std::string, std::vector<std::pair<double, double>>> fronts;
  for (const FigureData& row : rows_of(figure, "points")) {
    const auto about = row["about"].get<std::string>();
    if (row["front"] == 1) fronts[about.substr(0, about.find(','))].emplace_back(row["x"], row["y"]);
    if (row["best"] == true) {
      EXPECT_THAT(about, HasSubstr("length = 10,"));
    }
  }
  EXPECT_THAT(fronts, SizeIs(3)) << "one for each length";
  for (const auto& [problem, front] : fronts) {
    for (std::size_t i = 1; i < front.size(); ++i) EXPECT_LT(front[i].second, front[i - 1].second) << problem;
  }
  EXPECT_THAT(figure.caption, AllOf(HasSubstr("of 3 problems"), HasSubstr("the question pareto")));
}

TEST_F(StudyFront, FrontsOfManyProblemsAreBounded) {
  FigureData lengths = FigureData::array();
  FigureData widths = FigureData::array();
  for (int i = 0; i < 200; ++i) lengths.push_back(i + 1);
  for (int i = 0; i < 200; ++i) widths.push_back(i + 1);
  const MadeStudy made = made_study({{"length", lengths}, {"gpu", widths}}, [](const auto& at, StudyPointRow& point) {
    const double gpu = at["gpu"];
    point.score = 1 / gpu;
    point.peak_live_bytes = gpu;
    point.plain_bytes = at["length"].template get<double>();
  });
  const Figure figure = study_front_figure(made.study, made.points).value();
  EXPECT_LE(rows_of(figure, "points").size(), kMostMarks);
  EXPECT_THAT(figure.caption, AllOf(HasSubstr("of 200 problems"), HasSubstr(" 25 problems, spread evenly"),
                                    HasSubstr("Of each front one of ")));
  std::map<FigureData, FigureData> panels;
  for (const FigureData& row : rows_of(figure, "points")) {
    panels[row["problem"]] = row["panel"];
    EXPECT_EQ(row["name"], "") << "the panel has it";
  }
  EXPECT_THAT(panels, SizeIs(25)) << "no point of the others";
  EXPECT_EQ(figure.signals["panels"], 25);
  const auto names = figure.signals["panel_names"].get<std::vector<std::string>>();
  EXPECT_THAT(names, SizeIs(25));
  for (const auto& [problem, panel] : panels)
    EXPECT_EQ(names.at(panel), fmt::format("length = {}", problem.get<int>() + 1)) << problem;
}

TEST_F(StudyFront, FrontOfManyPointsIsWholeAndTheOthersAreCells) {
  MadeStudy made;
  made.study.name = "many";
  made.study.points = 100'000;
  for (std::uint64_t i = 0; i < made.study.points; ++i) {
    StudyPointRow point;
    point.position = i;
    point.unit = "FLOPs";
    point.score = std::exp(3 * normal());
    point.peak_live_bytes = std::exp(3 * normal());
    made.points.push_back(point);
  }
  const std::optional<Figure> figure = study_front_figure(made.study, made.points);
  ASSERT_TRUE(figure);
  std::size_t others = 0;
  for (const FigureData& row : rows_of(*figure, "points")) others += row["front"] == 0 ? 1 : 0;
  EXPECT_LE(others, kMostMarks);
  EXPECT_GT(others, 100U);
  EXPECT_THAT(figure->caption, HasSubstr("put together"));
}

}  // namespace
}  // namespace upsweep::testing
