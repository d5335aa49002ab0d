#include "../../src/page/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_store.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

RunDetails hybrid_run() {
  RunDetails details;
  StoredRun& run = details.run;
  run.id = 2;
  run.schedule = "hybrid:3";
  run.depth = 3;
  run.workers = 16;
  run.flops = 8000;
  run.linear_flops = 5000;
  run.makespan_dag_flops = 2000;
  run.makespan_level_flops = 10000;
  run.critical_path_dag_flops = 2000;
  return details;
}

TEST(Verdict, SaysThatTheScanPaysAndWhatBinds) {
  EXPECT_EQ(run_verdict(hybrid_run()),
            "hybrid:3 on 16 workers takes 0.4x of plain back-propagation (2000 against 5000 FLOPs on the longest "
            "worker, dag execution): 2.5 times faster; the scan pays. Its critical path binds: more workers would not "
            "help.");
}

TEST(Verdict, FollowsTheExecutionOfTheSearch) {
  RunDetails run = hybrid_run();
  run.search.emplace();
  run.search->execution = "level";
  EXPECT_THAT(run_verdict(run), HasSubstr("2 times slower; the scan does not pay"));
}

TEST(Verdict, WorkBindsWhereAllWorkersAreBusy) {
  RunDetails run = hybrid_run();
  run.run.workers = 4;
  run.run.critical_path_dag_flops = 100;
  EXPECT_THAT(run_verdict(run), HasSubstr("Its work binds"));
}

TEST(Verdict, PlainBackPropagationIsNotComparedWithItself) {
  RunDetails run = hybrid_run();
  run.run.schedule = "linear";
  run.run.depth = 0;
  EXPECT_EQ(run_verdict(run), "linear is plain back-propagation: 5000 FLOPs, one product after the other.");
}

TEST(Verdict, TellsPredictedAndMeasuredSeconds) {
  RunDetails run = hybrid_run();
  run.machine.emplace();
  run.machine->name = "a GPU";
  run.run.predicted_dag_s = 0.001;
  StoredRun plain;
  plain.schedule = "linear";
  plain.predicted_dag_s = 0.004;
  StoredMeasurement measured;
  measured.backend = "cuda";
  measured.device = "a device";
  measured.workers = 1;
  measured.predicted_s = 0.001;
  measured.measured_s = 0.0012;
  measured.worst_share_of_bound = 0.5;
  run.measurements = {measured};
  EXPECT_THAT(run_verdict(run, &plain),
              HasSubstr("a GPU is predicted to take 1.000 ms, 0.25x of the 4.000 ms of plain back-propagation."));
  EXPECT_THAT(run_verdict(run, &plain),
              HasSubstr("Measured on a device (cuda, 1 worker): 1.200 ms, 20 % more than predicted; its gradients are "
                        "right, 50 % of the rounding bound at most."));
  run.measurements[0].mismatch = "op 3";
  EXPECT_THAT(run_verdict(run), HasSubstr("MISMATCH: op 3."));
}

TEST(Verdict, OfASearchNamesTheBestAndTheNext) {
  StoredSearch search{1, "time", "dag", "all", 16, std::nullopt, 3, 0.5, std::nullopt};
  StoredRun plain;
  plain.id = 1;
  plain.schedule = "linear";
  plain.depth = 0;
  plain.score = 5000;
  StoredRun scan = hybrid_run().run;
  scan.score = 2000;
  StoredRun too_large = scan;
  too_large.id = 3;
  too_large.schedule = "hybrid:4";
  too_large.depth = 4;
  too_large.score = 2100;
  too_large.feasible = false;
  const std::vector<StoredRun> runs = {plain, scan, too_large};
  EXPECT_THAT(search_verdict(search, runs, std::nullopt),
              StartsWith("Best on 16 workers: hybrid:3 with 2000 FLOPs on the longest worker, dag execution, 0.4x of "
                         "plain back-propagation (2000 against 5000): 2.5 times faster; the scan pays. Next is linear "
                         "with 150 % more."));
  search.best_depth = 0;
  EXPECT_THAT(search_verdict(search, runs, std::nullopt), HasSubstr("the scan does not pay"));
  search.best_depth = std::nullopt;
  EXPECT_EQ(search_verdict(search, runs, std::nullopt), "No candidate fits into the memory limit.");
  search.best_depth = 7;
  EXPECT_EQ(search_verdict(search, runs, std::nullopt),
            "The best candidate (depth 7) has been deleted from this database.");
}

TEST(Verdict, OfAValidationCountsWrongResults) {
  RunDetails plain;
  plain.run.schedule = "linear";
  plain.measurements.resize(1);
  plain.measurements[0].measured_s = 3;
  RunDetails scan = hybrid_run();
  scan.measurements.resize(1);
  scan.measurements[0].measured_s = 1.5;
  scan.measurements[0].predicted_s = 1.2;
  std::vector<RunDetails> runs = {plain, scan};
  EXPECT_EQ(validation_verdict(runs),
            "All 2 schedules ran and gave the right gradients. The fastest is hybrid:3 with 1.500 s, 2 times faster "
            "than plain back-propagation (3.000 s): the scan pays. Predictions are at most 20 % off.");
  runs[1].measurements[0].mismatch = "op 3";
  EXPECT_THAT(validation_verdict(runs), StartsWith("1 of 2 schedules gave WRONG results."));
  EXPECT_EQ(validation_verdict({}), "Nothing was measured.");
}

TEST(Verdict, OfPassesAndTrainingsNamesTheFastest) {
  EXPECT_THAT(
      passes_verdict(testing::made_passes()),
      HasSubstr("The fastest is hybrid:2 with 2.000 s for a backward pass, 2 times faster than bptt (4.000 s)."));
  EXPECT_THAT(passes_verdict(testing::made_passes()), StartsWith("1 of 4 methods gave WRONG gradients."));
  EXPECT_EQ(training_verdict(testing::made_training()),
            "The best of 2 variants is modulo with 20 units of its file, 1.5 times faster than gpipe (30 units of its "
            "file).");
  EXPECT_THAT(passes_verdict({}), Not(HasSubstr("fastest")));
}

}  // namespace
}  // namespace upsweep
