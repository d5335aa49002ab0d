#include "../../src/page/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../src/page/verdict_words.hpp"
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
            "hybrid:3 on 16 workers takes 0.4000x of plain back-propagation (2000 against 5000 FLOPs on the longest "
            "worker, dag execution): 2.5 times faster; the scan pays. Its critical path binds: more workers would not "
            "help.");
}

TEST(Verdict, FollowsTheExecutionOfTheSearch) {
  RunDetails run = hybrid_run();
  run.search.emplace();
  run.search->execution = "level";
  EXPECT_THAT(run_verdict(run), HasSubstr("2 times as long; the scan does not pay"));
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

/// A run that is predicted to take a quarter of plain back-propagation's time, though it has twice its FLOPs.
RunDetails predicted_run() {
  RunDetails run = hybrid_run();
  run.machine.emplace();
  run.machine->name = "a GPU";
  run.run.makespan_dag_flops = 10000;
  run.run.predicted_dag_s = 0.001;
  run.run.predicted_level_s = 0.008;
  run.run.binding = "latency";
  return run;
}

StoredRun plain_run() {
  StoredRun plain;
  plain.id = 1;
  plain.schedule = "linear";
  plain.depth = 0;
  plain.linear_flops = 5000;
  plain.predicted_dag_s = 0.004;
  plain.predicted_level_s = 0.004;
  return plain;
}

TEST(Verdict, PredictedSecondsDecideWhereThereAreAny) {
  const StoredRun plain = plain_run();
  EXPECT_EQ(run_verdict(predicted_run(), &plain),
            "hybrid:3 is predicted to take 1.000 ms on 16 workers of a GPU, dag execution, 0.2500x of plain "
            "back-propagation (which takes 4.000 ms): 4 times faster; the scan pays; latency binds. Counted, it is "
            "2.000x of plain back-propagation (10.00 k against 5000 FLOPs on the longest worker, dag execution).");
}

TEST(Verdict, OfAMeasuredRunComparesUnderTheExecutionItRanWith) {
  RunDetails run = predicted_run();
  const StoredRun plain = plain_run();
  StoredMeasurement measured;
  measured.backend = "cuda";
  measured.device = "a device";
  measured.workers = 1;
  measured.execution = "level";
  measured.predicted_s = 0.001;
  measured.measured_s = 0.0012;
  measured.worst_share_of_bound = 0.5;
  run.measurements = {measured};
  EXPECT_THAT(run_verdict(run, &plain), StartsWith("hybrid:3 is predicted to take 8.000 ms on 16 workers of a GPU, "
                                                   "level execution, 2.000x of plain back-propagation"));
  EXPECT_THAT(run_verdict(run, &plain),
              HasSubstr("Measured on a device (cuda, 1 worker): 1.200 ms, the prediction is 16.7 % too low; its "
                        "gradients are right, 50 % of the rounding bound at most."));
  run.measurements[0].mismatch = "op 3";
  EXPECT_THAT(run_verdict(run), HasSubstr("MISMATCH: op 3."));
}

TEST(Verdict, OfANetworkWithBranchesComparesWithTheGraph) {
  RunDetails run = hybrid_run();
  run.run.ops = 5;
  run.run.graph_bp_flops = 900;
  EXPECT_THAT(run_verdict(run), HasSubstr("what they cost is not stored")) << "written before schema version 9";
  run.run.graph_bp_makespan_dag_flops = 1000;
  run.run.branch_makespan_dag_flops = 500;
  run.run.graph_bp_makespan_level_flops = 1;
  run.run.branch_makespan_level_flops = 1;
  EXPECT_THAT(run_verdict(run), HasSubstr("2.5 times faster. "));
  EXPECT_THAT(run_verdict(run),
              HasSubstr("it takes 2.500x of plain back-propagation over the graph (2500 against 1000 FLOPs on the "
                        "longest worker): 2.5 times as long; the scan does not pay."));
  run.run.binding = "latency";
  run.run.predicted_dag_s = 1e-3;
  EXPECT_THAT(run_verdict(run), Not(HasSubstr("pay"))) << "seconds decide, and those of the blocks are not known";
  run.run.ops = 0;
  EXPECT_THAT(run_verdict(run), HasSubstr("the whole network is one block, and a scan has nothing to do"));
}

TEST(Verdict, OfASearchOverLiveOpsIsItsScore) {
  RunDetails run = hybrid_run();  // all its ops take 0.4 of plain back-propagation
  run.search.emplace();
  run.search->scope = "live";
  run.search->objective = "time";
  run.search->execution = "dag";
  run.run.score = 6000;
  StoredRun plain = plain_run();
  EXPECT_THAT(run_verdict(run, &plain), Not(HasSubstr("pays"))) << "without a score of plain back-propagation";
  plain.score = 4000;
  EXPECT_EQ(run_verdict(run, &plain),
            "hybrid:3 on 16 workers takes 1.500x of plain back-propagation (6000 against 4000 FLOPs on the longest "
            "worker, dag execution, live ops): 1.5 times as long; the scan does not pay.");
}

TEST(Verdict, SmallDifferencesAreNotToldAsFactors) {
  EXPECT_EQ(faster_text(1, kSamePrediction), "as fast");
  EXPECT_EQ(faster_text(1.004, kSameMeasurement), "as fast");
  EXPECT_EQ(faster_text(1.004, kSamePrediction), "0.4 % longer") << "counts are compared as they are";
  EXPECT_EQ(pays_text(0.999, kSamePrediction), "0.1 % faster; the scan pays") << "as the terminal says";
  EXPECT_EQ(faster_text(0.98, kSamePrediction), "2 % faster");
  EXPECT_EQ(faster_text(1.05, kSamePrediction), "5 % longer");
  EXPECT_EQ(faster_text(0.5, kSamePrediction), "2 times faster");
  EXPECT_EQ(faster_text(12521, kSamePrediction), "12521 times as long");
  EXPECT_EQ(pays_text(0.97, kSameMeasurement), "as fast; the scan gains nothing");
  EXPECT_EQ(pays_text(0.9, kSameMeasurement), "1.11 times faster; the scan pays");
}

TEST(Verdict, OfASearchNamesTheBestAndTheNext) {
  StoredSearch search{{"time", "dag", "all", 16, std::nullopt, 3, 0.5}, 1};
  StoredRun plain = plain_run();
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
  EXPECT_THAT(
      search_verdict(search, runs, std::nullopt),
      StartsWith("Best on 16 workers: hybrid:3 with 2000 FLOPs on the longest worker, dag execution, 0.4000x of "
                 "plain back-propagation (2000 against 5000): 2.5 times faster; the scan pays. Next is linear "
                 "with 150 % more."));
  search.best_depth = 0;
  EXPECT_THAT(search_verdict(search, runs, std::nullopt), HasSubstr("the scan does not pay"));
  std::vector<StoredRun> cheaper = runs;
  cheaper[2].score = 100;
  EXPECT_THAT(search_verdict(search, cheaper, std::nullopt),
              HasSubstr("hybrid:4 would need 100, but does not fit into the memory limit."));
  std::vector<StoredRun> equal = runs;
  equal[1].score = 5000;
  search.best_depth = 3;
  EXPECT_THAT(search_verdict(search, equal, std::nullopt),
              StartsWith("Best on 16 workers: linear, plain back-propagation itself"))
      << "a scan that is no better is no reason to scan";
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
            "All 2 schedules ran and gave the right gradients. The fastest is hybrid:3 with 1.500 s against "
            "3.000 s of plain back-propagation: 2 times faster; the scan pays. Predicted times are at most 20 % off.");
  std::vector<RunDetails> foreign = runs;
  foreign[1].machine.emplace();
  foreign[1].machine->name = "a GPU";
  foreign[1].machine->origin = "datasheet";
  EXPECT_THAT(validation_verdict(foreign), HasSubstr("a GPU, a datasheet, no calibration of what ran: their errors say "
                                                     "nothing."));
  std::vector<RunDetails> branches = runs;
  branches[1].run.graph_bp_flops = 1;
  EXPECT_THAT(validation_verdict(branches), Not(HasSubstr("pays"))) << "the Jacobians of its blocks are given";
  runs[1].measurements[0].mismatch = "op 3";
  EXPECT_THAT(validation_verdict(runs), Not(HasSubstr("off"))) << "the error of a wrong run says nothing";
  EXPECT_THAT(validation_verdict(runs), StartsWith("1 of 2 schedules gave WRONG results."));
  EXPECT_EQ(validation_verdict({}), "Nothing was measured.");
}

TEST(Verdict, OfPassesAndTrainingsNamesTheFastest) {
  EXPECT_THAT(
      passes_verdict(testing::made_passes()),
      HasSubstr("Fastest on 1 worker: hybrid:2 with 2.000 s measured for a backward pass, 0.5000x of bptt (4.000 s): 2 "
                "times faster."));
  EXPECT_THAT(passes_verdict(testing::made_passes()), StartsWith("1 of 4 methods gave WRONG gradients."));
  EXPECT_EQ(training_verdict(testing::made_training()),
            "The best of 2 variants is modulo with 20 units of its file, 1.5 times faster than gpipe (30 units of its "
            "file).");
  EXPECT_EQ(passes_verdict({}), "0 methods were counted.");
}

TEST(Verdict, OfPassesComparesFiguresOfOneKind) {
  PassRecord record = testing::made_passes();
  record.passes[0].measured = std::nullopt;
  record.passes[0].predicted = PassSeconds{0, 0, 1, 0};
  EXPECT_THAT(passes_verdict(record), HasSubstr("hybrid:2 with 2.000 s measured for a backward pass."))
      << "a prediction of bptt says nothing about a measured scan";
  for (PassRow& row : record.passes) {
    row.measured.reset();
    row.mismatch.reset();
  }
  record.passes[1].predicted = PassSeconds{0, 0, 0.25, 0};
  EXPECT_THAT(passes_verdict(record),
              HasSubstr("250.0 ms predicted for a backward pass, 0.2500x of bptt (1.000 s): 4"));
  for (PassRow& row : record.passes) row.predicted.reset();
  record.passes[0].makespan_flops = 100;
  record.passes[1].makespan_flops = 40;
  record.workers = 8;
  EXPECT_EQ(passes_verdict(record),
            "Best on 8 workers: hybrid:2 with 40 FLOPs on the longest worker, for one sequence, 0.4000x of bptt (100): "
            "2.5 times faster.");
  record.passes[1].failure = "no memory";
  EXPECT_THAT(passes_verdict(record), HasSubstr("bptt with 100 FLOPs on the longest worker, for one sequence; there "
                                                "is nothing to compare it with"));
  record.passes[1].failure.reset();
  record.passes[1].makespan_flops = 200;
  EXPECT_THAT(passes_verdict(record),
              HasSubstr("bptt with 100 FLOPs on the longest worker, for one sequence: no scan"));
}

TEST(Verdict, OfPassesOnAMachineComparesWithOneKernelToo) {
  PassRecord record;
  record.machine = "a GPU";
  record.passes.resize(3);
  record.passes[0].method = "bptt";
  record.passes[0].predicted = PassSeconds{0, 0, 8, 0};
  record.passes[1].method = "blocked:1";
  record.passes[1].predicted = PassSeconds{0, 0, 2, 0};
  record.passes[2].method = "blocked:4";
  record.passes[2].predicted = PassSeconds{0, 0, 1, 0};
  EXPECT_EQ(
      passes_verdict(record),
      "Fastest on a GPU: blocked:4 with 1.000 s predicted for a backward pass, 0.1250x of bptt (8.000 s): 8 times "
      "faster; beside blocked:1, which does the same steps without a launch for each (2.000 s): 2 times faster.");
}

TEST(Verdict, OfATrainingTellsScansThatBeatEveryPolicy) {
  TrainingRecord record = testing::made_training();
  record.variants.push_back("scan hybrid:2");
  record.figures.push_back({2, "makespan", std::nullopt, 10});
  EXPECT_EQ(training_verdict(record),
            "The best policy is modulo with 20 units of its file; scan hybrid:2 takes 10 units of its file, 0.5000x of "
            "it.");
}

StoredStudy study_with(std::vector<StoredAnswer> answers) {
  StoredStudy study;
  study.points = 10;
  study.answers = std::move(answers);
  return study;
}

TEST(Verdict, OfAStudyCountsWhereTheScanIsFaster) {
  const StoredAnswer everywhere{"crossover", "{}", "a", R"({"along":"length","faster":"everywhere","binding":"latency",
      "speedup_least":1.5,"speedup_most":2})"};
  const StoredAnswer nowhere{"crossover", "{}", "the scan is faster nowhere", R"({"along":"length","faster":"nowhere",
      "binding":"workers","speedup_least":0.5,"speedup_most":0.75})"};
  const StoredAnswer from{"crossover", "{}", "c", R"({"along":"length","faster":"from","value":3,"plain_value":2,
      "binding":"latency","plain_speedup":0.9,"speedup":4})"};
  const auto at = [](StoredAnswer answer, const char* place) {
    answer.place = place;
    return answer;
  };
  EXPECT_EQ(study_verdict(study_with({at(everywhere, "1"), at(nowhere, "2"), at(from, "3"), at(from, "3")})),
            "Along length the scan is faster everywhere at 1 of 3 places, in a part of the axis at 1 of 3 places, "
            "nowhere at 1 of 3 places (0.5000x to 4.000x); most often latency binds.");
  const StoredAnswer other{"crossover", "4", "d", R"({"along":"workers","faster":"unknown"})"};
  EXPECT_EQ(
      study_verdict(study_with({at(everywhere, "1"), other})),
      "Along length the scan is faster everywhere at 1 of 1 place (1.500x to 2.000x); latency binds. Along workers "
      "the scan is faster (not known) at 1 of 1 place.");
  EXPECT_EQ(study_verdict(study_with({nowhere})), "The scan is faster nowhere.");
  const StoredAnswer best{"best", "", "b", R"({"points":9,"wins":{"hybrid:2":5,"linear":4}})"};
  EXPECT_EQ(study_verdict(study_with({best})), "The schedule hybrid:2 wins most often, at 5 of 9 points.");
  EXPECT_EQ(study_verdict(study_with({})), "");
  EXPECT_EQ(study_verdict(study_with({{"crossover", "", "broken", "no JSON"}})), "Broken.");
}

TEST(Verdict, OfAStudyCountsItsPointsByState) {
  StoredStudy study = study_with({});
  std::vector<StudyPointRow> points(3);
  points[0].status = points[1].status = "done";
  points[2].status = "infeasible";
  EXPECT_EQ(study_state(study, points),
            "10 points: 2 done, 1 infeasible; not all of them are there yet: the same command goes on with the rest.");
  study.is_complete = true;
  study.points = 3;
  EXPECT_EQ(study_state(study, points), "3 points: 2 done, 1 infeasible.");
}

}  // namespace
}  // namespace upsweep
