#include "upsweep/report/runs_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rendered.hpp"

namespace upsweep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

/// A run as the store shows it: counts that are means, times, a command line, what is not there.
QueryResult run_of(Cell score) {
  return {{"id", "created_utc", "parameters", "score", "feasible", "flops", "makespan_dag_flops", "peak_live_bytes",
           "predicted_level_s", "reason"},
          {{std::int64_t{7}, std::string("2026-01-01T00:00:00Z"), std::string(R"(["search","my model's.yaml","-p"])"),
            std::move(score), std::int64_t{1}, 26061648.0, 1048576.0, std::int64_t{105592208}, 0.0025, Cell()}}};
}

const QueryResult kLevels = {{"level", "phase", "flops_sum", "share_of_flops"},
                             {{std::int64_t{0}, std::string("up"), 1680.5, 0.0026946223037737542}}};

std::string run_text(Cell score) {
  return to_text(RunTables{
      RunKind::schedule, run_of(std::move(score)), {{"level_profile", kLevels}, {"prediction_vs_measurement", {}}}});
}

TEST(RunsReport, ShowsARunInWordsWithUnits) {
  const std::string text = run_text(2097152.0);
  EXPECT_THAT(text, ContainsRegex("\ncreated \\(UTC\\) +2026-01-01T00:00:00Z\n"));
  EXPECT_THAT(text, ContainsRegex("\ncommand line +upsweep search 'my model'\\\\''s.yaml' -p\n"));
  EXPECT_THAT(text, ContainsRegex("\nscore +2.097 M\n"));
  EXPECT_THAT(text, ContainsRegex("\nfeasible +yes\n"));
  EXPECT_THAT(text, ContainsRegex("\nmakespan in FLOPs \\(dag\\) +1.049 M\n"));
  EXPECT_THAT(text, ContainsRegex("\npeak memory +100.7 MiB\n"));
  EXPECT_THAT(text, ContainsRegex("\npredicted \\(level\\) +2.500 ms\n"));
  EXPECT_THAT(text, ContainsRegex("\nreason +-\n"));
  EXPECT_THAT(text, ContainsRegex("0  up +1680 +0.3 %"));
  EXPECT_THAT(text, Not(HasSubstr("_")));
  EXPECT_THAT(run_text(0.0025), ContainsRegex("\nscore +2.500 ms\n")) << "it is the prediction";
}

TEST(RunsReport, KeepsNumbersWithoutLossForPrograms) {
  const QueryResult run = run_of(2097152.5);
  EXPECT_EQ(to_json(run)[0]["score"], 2097152.5);
  EXPECT_EQ(to_json(run)[0]["makespan_dag_flops"], 1048576.0);
  EXPECT_TRUE(to_json(run)[0]["reason"].is_null());
  EXPECT_THAT(to_csv(kLevels), HasSubstr("level,phase,flops_sum,share_of_flops\r\n0,up,1680.5,0.0026946223037737542"));
}

TEST(RunsReport, ListsTheBestOfASearchButEveryRunOfAValidation) {
  QueryResult runs = run_of(2097152.0);
  const auto at = [&](std::size_t row, const char* column) -> Cell& {
    return runs.rows[row][static_cast<std::size_t>(std::ranges::find(runs.columns, column) - runs.columns.begin())];
  };
  for (const char* column : {"id", "command_id", "best", "best_of_all", "schedule"}) {
    if (std::ranges::find(runs.columns, column) != runs.columns.end()) continue;
    runs.columns.emplace_back(column);
    runs.rows.front().emplace_back(std::int64_t{0});
  }
  for (const char* column :
       {"command", "pattern", "workers", "flops", "makespan_dag_flops", "peak_live_bytes", "measured_s", "exact",
        "execution", "score", "predicted_level_s", "predicted_dag_s", "makespan_level_flops", "linear_flops",
        "makespan_dag_ratio_to_linear", "created_utc", "model", "machine"}) {
    if (std::ranges::find(runs.columns, column) != runs.columns.end()) continue;
    runs.columns.emplace_back(column);
    runs.rows.front().emplace_back();
  }
  runs.rows.resize(4, runs.rows.front());
  const char* const schedules[] = {"val-a", "val-b", "search-best", "search-other"};
  for (std::size_t row = 0; row < 4; ++row) {
    at(row, "id") = static_cast<std::int64_t>(4 - row);
    at(row, "command_id") = std::int64_t{row < 2 ? 2 : 1};
    at(row, "best") = std::int64_t{row == 2 ? 1 : 0};
    at(row, "schedule") = std::string(schedules[row]);
  }
  const QueryResult none;
  const std::string text = runs_and_studies(runs, none, none, ListedRuns::best_of_a_search).text();
  for (const char* there : {"val-a", "val-b", "search-best", "best of 2", "1 more are candidates"})
    EXPECT_THAT(text, HasSubstr(there));
  EXPECT_THAT(text, Not(HasSubstr("search-other")));
  EXPECT_THAT(runs_and_studies(runs, none, none, ListedRuns::all).text(), HasSubstr("search-other"));
  at(3, "best_of_all") = std::int64_t{1};
  const std::string of_all = runs_and_studies(runs, none, none, ListedRuns::best_of_a_search).text();
  EXPECT_THAT(of_all, HasSubstr("search-other"));
  EXPECT_THAT(of_all, Not(HasSubstr("search-best"))) << "the best of the depths alone";
}

TEST(RunsReport, ListsStudiesBesideRuns) {
  const QueryResult studies = {{"id", "name", "complete"}, {{std::int64_t{3}, std::string("gpus"), std::int64_t{1}}}};
  const QueryResult none;
  EXPECT_THAT(runs_and_studies(none, studies, none, ListedRuns::all).text(),
              ContainsRegex("No runs.\n\nstudies\n.*gpus +yes\n"));
}

}  // namespace
}  // namespace upsweep
