#include "upsweep/report/train_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "upsweep/report/loss_curve_svg.hpp"

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

long count(const std::string& text, const std::string& part) {
  long found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// The name of a tag, from behind its '<' to a blank or its end.
std::string name_of(const std::string& tag) { return tag.substr(0, tag.find_first_of(" \n/")); }

/// What is wrong with the nesting of tags, or nothing; enough for files without comments.
std::string xml_fault(const std::string& text) {
  std::vector<std::string> open;
  bool has_root = false;
  std::size_t at = 0;
  while ((at = text.find_first_of("<&", at)) != std::string::npos) {
    if (text[at] == '&') {
      const std::string entity = text.substr(at, text.find(';', at) - at);
      if (entity != "&amp" && entity != "&lt" && entity != "&gt" && entity != "&quot") return "bare &";
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string::npos) return "a tag without an end";
    const std::string tag = text.substr(at + 1, end - at - 1);
    if (tag.find('<') != std::string::npos || count(tag, "\"") % 2 != 0) return "bad tag " + tag;
    if (tag[0] == '/') {
      if (open.empty() || open.back() != tag.substr(1)) return "closes " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      if (open.empty() && std::exchange(has_root, true)) return "a second root";
      open.push_back(name_of(tag));
    }
    at = end + 1;
  }
  return open.empty() ? "" : "open at the end: " + open.back();
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

TEST(LossCurveSvg, IsAWholeFileWhateverItShows) {
  const std::vector<double> many(5000, 1.5);
  std::vector<double> wild = many;
  wild[7] = std::numeric_limits<double>::infinity();
  wild[9] = std::nan("");
  const std::vector<std::vector<LossCurve>> pictures = {
      report().result.curves,
      cut_report(1).result.curves,
      cut_report(0).result.curves,
      {cut_report(0).result.curves[1], curve("a", many)},
      {curve("one", {1})},
      {curve("a", {0, 0}), curve("b", {0, 0})},
      {curve("a", many), curve("b", wild)},
      {curve("a", {1e-300, 1e300}), curve("b", {-1, 1})},
      {curve("a", {std::nan("")}), curve("b", {1})},
      std::vector<LossCurve>(20, curve("a name that is rather long", {2, 1}))};
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const std::string svg = loss_curve_svg("a < b & \"c\"", pictures[i]);
    EXPECT_EQ(xml_fault(svg), "") << "picture " << i;
    EXPECT_THAT(svg, StartsWith("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    EXPECT_THAT(svg, HasSubstr("<title>a &lt; b &amp; &quot;c&quot;</title>"));
    EXPECT_THAT(svg, Not(HasSubstr("nan"))) << "picture " << i;
    EXPECT_THAT(svg, Not(HasSubstr("inf"))) << "picture " << i;
    EXPECT_LT(svg.size(), 200'000U) << "picture " << i;
  }
}

TEST(LossCurveSvg, ThatCheckCanFail) {
  EXPECT_NE(xml_fault("<a><b></a></b>"), "");
  EXPECT_NE(xml_fault("<a>"), "");
  EXPECT_NE(xml_fault("<a>x & y</a>"), "");
  EXPECT_NE(xml_fault("<a/ x=\"1></a>"), "");
  EXPECT_EQ(xml_fault("<a x=\"1\"><b/>&lt;</a>"), "");
}

TEST(LossCurveSvg, ShowsEveryCurveAndItsDifference) {
  const std::string svg = loss_curve_svg("x", report().result.curves);
  EXPECT_EQ(count(svg, "class=\"curve first c0\""), 2) << "in the legend and in the first panel";
  EXPECT_EQ(count(svg, "class=\"curve c1\""), 3) << "and in the panel of differences";
  EXPECT_THAT(svg, HasSubstr("|loss - loss of bptt| in nats"));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme:dark"));
  EXPECT_THAT(svg, HasSubstr(">iteration</text>"));
  EXPECT_THAT(svg, HasSubstr(">0.5</text>"));
  const std::string same = loss_curve_svg("x", {curve("a", {2, 1}), curve("b", {2, 1})});
  EXPECT_THAT(same, HasSubstr("0 everywhere: the curves are the same to the last bit"));
  EXPECT_THAT(loss_curve_svg("x", {curve("a", {2, 1})}), Not(HasSubstr("loss of a")));
}

TEST(LossCurveSvg, ShowsACurveAsFarAsItGoes) {
  const std::string svg = loss_curve_svg("x", cut_report(2).result.curves);
  EXPECT_THAT(svg, HasSubstr(">blelloch, ended at iteration 3</text>"));
  EXPECT_THAT(svg, HasSubstr(">0 as far as both curves go</text>"));
  EXPECT_THAT(svg, HasSubstr(">3</text>")) << "the axis is that of the longest curve";
  EXPECT_THAT(loss_curve_svg("x", cut_report(0).result.curves), Not(HasSubstr("|loss - loss of bptt|")));
  EXPECT_THROW((void)loss_curve_svg("x", {cut_report(0).result.curves[1]}), std::invalid_argument);
}

TEST(LossCurveSvg, RefusesWhatItCannotShow) {
  EXPECT_THROW((void)loss_curve_svg("x", {}), std::invalid_argument);
  EXPECT_THROW((void)loss_curve_svg("x", {curve("a", {})}), std::invalid_argument);
  EXPECT_THROW((void)loss_curve_svg("x", {curve("a", {1}), curve("b", {1, 2})}), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::train_report_test
