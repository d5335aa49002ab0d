#include "upsweep/report/search_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rendered.hpp"
#include "upsweep/search/chain_search.hpp"

namespace upsweep::search_report_test {
namespace {

using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// A search over the depths of a chain of 1000 steps on 64 workers.
SearchResult search_of(std::uint64_t scheme_elements = 0) {
  SearchOptions options;
  options.execution = Execution::level;
  options.workers = 64;
  return search_chain(fused_chain(20, 1000), options, scheme_elements);
}

/// The scores by hand, those of ops that workers share, too; nothing is known of other settings.
void set_scores(SearchResult& result, const std::vector<double>& scores) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    Candidate& candidate =
        i < result.candidates.size() ? result.candidates[i] : result.schemes[i - result.candidates.size()];
    candidate.score = scores[i];
    candidate.batched_score.reset();
    candidate.pram.dag.reset();
    candidate.pram.shared_flops = static_cast<std::uint64_t>(scores[i]);
  }
  result.overtakes.reset();
}

SearchReport report_of(const SearchResult& result) {
  SearchReport report{"rnn-like", "chain", "rnn-like: chain", result};
  report.linear_flops = result.linear().totals.flops;
  return report;
}

TEST(SearchReport, HasTheKeysOfASearch) {
  const SearchResult result = search_of();
  SearchReport report = report_of(result);
  report.has_overtaking = true;
  report.overtaking = Overtaking{33, 2, 100, 200};
  const Json json = to_json(report);
  EXPECT_EQ(json["candidates"].size(), result.candidates.size());
  EXPECT_EQ(json["best"]["depth"], *result.candidates[*result.best].depth);
  EXPECT_EQ(json["overtaking"]["workers"], 33);
  EXPECT_TRUE(json["machine"].is_null());
  EXPECT_TRUE(json["best"]["score"].is_number_integer()) << "FLOPs are whole";
  EXPECT_EQ(search_verdict(report).sentences.back(),
            "Where each op runs on one worker, scans overtake plain BP from 22 workers on, hybrid:1 first; where "
            "workers share ops, scans do from 2788 workers on, hybrid:7 first.");
}

TEST(SearchReport, SaysWhereOtherSchemesAreLeftOut) {
  const SearchResult result = search_of();
  SearchReport report = report_of(result);
  EXPECT_TRUE(to_json(report)["schemes"].is_array());
  EXPECT_TRUE(to_json(report)["schemes"].empty()) << "none was wanted";
  report.no_schemes = "Other schemes are searched up to 100 elements.";
  EXPECT_TRUE(to_json(report)["schemes"].is_null());
  EXPECT_TRUE(to_json(report)["best_scheme"].is_null());
  EXPECT_THAT(to_text(report), HasSubstr("searched up to 100 elements"));
}

TEST(SearchReport, ShowsSecondsOnAMachine) {
  SearchResult result = search_of();
  for (Candidate& candidate : result.candidates) {
    candidate.score = candidate.level_s = 2e-6 + 1e-6 * *candidate.depth;
    candidate.binding = Binding::latency;
  }
  result.best = 0;
  Machine machine;
  machine.name = "v100";
  machine.kind = MachineKind::gpu;
  result.options.machine = &machine;
  const SearchReport report = report_of(result);
  EXPECT_EQ(to_json(report)["candidates"][1]["score"], 3e-6);
  EXPECT_EQ(to_json(report)["candidates"][1]["seconds"]["level"], 3e-6);
  EXPECT_TRUE(to_json(report)["candidates"][1]["seconds"]["dag"].is_null());
  EXPECT_EQ(to_json(report)["candidates"][1]["binding"], "latency");
  EXPECT_EQ(to_json(report)["machine"], "v100");
  const std::string text = to_text(report);
  EXPECT_THAT(text, HasSubstr("3.000 us"));
  EXPECT_THAT(text, HasSubstr("predicted for one iteration on v100"));
  const Verdict verdict = search_verdict(report);
  EXPECT_EQ(verdict.sentences.back(),
            "On v100 (64 workers), one input, level execution, kernels in a graph, guaranteed pattern: hybrid:1 is "
            "0.6667x as fast as plain BP: "
            "the scan does not pay; latency binds.")
      << "nothing is said of overtaking, which is known in FLOPs only";
  EXPECT_EQ(verdict.baselines.front().name, "sparse-bp");
  EXPECT_TRUE(verdict.baselines.front().is_seconds);
  EXPECT_EQ(verdict.ratio(), 1.5);
  EXPECT_THAT(to_csv(report), HasSubstr(",3e-06,"));
}

constexpr const char* kBatchAlone =
    "One input keeps 1 of 64 workers busy in plain BP with each op on one worker; a batch of 64 keeps all of them busy "
    "without a scan.";

TEST(SearchReport, VerdictNamesTheBestTheNextAndWhatItWins) {
  SearchResult result = search_of();
  ASSERT_TRUE(result.best);
  result.candidates.resize(3);
  for (Candidate& candidate : result.candidates) candidate.same_as.reset();
  set_scores(result, {100, 100, 80});
  result.best = 2;
  result.best_scheme.reset();
  EXPECT_THAT(
      search_verdict(report_of(result)).sentences,
      ElementsAre("Best: depth 2 (hybrid:2) with the smallest makespan in FLOPs (level execution), 80. Next is "
                  "depth 0 with 25 % more.",
                  "On 64 workers, one input, level execution, guaranteed pattern: hybrid:2 is 1.250x faster than "
                  "plain BP with each op "
                  "on one worker, 1.250x faster with ops that workers share: the scan pays.",
                  kBatchAlone));
  EXPECT_TRUE(scan_pays(result));
  EXPECT_EQ(search_verdict(report_of(result)).pays(), Pays::yes);
  result.candidates[1].pram.shared_flops = 120;
  result.candidates[2].pram.shared_flops = 150;
  EXPECT_THAT(
      search_verdict(report_of(result)).sentences,
      ElementsAre(
          _,
          HasSubstr(
              "hybrid:2 is 1.250x faster than plain BP with each op on one worker, hybrid:1 0.8333x as fast with ops "
              "that workers share: the scan pays only if ops are whole."),
          kBatchAlone));
  EXPECT_EQ(search_verdict(report_of(result)).pays(), Pays::only_if_ops_are_whole);
  set_scores(result, {100, 100, 80});
  SearchReport dense = report_of(result);
  dense.baseline_flops = 160;
  EXPECT_THAT(search_verdict(dense).sentences[1], HasSubstr("the scan pays; it is 2.000x faster than dense BP."));
  result.best = 0;
  set_scores(result, {100, 100, 100});
  EXPECT_THAT(search_verdict(report_of(result)).sentences.back(),
              HasSubstr("hybrid:1 is as fast as plain BP with each op on one worker, as fast with ops that workers "
                        "share: the scan gains nothing."));
  EXPECT_FALSE(scan_pays(result)) << "equal is no win";
  EXPECT_THAT(search_verdict(report_of(result)).sentences.front(), HasSubstr("100. Depth 1 takes as much."));
  EXPECT_EQ(search_verdict(report_of(result)).pays(), Pays::no);
  result.candidates[1].feasible = result.candidates[2].feasible = false;
  EXPECT_THAT(search_verdict(report_of(result)).sentences.back(),
              HasSubstr("no scan that fits is there to compare with plain"));
  result.best.reset();
  EXPECT_EQ(search_verdict(report_of(result)).sentences.front(), "No depth fits into the memory limit.");
  result.candidates[1].score.reset();
  EXPECT_EQ(search_verdict(report_of(result)).sentences.front(), "No depth fits into the memory limit.");
  result.candidates[1].feasible = true;
  EXPECT_EQ(search_verdict(report_of(result)).sentences.front(), "No best depth is known: a simulation gave up.");
}

TEST(SearchReport, VerdictComparesTheBestScanOfAllSchemesWithTheBestThatIsNone) {
  SearchResult result = search_of();
  result.candidates.resize(2);
  set_scores(result, {100, 90});
  result.best = result.best_scheme = 1;
  Candidate scheme = result.candidates[1];
  scheme.depth.reset();
  scheme.schedule = "sklansky";
  scheme.score = 60;
  result.schemes = {scheme};
  result.best_scheme = 2;
  set_scores(result, {100, 90, 60});
  EXPECT_THAT(
      search_verdict(report_of(result)).sentences,
      ElementsAre(
          HasSubstr("Best: depth 1"),
          HasSubstr("Best of all: sklansky with 60, 1.667x faster than plain BP; the "
                    "best depth is 1 with 90, 50 % more."),
          HasSubstr("sklansky is 1.667x faster than plain BP with each op on one worker, 1.667x faster with ops "
                    "that workers share: the scan pays."),
          kBatchAlone));
  scheme.schedule = "blocked:1";
  scheme.is_plain = true;
  scheme.score = 50;
  result.schemes.push_back(scheme);
  set_scores(result, {100, 90, 60, 50});
  const Verdict verdict = search_verdict(report_of(result));
  EXPECT_THAT(
      verdict.sentences.back(),
      HasSubstr("sklansky is 0.8333x as fast as blocked:1, the best that is no scan with each op on one worker, "
                "0.8333x as fast with ops that workers share: the scan does not pay."));
  EXPECT_EQ(verdict.baselines.front().score, 50);
}

}  // namespace
}  // namespace upsweep::search_report_test
