#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "figure/made_run.hpp"
#include "figure/tables.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

using testing::cells;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::made_run;
using testing::numbers;
using testing::rows;
using ::testing::SizeIs;

StoredMeasurement measurement_of(const RunDetails& run, double seconds_per_flop, double speed) {
  StoredMeasurement measurement;
  measurement.backend = "cpu";
  measurement.device = "a machine";
  measurement.predicted_s = 0;
  for (const StoredLevel& level : run.levels) {
    const double predicted = level.flops_max * seconds_per_flop;
    measurement.levels.push_back({level.level, predicted, predicted / speed});
    *measurement.predicted_s += predicted;
    measurement.measured_s += predicted / speed;
  }
  for (const StoredOp& op : run.ops)
    measurement.ops.push_back({op.id, op.flops * seconds_per_flop, op.flops * seconds_per_flop / speed});
  return measurement;
}

RunDetails measured_run(const std::string& schedule, std::size_t length, double speed) {
  RunDetails run = made_run(schedule, length, [](std::size_t id) { return static_cast<double>(100 + id % 77); });
  run.measurements.push_back(measurement_of(run, 1e-9, speed));
  return run;
}

TEST(PredictedFigure, HasEachOpAndLevelWithItsSeconds) {
  const RunDetails run = measured_run("blelloch", 20, 0.5);
  const Figure figure = predicted_figure(run).value();
  const FigureData& points = figure.tables["points"];
  EXPECT_THAT(rows(points), SizeIs(run.ops.size() + run.levels.size()));
  for (const FigureData& row : rows(points)) EXPECT_DOUBLE_EQ(row[1].get<double>(), 2 * row[0].get<double>());
  EXPECT_THAT(figure.caption, HasSubstr("median 50.0 %, 90th percentile 50.0 %"));
  EXPECT_THAT(figure.caption, HasSubstr("(-50.0 %)"));
}

TEST(PredictedFigure, ComparesNoTimeThatIsAddedUpOverWorkersWithOneThatIsNot) {
  RunDetails run = measured_run("blelloch", 20, 1);
  EXPECT_EQ(predicted_figure(run).value().signals["x_title"], "predicted seconds of an op or level");
  StoredMeasurement& measurement = run.measurements.back();
  measurement.workers = 2;
  for (StoredMeasuredOp& op : measurement.ops) op.measured_busy_s *= 2;  // as two workers that share each op have it
  const Figure figure = predicted_figure(run).value();
  EXPECT_THAT(rows(figure.tables["points"]), SizeIs(run.levels.size()));
  for (const FigureData& row : rows(figure.tables["points"]))
    EXPECT_DOUBLE_EQ(row[1].get<double>(), row[0].get<double>()) << "a right prediction stands on the diagonal";
  EXPECT_EQ(figure.signals["x_title"], "predicted seconds of a level");
  EXPECT_EQ(figure.signals["y_title"], "measured seconds of a level");
  EXPECT_EQ(figure.signals["kinds"], FigureData::array({"level"}));
  EXPECT_THAT(figure.caption, HasSubstr("Ops are not shown"));
}

TEST(PredictedFigure, TakesTheLastMeasurementWithPredictions) {
  RunDetails run = measured_run("blelloch", 20, 0.5);
  run.measurements.push_back(measurement_of(run, 1e-9, 4));
  run.measurements.back().backend = "cuda";
  run.measurements.push_back(run.measurements.front());
  for (StoredMeasuredLevel& level : run.measurements.back().levels) level.predicted_s.reset();
  EXPECT_THAT(predicted_figure(run).value().title, HasSubstr("cuda"));
  EXPECT_THAT(residuals_figure(run).value().title, HasSubstr("cuda"));
}

TEST(PredictedFigure, IsNothingWithoutPredictions) {
  EXPECT_FALSE(predicted_figure(made_run("blelloch", 9, [](std::size_t) { return 1.0; })));
  RunDetails run = measured_run("blelloch", 9, 1);
  for (StoredMeasuredLevel& level : run.measurements.back().levels) level.predicted_s.reset();
  EXPECT_FALSE(predicted_figure(run));
  EXPECT_FALSE(residuals_figure(run));
}

TEST(PredictedFigure, LeavesOutTimesOfZeroAndSaysSo) {
  RunDetails run = measured_run("blelloch", 9, 1);
  run.measurements.back().ops[2].measured_busy_s = 0;
  const Figure figure = predicted_figure(run).value();
  EXPECT_THAT(rows(figure.tables["points"]), SizeIs(run.ops.size() + run.levels.size() - 1));
  EXPECT_THAT(figure.caption, HasSubstr("1 point with a time of 0 not shown"));
}

TEST(PredictedFigure, PutsManyPointsTogether) {
  const RunDetails run = measured_run("linear", 50'000, 0.8);
  const Figure figure = predicted_figure(run).value();
  EXPECT_LE(rows(figure.tables["points"]).size(), kMostMarks);
  double count = 0;
  for (const double each : numbers(figure.tables["points"], "count")) count += each;
  EXPECT_EQ(count, static_cast<double>(run.ops.size() + run.levels.size()));
  EXPECT_LE(rows(residuals_figure(run).value().tables["levels"]).size(), kMostMarks);
}

TEST(ResidualsFigure, HasTheErrorOfEachLevel) {
  RunDetails run = measured_run("blelloch", 20, 0.5);
  run.measurements.back().levels[1].measured_s = *run.measurements.back().levels[1].predicted_s / 3;
  const Figure figure = residuals_figure(run).value();
  const std::vector<double> residuals = numbers(figure.tables["levels"], "residual");
  ASSERT_THAT(residuals, SizeIs(run.levels.size()));
  EXPECT_DOUBLE_EQ(residuals[0], -0.5) << "it took twice as long";
  EXPECT_DOUBLE_EQ(residuals[1], 2);
}

TEST(MeasuredFigure, GroupsSchedulesByBackendAndMarksTheFastest) {
  std::vector<RunDetails> runs = {measured_run("hybrid:2", 40, 1), measured_run("linear", 40, 1),
                                  measured_run("hybrid:1", 40, 50)};
  runs[0].measurements.push_back(runs[0].measurements.front());
  runs[0].measurements.back().backend = "reference";
  const Figure figure = measured_figure(runs).value();
  EXPECT_THAT(cells(figure.tables["heads"], "label"), ElementsAre("cpu on a machine", "reference on a machine"));
  EXPECT_THAT(cells(figure.tables["schedules"], "label"), ElementsAre("linear", "hybrid:1", "hybrid:2", "hybrid:2"));
  EXPECT_THAT(cells(figure.tables["schedules"], "fastest"), ElementsAre(false, true, false, false));
  EXPECT_THAT(cells(figure.tables["schedules"], "row"), ElementsAre(1, 2, 3, 5)) << "heads take rows";
}

TEST(MeasuredFigure, NeverMarksAWrongOneAsTheFastest) {
  std::vector<RunDetails> runs = {measured_run("linear", 40, 1), measured_run("hybrid:1", 40, 50)};
  runs[1].measurements.back().mismatch = "op 3";
  const auto fastest = [&] { return cells(measured_figure(runs).value().tables["schedules"], "fastest"); };
  EXPECT_THAT(fastest(), ElementsAre(true, false));
  runs[0].measurements.back().mismatch = "op 1";
  EXPECT_THAT(fastest(), ElementsAre(false, false));
}

TEST(MeasuredFigure, NeedsTwoMeasurements) {
  EXPECT_FALSE(measured_figure(std::vector<RunDetails>{}));
  EXPECT_FALSE(measured_figure(std::vector{measured_run("linear", 9, 1)}));
}

TEST(MeasuredFigure, WorksWithoutPredictions) {
  std::vector<RunDetails> runs = {measured_run("linear", 40, 1), measured_run("hybrid:1", 40, 1)};
  for (RunDetails& run : runs) run.measurements.back().predicted_s.reset();
  const Figure figure = measured_figure(runs).value();
  EXPECT_EQ(figure.signals["kinds"], FigureData({"measured"}));
  for (const FigureData& cell : cells(figure.tables["schedules"], "predicted")) EXPECT_TRUE(cell.is_null());
}

}  // namespace
}  // namespace upsweep
