#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/rendered.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A validation of a chain whose schedule took 2 s after 1 s of forming blocks.
struct Case {
  std::string name = "made up";
  std::vector<ScheduleProfile> profiles{1};
  Validation validation;

  explicit Case(std::size_t length) {
    profiles[0].schedule = linear_schedule(length);
    profiles[0].ops.resize(profiles[0].schedule.combines.size());
    validation.schedules.resize(1);
    validation.schedules[0].measurement.seconds = 2;
    validation.measured_best = 0;
    validation.measured_build_s = 1;
    GraphRun& run = validation.graph.emplace().run;
    run.seconds = 0.5;
    run.build_seconds = 0.25;
    run.levels = 7;
    run.threads = 2;
    run.flops = 1234;
    validation.graph->values.worst_share = 0.125;
  }

  [[nodiscard]] ValidationReport report() const {
    return {name, profiles, validation, nullptr, "guaranteed", "cpu", {}, 2, "level", 0, "loss", 4, true};
  }
};

TEST(GraphRunReport, ComparesTheRunWithTheFastestScanJacobiansIncluded) {
  const Case one(3);
  EXPECT_THAT(
      to_text(one.report()),
      HasSubstr("Plain BP over the graph on this processor, 7 levels on 2 threads: right, 12.5 % of its bound, "
                "500.0 ms (and 250.0 ms for its Jacobians: together 4.000x faster than the fastest scan with forming "
                "the blocks, which leaves out the gradients inside them).\n"));
  const Json json = to_json(one.report());
  EXPECT_EQ(json["graph_bp"]["measured_s"], 0.5);
  EXPECT_EQ(json["graph_bp"]["flops"], 1234);
  EXPECT_EQ(json["graph_bp"]["worst_share_of_bound"], 0.125);
  EXPECT_EQ(json["valid"], true);
}

TEST(GraphRunReport, MakesAMismatchThatOfTheWholeValidation) {
  Case one(3);
  one.validation.graph->mismatch = Mismatch{std::nullopt, "element 4 is wrong"};
  EXPECT_EQ(to_json(one.report())["valid"], false);
  EXPECT_EQ(to_json(one.report())["graph_bp"]["mismatch"], "element 4 is wrong");
  EXPECT_THAT(to_text(one.report()), HasSubstr("\nMISMATCH: element 4 is wrong.\n"));
}

TEST(GraphRunReport, IsAllThatProvesAChainOfOneLink) {
  Case one(2);
  one.profiles[0].schedule.combines.clear();
  one.profiles[0].ops.clear();
  EXPECT_EQ(to_json(one.report())["valid"], true);
  EXPECT_THAT(validation_verdict(one.report()).sentences.front(),
              HasSubstr("the gradient of the input is that of plain BP over the graph."));
  one.validation.graph->skipped = "too large";
  EXPECT_TRUE(to_json(one.report())["valid"].is_null()) << "nothing was proved";
  EXPECT_TRUE(to_json(one.report())["graph_bp"]["measured_s"].is_null());
  EXPECT_THAT(to_text(one.report()), HasSubstr("Plain BP over the graph is skipped: too large.\n"));
  one.validation.graph.reset();
  EXPECT_TRUE(to_json(one.report())["graph_bp"].is_null());
  EXPECT_THAT(to_text(one.report()), Not(HasSubstr("Plain BP over the graph")));
}

}  // namespace
}  // namespace upsweep
