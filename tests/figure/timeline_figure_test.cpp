#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "figure/made_run.hpp"
#include "figure/tables.hpp"
#include "support/random.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using testing::made_run;
using testing::profiled_run;
using testing::rows;
using ::testing::SizeIs;

class TimelineFigure : public testing::SeededTest {
 protected:
  RunDetails random_run() {
    const std::vector<std::string> names = {"linear", "blelloch", "hybrid:2", "sklansky", "blocked:4"};
    RunDetails run = made_run(names[between(0, names.size() - 1)], between(4, 200),
                              [this](std::size_t) { return static_cast<double>(between(0, 20)); });
    run.run.workers = between(1, 12);
    if (chance(0.7)) {
      run.search.emplace();
      run.search->execution = chance(0.5) ? "level" : "dag";
      run.search->scope = chance(0.3) ? "live" : "all";
    }
    return run;
  }
};

/// Start and end of bars.
using Spans = std::vector<std::pair<double, double>>;

Spans sorted_spans(const Figure& figure, const std::function<bool(const FigureData& row)>& wanted) {
  Spans spans;
  for (const FigureData& row : rows(figure.tables["bars"])) {
    if (wanted(row)) spans.emplace_back(row[1].get<double>(), row[2].get<double>());
  }
  std::sort(spans.begin(), spans.end());
  return spans;
}

TEST_F(TimelineFigure, EndsWithTheMakespanThatIsStored) {
  RunDetails run = profiled_run("lenet5", "hybrid:1", 3);
  EXPECT_EQ(timeline_figure(run).value().signals["makespan"].get<double>(), run.run.makespan_dag_flops);
  run.search.emplace();
  run.search->execution = "level";
  EXPECT_EQ(timeline_figure(run).value().signals["makespan"].get<double>(), run.run.makespan_level_flops);
}

TEST_F(TimelineFigure, GivesAWorkerOneOpAtATime) {
  for (int round = 0; round < 30; ++round) {
    const Figure figure = timeline_figure(random_run()).value();
    for (const FigureData& worker : figure.signals["rows"]) {
      const Spans spans = sorted_spans(figure, [&](const FigureData& row) { return row[0] == worker; });
      for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_LE(spans[i - 1].second, spans[i].first);
    }
  }
}

TEST_F(TimelineFigure, MarksAPathWithoutAGapFromTheStartToTheEnd) {
  for (int round = 0; round < 60; ++round) {
    const Figure figure = timeline_figure(random_run()).value();
    double reached = 0;
    for (const auto& [start, end] : sorted_spans(figure, [](const FigureData& row) { return row[5] == 1; })) {
      EXPECT_EQ(start, reached);
      reached = end;
    }
    EXPECT_EQ(reached, figure.signals["makespan"].get<double>());
  }
}

TEST_F(TimelineFigure, HasAsMuchBusyTimeAsTheOpsTake) {
  for (const std::size_t length : {50U, 3000U}) {
    RunDetails run = made_run("blelloch", length, [this](std::size_t) { return static_cast<double>(between(1, 20)); });
    run.run.workers = 100;
    const Figure figure = timeline_figure(run).value();
    double busy = 0;
    for (const FigureData& row : rows(figure.tables["busy"]))
      busy += (row[1].get<double>() - row[0].get<double>()) * row[2].get<double>() * 100;
    EXPECT_NEAR(busy, run.run.flops, 1e-9 * run.run.flops);
  }
}

TEST_F(TimelineFigure, LeavesOutDeadOpsWhereTheSearchDid) {
  RunDetails run = made_run("blelloch", 16, [](std::size_t) { return 1.0; });
  run.search.emplace();
  run.search->scope = "live";
  const Figure figure = timeline_figure(run).value();
  const auto live = std::count_if(run.ops.begin(), run.ops.end(), [](const StoredOp& op) { return !op.is_dead; });
  ASSERT_LT(static_cast<std::size_t>(live), run.ops.size());
  EXPECT_THAT(rows(figure.tables["bars"]), SizeIs(static_cast<std::size_t>(live)));
  EXPECT_THAT(figure.caption, HasSubstr("Live ops only: dead ops are left out"));
}

TEST_F(TimelineFigure, DoesNotDrawWorkersThatNeverWork) {
  RunDetails run = made_run("linear", 9, [](std::size_t) { return 5.0; });
  run.run.workers = 8;
  const Figure figure = timeline_figure(run).value();
  EXPECT_THAT(figure.signals["rows"], SizeIs(1));
  EXPECT_THAT(figure.caption, HasSubstr("7 of them never work"));
}

TEST_F(TimelineFigure, ShowsManyOpsAsSharesOfSlices) {
  RunDetails run = made_run("blelloch", 60'000, [this](std::size_t) { return static_cast<double>(between(1, 1000)); });
  run.run.workers = 500;
  const Figure figure = timeline_figure(run).value();
  EXPECT_LE(rows(figure.tables["bars"]).size(), kMostMarks);
  EXPECT_LE(rows(figure.tables["busy"]).size(), kMostMarks);
  EXPECT_LE(figure.signals["rows"].size(), 32U);
  EXPECT_THAT(figure.caption, HasSubstr("equal slices of time"));
  double busy = 0;
  for (const FigureData& row : rows(figure.tables["bars"])) {
    const double workers = row[0] == "496-499" ? 4 : 16;
    busy += (row[2].get<double>() - row[1].get<double>()) * row[4].get<double>() * workers;
  }
  EXPECT_NEAR(busy, run.run.flops, 1e-6 * run.run.flops) << "no op is lost";
}

TEST_F(TimelineFigure, DoesNotRoundMeansOverInputs) {
  RunDetails run = made_run("linear", 5, [](std::size_t id) { return static_cast<double>(id + 1) / 3; });
  run.run.inputs = 3;
  const Figure figure = timeline_figure(run).value();
  double start = 0;  // of op id: (1 + ... + id) / 3
  double sum = 0;
  for (std::size_t id = 0; id < run.ops.size(); ++id) {
    const FigureData& row = rows(figure.tables["bars"]).at(id);
    sum += static_cast<double>(id + 1);
    EXPECT_EQ(row[1].get<double>(), start);
    EXPECT_EQ(row[2].get<double>(), start = sum / 3);
  }
  EXPECT_EQ(figure.signals["makespan"].get<double>(), sum / 3);
  EXPECT_EQ(figure.signals["makespan"].is_number_integer(), std::fmod(sum, 3) == 0);
}

TEST_F(TimelineFigure, IsNothingWhereNothingTakesTime) {
  EXPECT_FALSE(timeline_figure(made_run("blelloch", 9, [](std::size_t) { return 0.0; })));
}

}  // namespace
}  // namespace upsweep
