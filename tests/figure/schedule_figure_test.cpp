#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "figure/made_run.hpp"
#include "figure/tables.hpp"
#include "support/random.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

using testing::cells;
using ::testing::HasSubstr;
using testing::made_run;
using testing::numbers;
using testing::rows;
using ::testing::SizeIs;

double op_cost(std::size_t id) { return static_cast<double>(1 + id % 1000); }

class ScheduleFigure : public testing::SeededTest {};

/// Parts [first, last] of the array that are combined at a position at some time, by position.
using Contents = std::vector<std::set<std::pair<std::size_t, std::size_t>>>;

/// Follows the lines of a level: what neighbours of the array join where two lines meet, and what is moved.
Contents after_level(const Contents& before, const Figure& figure, std::size_t level) {
  Contents after = before;
  for (const FigureData& op : rows(figure.tables["ops"])) {
    if (op[3] != level) continue;
    for (const auto& [first, middle] : before[op[0].get<std::size_t>()]) {
      for (const auto& [next, last] : before[op[1].get<std::size_t>()]) {
        if (next == middle + 1) after[op[2].get<std::size_t>()].emplace(first, last);
      }
    }
  }
  for (const FigureData& move : rows(figure.tables["moves"])) {
    if (move[2] != level) continue;
    const auto& from = before[move[0].get<std::size_t>()];
    after[move[1].get<std::size_t>()].insert(from.begin(), from.end());
  }
  return after;
}

TEST_F(ScheduleFigure, DrawsLinesThatLeadFromTheArrayToEveryResult) {
  const std::vector<std::string> names = {"linear",     "blelloch",  "hybrid:1",  "hybrid:2",
                                          "sklansky",   "blocked:3", "blocked:7", "kogge-stone",
                                          "brent-kung", "hybrid:3",  "blocked:4", "recursive-doubling"};
  for (int round = 0; round < 30; ++round) {
    const std::string& name = names[between(0, names.size() - 1)];
    const std::size_t length = between(4, 40);
    const RunDetails run = made_run(name, length, op_cost);
    const Figure figure = schedule_figure(run).value();
    ASSERT_THAT(rows(figure.tables["ops"]), SizeIs(run.ops.size()));
    Contents contents(length);
    for (std::size_t k = 0; k < length; ++k) contents[k].emplace(k, k);
    for (std::size_t level = 0; level <= run.run.levels; ++level) contents = after_level(contents, figure, level);
    for (std::size_t k = 1; k < length; ++k)
      EXPECT_TRUE(contents[k].contains({0, k - 1})) << name << " over " << length << ": result " << k;
  }
}

TEST_F(ScheduleFigure, HasThePositionsThatAreStored) {
  const std::size_t length = between(4, 200);
  const RunDetails run = made_run("sklansky", length, op_cost);
  const Figure figure = schedule_figure(run).value();
  for (std::size_t id = 0; id < run.ops.size(); ++id) {
    const StoredOp& op = run.ops[id];
    const FigureData& row = rows(figure.tables["ops"])[id];
    if (op.left >= 0) {
      EXPECT_EQ(row[0], op.left);
    }
    EXPECT_EQ(row[1], op.right);
    EXPECT_EQ(row[2], op.target >= 0 ? op.target : op.right) << "the reduction stands where it took in an element";
    EXPECT_EQ(row[4], op.is_dead ? "dead" : op.is_mv ? "mv" : "mm");
  }
}

TEST_F(ScheduleFigure, DrawsTheFoldOfPlainBackPropagationAsAChain) {
  const Figure figure = schedule_figure(made_run("linear", 7, op_cost)).value();
  EXPECT_THAT(numbers(figure.tables["ops"], "left"), ::testing::ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(numbers(figure.tables["ops"], "right"), ::testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(figure.tables["phases"]["rows"], FigureData::parse(R"([["middle", 0, 5]])"));
}

TEST_F(ScheduleFigure, MovesEveryResultToItsPosition) {
  const std::size_t length = between(3, 60);
  const Figure figure = schedule_figure(made_run("linear", length, op_cost)).value();
  std::set<std::int64_t> to;
  for (const double k : numbers(figure.tables["moves"], "to")) to.insert(static_cast<std::int64_t>(k));
  EXPECT_EQ(to.size(), length - 1) << "result k stood at position k - 1";
  EXPECT_FALSE(to.contains(0));
}

TEST_F(ScheduleFigure, NamesPositionsByTheirOperators) {
  const Figure figure = schedule_figure(made_run("blelloch", 4, op_cost)).value();
  EXPECT_THAT(cells(figure.tables["positions"], "label"), ::testing::ElementsAre("0 gradient", "1 o3", "2 o2", "3 o1"));
  RunDetails branched = made_run("blelloch", 4, op_cost);
  branched.run.graph_bp_flops = 1;
  EXPECT_THAT(cells(schedule_figure(branched).value().tables["positions"], "label"),
              ::testing::ElementsAre("0 gradient", "1", "2", "3"))
      << "with branches a position is a block of operators";
}

TEST_F(ScheduleFigure, DrawsTheMostExpensiveOfManyOpsAndCountsAll) {
  const RunDetails run = made_run("blelloch", 60'000, op_cost);
  const Figure figure = schedule_figure(run).value();
  ASSERT_THAT(rows(figure.tables["ops"]), SizeIs(kMostMarks));
  std::vector<double> costs;
  for (const StoredOp& op : run.ops) costs.push_back(op.flops);
  std::sort(costs.rbegin(), costs.rend());
  for (const double flops : numbers(figure.tables["ops"], "flops")) EXPECT_GE(flops, costs[kMostMarks - 1]);
  double counted = 0;
  for (const double ops : numbers(figure.tables["bars"], "ops")) counted += ops;
  EXPECT_EQ(counted, static_cast<double>(run.ops.size()));
  EXPECT_THAT(figure.caption, HasSubstr("2000 most expensive"));
  EXPECT_LE(rows(figure.tables["positions"]).size(), 64U);
  EXPECT_THAT(figure.caption, HasSubstr("One of 938 positions has a square"));
  EXPECT_THAT(rows(figure.tables["moves"]), SizeIs(0));
  EXPECT_THAT(figure.caption, HasSubstr("Not drawn: "));
}

TEST_F(ScheduleFigure, PutsManyLevelsIntoOneBar) {
  const RunDetails run = made_run("linear", 60'000, op_cost);
  const Figure figure = schedule_figure(run).value();
  EXPECT_LE(rows(figure.tables["bars"]).size(), 500U);
  EXPECT_EQ(rows(figure.tables["bars"]).back()[1], run.run.levels);
}

TEST_F(ScheduleFigure, IsNothingWhereTheOpsAreOfAnotherSchedule) {
  RunDetails run = made_run("blelloch", 9, op_cost);
  run.ops.back().left += 1;
  EXPECT_FALSE(schedule_figure(run));
  EXPECT_FALSE(timeline_figure(run));
  run = made_run("blelloch", 9, op_cost);
  run.run.requested = "of a later version";
  EXPECT_TRUE(schedule_figure(run)) << "the schedule's own name is left";
}

}  // namespace
}  // namespace upsweep
