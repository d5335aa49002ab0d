#include "upsweep/grid/study_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace upsweep::study_spec_test {
namespace {

using ::testing::HasSubstr;

StudySettings with(const std::string& name, const AxisValue& value) {
  StudySettings settings;
  set_setting(settings, name, value);
  return settings;
}

/// What setting it throws.
std::string refusal(const std::string& name, const AxisValue& value) {
  try {
    static_cast<void>(with(name, value));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing";
}

TEST(SetSetting, SetsEachByItsName) {
  EXPECT_EQ(with("schedule", {"blocked:4"}).point.schedule, "blocked:4");
  EXPECT_EQ(with("schedule", {"best-of-all"}).point.schedule, "best-of-all");
  EXPECT_EQ(with("workers", axis_value(16)).point.workers, 16U);
  EXPECT_EQ(with("batch", axis_value(8)).batch, 8U);
  EXPECT_EQ(with("execution", {"dag"}).point.execution, Execution::dag);
  EXPECT_EQ(with("execution", {"level"}).point.execution, Execution::level);
  EXPECT_EQ(with("scope", {"live"}).point.scope, Scope::live);
  EXPECT_EQ(with("pattern", {"sample"}).pattern, PatternKind::sample);
  EXPECT_EQ(with("ops", {"shared"}).point.ops, Ops::shared);
  EXPECT_EQ(with("ops", {"whole"}).point.ops, Ops::whole);
  EXPECT_EQ(with("memory_limit_MiB", axis_value(1.5)).point.memory_limit, 1'572'864U);
  EXPECT_TRUE(with("memory_limit_MiB", axis_value(1)).point.is_limited_by_machine);
}

TEST(SetSetting, LiftsTheMemoryLimitOfTheMachineToo) {
  StudySettings settings = with("memory_limit_MiB", axis_value(1));
  set_setting(settings, "memory_limit_MiB", {"none"});
  EXPECT_EQ(settings.point.memory_limit, std::nullopt);
  EXPECT_FALSE(settings.point.is_limited_by_machine);
  set_setting(settings, "memory_limit_MiB", axis_value(2));
  EXPECT_EQ(settings.point.memory_limit, 2'097'152U);
  EXPECT_TRUE(settings.point.is_limited_by_machine);
}

TEST(SetSetting, KnowsAllNamesThatItLists) {
  for (const std::string& name : setting_names()) {
    if (name == "library") continue;  // which there are a machine says
    EXPECT_THAT(refusal(name, {"no such"}), HasSubstr(name + " is 'no such', accepted ")) << name;
  }
}

TEST(SetSetting, SaysWhatItAccepts) {
  EXPECT_EQ(refusal("workers", axis_value(0)), "workers is '0', accepted is a whole number of at least 1");
  EXPECT_EQ(refusal("workers", axis_value(2.5)), "workers is '2.5', accepted is a whole number of at least 1");
  EXPECT_EQ(refusal("batch", axis_value(1e30)), "batch is '1e+30', accepted is a whole number of at least 1");
  EXPECT_EQ(refusal("execution", {"tree"}), "execution is 'tree', accepted are level, dag");
  EXPECT_EQ(refusal("memory_limit_MiB", axis_value(-1)),
            "memory_limit_MiB is '-1', accepted is a positive number, or none");
  EXPECT_THAT(refusal("schedule", {"hybrid"}),
              HasSubstr("schedule is 'hybrid': did you mean hybrid:2?, accepted are best, best-of-all, linear"));
  EXPECT_EQ(refusal("depth", axis_value(1)),
            "'depth' is no setting, accepted are schedule, workers, batch, execution, scope, pattern, "
            "memory_limit_MiB, ops, launch, library, interval");
  EXPECT_EQ(refusal("launch", {"lazy"}), "launch is 'lazy', accepted are eager, graph, fused");
}

TEST(SettingNumber, IsThereWhereTheStudySaysOne) {
  StudySettings settings;
  EXPECT_EQ(setting_number(settings, "workers"), std::nullopt);
  EXPECT_EQ(setting_number(settings, "batch"), std::nullopt);
  EXPECT_EQ(setting_number(settings, "memory_limit_MiB"), std::nullopt);
  set_setting(settings, "workers", axis_value(3));
  set_setting(settings, "batch", axis_value(5));
  set_setting(settings, "memory_limit_MiB", axis_value(0.5));
  EXPECT_EQ(setting_number(settings, "workers"), 3);
  EXPECT_EQ(setting_number(settings, "batch"), 5);
  EXPECT_EQ(setting_number(settings, "memory_limit_MiB"), 0.5);
  EXPECT_EQ(setting_number(settings, "schedule"), std::nullopt);
}

TEST(AxisNamed, FindsTheAxisOfAName) {
  StudySpec spec;
  spec.axes = {{"workers", {}}, {"image", {}}};
  EXPECT_EQ(axis_named(spec, "image"), 1U);
  EXPECT_EQ(axis_named(spec, "batch"), std::nullopt);
}

TEST(Question, HasWordsForItsChoices) {
  EXPECT_EQ(to_string(QuestionKind::fewest_workers), "fewest_workers");
  EXPECT_EQ(to_string(QuestionKind::crossover), "crossover");
  EXPECT_EQ(to_string(MemoryOf::pipeline), "pipeline");
  EXPECT_EQ(to_string(PointKey::speedup), "speedup");
}

}  // namespace
}  // namespace upsweep::study_spec_test
