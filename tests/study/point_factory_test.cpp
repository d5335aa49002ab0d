#include "upsweep/study/point_factory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

#include "made_study.hpp"
#include "upsweep/io/content_hash.hpp"
#include "upsweep/profile/counting_rule.hpp"
#include "upsweep/study/evaluate_point.hpp"

namespace upsweep {
namespace {

using testing::add_axis;
using ::testing::ElementsAre;
using testing::factors;
using ::testing::HasSubstr;
using testing::kChain;
using testing::kMachine;
using testing::kNetwork;
using testing::made_study;
using testing::numbers;
using testing::texts;

const HomogeneousChain& chain_of(const PointInputs& inputs) {
  if (!inputs.error.empty()) throw std::runtime_error(inputs.error);
  return std::get<ChainModel>(*inputs.model.model).chain;
}

const Model& network_of(const PointInputs& inputs) {
  if (!inputs.error.empty()) throw std::runtime_error(inputs.error);
  return std::get<Model>(*inputs.model.model);
}

ContentKey key_of(const StudyFile& study, const std::string& version = "1") {
  const PointInputs inputs = PointFactory(study, version).at(0);
  EXPECT_EQ(inputs.error, "");
  return inputs.key;
}

/// A network's entries that pruning left.
std::uint64_t kept_weights(const Model& model) {
  std::uint64_t kept = 0;
  for (const OperatorWeights& weights : model.weights) {
    for (const std::uint8_t keeps : weights.kept) kept += keeps;
  }
  return kept;
}

TEST(PointFactory, OverridesReachAChain) {
  StudyFile study = made_study(kChain);
  add_axis(study, numbers("model.chain.length", {10, 1'000'000'000}));
  add_axis(study, numbers("model.chain.size", {3, 5, 7}));
  const PointFactory factory(study, "1");
  ASSERT_EQ(factory.grid().points(), 6U);
  EXPECT_FALSE(factory.has_networks());
  EXPECT_EQ(chain_of(factory.at(0)).elements, 10U);
  EXPECT_EQ(chain_of(factory.at(0)).size, 3U);
  EXPECT_EQ(chain_of(factory.at(5)).elements, 1'000'000'000U);
  EXPECT_EQ(chain_of(factory.at(5)).size, 7U) << "the last axis is the fastest";
  EXPECT_EQ(chain_of(factory.at(3)).size, 3U);
}

TEST(PointFactory, OverridesReachANetworkItsPruningAndItsInput) {
  StudyFile study = made_study(kNetwork);
  add_axis(study, numbers("model.weights.prune.sparsity", {0.5, 0.75}));
  add_axis(study, numbers("model.input[0]", {12, 20}));
  const PointFactory factory(study, "1");
  EXPECT_TRUE(factory.has_networks());
  EXPECT_EQ(kept_weights(network_of(factory.at(0))), (12U * 8 + 8 * 6 + 6 * 4) / 2);
  EXPECT_EQ(kept_weights(network_of(factory.at(2))), (12U * 8 + 8 * 6 + 6 * 4) / 4);
  EXPECT_EQ(network_of(factory.at(3)).network.input(), Shape{20});
  EXPECT_NE(factory.at(0).key, factory.at(2).key);
}

TEST(PointFactory, FactorsMultiplyWhatStandsAtEveryPlaceOfAPath) {
  StudyFile study = made_study(kNetwork);
  add_axis(study, factors("model.operators[*].linear.out_features", {0.5, 1, 2}));
  const PointFactory factory(study, "1");
  const auto widths = [&](std::uint64_t position) {
    std::vector<std::uint64_t> list;
    const PointInputs inputs = factory.at(position);
    for (const Operator& op : network_of(inputs).network.operators()) {
      if (const auto* linear = std::get_if<Linear>(&op.kind)) list.push_back(linear->out_features);
    }
    return list;
  };
  EXPECT_THAT(widths(0), ElementsAre(4, 3, 2));
  EXPECT_THAT(widths(1), ElementsAre(8, 6, 4));
  EXPECT_THAT(widths(2), ElementsAre(16, 12, 8));
}

TEST(PointFactory, OverridesReachTheMachine) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("machine.launch_latency_us", {2, 5}));
  add_axis(study, numbers("machine.level_latency_us", {3, 7}));
  const PointFactory factory(study, "1");
  const Machine& machine = *factory.at(3).machine.machine;
  EXPECT_DOUBLE_EQ(machine.rates.front().op_latency_s, 5e-6);
  EXPECT_DOUBLE_EQ(machine.rates.front().level_latency_s, 7e-6);
  EXPECT_NE(factory.at(0).machine.hash, factory.at(1).machine.hash);
  EXPECT_NE(factory.at(0).key, factory.at(1).key);
}

TEST(PointFactory, APointWithoutAMachineHasNone) {
  const StudyFile study = made_study(kChain);
  const PointInputs inputs = PointFactory(study, "1").at(0);
  EXPECT_EQ(inputs.machine.machine, nullptr);
  EXPECT_EQ(inputs.machine.hash, "");
  EXPECT_EQ(inputs.error, "");
}

TEST(PointFactory, OverridesReachEverySetting) {
  StudyFile study = made_study(kNetwork, kMachine);
  add_axis(study, texts("schedule", {"linear"}));
  add_axis(study, numbers("machine.workers", {7}));
  add_axis(study, numbers("batch", {3}));
  add_axis(study, texts("execution", {"dag"}));
  add_axis(study, texts("scope", {"live"}));
  add_axis(study, texts("pattern", {"sample"}));
  add_axis(study, numbers("memory_limit_MiB", {2}));
  const PointInputs inputs = PointFactory(study, "1").at(0);
  EXPECT_EQ(inputs.error, "");
  const PointSettings& point = inputs.settings.point;
  EXPECT_EQ(point.schedule, "linear");
  EXPECT_EQ(point.workers, 7U) << "machine.workers is another name for workers";
  EXPECT_EQ(point.batch, 3U);
  EXPECT_EQ(point.execution, Execution::dag);
  EXPECT_EQ(point.scope, Scope::live);
  EXPECT_EQ(inputs.settings.pattern, PatternKind::sample);
  EXPECT_EQ(point.memory_limit, 2U << 20);
  EXPECT_FALSE(network_of(inputs).weights.front().values.empty()) << "the sample pattern needs numbers";
}

TEST(PointFactory, WithoutABatchHasThatOfARecurrentModel) {
  const char* recurrent =
      "name: made\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 4, steps: 9, batch: 16}\n"
      "head: {out_features: 2}\nweights: {seed: 1}\n";
  StudyFile study = made_study(recurrent);
  EXPECT_EQ(PointFactory(study, "1").at(0).settings.point.batch, 16U);
  add_axis(study, numbers("batch", {4}));
  EXPECT_EQ(PointFactory(study, "1").at(0).settings.point.batch, 4U);
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

TEST(PointFactory, SaysWhyAPointIsNotValidAndGoesOn) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("model.chain.length", {0, 5}));
  add_axis(study, numbers("workers", {0.5, 2}));
  add_axis(study, texts("schedule", {"best", "fastest"}));
  const PointFactory factory(study, "1");
  EXPECT_THAT(factory.at(0).error, HasSubstr("0.5"));
  EXPECT_THAT(factory.at(2).error, HasSubstr("length"));
  EXPECT_THAT(factory.at(3).error, HasSubstr("fastest"));
  EXPECT_EQ(factory.at(6).error, "");
  EXPECT_EQ(factory.at(2).key, ContentKey{}) << "what is not valid has no key";
  CountCache cache({}, 0);
  const PointRecord record = evaluate_point(factory.at(2), cache);
  EXPECT_EQ(record.status, PointStatus::invalid);
  EXPECT_EQ(record.reason, factory.at(2).error);
}

TEST(PointFactory, SaysThatAMachineIsNotValid) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("machine.launch_latency_us", {-1}));
  EXPECT_THAT(PointFactory(study, "1").at(0).error, HasSubstr("op_latency"));
}

TEST(PointFactory, RefusesTheSamplePatternOfAChain) {
  StudyFile study = made_study(kChain);
  study.spec.base.pattern = PatternKind::sample;
  EXPECT_THAT(PointFactory(study, "1").at(0).error, HasSubstr("accepted is guaranteed"));
}

TEST(PointFactory, ExcludesPointsAtWhichAConstraintDoesNotHold) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("workers", {1, 50, 64}));
  add_axis(study, factors("model.chain.length", {0.5, 2}));
  study.spec.constraints = {Constraint("workers <= model.chain.length"), Constraint("model.chain.size * 2 == 8"),
                            Constraint("batch < 64 / workers")};
  const PointFactory factory(study, "1");
  const auto excluded_by = [&](std::uint64_t position) {
    const PointInputs inputs = factory.at(position);
    EXPECT_EQ(inputs.error, "");
    EXPECT_EQ(inputs.is_excluded, !inputs.excluded_by.empty());
    return inputs.excluded_by;
  };
  EXPECT_EQ(excluded_by(0), "");
  EXPECT_EQ(excluded_by(1), "");
  EXPECT_EQ(excluded_by(2), "") << "50 <= 0.5 * 100";
  EXPECT_EQ(excluded_by(4), "workers <= model.chain.length") << "64 > 50";
  EXPECT_EQ(excluded_by(5), "batch < 64 / workers") << "1 < 1";
}

TEST(PointFactory, SaysWhichNumberOfAConstraintIsMissing) {
  StudyFile study = made_study(kChain);
  study.spec.constraints = {Constraint("model.chain.width > 3")};
  const PointInputs inputs = PointFactory(study, "1").at(0);
  EXPECT_FALSE(inputs.is_excluded);
  EXPECT_THAT(inputs.error, HasSubstr("model.chain.width"));
}

TEST(PointFactory, WritesCoordinatesAsJson) {
  StudyFile study = made_study(kChain);
  add_axis(study, numbers("workers", {1, 1e15}));
  study.spec.axes.front().name = "the \"workers\"";
  study.spec.axes.push_back({"both", {texts("schedule", {"linear", "best"}), numbers("model.chain.size", {0.25, 3})}});
  AxisColumn odd{"model.chain.length", false, {{"+5", 5}, {"007", 7}}};
  add_axis(study, odd);
  const PointFactory factory(study, "1");
  EXPECT_EQ(factory.coordinates_json(0),
            R"({"the \"workers\"":1,"schedule":"linear","model.chain.size":0.25,"model.chain.length":5})");
  EXPECT_THAT(factory.coordinates_json(7),
              HasSubstr(R"("schedule":"best","model.chain.size":3,"model.chain.length":7)"));
}

TEST(PointFactory, NumbersModelsByTheAxesThatChangeThem) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("workers", {1, 2, 3}));
  add_axis(study, numbers("model.chain.length", {10, 20}));
  add_axis(study, numbers("machine.launch_latency_us", {1, 2}));
  add_axis(study, numbers("model.chain.size", {2, 3, 4}));
  const PointFactory factory(study, "1");
  std::map<std::uint64_t, std::set<std::string>> hashes;
  for (std::uint64_t position = 0; position < factory.grid().points(); ++position) {
    hashes[factory.model_number(position)].insert(factory.at(position).model.hash);
  }
  ASSERT_EQ(hashes.size(), 6U);
  std::set<std::string> all;
  for (const auto& [number, models] : hashes) {
    EXPECT_EQ(models.size(), 1U) << number;
    all.insert(models.begin(), models.end());
  }
  EXPECT_EQ(all.size(), 6U);
}

TEST(PointFactory, ReplacesTheNumberOfAnAxis) {
  StudyFile study = made_study(kChain, kMachine);
  add_axis(study, numbers("model.chain.length", {10, 20}));
  add_axis(study, numbers("workers", {1, 2}));
  study.spec.axes.push_back({"both", {numbers("batch", {1}), numbers("machine.launch_latency_us", {1})}});
  const PointFactory factory(study, "1");
  const PointInputs longer = factory.at(2, Replaced{0, 15});
  EXPECT_EQ(chain_of(longer).elements, 15U);
  EXPECT_EQ(chain_of(factory.at(2)).elements, 20U) << "what is kept of a place stays";
  EXPECT_EQ(chain_of(factory.at(2, Replaced{0, 16})).elements, 16U);
  EXPECT_EQ(factory.at(1, Replaced{1, 9}).settings.point.workers, 9U);
  EXPECT_EQ(factory.at(0, Replaced{0, 20}).key, factory.at(2).key) << "equal values have equal keys";
  EXPECT_NE(factory.at(0, Replaced{0, 2.5}).error, "");
  EXPECT_THROW(static_cast<void>(factory.at(0, Replaced{2, 1})), std::logic_error);
}

/// A folder of its own that goes with the test.
class PointFiles : public ::testing::Test {
 protected:
  PointFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "upsweep_points_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = name;
  }
  ~PointFiles() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

TEST_F(PointFiles, AxesNameWholeMachinesAndModels) {
  write("a.yaml", kMachine);
  write("b.yaml",
        "name: b\nkind: pram\nprovenance: {origin: definition}\nrates:\n  - {workers: 4, op_latency_us: 9}\n");
  write("chain.yaml", "name: long\nchain: {length: 7, size: 2, kind: diagonal}\n");
  write("network.yaml", kNetwork);
  StudyFile study = made_study(kChain);
  study.file = (folder() / "study.yaml").string();
  add_axis(study, texts("machine", {"a.yaml", "b.yaml", "missing.yaml"}));
  add_axis(study, numbers("machine.level_latency_us", {4}));
  add_axis(study, texts("model", {"chain.yaml", "network.yaml"}));
  study.spec.constraints = {Constraint("machine.rates[0].workers >= 1")};
  const PointFactory factory(study, "1");
  EXPECT_TRUE(factory.has_networks()) << "one of its files is a network";
  EXPECT_EQ(chain_of(factory.at(0)).elements, 7U);
  EXPECT_EQ(factory.at(0).machine.machine->workers(), 64U);
  EXPECT_EQ(factory.at(2).machine.machine->workers(), 4U);
  EXPECT_DOUBLE_EQ(factory.at(2).machine.machine->rates.front().level_latency_s, 4e-6) << "of every file";
  EXPECT_EQ(network_of(factory.at(3)).network.input(), Shape{12});
  EXPECT_NE(factory.at(4).error, "");
  study.spec.constraints = {Constraint("machine.rates[0].workers > 4")};
  EXPECT_FALSE(PointFactory(study, "1").at(0).is_excluded);
  EXPECT_TRUE(PointFactory(study, "1").at(2).is_excluded) << "by the number in its own file";
}

TEST(PointFactory, IsThreadSafeAndMakesAVariantOnce) {
  StudyFile study = made_study(kNetwork, kMachine);
  add_axis(study, numbers("model.input[0]", {12, 13, 14}));
  add_axis(study, numbers("machine.launch_latency_us", {1, 2, 3, 4}));
  const PointFactory factory(study, "1");
  std::vector<std::vector<PointInputs>> made(8);
  std::vector<std::thread> threads;
  for (std::vector<PointInputs>& mine : made) {
    threads.emplace_back([&] {
      for (std::uint64_t position = 0; position < factory.grid().points(); ++position)
        mine.push_back(factory.at(position));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<PointInputs>& mine : made) {
    for (std::size_t position = 0; position < mine.size(); ++position) {
      EXPECT_EQ(mine[position].model.model, made[0][position].model.model);
      EXPECT_EQ(mine[position].machine.machine, made[0][position].machine.machine);
      EXPECT_EQ(mine[position].key, made[0][position].key);
    }
  }
}

TEST(PointFactory, MakesMoreVariantsThanItKeeps) {
  StudyFile study = made_study(kChain);
  std::vector<double> lengths;
  for (int length = 1; length <= 9000; ++length) lengths.push_back(length);
  add_axis(study, numbers("model.chain.length", lengths));
  const PointFactory factory(study, "1");
  for (const std::uint64_t position : {0, 4500, 8999}) {
    EXPECT_EQ(chain_of(factory.at(position)).elements, position + 1);
  }
  for (std::uint64_t position = 0; position < 9000; ++position) static_cast<void>(factory.at(position));
  for (const std::uint64_t position : {0, 4500, 8999}) {
    EXPECT_EQ(chain_of(factory.at(position)).elements, position + 1) << "made again where it is not kept any more";
  }
}

}  // namespace
}  // namespace upsweep
