#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "figure/tables.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

using testing::cells;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::rows;
using ::testing::SizeIs;

StoredRun candidate(const std::string& schedule, std::optional<std::uint32_t> depth, double flops) {
  StoredRun run;
  run.schedule = schedule;
  run.depth = depth;
  run.flops = flops;
  run.live_flops = flops / 2;
  run.critical_path_dag_flops = flops / 4;
  run.critical_path_level_flops = flops / 3;
  run.makespan_dag_flops = flops / 2;
  run.makespan_level_flops = flops;
  run.peak_live_bytes = 10 * flops;
  run.score = run.makespan_dag_flops;
  run.feasible = true;
  return run;
}

StoredSearch made_search() {
  StoredSearch search;
  search.objective = "time";
  search.execution = "dag";
  search.scope = "all";
  search.workers = 4;
  search.best_depth = 1;
  return search;
}

std::vector<StoredRun> made_candidates() {
  return {candidate("blocked:4", {}, 60), candidate("hybrid:2", 2, 400), candidate("linear", 0, 100),
          candidate("hybrid:1", 1, 50)};
}

/// Ratio by series and label.
std::map<std::pair<std::string, std::string>, double> ratios(const Figure& figure) {
  std::map<std::pair<std::string, std::string>, double> found;
  for (const FigureData& row : rows(figure.tables["figures"]))
    found[{row[2].get<std::string>(), row[0].get<std::string>()}] = row[3].get<double>();
  return found;
}

TEST(DepthFigure, HasDepthsInOrderAndSchemesAfterThem) {
  const Figure figure = depth_figure(made_search(), made_candidates()).value();
  EXPECT_EQ(figure.signals["labels"], FigureData({"0", "1", "2", "blocked:4"}));
  EXPECT_EQ(figure.signals["series"], FigureData({"time", "critical path, dag", "FLOPs", "peak memory"}));
  EXPECT_THAT(figure.caption, HasSubstr("other schemes"));
}

TEST(DepthFigure, IsRelativeToPlainBackPropagation) {
  const auto found = ratios(depth_figure(made_search(), made_candidates()).value());
  for (const char* series : {"time", "critical path, dag", "FLOPs", "peak memory"}) {
    EXPECT_DOUBLE_EQ(found.at({series, "0"}), 1) << series;
    EXPECT_DOUBLE_EQ(found.at({series, "1"}), 0.5) << series;
    EXPECT_DOUBLE_EQ(found.at({series, "2"}), 4) << series;
  }
}

TEST(DepthFigure, FollowsTheSettingsOfTheSearch) {
  StoredSearch search = made_search();
  search.objective = "critical-flops";
  search.execution = "level";
  std::vector<StoredRun> runs = made_candidates();
  runs[3].makespan_level_flops = 7;
  runs[3].critical_path_level_flops = 8;
  const Figure figure = depth_figure(search, runs).value();
  const auto found = ratios(figure);
  EXPECT_DOUBLE_EQ(found.at({"time", "1"}), 7.0 / 100);
  EXPECT_DOUBLE_EQ(found.at({"critical path, level", "1"}), 24.0 / 100);
  EXPECT_THAT(figure.caption, HasSubstr("the critical ops of all levels"));
}

TEST(DepthFigure, ShowsOfASearchOfLiveOpsNothingThatIsOfAllOps) {
  StoredSearch search = made_search();
  search.scope = "live";
  search.memory_limit = 1500;
  std::vector<StoredRun> runs = made_candidates();
  for (StoredRun& run : runs) run.score = run.flops / 5;
  runs[3].score = 7;
  runs[3].live_flops = 9;
  const Figure figure = depth_figure(search, runs).value();
  EXPECT_EQ(figure.signals["series"], FigureData({"time", "FLOPs"}));
  const auto found = ratios(figure);
  EXPECT_DOUBLE_EQ(found.at({"time", "1"}), 7.0 / 20);
  EXPECT_DOUBLE_EQ(found.at({"FLOPs", "1"}), 9.0 / 50);
  EXPECT_THAT(rows(figure.tables["limit"]), SizeIs(0)) << "that is of the live values' memory";
  EXPECT_THAT(figure.title, HasSubstr("live ops only"));
  EXPECT_THAT(figure.caption, HasSubstr("Live ops only"));
  EXPECT_EQ(figure.signals["y_title"], "live ops, of plain BP: less is better");
  search.objective = "critical-flops";
  EXPECT_EQ(depth_figure(search, runs).value().signals["series"], FigureData({"critical path, dag", "FLOPs"}));
}

TEST(DepthFigure, DrawsAtMostFiveHundredCandidatesTheBestAmongThem) {
  std::vector<StoredRun> runs;
  for (std::uint32_t depth = 0; depth < 700; ++depth) runs.push_back(candidate("hybrid", depth, 100));
  StoredSearch search = made_search();
  search.best_depth = 650;
  const Figure figure = depth_figure(search, runs).value();
  EXPECT_THAT(figure.signals["labels"], SizeIs(499));
  EXPECT_EQ(figure.signals["labels"].back(), "650");
  EXPECT_LE(rows(figure.tables["figures"]).size(), kMostMarks);
  EXPECT_THAT(figure.caption, HasSubstr("499 of 700 candidates"));
}

TEST(DepthFigure, MarksTheBestDepthAndTheBestOfAll) {
  StoredSearch search = made_search();
  EXPECT_THAT(depth_figure(search, made_candidates()).value().tables["best"]["rows"],
              ElementsAre(FigureData({"1", true, "best"})));
  search.best_schedule = "blocked:4";
  EXPECT_THAT(cells(depth_figure(search, made_candidates()).value().tables["best"], "rank"),
              ElementsAre("best depth", "best"));
  search.best_schedule.reset();
  search.best_depth.reset();
  EXPECT_THAT(depth_figure(search, made_candidates()).value().tables["best"]["rows"], SizeIs(0));
}

TEST(DepthFigure, SaysWhatDoesNotFitAndWhy) {
  StoredSearch search = made_search();
  search.memory_limit = 1500;
  std::vector<StoredRun> runs = made_candidates();
  runs[1].feasible = false;
  runs[1].reason = "too large";
  const Figure figure = depth_figure(search, runs).value();
  for (const FigureData& row : rows(figure.tables["figures"])) {
    EXPECT_EQ(row[4].get<bool>(), row[0] != "2");
    if (row[0] == "2") {
      EXPECT_THAT(row[5].get<std::string>(), HasSubstr("does not fit: too large"));
    }
  }
  EXPECT_DOUBLE_EQ(figure.tables["limit"]["rows"][0][0].get<double>(), 1.5);
  EXPECT_THAT(figure.caption, HasSubstr("does not fit"));
}

TEST(DepthFigure, ShowsSecondsWhereTheSearchHasThem) {
  std::vector<StoredRun> runs = made_candidates();
  for (StoredRun& run : runs) {
    run.machine = 1;
    run.score = run.flops * 1e-3;
    run.predicted_dag_s = run.score;
  }
  const Figure figure = depth_figure(made_search(), runs).value();
  EXPECT_THAT(rows(figure.tables["figures"])[0][5].get<std::string>(), HasSubstr("100.0 ms"));
}

TEST(DepthFigure, NeedsTwoCandidatesAndSurvivesADeletedReference) {
  EXPECT_FALSE(depth_figure(made_search(), std::vector{candidate("linear", 0, 100)}));
  const Figure figure =
      depth_figure(made_search(), std::vector{candidate("hybrid:1", 1, 50), candidate("hybrid:2", 2, 100)}).value();
  EXPECT_THAT(figure.caption, HasSubstr("relative to the schedule hybrid:1"));
}

}  // namespace
}  // namespace upsweep
