#include "upsweep/report/train_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "support/rendered.hpp"

namespace upsweep::train_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

LossCurve curve(const std::string& name, const std::vector<double>& loss, const PhaseTimes& seconds = {}) {
  return {name, loss, std::vector<double>(loss.size(), 0.5), seconds};
}

TrainReport report() {
  TrainReport made;
  made.spec.name = "x";
  made.spec.iterations = 3;
  made.spec.data = BitstreamData{100, 1};
  made.spec.optimizer = AdamSettings{3e-5};
  made.model = "net";
  made.description = "rnn of 20 hidden elements";
  made.batch = 16;
  made.steps = 1000;
  made.samples = 100;
  made.parameters = 670;
  made.device = "processor";
  made.driver = "kernel 1";
  made.result.curves = {curve("bptt", {2, 1, 0.5}, {0, 1, 4, 0, 1}), curve("blelloch", {2, 1, 0.75}, {0, 1, 2, 0, 1})};
  made.result.weight_differences = {0, 0.125};
  made.result.pass_seconds = {{0, 0, 0, 3}, {0.25, 0.5, 0.5, 0.5}};
  made.result.notes = {"blelloch: a note"};
  compare_all(made.result);
  return made;
}

/// The second curve ends after `iterations`.
TrainReport cut_report(std::size_t iterations) {
  TrainReport made = report();
  LossCurve& curve = made.result.curves[1];
  curve.loss.resize(iterations);
  curve.accuracy.resize(iterations);
  curve.failure = "training by blelloch: the loss is not finite";
  made.result.weight_differences[1] = std::nullopt;
  compare_all(made.result);
  return made;
}

TEST(TrainReport, TextHasCurvesDifferencesAndTimes) {
  const std::string text = to_text(report());
  EXPECT_THAT(text, StartsWith("x: rnn of 20 hidden elements, 670 parameters, fp32\n"
                               "3 iterations of 16 samples out of 100 (bitstream), Adam, learning rate 3e-05\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("blelloch +2\\.000000 +0\\.750000 +50\\.0 % +0\\.25 +3 +0\\.5 +0\\.5 +"
                                             "0\\.125\n"))
      << text;
  EXPECT_THAT(text, ::testing::ContainsRegex("blelloch .* 2\\.000x +1\\.500x\n")) << "4 s against 2, 6 against 4";
  EXPECT_THAT(text, HasSubstr("Speed-ups are over bptt"));
  EXPECT_THAT(text, HasSubstr("* all of them, 1 bptt, 2 blelloch\n"));
  EXPECT_THAT(text, HasSubstr("note: blelloch: a note\n"));
}

TEST(TrainReport, PlotShowsWhereCurvesPart) {
  const std::string text = to_text(report());
  EXPECT_THAT(text, HasSubstr("       2 |*\n"));
  EXPECT_THAT(text, HasSubstr("         |  2\n")) << text;
  EXPECT_THAT(text, HasSubstr("     0.5 |  1\n")) << text;
  TrainReport same = report();
  same.result.curves[1].loss = same.result.curves[0].loss;
  compare_all(same.result);
  EXPECT_THAT(to_text(same), HasSubstr("     0.5 |  *\n")) << "on top of each other";
}

TEST(TrainReport, JudgesAScanByTheFastestPassThatIsNone) {
  TrainReport made = report();
  Verdict verdict = train_verdict(made);
  EXPECT_EQ(verdict.ratio(), 0.5) << "2 s against 4 s, of backward passes";
  EXPECT_EQ(verdict.pays(), Pays::yes);
  EXPECT_THAT(verdict.sentences.front(), HasSubstr("blelloch is 2.000x faster than bptt: the scan pays"));
  made.result.curves[1].seconds.backward = 3.9;
  verdict = train_verdict(made);
  EXPECT_EQ(verdict.pays(), Pays::no) << "2.5 % less is not told from nothing by measurements";
  EXPECT_THAT(verdict.sentences.front(), HasSubstr("the scan gains nothing"));
  made.result.curves[1].seconds.backward = 8;
  EXPECT_THAT(train_verdict(made).sentences.front(), HasSubstr("is 0.5000x as fast as bptt: the scan does not pay"));
  verdict = train_verdict(cut_report(1));
  EXPECT_EQ(verdict.pays(), std::nullopt) << "a training that failed is no scan that ran";
  EXPECT_THAT(verdict.sentences.front(), HasSubstr("there is no scan to compare with bptt"));
  made.result.curves[0].failure = "the loss is not finite";
  verdict = train_verdict(made);
  EXPECT_EQ(verdict.pays(), std::nullopt);
  EXPECT_THAT(verdict.sentences.front(), HasSubstr("there is nothing to compare with"));
}

TEST(TrainReport, OneCurveAloneHasNothingToBeComparedWith) {
  TrainReport one = report();
  one.result.curves.pop_back();
  compare_all(one.result);
  EXPECT_THAT(to_text(one), Not(HasSubstr("Speed-ups")));
  EXPECT_THAT(to_text(one), HasSubstr("* bptt\n"));
}

TEST(TrainReport, JsonHasEveryNumber) {
  const Json json = to_json(report());
  EXPECT_EQ(json["curves"][1]["loss"], (Json{2, 1, 0.75}));
  EXPECT_EQ(json["curves"][1]["accuracy"], (Json{0.5, 0.5, 0.5}));
  EXPECT_EQ(json["curves"][1]["seconds"]["backward"], 2);
  EXPECT_EQ(json["curves"][1]["speedup"]["backward"], 2);
  EXPECT_EQ(json["curves"][1]["difference"]["largest"], 0.25);
  EXPECT_EQ(json["curves"][1]["difference"]["largest_at"], 3);
  EXPECT_EQ(json["curves"][1]["difference"]["weights_relative"], 0.125);
  EXPECT_EQ(json["curves"][1]["pass_seconds"]["jacobians"], 0.25);
  EXPECT_EQ(json["curves"][0]["difference"]["largest"], 0);
  EXPECT_EQ(json["steps"], 1000);
  EXPECT_EQ(json["driver"], "kernel 1");
  EXPECT_TRUE(json["curves"][1]["failed"].is_null());
  TrainReport network = report();
  network.steps = 0;
  network.result.pass_seconds.clear();
  EXPECT_TRUE(to_json(network)["steps"].is_null());
  EXPECT_FALSE(to_json(network)["curves"][0].contains("pass_seconds"));
}

TEST(TrainReport, SaysWhereACurveEndedEarly) {
  const std::string text = to_text(cut_report(1));
  EXPECT_THAT(text, ::testing::ContainsRegex("bptt +2\\.000000 +0\\.500000 .* reference"));
  EXPECT_THAT(text, ::testing::ContainsRegex("blelloch +2\\.000000 +2\\.000000 +50\\.0 % +ended early +- +- +- +-\n"));
  EXPECT_THAT(text, HasSubstr("\nEnded early: training by blelloch: the loss is not finite\n"));
  EXPECT_THAT(text, ::testing::ContainsRegex("blelloch .* 0\\.6667x +0\\.5000x\n")) << "4/3 s an iteration against 2/1";
  EXPECT_THAT(text, HasSubstr("\n3 iterations of 16"));
  const Json json = to_json(cut_report(1));
  EXPECT_TRUE(json["curves"][0]["failed"].is_null());
  EXPECT_EQ(json["curves"][0]["difference"]["largest"], 0);
  EXPECT_EQ(json["curves"][1]["failed"], "training by blelloch: the loss is not finite");
  EXPECT_TRUE(json["curves"][1]["difference"].is_null());
  EXPECT_EQ(json["curves"][1]["loss"], Json{2});
  EXPECT_EQ(json["iterations"], 3);
  EXPECT_EQ(to_csv(cut_report(1)), "iteration,bptt,blelloch\r\n1,2,2\r\n2,1,\r\n3,0.5,\r\n");
}

TEST(TrainReport, OfNoIterationAtAllHasDashes) {
  TrainReport none = cut_report(0);
  EXPECT_THAT(to_text(none), ::testing::ContainsRegex("blelloch +- +- +- +ended early +- "));
  EXPECT_TRUE(to_json(none)["curves"][1]["speedup"]["total"].is_null());
  none.result.curves.front() = none.result.curves.back();
  compare_all(none.result);
  EXPECT_THAT(to_text(none), HasSubstr("No iteration was finished: there is no curve.\n"));
  EXPECT_EQ(to_csv(none), "iteration,blelloch,blelloch\r\n");
}

TEST(TrainReport, CsvHasARowPerIteration) {
  EXPECT_EQ(to_csv(report()), "iteration,bptt,blelloch\r\n1,2,2\r\n2,1,1\r\n3,0.5,0.75\r\n");
}

}  // namespace
}  // namespace upsweep::train_report_test
