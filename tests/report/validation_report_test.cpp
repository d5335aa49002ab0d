#include "upsweep/report/validation_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rendered.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::validation_report_test {
namespace {

using ::testing::Contains;

/// Plain back-propagation that takes 10 ms after 1 ms of planning, and a scan.
struct Case {
  std::string name = "made up";
  std::vector<ScheduleProfile> profiles{2};
  Validation validation;

  Case(double seconds, double plan_seconds) {
    profiles[0].schedule = linear_schedule(5);
    profiles[1].schedule = hybrid_schedule(5, 1);
    for (ScheduleProfile& profile : profiles) {
      profile.ops.resize(profile.schedule.combines.size());
      profile.levels.resize(profile.schedule.levels);
    }
    validation.schedules.resize(2);
    validation.schedules[0].measurement.seconds = 0.010;
    validation.schedules[0].measurement.plan_seconds = 0.001;
    validation.schedules[1].measurement.seconds = seconds;
    validation.schedules[1].measurement.plan_seconds = plan_seconds;
    validation.measured_best = 0;
  }

  [[nodiscard]] ValidationReport report(bool forms_blocks = false) const {
    return {name, profiles, validation, nullptr, "guaranteed", "cpu", {}, 2, "dag", 0, "loss", 4, forms_blocks};
  }
};

TEST(ValidationReport, SaysAfterHowManyIterationsAScanIsPaidBack) {
  const Case one(0.006, 0.011);
  EXPECT_THAT(
      validation_verdict(one.report()).sentences,
      Contains(
          "hybrid:1 saves 4.000 ms per iteration: what planning takes more than that of plain BP, 10.00 ms once, is "
          "paid back after 3 iterations."));
  const Json json = to_json(one.report())["payback"];
  EXPECT_EQ(json["schedule"], "hybrid:1");
  EXPECT_DOUBLE_EQ(json["planning_s"], 0.010);
  EXPECT_DOUBLE_EQ(json["saved_s"], 0.004);
  EXPECT_EQ(json["setup_s"], json["planning_s"]);
  EXPECT_EQ(json["iterations"], 3);
  EXPECT_EQ(verdict_json(validation_verdict(one.report()))["payback"]["iterations"], 3);
  EXPECT_EQ(to_json(Case(0.006, 0.0005).report())["payback"]["iterations"], 0) << "planned faster than plain BP";
}

TEST(ValidationReport, TakesAScheduleWithTheOpsOfPlainBackPropagationForNoScan) {
  Case one(0.006, 0.011);
  one.profiles[0].schedule = linear_schedule(6);
  one.profiles[1].schedule = blocked_schedule(6, 4);
  for (ScheduleProfile& profile : one.profiles) {
    profile.ops.resize(profile.schedule.combines.size());
    profile.levels.resize(profile.schedule.levels);
  }
  EXPECT_TRUE(to_json(one.report())["payback"].is_null());
  EXPECT_FALSE(validation_verdict(one.report()).pays()) << "nothing was compared";
}

TEST(ValidationReport, PromisesNoPaybackWhereNothingIsSaved) {
  EXPECT_TRUE(to_json(Case(0.011, 0.002).report())["payback"].is_null());
  EXPECT_TRUE(to_json(Case(0.0098, 0.002).report())["payback"].is_null()) << "within the noise of measurements";
  EXPECT_TRUE(to_json(Case(0.006, 0.002).report(true))["payback"].is_null()) << "blocks are to be formed first";
}

}  // namespace
}  // namespace upsweep::validation_report_test
