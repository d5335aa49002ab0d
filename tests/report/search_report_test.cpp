#include "upsweep/report/search_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "upsweep/search/chain_search.hpp"

namespace upsweep::search_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A search over the depths of a chain of 1000 steps on 64 workers.
SearchResult search_of(std::uint64_t scheme_elements = 0) {
  SearchOptions options;
  options.execution = Execution::level;
  options.workers = 64;
  return search_chain(fused_chain(20, 1000), options, scheme_elements);
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
  EXPECT_THAT(to_text(report), HasSubstr("It overtakes plain BP from 33 workers on (depth 2)."));
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
  EXPECT_THAT(text, Not(HasSubstr("overtake"))) << "known in FLOPs only";
  EXPECT_THAT(to_csv(report), HasSubstr(",3e-06,"));
}

TEST(SearchReport, VerdictNamesTheBestTheNextAndWhatItWins) {
  SearchResult result = search_of();
  ASSERT_TRUE(result.best);
  result.candidates.resize(3);
  for (Candidate& candidate : result.candidates) {
    candidate.score = 100;
    candidate.same_as.reset();
  }
  result.candidates[2].score = 80;
  result.best = 2;
  result.best_scheme.reset();
  EXPECT_THAT(
      verdict_text(report_of(result)),
      HasSubstr("Best: depth 2 (hybrid:2) with the smallest makespan in FLOPs (level execution), 80. Next is depth "
                "0 with 25 % more.\nThe scan pays: 0.8000x of plain BP.\n"));
  EXPECT_TRUE(scan_pays(result));
  result.best = 0;
  result.candidates[2].score = 100;
  EXPECT_THAT(verdict_text(report_of(result)), HasSubstr("The scan does not pay here: no depth beats plain BP.\n"));
  EXPECT_FALSE(scan_pays(result)) << "equal is no win";
  result.best.reset();
  EXPECT_EQ(verdict_text(report_of(result)), "No depth fits into the memory limit.\n");
  result.candidates[1].score.reset();
  EXPECT_EQ(verdict_text(report_of(result)), "No best depth is known: a simulation gave up.\n");
}

}  // namespace
}  // namespace upsweep::search_report_test
