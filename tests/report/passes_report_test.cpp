#include "upsweep/report/passes_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "support/rendered.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep::passes_report_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

PassOutcome pass(const std::string& method, double seconds, std::uint64_t flops) {
  PassOutcome outcome;
  outcome.request = {"cpu", parse_backward_method(method)};
  outcome.times.down = seconds;
  outcome.fastest_seconds = seconds;
  outcome.repetitions = 3;
  outcome.flops.down = flops;
  outcome.hidden.elements = 10;
  outcome.hidden.worst_share = 0.25;
  outcome.parameters.elements = 5;
  return outcome;
}

PassPrediction predicted(double seconds) {
  PassPrediction prediction;
  prediction.times.down = seconds;
  prediction.bounds.down = TimeBound::memory;
  prediction.total_s = seconds;
  return prediction;
}

/// A baseline of 1 ms, predicted exactly, and a scan of 4 ms, predicted 3 ms.
PassesReport report() {
  PassesReport report;
  report.model.name = "net";
  report.model.steps = 9;
  report.backend = "cpu";
  report.device.device = "a processor";
  report.sequences = "random sequences of seed 1";
  OuterOutcome& outer = report.validation.outer.emplace_back();
  outer.backend = "cpu";
  outer.forward_s = 1e-3;
  outer.parameters_s = 2e-3;
  outer.states.worst_share = 0.125;
  report.validation.passes = {pass("bptt", 1e-3, 100), pass("blelloch", 4e-3, 800)};
  report.predictions = {predicted(1e-3), predicted(3e-3)};
  return report;
}

TEST(PassesReport, PutsPredictedBesideMeasuredAndRelatesToTheBaseline) {
  const Json json = to_json(report());
  EXPECT_TRUE(json.at("valid"));
  const Json& scan = json.at("passes")[1];
  EXPECT_DOUBLE_EQ(scan.at("error"), -0.25);
  EXPECT_DOUBLE_EQ(scan.at("ratio_to_baseline"), 4);
  EXPECT_DOUBLE_EQ(scan.at("iteration_ratio"), 7.0 / 4) << "forward pass and parameter gradients are part of it";
  EXPECT_EQ(scan.at("bound")["down"], "memory");
  EXPECT_THAT(verdict_text(passes_verdict(report())),
              HasSubstr("blelloch is 0.2500x as fast as bptt, the fastest that is no scan (4.000 ms against 1.000 "
                        "ms): the scan does not pay; it does 8.000x its FLOPs (predicted: 0.3333x as fast, +33.3 %)"));
}

TEST(PassesReport, SaysAfterHowManyIterationsPlanningIsPaidBack) {
  PassesReport faster = report();
  EXPECT_TRUE(to_json(faster).at("payback").is_null()) << "nothing is saved";
  faster.validation.passes[0].plan_seconds = 1e-3;
  faster.validation.passes[1] = pass("blelloch", 5e-4, 800);
  faster.validation.passes[1].plan_seconds = 4.25e-3;
  const Json payback = to_json(faster).at("payback");
  EXPECT_EQ(payback.at("schedule"), "blelloch");
  EXPECT_DOUBLE_EQ(payback.at("saved_s"), 5e-4);
  EXPECT_DOUBLE_EQ(payback.at("setup_s"), 3.25e-3);
  EXPECT_EQ(payback.at("iterations"), 7);
  EXPECT_EQ(verdict_json(passes_verdict(faster)).at("payback"), payback);
  EXPECT_THAT(verdict_text(passes_verdict(faster)),
              HasSubstr("blelloch saves 500.0 us per iteration: what planning takes more than that of bptt, 3.250 ms "
                        "once, is paid back after 7 iterations."));
  EXPECT_DOUBLE_EQ(to_json(faster).at("passes")[1]["plan_s"], 4.25e-3);
}

TEST(PassesReport, ShowsAWrongGradientEverywhere) {
  PassesReport wrong = report();
  wrong.validation.passes[1].hidden.mismatch = "gradient of h_3 is wrong";
  wrong.validation.passes[1].hidden.worst_share = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(to_json(wrong).at("valid"));
  EXPECT_EQ(to_json(wrong).at("passes")[1]["hidden_gradients"]["mismatch"], "gradient of h_3 is wrong");
  EXPECT_THAT(to_text(wrong), HasSubstr("MISMATCH: blelloch on cpu: gradient of h_3 is wrong"));
  EXPECT_THAT(to_csv(wrong), HasSubstr("blelloch on cpu: gradient of h_3 is wrong"));
  EXPECT_THAT(to_text(report()), Not(HasSubstr("MISMATCH")));
}

TEST(PassesReport, ShowsForwardPassAndParameterGradientsOfEveryBackend) {
  PassesReport both = report();
  both.backend = "cuda";
  OuterOutcome outer = both.validation.outer.front();
  outer.backend = "cuda";
  outer.forward_s = 5e-4;
  outer.parameters_s = 5e-4;
  outer.notes = {"slower kernels"};
  both.validation.outer.push_back(outer);
  const Json json = to_json(both);
  EXPECT_DOUBLE_EQ(json.at("forward_s"), 1e-3) << "of the cpu, as ever";
  ASSERT_EQ(json.at("outer").size(), 2U);
  EXPECT_EQ(json["outer"][1]["backend"], "cuda");
  EXPECT_DOUBLE_EQ(json["outer"][1]["parameters_s"], 5e-4);
  EXPECT_DOUBLE_EQ(json["outer"][1]["states"]["worst_share_of_bound"], 0.125);
  EXPECT_DOUBLE_EQ(json.at("passes")[1]["iteration_ratio"], 5.0 / 2) << "all on the GPU";
  const std::string text = to_text(both);
  EXPECT_THAT(text,
              HasSubstr("On cuda: forward pass 500.0 us, parameter gradients 500.0 us, without head and transfers; "
                        "states are within 12.5 % of the bound of a step."));
  EXPECT_THAT(text, HasSubstr("cuda: slower kernels"));
  both.validation.outer[1].states.mismatch = "h_3 is wrong";
  EXPECT_FALSE(to_json(both).at("valid"));
  EXPECT_THAT(to_text(both), HasSubstr("MISMATCH: forward pass on cuda: h_3 is wrong"));
  both.validation.outer[1] = {};
  both.validation.outer[1].backend = "cuda";
  both.validation.outer[1].failure = "no GPU";
  EXPECT_TRUE(to_json(both).at("valid").is_null());
  EXPECT_TRUE(to_json(both).at("passes")[1]["iteration_ratio"].is_null());
  EXPECT_THAT(to_text(both), HasSubstr("The forward pass was not run on cuda: no GPU"));
}

TEST(PassesReport, CallsNothingRightThatHasNoFiniteBound) {
  PassesReport vague = report();
  vague.validation.passes[1].hidden.unbounded = 3;
  EXPECT_THAT(to_text(vague), HasSubstr("unproven"));
  EXPECT_THAT(to_text(vague), HasSubstr("3 gradients have no finite bound"));
}

TEST(PassesReport, SaysWhyAPassDidNotRunAndThatTheMachineChanged) {
  PassesReport other = report();
  other.validation.passes[1].failure = "too large";
  other.validation.drift = 0.5;
  const Json json = to_json(other);
  EXPECT_EQ(json.at("passes")[1]["failed"], "too large");
  EXPECT_FALSE(json.at("passes")[1].contains("measured_s"));
  EXPECT_DOUBLE_EQ(json.at("drift"), 0.5);
  EXPECT_TRUE(json.at("valid").is_null()) << "not everything that was asked for ran";
  EXPECT_THAT(to_text(other), HasSubstr("blelloch was not run: too large"));
  EXPECT_THAT(to_text(other), HasSubstr("changed its speed"));
  EXPECT_THAT(to_text(report()), Not(HasSubstr("changed its speed")));
  PassesReport rates = report();
  rates.rates_drift = 1.3;
  EXPECT_THAT(to_text(rates), HasSubstr("a step of its rates 1.300x"));
}

std::string said(const PassesReport& report) { return verdict_text(passes_verdict(report)); }

TEST(PassesReport, JudgesAScanByTheFastestPassThatIsNone) {
  PassesReport other = report();
  other.validation.passes.push_back(pass("blocked:1", 5e-4, 100));
  other.predictions.push_back(predicted(5e-4));
  EXPECT_THAT(said(other), HasSubstr("blelloch is 0.1250x as fast as blocked:1, the fastest that is no scan "
                                     "(4.000 ms against 500.0 us): the scan does not pay"));
  EXPECT_EQ(passes_verdict(other).pays(), Pays::no);
  other.validation.passes[1] = pass("blelloch", 5.1e-4, 800);
  EXPECT_THAT(said(other), HasSubstr("too close to call"));
  EXPECT_EQ(passes_verdict(other).pays(), Pays::no);
  other.validation.passes[1] = pass("blelloch", 1e-4, 800);
  EXPECT_THAT(said(other), HasSubstr("the scan pays"));
  EXPECT_EQ(passes_verdict(other).pays(), Pays::yes);
  other.validation.drift = 1.5;
  EXPECT_THAT(said(other), HasSubstr("nothing follows, as this machine changed its speed"));
  EXPECT_FALSE(passes_verdict(other).pays());
}

TEST(PassesReport, ASequentialPassInOneBlockIsNoScan) {
  PassesReport one = report();
  one.validation.passes[1] = pass("blocked:1", 5e-4, 100);
  EXPECT_THAT(said(one), HasSubstr("the fastest is blocked:1 with 500.0 us; no scan ran and was right."));
  EXPECT_FALSE(passes_verdict(one).pays());
}

}  // namespace
}  // namespace upsweep::passes_report_test
