#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "page/made_store.hpp"
#include "upsweep/report/study_report.hpp"
#include "upsweep/report/training_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep::verdict_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Verdict, PaysWhereTheScanTakesLessThanEveryBaseline) {
  Verdict verdict;
  EXPECT_FALSE(verdict.pays()) << "nothing was compared";
  verdict.baselines = {{"sparse-bp-whole", 100, false, "hybrid:1", 80}};
  EXPECT_EQ(verdict.pays(), Pays::yes);
  EXPECT_EQ(verdict.ratio(), 0.8);
  verdict.baselines.push_back({"graph-bp", 10, false, "hybrid:1", 12});
  EXPECT_EQ(verdict.pays(), Pays::no);
  EXPECT_EQ(verdict.ratio(), 1.2) << "the largest ratio decides";
  verdict.is_decided = false;
  EXPECT_FALSE(verdict.pays());
  EXPECT_FALSE(verdict.ratio()) << "what decides nothing is not kept";
  verdict.is_decided = true;
  verdict.baselines = {{"sparse-bp", 1, true, "hybrid:1", 0.97}};
  EXPECT_EQ(verdict.pays(), Pays::yes);
  verdict.same = kSameMeasurement;
  EXPECT_EQ(verdict.pays(), Pays::no) << "measured times that differ by less say nothing";
  verdict.baselines = {{"sparse-bp", 1, true}};
  EXPECT_EQ(verdict.pays(), Pays::no) << "no scan fits";
  EXPECT_FALSE(verdict.ratio());
  verdict.baselines = {{"sparse-bp", 0, true, "hybrid:1", 1}};
  EXPECT_EQ(verdict.pays(), Pays::no) << "there is nothing to win";
}

TEST(Verdict, AsJsonSaysWhatItComparedAndWhatFollows) {
  Verdict verdict;
  verdict.baselines = {{"sparse-bp-whole", 100, false, "hybrid:1", 80}, {"graph-bp", 10, false}};
  verdict.overtakes = Overtakes{{true, 3}, {true, 40, true, 41, "hybrid:2"}};
  verdict.sentences = {"One.", "Two."};
  EXPECT_EQ(verdict_json(verdict),
            Json::parse(R"({"frame": null, "pays": "no", "uncertain": null, "decided_by": "flops", "baselines": [
    {"name": "sparse-bp-whole", "score": 100.0, "unit": "flops", "best_scan": "hybrid:1", "scan_score": 80.0, "ratio": 0.8, "speedup": 1.25,
     "interval": null, "scan_interval": null, "interval_from": null, "scan_interval_from": null, "exact": true, "within_uncertainty": false},
    {"name": "graph-bp", "score": 10.0, "unit": "flops", "best_scan": null, "scan_score": null, "ratio": null, "speedup": null,
     "interval": null, "scan_interval": null, "interval_from": null, "scan_interval_from": null, "exact": true, "within_uncertainty": false}],
    "overtakes_from": {"whole": 3, "shared": 40}, "overtakes_first": {"whole": null, "shared": "hybrid:2"}, "overtakes_always_from": {"whole": null, "shared": 41},
    "loses_again": {"whole": null, "shared": true}, "overtakes_known": {"whole": true, "shared": true},
    "payback": null, "parts": {"headline": null, "under": null, "standing": null, "binds": null, "overtakes": null, "turned_by": []},
    "sentence": "One. Two."})"));
  EXPECT_EQ(verdict_text(verdict), "One.\nTwo.\n");
  EXPECT_EQ(verdict_json({}),
            Json::parse(R"({"frame": null, "pays": null, "uncertain": null, "decided_by": null, "baselines": [],
    "overtakes_from": {"whole": null, "shared": null}, "overtakes_first": {"whole": null, "shared": null}, "overtakes_always_from": {"whole": null, "shared": null},
    "loses_again": {"whole": null, "shared": null}, "overtakes_known": {"whole": null, "shared": null},
    "payback": null, "parts": {"headline": null, "under": null, "standing": null, "binds": null, "overtakes": null, "turned_by": []},
    "sentence": ""})"));
}

TEST(Verdict, IsUncertainWhereIntervalsOverlap) {
  Verdict verdict;
  verdict.baselines = {{"sparse-bp", 10, true, "hybrid:1", 8}};
  EXPECT_EQ(verdict.is_uncertain(), std::nullopt) << "nothing is said of what is exact";
  verdict.baselines.front().scan_interval = Interval{7, 9};
  EXPECT_EQ(verdict.is_uncertain(), false) << "all of the interval is below";
  verdict.baselines.front().scan_interval = Interval{7, 11};
  EXPECT_EQ(verdict.is_uncertain(), true);
  EXPECT_EQ(verdict.pays(), Pays::yes) << "it is the middle that decides";
  verdict.baselines.front().interval = Interval{12, 13};
  EXPECT_EQ(verdict.is_uncertain(), false);
  verdict.baselines.push_back({"dense-bp", 5, true, "hybrid:1", 8, false, {}, {}, Interval{7, 11}});
  EXPECT_EQ(verdict.is_uncertain(), false) << "it surely loses to one of them";
}

TEST(Verdict, ComparisonsSayWhatFollows) {
  const Baseline scan{"sparse-bp", 1, true, "hybrid:3", 0.97};
  EXPECT_EQ(comparison_text(scan, "plain BP", kSamePrediction),
            "hybrid:3 is 1.031x faster than plain BP: the scan pays");
  EXPECT_EQ(comparison_text(scan, "plain BP", kSameMeasurement),
            "hybrid:3 is 1.031x faster than plain BP: the scan gains nothing");
  EXPECT_EQ(comparison_text({"sparse-bp", 1, true, "hybrid:3", 2}, "plain BP", kSameMeasurement),
            "hybrid:3 is 0.5000x as fast as plain BP: the scan does not pay");
  EXPECT_EQ(comparison_text({"sparse-bp", 1, true}, "plain BP", 0), "there is no scan to compare with plain BP");
}

TEST(Verdict, PaysOnlyIfOpsAreWholeWhereSharedOnesAloneSayNo) {
  Verdict verdict;
  verdict.baselines = {{"sparse-bp-whole", 100, false, "hybrid:1", 80},
                       {"sparse-bp-shared", 10, false, "hybrid:1", 20, true}};
  EXPECT_EQ(verdict.pays(), Pays::only_if_ops_are_whole);
  EXPECT_EQ(verdict.ratio(), 2) << "the worst";
  EXPECT_EQ(pays_text(verdict), "the scan pays only if ops are whole");
  EXPECT_EQ(verdict_json(verdict)["pays"], "only-if-ops-are-whole");
  verdict.baselines.push_back({"graph-bp", 100, false, "hybrid:1", 110});
  EXPECT_EQ(verdict.pays(), Pays::no) << "over the graph it does not pay by any rule";
  verdict.baselines.pop_back();
  verdict.baselines.front().scan_score = 120;
  verdict.baselines.back().scan_score = 9;
  EXPECT_EQ(verdict.pays(), Pays::no);
  EXPECT_EQ(pays_text(verdict), "the scan does not pay");
}

TEST(Verdict, SaysFromHowManyWorkersOnByBothRules) {
  EXPECT_EQ(overtaking_text(std::nullopt, "plain BP"), "");
  const OvertakingWorkers shared = {true, 40, true, 41, "hybrid:2"};
  EXPECT_EQ(overtaking_text(Overtakes{{true, 3, false, {}, "hybrid:1"}, shared}, "plain BP"),
            "Where each op runs on one worker, scans overtake plain BP from 3 workers on, hybrid:1 first; where "
            "workers share "
            "ops, scans do from 40 workers on (always from 41 on), hybrid:2 first.");
  EXPECT_EQ(overtaking_text(Overtakes{{true, 3, false, {}, "hybrid:1"}, shared}, "plain BP", "hybrid:1"),
            "Where each op runs on one worker, hybrid:1 overtakes plain BP from 3 workers on; where workers share ops, "
            "it does from 40 workers on (always from 41 on).");
  EXPECT_EQ(overtaking_text(Overtakes{{}, {true, 40, true, 40}}, "plain BP", "", "In FLOPs, "),
            "In FLOPs, where each op runs on one worker, none of the compared scans overtakes plain BP; where workers "
            "share ops, scans do from 40 workers on.");
  EXPECT_EQ(overtaking_text(Overtakes{{false}, {}}, "plain BP", "hybrid:1"),
            "Where each op runs on one worker, whether hybrid:1 overtakes is not known; where workers share ops, it "
            "does not.");
  EXPECT_EQ(
      overtaking_text(Overtakes{{true, 2, true, 2}, {true, 10, true, {}, "sklansky"}}, "plain BP"),
      "Where each op runs on one worker, scans overtake plain BP from 2 workers on; where workers share ops, scans "
      "do from 10 workers on, sklansky first, but not with every larger number.");
}

TEST(Verdict, OfRatiosOfTimesTellsSpeedsOfWhichMoreIsBetter) {
  EXPECT_EQ(speed_text(1), "as fast");
  EXPECT_EQ(speed_text(0.5), "2.000x faster");
  EXPECT_EQ(speed_text(1.25), "0.8000x as fast");
  EXPECT_EQ(speed_text(0.98, "plain BP"), "1.020x faster than plain BP");
  EXPECT_EQ(speed_text(20000, "plain BP"), "5.000e-05x as fast as plain BP");
  EXPECT_EQ(speed_text(1, "plain BP"), "as fast as plain BP");
}

TEST(Verdict, OfNothingIsNoSpeedup) {
  EXPECT_EQ(speedup_of(0.5), 2.0);
  EXPECT_EQ(speedup_of(0.0), std::nullopt) << "it takes nothing";
  EXPECT_EQ(speedup_of(std::nullopt), std::nullopt);
}

TEST(Verdict, OfATrainingStepNamesTheBestPolicyAndScansThatBeatIt) {
  TrainingRecord record = testing::made_training();
  EXPECT_THAT(
      training_verdict(record).sentences,
      ElementsAre(
          "On 2 devices: the best of 2 variants is modulo with 20 units of its file, 1.500x faster than gpipe (30 "
          "units of its file)."));
  record.variants.push_back("scan hybrid:2");
  record.figures.push_back({2, "makespan", std::nullopt, 25});
  EXPECT_EQ(training_verdict(record).ratio(), 1.25) << "a scan that is slower is compared, too";
  EXPECT_THAT(training_verdict(record).sentences.front(),
              HasSubstr("; scan hybrid:2 is 0.8000x as fast: the scan does not pay."));
  record.figures.back().value = 10;
  EXPECT_THAT(
      training_verdict(record).sentences,
      ElementsAre(
          "On 2 devices: the best policy is modulo with 20 units of its file; scan hybrid:2 takes 10 units of its "
          "file, 2.000x faster."));
  EXPECT_EQ(training_verdict(record).pays(), Pays::yes);
  record.variants.push_back("scan linear");
  record.figures.push_back({3, "makespan", std::nullopt, 8});
  EXPECT_EQ(training_verdict(record).pays(), Pays::no) << "plain back-propagation on any device is faster";
  EXPECT_THAT(training_verdict(record).sentences.front(),
              HasSubstr("; plain BP on any device takes 8 units of its file: the scan does not pay."));
}

std::string sentence_of(const std::vector<AnswerRecord>& answers) {
  const Verdict verdict = study_verdict(answers, {}, false);
  return verdict.sentences.empty() ? "" : verdict.sentences.front();
}

TEST(Verdict, SaysAfterHowManyIterationsAScanIsPaidBack) {
  Payback payback{"hybrid:3", 0.004, 0.010};
  EXPECT_EQ(payback.iterations(), 3) << "10 ms are saved after 2.5";
  EXPECT_EQ(payback_text(payback, "planning"),
            "hybrid:3 saves 4.000 ms per iteration: planning, 10.00 ms once, is paid back after 3 iterations.");
  EXPECT_EQ(payback_json(payback),
            Json::parse(R"({"schedule": "hybrid:3", "saved_s": 0.004, "setup_s": 0.01, "iterations": 3.0})"));
  payback.setup_s.reset();
  EXPECT_EQ(
      payback_text(payback, "planning"),
      "hybrid:3 saves 4.000 ms per iteration; planning is not predicted: each second of it is paid back after 250 "
      "iterations.");
  EXPECT_TRUE(payback_json(payback)["iterations"].is_null());
  EXPECT_TRUE(payback_json(std::nullopt).is_null());
}

TEST(Verdict, OfAStudyOfMemorySaysWhereEachFits) {
  const auto answer = [](const std::string& along, const std::string& of, const std::string& fits) {
    const std::string missing = fits == "unknown" ? R"(,"missing_points":2,"missing":["no memory limit"])" : "";
    return AnswerRecord{"capacity", "{}", "length = 10: trivial",
                        fmt::format(R"({{"along":"{}","of":"{}","fits":"{}"{}}})", along, of, fits, missing)};
  };
  EXPECT_EQ(sentence_of({answer("workers", "pipeline", "all"), answer("workers", "pipeline", "between"),
                         answer("workers", "pipeline", "none"), answer("workers", "bppsa", "from"),
                         answer("workers", "bppsa", "from"), answer("length", "bppsa", "unknown")}),
            "Along workers pipeline memory fits everywhere at 1 of 3 places, in a part of the axis at 1 of 3 "
            "places, nowhere at 1 of 3 places; bppsa memory fits in a part of the axis at 2 of 2 places. Along "
            "length bppsa memory: at 1 of 1 place no point has both a memory limit and that memory (no memory limit).");
  EXPECT_EQ(sentence_of({answer("workers", "pipeline", "all")}), "Length = 10: trivial.") << "one answer is the whole";
}

TEST(Verdict, OfAStudyHasPartsForACard) {
  const auto answer = [](const std::string& details) {
    return AnswerRecord{"crossover", R"({"length": 1})", "a", details};
  };
  const std::string from3 = R"({"along":"workers","faster":"from","value":3,"speedup":1.1})";
  const std::string from6 = R"({"along":"workers","faster":"from","value":6,"speedup":1.2})";
  const std::string nowhere = R"({"along":"workers","faster":"nowhere"})";
  const VerdictParts parts = study_verdict({answer(from6), answer(nowhere), answer(from3)}, {}, false).parts;
  EXPECT_EQ(parts.overtakes, "from workers = 3 to 6 on");
  EXPECT_EQ(parts.headline, "The scan is faster in a part of the grid");
  EXPECT_THAT(parts.under, ::testing::StartsWith("All with level execution, "));
  EXPECT_THAT(parts.under, HasSubstr(", one input or the model's own batch, "));
  EXPECT_EQ(study_verdict({answer(nowhere), answer(nowhere)}, {}, false).parts.headline, "The scan is faster nowhere");
  EXPECT_EQ(study_verdict({answer(from3)}, {}, false).parts.overtakes, "from workers = 3 on");
  std::vector<AnswerRecord> places = {answer(from6), answer(from3)};
  for (int length = 2; length <= 72; ++length) {
    places.push_back(answer(nowhere));
    places.back().where = fmt::format(R"({{"length": {}}})", length);
  }
  EXPECT_EQ(study_verdict(places, {}, false).parts.overtakes, "from workers = 3 to 6 on, at 1 of 72 places");
  places.back().answer = from3;
  EXPECT_EQ(study_verdict(places, {}, false).parts.overtakes, "from workers = 3 to 6 on, at 2 of 72 places");
  for (int value = 4; value <= 8; ++value)
    places[static_cast<std::size_t>(value)].answer =
        fmt::format(R"({{"along":"workers","faster":"from","value":{},"speedup":1.1}})", value);
  EXPECT_THAT(study_verdict(places, {}, false).parts.standing, HasSubstr("places: from between 3 and 8 on"))
      << "too many to name each";
  EXPECT_EQ(study_verdict({answer(R"({"faster":"unknown"})")}, {}, false).parts.headline, "");
  EXPECT_EQ(study_verdict({answer(nowhere), answer(R"({"faster":"unknown"})")}, {}, false).parts.headline, "")
      << "not known at one place";
  const auto best = [](const std::string& details) {
    return study_verdict({AnswerRecord{"best", "{}", "a", details}}, {}, false).parts.headline;
  };
  EXPECT_EQ(best(R"({"wins":{},"speedup_least":0.1,"speedup_most":0.9})"), "The scan is faster nowhere");
  EXPECT_EQ(best(R"({"wins":{},"speedup_least":1.1,"speedup_most":2})"), "The scan is faster everywhere");
  EXPECT_EQ(best(R"({"wins":{},"by_ops":{"whole":{"speedup_least":1.1,"speedup_most":2},
                    "shared":{"speedup_least":0.1,"speedup_most":0.5}}})"),
            "The scan is faster in a part of the grid");
}

TEST(Verdict, OfAStudyNamesWhatNoAxisSets) {
  const AnswerRecord everywhere{"crossover", "{}", "a", R"({"along":"batch","faster":"everywhere"})"};
  StudySpec spec;
  spec.base.point.workers = 16;
  EXPECT_EQ(study_verdict({everywhere}, spec, false).sentences.back(),
            "All of it with 16 workers, level execution, guaranteed pattern, one input or the model's own batch, ops "
            "that are whole, the best hybrid depth of each point.");
  spec.base.point.schedule = "best-of-all";
  EXPECT_THAT(study_verdict({everywhere}, spec, false).sentences.back(),
              ::testing::EndsWith(", the best of all schedules of each point."));
  spec.base.point.schedule = "hybrid:2";
  spec.axes = {{"batch", {{"batch", false, {axis_value(1), axis_value(8)}}}},
               {"launch", {{"launch", false, {{"graph"}, {"eager"}}}}}};
  EXPECT_EQ(study_verdict({everywhere}, spec, true).sentences.back(),
            "All of it with 16 workers, level execution, guaranteed pattern, schedule hybrid:2.");
  Machine machine;
  machine.name = "a100";
  machine.kind = MachineKind::gpu;
  const Json frame = verdict_json(study_verdict({everywhere}, spec, true, &machine))["frame"];
  EXPECT_EQ(frame["varies"], Json::parse(R"(["batch", "launch"])"));
  EXPECT_TRUE(frame["batch"].is_null());
  EXPECT_TRUE(frame["launch"].is_null());
  EXPECT_EQ(frame["machine"], "a100");
  EXPECT_EQ(frame["execution"], "level");
  spec.axes.pop_back();
  EXPECT_EQ(verdict_json(study_verdict({everywhere}, spec, true, &machine))["frame"]["launch"], "graph");
  machine.kind = MachineKind::cpu;
  EXPECT_TRUE(verdict_json(study_verdict({everywhere}, spec, true, &machine))["frame"]["launch"].is_null())
      << "a processor launches nothing";
}

TEST(Verdict, NamesEverySettingOfItsFrame) {
  VerdictFrame frame;
  EXPECT_EQ(frame_text(frame), "one input");
  frame = {.workers = 1, .batch = 32, .input = "sequence", .execution = "dag"};
  EXPECT_EQ(frame_text(frame), "1 worker, 32 sequences, dag execution");
  frame.machine = "a100";
  frame.launch = "fused";
  frame.pattern = "sample";
  frame.scope = "live";
  frame.priced_by = "roofline";
  EXPECT_EQ(frame_text(frame),
            "a100 (1 worker), 32 sequences, dag execution, one kernel per level, sample pattern, live ops");
  frame.machine_workers = 8;
  EXPECT_THAT(frame_text(frame), ::testing::StartsWith("a100 (1 of its 8 workers), "));
  frame.machine_workers = 1;
  EXPECT_THAT(frame_text(frame), ::testing::StartsWith("a100 (1 worker), "));
  Verdict verdict;
  verdict.frame = frame;
  EXPECT_EQ(verdict_json(verdict)["frame"], Json::parse(R"({"workers": 1, "machine": "a100", "batch": 32,
      "ops": null, "execution": "dag", "launch": "fused", "pattern": "sample", "scope": "live", "library": null,
      "memory_limit": null, "memory_unit": null, "priced_by": "roofline", "varies": []})"));
  frame.memory_limit = 3 << 20;
  EXPECT_THAT(frame_text(frame), ::testing::EndsWith(", live ops, within 3.000 MiB"));
  frame.memory_unit = "tensors";
  frame.memory_limit = 40;
  EXPECT_EQ(memory_limit_text(frame), "within 40 tensors");
  frame.memory_unit = "units";
  EXPECT_EQ(memory_limit_text(frame), "within 40 units of memory of its file");
}

TEST(Verdict, OfAStudyCountsWhereTheScanIsFaster) {
  const AnswerRecord everywhere{"crossover", "{}", "a", R"({"along":"length","faster":"everywhere","binding":"latency",
      "speedup_least":1.5,"speedup_most":2})"};
  const AnswerRecord nowhere{"crossover", "{}", "the scan is faster nowhere", R"({"along":"length","faster":"nowhere",
      "binding":"workers","speedup_least":0.5,"speedup_most":0.75})"};
  const AnswerRecord from{"crossover", "{}", "c", R"({"along":"length","faster":"from","value":3,"plain_value":2,
      "binding":"latency","plain_speedup":0.9,"speedup":4})"};
  const auto at = [](AnswerRecord answer, const char* place) {
    answer.where = place;
    return answer;
  };
  EXPECT_EQ(sentence_of({at(everywhere, "1"), at(nowhere, "2"), at(from, "3"), at(from, "3")}),
            "Along length the scan is faster everywhere at 1 of 3 places, in a part of the axis at 1 of 3 places, "
            "nowhere at 1 of 3 places: from 3 on (0.5000x to 4.000x); most often latency binds.");
  EXPECT_EQ(sentence_of({at(from, R"({"hidden":8,"model":"a"})"), at(nowhere, R"({"hidden":64,"model":"a"})")}),
            "Along length the scan is faster in a part of the axis at 1 of 2 places, nowhere at 1 of 2 places: from 3 "
            "on (hidden 8, model a) (0.5000x to 4.000x); latency and workers bind equally often.");
  const AnswerRecord other{"crossover", "4", "d", R"({"along":"workers","faster":"unknown","has_gaps":true,"values":3,
      "missing_points":3,"missing":["no scan fits the memory","left out by a constraint"]})"};
  EXPECT_EQ(
      sentence_of({at(everywhere, "1"), other}),
      "Along length the scan is faster everywhere at 1 of 1 place (1.500x to 2.000x); latency binds. Along workers "
      "at 1 of 1 place no point has scores of both methods (no scan fits the memory, left out by a constraint).");
  AnswerRecord unknown = other;
  unknown.answer = R"({"along":"length","faster":"unknown"})";  // as earlier versions stored it
  AnswerRecord gaps = from;
  gaps.answer.insert(1, R"("has_gaps":true,"values":4,)");
  EXPECT_EQ(sentence_of({at(gaps, "1"), at(unknown, "2")}),
            "Along length the scan is faster in a part of the axis at 1 of 2 places: from 3 on (0.9000x to 4.000x); "
            "latency binds; at 1 of 2 places no point has scores of both methods. Between the values of length it may "
            "change and change back unseen.");
  EXPECT_EQ(
      sentence_of({at(everywhere, R"({"ops":"whole"})"), at(nowhere, R"({"ops":"shared"})")}),
      "Along length, where ops are whole, the scan is faster everywhere at 1 of 1 place (1.500x to 2.000x); latency "
      "binds. Along length, where ops are shared, the scan is faster nowhere at 1 of 1 place (0.5000x to 0.7500x); "
      "workers bind.");
  EXPECT_EQ(sentence_of({nowhere}), "The scan is faster nowhere.");
  const AnswerRecord best{"best", "", "b", R"({"points":9,"wins":{"hybrid:2":5,"linear":4}})"};
  EXPECT_EQ(sentence_of({best}), "The schedule hybrid:2 wins most often, at 5 of 9 points.");
  const AnswerRecord rules{"best", "", "b", R"({"points":4,"wins":{"hybrid:2":3,"linear":1},"speedup_least":0.1,
      "speedup_most":2,"by_ops":{"whole":{"points":2,"wins":{"hybrid:2":2},"speedup_least":1.5,"speedup_most":2},
      "shared":{"points":2,"wins":{"linear":1},"speedup_least":0.1,"speedup_most":0.5}}})"};
  EXPECT_EQ(sentence_of({rules}),
            "Where ops are whole, the best scan runs at 1.500x to 2.000x the speed of plain back-propagation; the "
            "schedule hybrid:2 wins at 2 of 2 points. Where ops are shared, the best scan runs at 0.1000x "
            "to 0.5000x the speed of plain back-propagation; the schedule linear wins at 1 of 2 points.");
  const AnswerRecord tie{"best", "", "b", R"({"points":2,"wins":{"linear":1,"hybrid:1":1}})"};
  EXPECT_EQ(sentence_of({tie}), "The schedules linear and hybrid:1 win at 1 of 2 points each.");
  const AnswerRecord most{"best", "", "b", R"({"points":11,"wins":{"a":2,"b":2,"c":2,"d":2,"e":2,"f":1}})"};
  EXPECT_EQ(sentence_of({most}), "The schedules a, b, c and 2 more win most often, at 2 of 11 points each.");
  EXPECT_EQ(sentence_of({}), "");
  EXPECT_EQ(sentence_of({{"crossover", "", "broken", "no JSON"}}), "Broken.");
}

}  // namespace
}  // namespace upsweep::verdict_test
