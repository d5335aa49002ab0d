#include "upsweep/study/point_factory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "made_points.hpp"
#include "made_study.hpp"
#include "upsweep/study/evaluate_point.hpp"

namespace upsweep {
namespace {

using testing::add_axis;
using testing::chain_of;
using ::testing::ElementsAre;
using testing::factors;
using ::testing::HasSubstr;
using testing::kChain;
using testing::kMachine;
using testing::kNetwork;
using testing::made_study;
using testing::network_of;
using testing::numbers;
using testing::texts;

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

}  // namespace
}  // namespace upsweep
