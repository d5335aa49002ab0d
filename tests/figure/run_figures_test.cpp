#include "upsweep/figure/run_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "figure/made_run.hpp"
#include "figure/tables.hpp"

namespace upsweep {
namespace {

using testing::cells;
using ::testing::HasSubstr;
using testing::made_run;
using ::testing::Not;
using testing::numbers;
using testing::profiled_run;
using testing::rows;
using ::testing::SizeIs;

/// FLOPs of ops that differ, from 10 to 10^6.
double varied_flops(std::size_t id) { return std::floor(std::pow(10, 1 + static_cast<double>(id * 37 % 101) / 20)); }

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

/// Everything that a figure hands to its template is something that the template asks for, and the other way round.
void expect_fits_template(const Figure& figure) {
  std::ifstream file(std::string(UPSWEEP_SOURCE_DIR) + "/src/figure/templates/" + figure.kind + ".json");
  const auto specification = nlohmann::json::parse(file);
  std::set<std::string> sources;
  std::set<std::string> signals;
  for (const auto& source : specification["data"]) {
    if (!source.contains("source")) sources.insert(source["name"]);
  }
  for (const auto& signal : specification["signals"]) {
    if (signal["name"] != "palette" && !signal.contains("update")) signals.insert(signal["name"]);
  }
  std::set<std::string> tables;
  std::set<std::string> values;
  for (const auto& [name, table] : figure.tables.items()) tables.insert(name);
  for (const auto& [name, value] : figure.signals.items()) values.insert(name);
  EXPECT_EQ(tables, sources) << figure.kind;
  EXPECT_EQ(values, signals) << figure.kind;
  for (const auto& [name, table] : figure.tables.items()) {
    for (const FigureData& row : table["rows"]) ASSERT_EQ(row.size(), table["columns"].size()) << name;
  }
}

std::vector<Figure> figures_of(const RunDetails& run) {
  std::vector<Figure> figures;
  for (const auto& make : {op_flops_figure, schedule_figure, fill_in_figure, timeline_figure}) {
    if (std::optional<Figure> figure = make(run)) figures.push_back(*std::move(figure));
  }
  return figures;
}

TEST(RunFigures, HandTheirTemplatesWhatTheseAskFor) {
  const std::vector<Figure> figures = figures_of(profiled_run("lenet5", "hybrid:2", 3));
  EXPECT_THAT(figures, SizeIs(4));
  for (const Figure& figure : figures) expect_fits_template(figure);
  for (const Figure& figure : figures_of(made_run("blelloch", 3000, varied_flops))) expect_fits_template(figure);
}

TEST(RunFigures, AreNothingForARunWithoutOps) {
  EXPECT_THAT(figures_of(made_run("linear", 2, varied_flops)), SizeIs(0));
  EXPECT_THAT(figures_of(RunDetails{}), SizeIs(0));
}

TEST(RunFigures, SayOfWhatTheyAre) {
  RunDetails run = made_run("hybrid:1", 9, varied_flops);
  run.run.pattern = "sample";
  run.run.inputs = 3;
  run.run.workers = 2;
  run.machine.emplace().name = "a machine";
  for (const Figure& figure : figures_of(run))
    EXPECT_EQ(figure.context, "made, sample pattern of 3 inputs, hybrid:1, 2 workers, on a machine") << figure.kind;
}

TEST(RunFigures, TellTheKindsOfCriticalOpsApart) {
  const RunDetails run = profiled_run("lenet5", "blelloch", 2);
  const auto about_of = [&](const Figure& figure, const char* table) {
    std::string all;
    for (const FigureData& about : cells(figure.tables[table], "about")) all += about.get<std::string>() + "\n";
    return all;
  };
  for (const auto& [figure, table] :
       {std::pair(op_flops_figure(run).value(), "ops"), std::pair(schedule_figure(run).value(), "ops")}) {
    EXPECT_THAT(about_of(figure, table), HasSubstr("critical of its level")) << figure.kind;
    EXPECT_THAT(about_of(figure, table), Not(HasSubstr("longest chain"))) << figure.kind;
  }
  const std::string bars = about_of(timeline_figure(run).value(), "bars");
  EXPECT_THAT(bars, HasSubstr("on the run's longest chain"));
  EXPECT_THAT(bars, Not(HasSubstr("critical")));
}

TEST(RunFigures, TakeTextsOfUsersAsTheyAre) {
  RunDetails run = made_run("blelloch", 8, varied_flops);
  run.operators[0].name = "</script><b>\n\"'&";
  run.operators[1].name = std::string(10'000, 'x');
  std::string umlauts;
  for (int i = 0; i < 500; ++i) umlauts += "\xC3\xA4";
  run.operators[2].name = umlauts;
  run.operators[3].name = "\xFF\xFE\x80";
  run.run.schedule = "no schedule";
  for (const Figure& figure : figures_of(run)) {
    const std::string text = figure.tables.dump(-1, ' ', false, FigureData::error_handler_t::replace);
    EXPECT_LT(text.size(), 50'000U) << figure.kind << " repeats a name of any length";
    EXPECT_EQ(FigureData::parse(text).size(), figure.tables.size());
  }
}

TEST(RunFigures, CutLongNamesBetweenCharacters) {
  RunDetails run = made_run("blelloch", 8, varied_flops);
  for (StoredOperator& op : run.operators) {
    op.name.clear();
    for (int i = 0; i < 100; ++i) op.name += "\xE2\x82\xAC";
  }
  for (const Figure& figure : figures_of(run)) EXPECT_NO_THROW((void)figure.tables.dump()) << figure.kind;
}

TEST(OpFlopsFigure, HasTheMostExpensiveOpOfEachLevelFilled) {
  const RunDetails run = profiled_run("lenet5", "blelloch", 6);
  const Figure figure = op_flops_figure(run).value();
  const FigureData& ops = figure.tables["ops"];
  ASSERT_THAT(rows(ops), SizeIs(run.ops.size()));
  double path = 0;
  for (const FigureData& row : rows(ops)) {
    if (row[3] == true) path += row[1].get<double>();
  }
  EXPECT_DOUBLE_EQ(path, run.run.critical_path_level_flops) << "together they are the critical path of the level rule";
  EXPECT_DOUBLE_EQ(sum(numbers(ops, "flops")), run.run.flops);
}

TEST(OpFlopsFigure, HasTheProductsOfPlainBackPropagation) {
  const RunDetails run = profiled_run("lenet5", "blelloch", 6);
  const Figure figure = op_flops_figure(run).value();
  EXPECT_DOUBLE_EQ(sum(numbers(figure.tables["operators"], "flops")), run.run.linear_flops);
  EXPECT_EQ(rows(figure.tables["operators"]).size() + 2, run.run.length) << "nobody asks for the input's gradient";
}

TEST(OpFlopsFigure, CountsTheOperatorsThatItDraws) {
  const RunDetails run = made_run("linear", 60'000, varied_flops);
  EXPECT_THAT(op_flops_figure(run).value().caption, HasSubstr("the Jacobian of each of 60.00 k operators"))
      << "59 999 but the first";
}

TEST(OpFlopsFigure, OfBranchesHasTheOperatorsWithAJacobianOfTheirOwnButTheFirst) {
  RunDetails run = made_run("blelloch", 5, varied_flops);
  run.run.graph_bp_flops = 1234;
  run.operators.emplace_back().name = "sum";  // without a Jacobian of its own
  for (StoredOperator& op : run.operators) op.in_shape = op.index == 1 ? "[3, 8, 8]" : "[16]";
  Figure figure = op_flops_figure(run).value();
  std::vector<std::string> drawn;
  for (const FigureData& row : rows(figure.tables["operators"]))
    drawn.push_back(row[5].get<std::string>().substr(0, std::string("plain BP through o2").size()));
  EXPECT_THAT(drawn, ::testing::ElementsAre("plain BP through o2", "plain BP through o3", "plain BP through o4"));
  EXPECT_THAT(figure.caption, HasSubstr("over the graph, one product of the gradient with the Jacobian of each of 3 "));
  EXPECT_THAT(figure.caption, Not(HasSubstr("read the network's input again")));
  run.operators[2].in_shape = "[3, 8, 8]";
  EXPECT_THAT(op_flops_figure(run).value().caption, HasSubstr("read the network's input again"));
}

TEST(OpFlopsFigure, LeavesOutWhatALogarithmicAxisCannotShow) {
  const Figure figure =
      op_flops_figure(made_run("linear", 6, [](std::size_t id) { return id < 3 ? 0.0 : 100.0; })).value();
  EXPECT_THAT(rows(figure.tables["ops"]), SizeIs(1));
  EXPECT_THAT(figure.caption, HasSubstr("3 ops without a product not shown"));
  EXPECT_FALSE(op_flops_figure(made_run("linear", 6, [](std::size_t) { return 0.0; })));
}

TEST(OpFlopsFigure, PutsManyOpsTogetherAndSaysSo) {
  for (const char* name : {"blelloch", "linear"}) {
    RunDetails run = made_run(name, 60'000, varied_flops);
    const Figure figure = op_flops_figure(run).value();
    const FigureData& ops = figure.tables["ops"];
    EXPECT_LE(rows(ops).size(), kMostMarks);
    EXPECT_LE(rows(figure.tables["operators"]).size(), kMostMarks);
    EXPECT_EQ(sum(numbers(ops, "count")), static_cast<double>(run.ops.size())) << "each op is in one mark";
    EXPECT_THAT(figure.caption, HasSubstr("Put together in a grid"));
  }
}

TEST(OpFlopsFigure, KeepsCriticalOpsOneByOneAmongMany) {
  const RunDetails run = made_run("blelloch", 60'000, varied_flops);
  std::size_t critical = 0;
  const Figure figure = op_flops_figure(run).value();
  for (const FigureData& row : rows(figure.tables["ops"])) {
    if (row[3] != true) continue;
    ++critical;
    EXPECT_EQ(row[6], 1);
  }
  EXPECT_EQ(critical, run.run.levels);
}

TEST(FillInFigure, HasTheMatricesOfEachLevelAlone) {
  const RunDetails run = profiled_run("lenet5", "blelloch", 6);
  std::map<std::string, std::pair<double, double>> expected;  // largest entries, places
  for (const StoredOp& op : run.ops) {
    if (op.is_mv) continue;
    auto& level = expected[std::to_string(op.level)];
    level.first = std::max(level.first, op.nnz);
    level.second += static_cast<double>(op.m * op.n);
  }
  std::size_t found = 0;
  const Figure figure = fill_in_figure(run).value();
  for (const FigureData& row : rows(figure.tables["fill"])) {
    if (row[2] != "entries" || row[3] != "largest" || row[1] == "input") continue;
    ++found;
    ASSERT_TRUE(expected.contains(row[1].get<std::string>()));
    EXPECT_EQ(row[4].get<double>(), expected[row[1].get<std::string>()].first);
  }
  EXPECT_EQ(found, expected.size());
  EXPECT_EQ(figure.signals["labels"][0], "input");
  EXPECT_FALSE(fill_in_figure(profiled_run("lenet5", "linear", 1))) << "a vector does not fill in";
}

TEST(FillInFigure, PutsManyLevelsTogether) {
  const RunDetails run = made_run("blocked:3", 30'000, varied_flops);
  const Figure figure = fill_in_figure(run).value();
  EXPECT_LE(rows(figure.tables["fill"]).size(), kMostMarks);
  EXPECT_THAT(figure.caption, HasSubstr("Each mark stands for"));
}

}  // namespace
}  // namespace upsweep
