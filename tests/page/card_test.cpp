#include "../../src/page/card.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "upsweep/app/storing.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// A search whose scan is twice as fast as plain BP by whole ops, and a quarter as fast by shared ones.
Verdict made_verdict() {
  Verdict verdict;
  verdict.baselines = {{"sparse-bp-whole", 100, false, "hybrid:1", 50},
                       {"sparse-bp-shared", 10, false, "hybrid:1", 40}};
  verdict.baselines.back().is_of_shared_ops = true;
  verdict.overtakes = Overtakes{{true, 3, false, {}, "hybrid:1"}, {true, 40}};
  verdict.parts.turned_by = {"level execution", "a batch of 32"};
  verdict.sentences = {"Best: depth 1 (hybrid:1).",
                       standing_sentence(verdict, "On 4 workers, one input",
                                         "hybrid:1 is 2.000x faster than plain BP: the scan pays only if ops are whole",
                                         "its critical path binds: more workers would not help"),
                       "With level execution it is the other way round: hybrid:1 is 0.5x as fast.",
                       "With a batch of 32 it is the other way round: hybrid:1 is 0.2x as fast."};
  return verdict;
}

SectionEntry entry_with(const Verdict& verdict) {
  SectionEntry entry;
  entry.id = "search-1";
  entry.what = "search, 5 schedules";
  entry.model = "a <net>";
  entry.verdict = kept(verdict);
  return entry;
}

TEST(Card, SaysAtAGlanceWhatWasAskedAndWhatFollows) {
  const std::string html = card(entry_with(made_verdict())).html();
  EXPECT_THAT(html,
              AllOf(HasSubstr("<a href=\"#search-1\">a &lt;net&gt;</a>"),
                    HasSubstr("search, 5 schedules · On 4 workers, one input</p>"),
                    HasSubstr("Pays only if each op has a worker to itself"),
                    HasSubstr("<p>hybrid:1 is 2.000x faster than plain BP: the scan pays only if ops are whole.</p>")));
  EXPECT_THAT(
      html, AllOf(HasSubstr("<dd>hybrid:1 from 3 workers on, an op per worker; from 40 workers on, workers share ops"),
                  HasSubstr("<dd>its critical path binds: more workers would not help</dd>"),
                  HasSubstr("<dd>level execution; a batch of 32</dd>")));
}

TEST(Card, HasABarOfSpeedForEachBaselineOnOneScale) {
  const std::string html = card(entry_with(made_verdict())).html();
  // Four times slower fills the left half; twice as fast is half as long, to the right.
  EXPECT_THAT(html, HasSubstr("class=\"bar faster\" style=\"left:50.00%;width:25.00%\""));
  EXPECT_THAT(html, HasSubstr("class=\"bar slower\" style=\"left:0.00%;width:50.00%\""));
  EXPECT_THAT(html, Not(HasSubstr("whisker")));
}

TEST(Card, TakesThePartsAsTheyAreHoweverTheSentenceReads) {
  Verdict verdict = made_verdict();
  verdict.parts.under = "On a machine named \"a: b\"";
  EXPECT_THAT(card(entry_with(verdict)).html(), HasSubstr("· On a machine named &quot;a: b&quot;</p>"));
}

TEST(Card, OfAStudyNamesItsFrameHeadlineAndCrossover) {
  Verdict verdict;
  verdict.frame = VerdictFrame();
  verdict.parts = {.headline = "The scan is faster in a part of the grid",
                   .under = "All with one input",
                   .standing = "Along workers the scan is faster in a part of the axis at 1 of 1 place",
                   .overtakes = "from workers = 3 to 6 on"};
  verdict.sentences = {"Along workers."};
  EXPECT_THAT(card(entry_with(verdict)).html(),
              AllOf(HasSubstr("<p class=\"answer\">The scan is faster in a part of the grid</p>"),
                    HasSubstr("· All with one input</p>"), HasSubstr("at 1 of 1 place.</p>"),
                    HasSubstr("<dt>Overtakes</dt> <dd>from workers = 3 to 6 on</dd>")));
}

TEST(Card, EndsALongStandingBehindAWholeSentence) {
  Verdict verdict;
  verdict.frame = VerdictFrame();
  const std::string sentence = "Along " + std::string(250, 'w') + " the scan is faster everywhere";
  verdict.parts.standing = fmt::format("{0}. {0}. {0}", sentence);
  verdict.sentences = {"Along."};
  EXPECT_THAT(card(entry_with(verdict)).html(), HasSubstr(fmt::format("<p>{0}. {0}. …</p>", sentence)));
  verdict.parts.standing = std::string(700, 'w');
  EXPECT_THAT(card(entry_with(verdict)).html(), HasSubstr(std::string(599, 'w') + "…</p>")) << "what has room";
}

TEST(Card, ShowsIntervalsAndThatTheyLeaveItOpen) {
  Verdict verdict = made_verdict();
  verdict.baselines = {{"sparse-bp", 1, true, "hybrid:1", 2}};
  verdict.baselines.front().interval = Interval{0.5, 2};
  verdict.baselines.front().scan_interval = Interval{1, 4};
  const std::string html = card(entry_with(verdict)).html();
  EXPECT_THAT(html, HasSubstr("hybrid:1 beside plain BP: 0.5000x, 0.1250x to 2.000x"));
  EXPECT_THAT(html, AllOf(HasSubstr("whisker"), HasSubstr("Within the uncertainty")));
}

TEST(Card, OfAnEarlierVersionHasItsSentenceAlone) {
  SectionEntry entry = entry_with(made_verdict());
  entry.verdict.details.reset();
  EXPECT_THAT(card(entry).html(), AllOf(HasSubstr("hybrid:1 is 2.000x faster"), Not(HasSubstr("class=\"bars\""))));
  entry.verdict.details = "no JSON";
  EXPECT_THAT(card(entry).html(), HasSubstr("hybrid:1 is 2.000x faster"));
  entry.verdict.details = R"({"baselines": [{"name": 3, "ratio": "x"}, 7], "overtakes_from": 2, "pays": 1})";
  EXPECT_THAT(card(entry).html(), HasSubstr("hybrid:1 is 2.000x faster")) << "a database may hold anything";
  entry.verdict.details =
      R"({"pays": "no", "baselines": )" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}";
  EXPECT_THAT(card(entry).html(), HasSubstr("hybrid:1 is 2.000x faster"));
  entry.verdict.details =
      R"({"baselines": [{"name": "a", "ratio": 5e-324}, {"name": "b", "ratio": 2, "interval": [1, 2], "scan_interval": [1, -3]}]})";
  EXPECT_THAT(card(entry).html(),
              AllOf(HasSubstr("0.5000x"), Not(HasSubstr("nan")), Not(HasSubstr("inf")), Not(HasSubstr("whisker"))));
  entry.verdict.text.reset();
  EXPECT_TRUE(card(entry).empty());
}

}  // namespace
}  // namespace upsweep::testing
