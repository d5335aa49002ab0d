#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "made_study.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/profile/counting_rule_version.hpp"
#include "upsweep/study/evaluate_point.hpp"
#include "upsweep/study/point_factory.hpp"

namespace upsweep {
namespace {

using testing::add_axis;
using testing::kChain;
using testing::kMachine;
using testing::kNetwork;
using testing::made_study;
using testing::numbers;

ContentKey key_of(const StudyFile& study, const std::string& version = "1") {
  const PointInputs inputs = PointFactory(study, version).at(0);
  EXPECT_EQ(inputs.error, "");
  return inputs.key;
}

TEST(PointKeys, AreEqualWhereNothingThatCountsDiffers) {
  const StudyFile study = made_study(kChain, kMachine);
  StudyFile renamed = made_study(
      std::string("# a comment\n") + "name: another\nchain: {size: 4, length: 100, kind: dense}\n", kMachine);
  EXPECT_EQ(key_of(study), key_of(renamed));
  StudyFile one = study;
  one.spec.base.batch = 1;
  EXPECT_EQ(key_of(one), key_of(study)) << "the batch that it has anyway";
  StudyFile hybrid = study;
  StudyFile linear = study;
  hybrid.spec.base.point.schedule = "hybrid:0";
  linear.spec.base.point.schedule = "linear";
  EXPECT_EQ(key_of(hybrid), key_of(linear));
  StudyFile by_axis = study;
  add_axis(by_axis, numbers("workers", {5}));
  StudyFile by_base = study;
  by_base.spec.base.point.workers = 5;
  EXPECT_EQ(key_of(by_axis), key_of(by_base));
  StudyFile limited = study;
  limited.spec.base.point.memory_limit = 5;
  StudyFile limited_alone = limited;
  limited_alone.spec.base.point.is_limited_by_machine = false;
  EXPECT_EQ(key_of(limited), key_of(limited_alone)) << "the machine's memory does not matter beside a limit";
}

TEST(PointKeys, DifferWithEveryField) {
  const StudyFile study = made_study(kNetwork, kMachine);
  const std::vector<std::function<void(StudySettings&)>> changes = {
      [](StudySettings&) {},
      [](StudySettings& s) { s.point.schedule = "best-of-all"; },
      [](StudySettings& s) { s.point.schedule = "hybrid:1"; },
      [](StudySettings& s) { s.point.schedule = "hybrid:11"; },
      [](StudySettings& s) { s.point.objective = Objective::critical_flops; },
      [](StudySettings& s) { s.point.execution = Execution::dag; },
      [](StudySettings& s) { s.point.scope = Scope::live; },
      [](StudySettings& s) { s.point.workers = 1; },
      [](StudySettings& s) { s.point.workers = 11; },
      [](StudySettings& s) { s.batch = 11; },
      [](StudySettings& s) { s.point.memory_limit = 1; },
      [](StudySettings& s) { s.point.is_limited_by_machine = false; },
      [](StudySettings& s) { s.pattern = PatternKind::sample; },
      [](StudySettings& s) { s.point.ops = Ops::shared; },
      [](StudySettings& s) { s.point.launch = LaunchMode::fused; },
  };
  std::set<ContentKey> keys;
  for (const auto& change : changes) {
    StudyFile changed = study;
    change(changed.spec.base);
    keys.insert(key_of(changed));
  }
  EXPECT_EQ(keys.size(), changes.size());
  keys.insert(key_of(study, "2"));
  keys.insert(key_of(made_study(kNetwork)));
  keys.insert(key_of(made_study(kNetwork, std::string(kMachine) + "cache_MiB: 4\n")));
  keys.insert(key_of(made_study(std::string(kNetwork) + "dtype: fp64\n", kMachine)));
  EXPECT_EQ(keys.size(), changes.size() + 4);
}

TEST(PointKeys, HaveTheRuleAndTheVersionInThem) {
  const StudyFile study = made_study(kChain, kMachine);
  const PointInputs inputs = PointFactory(study, "1.2.3").at(0);
  ContentHash hash;
  hash.add("model", inputs.model.hash);
  hash.add("pattern", std::string_view("guaranteed"));
  hash.add("machine", inputs.machine.hash);
  hash.add("settings", settings_text(inputs.settings));
  hash.add("rule", std::string_view(kCountingRule));
  hash.add("tool_version", std::string_view("1.2.3"));
  EXPECT_EQ(inputs.key, hash.digest());
}

// Those that were stored before this was in them have other seconds.
TEST(PointKeys, OfAGpuHaveHowItsKernelsAreStartedInThem) {
  const std::string gpu = std::string("name: g\nkind: gpu\nfill_teams: 8\nprovenance: {origin: definition}\nrates:\n") +
                          "  - {workers: 4, op_latency_us: 2, level_latency_us: 3, bandwidth_GBps: 1, "
                          "fp32: {compute_GFLOPps: 1}, fp64: {compute_GFLOPps: 1}}\n";
  const PointInputs inputs = PointFactory(made_study(kChain, gpu.c_str()), "1").at(0);
  ASSERT_EQ(inputs.error, "");
  const auto key = [&](const char* launch) {
    ContentHash hash;
    hash.add("model", inputs.model.hash);
    hash.add("pattern", std::string_view("guaranteed"));
    hash.add("machine", inputs.machine.hash);
    hash.add("settings", settings_text(inputs.settings));
    if (launch != nullptr) hash.add("launch", std::string_view(launch));
    hash.add("rule", std::string_view(kCountingRule));
    hash.add("tool_version", std::string_view("1"));
    return hash.digest();
  };
  EXPECT_EQ(inputs.key, key("graph"));
  EXPECT_NE(inputs.key, key(nullptr));
}

}  // namespace
}  // namespace upsweep
