#include "upsweep/validate/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

/// Every kind of operator, in one chain.
Network every_kind() {
  const std::vector<OperatorKind> kinds = {Conv2d{6, {3, 2}, {1, 2}, {2, 1}, {2, 1}, 2},
                                           BatchNorm2d{},
                                           Relu{},
                                           Conv2d{4, {2, 3}, {1, 1}, {1, 1}},
                                           LeakyRelu{0.2},
                                           MaxPool2d{{3, 2}, {2, 1}, {1, 1}, {1, 1}, true},
                                           Elu{0.7},
                                           AvgPool2d{{2, 3}, {1, 2}, {1, 1}, true, false},
                                           Gelu{false},
                                           Gelu{true},
                                           Silu{},
                                           AdaptiveAvgPool2d{{2, 3}},
                                           Flatten{},
                                           Linear{13},
                                           Tanh{},
                                           Dropout{},
                                           Linear{7},
                                           Sigmoid{}};
  std::vector<OperatorSpec> specs;
  for (const OperatorKind& kind : kinds) specs.push_back({"op" + std::to_string(specs.size()), kind, {}});
  return {{4, 8, 9}, specs};
}

/// Runs on the reference backend and then spoils what came out.
class FakeBackend final : public Backend {
 public:
  using Spoil = std::function<void(const Schedule&, Measurement&)>;
  explicit FakeBackend(Spoil spoil, Availability availability = {true, ""})
      : spoil_(std::move(spoil)), availability_(std::move(availability)) {}

  [[nodiscard]] std::string name() const override { return "fake"; }
  [[nodiscard]] Availability availability() const override { return availability_; }
  [[nodiscard]] DeviceFacts facts() const override { return {}; }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                                const RunOptions& options) const override {
    return spoiled(schedule, reference_->run(schedule, chain, options));
  }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                                const RunOptions& options) const override {
    return spoiled(schedule, reference_->run(schedule, chain, options));
  }

 private:
  [[nodiscard]] Measurement spoiled(const Schedule& schedule, Measurement measurement) const {
    spoil_(schedule, measurement);
    return measurement;
  }

  Spoil spoil_;
  Availability availability_;
  std::unique_ptr<Backend> reference_ = make_backend("reference");
};

class ValidateTest : public testing::SeededTest {
 protected:
  ValidateTest() {
    for (const Operator& op : network_.operators()) weights_.push_back(random_weights(op));
    sample_.count = 1;
    sample_.length = elements(network_.input());
    sample_.values = normals(sample_.length);
  }

  std::vector<double> normals(std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = normal();
    return numbers;
  }

  /// Random weights, some of them pruned; sums of them neither grow nor shrink much.
  OperatorWeights random_weights(const Operator& op) {
    OperatorWeights weights;
    if (const auto shape = weight_shape(op.kind, op.in_shape)) {
      weights.values = normals(elements(*shape));
      for (double& w : weights.values) {
        w = chance(0.3) ? 0
                        : w * std::sqrt(static_cast<double>((*shape)[0]) / static_cast<double>(weights.values.size()));
        weights.kept.push_back(w != 0 ? 1 : 0);
      }
      weights.bias = normals((*shape)[0]);
    }
    if (std::holds_alternative<BatchNorm2d>(op.kind)) {
      weights.values = normals(op.in_shape[0]);
      weights.bias = normals(op.in_shape[0]);
      weights.running_mean = normals(op.in_shape[0]);
      for (std::size_t c = 0; c < op.in_shape[0]; ++c) weights.running_var.push_back(0.5 + std::fabs(normal()));
    }
    return weights;
  }

  [[nodiscard]] Analysis analysis(PatternKind pattern, unsigned value_bytes) const {
    return analyse({network_, weights_, &sample_, value_bytes}, pattern, depth_candidates(network_.links().size() + 1));
  }

  [[nodiscard]] Validation run(const Backend& backend, const Analysis& analysed, const ValidationOptions& options,
                               PatternKind pattern = PatternKind::guaranteed, unsigned value_bytes = 4,
                               const LossGradient& loss = {}) const {
    return validate(backend, {network_, weights_, sample_.at(0), pattern, loss, value_bytes}, analysed.network,
                    analysed.schedules, options);
  }

  /// The first schedule's mismatch after spoiling.
  [[nodiscard]] std::optional<Mismatch> mismatch_of(const FakeBackend::Spoil& spoil) const {
    return run(FakeBackend(spoil), guaranteed_, {}).schedules.back().mismatch;
  }

  /// A machine on which every op takes a second, and so does a level.
  [[nodiscard]] static Machine seconds_machine() {
    Machine machine;
    machine.name = "seconds";
    machine.kind = MachineKind::cpu;
    machine.rates.resize(1);
    machine.rates[0].op_latency_s = 1;
    machine.rates[0].level_latency_s = 1;
    machine.rates[0].fp32.build.value_s = 0.5;
    return machine;
  }

  Network network_ = every_kind();
  NetworkWeights weights_;
  SampleInputs sample_;
  Analysis guaranteed_;

  void SetUp() override { guaranteed_ = analysis(PatternKind::guaranteed, 4); }
};

TEST_F(ValidateTest, FindsEveryBackendRightAtEveryDepthInBothPatternsAndTypes) {
  for (const PatternKind pattern : {PatternKind::guaranteed, PatternKind::sample}) {
    for (const unsigned value_bytes : {4U, 8U}) {
      const Analysis analysed = analysis(pattern, value_bytes);
      for (const std::string& name : backend_names(Ability::networks)) {
        const std::unique_ptr<Backend> backend = make_backend(name);
        if (!backend->availability().available) continue;
        for (const Execution execution : {Execution::level, Execution::dag}) {
          SCOPED_TRACE(name + (pattern == PatternKind::sample ? ", sample" : ", guaranteed") +
                       (execution == Execution::dag ? ", dag, " : ", level, ") + std::to_string(value_bytes));
          ValidationOptions options;
          options.run.execution = execution;
          options.run.workers = backend->facts().workers;
          const Validation validation = run(*backend, analysed, options, pattern, value_bytes);
          ASSERT_EQ(validation.schedules.size(), analysed.schedules.size());
          for (const ScheduleValidation& one : validation.schedules) {
            EXPECT_TRUE(one.ran());
            EXPECT_FALSE(one.mismatch.has_value()) << one.mismatch->what;
            EXPECT_GT(one.values.elements, 0U);
            EXPECT_GT(one.values.worst_share, 0);
            EXPECT_LE(one.values.worst_share, 1);
            EXPECT_LT(one.values.loosest_bound, value_bytes == 8 ? 1e-9 : 1e-2) << "a bound that proves nothing";
            EXPECT_FALSE(one.prediction.has_value());
          }
          EXPECT_FALSE(validation.first_mismatch().has_value());
          EXPECT_GT(validation.measured_build_s, 0);
          EXPECT_TRUE(validation.measured_best.has_value());
          EXPECT_FALSE(validation.predicted_best.has_value());
        }
      }
    }
  }
}

TEST_F(ValidateTest, TakesTheLossOfALabel) {
  const std::unique_ptr<Backend> cpu = make_backend("cpu");
  EXPECT_FALSE(run(*cpu, guaranteed_, {}, PatternKind::guaranteed, 4, {6, 1}).first_mismatch().has_value());
  EXPECT_THROW(static_cast<void>(run(*cpu, guaranteed_, {}, PatternKind::guaranteed, 4, {7, 1})),
               std::invalid_argument);
}

TEST_F(ValidateTest, NamesTheOpOfACorruptedValue) {
  const std::size_t length = guaranteed_.schedules.back().schedule.length;
  for (std::size_t position = 1; position < length; ++position) {
    std::optional<std::size_t> op;
    const auto mismatch = mismatch_of([&](const Schedule& schedule, Measurement& measurement) {
      std::vector<double>& result = measurement.results[position];
      double& number = result[between(0, result.size() - 1)];
      number += 0.01 + std::fabs(number);
      const ValueId value = schedule.results[position];
      op = value < schedule.length ? std::nullopt : std::optional<std::size_t>(value - schedule.length);
    });
    ASSERT_TRUE(mismatch.has_value()) << "position " << position;
    EXPECT_EQ(mismatch->op, op);
    if (op) {
      EXPECT_THAT(mismatch->what, HasSubstr("op " + std::to_string(*op) + " of "));
    }
  }
}

TEST_F(ValidateTest, NamesTheOpOfACorruptedCountOrStructure) {
  const std::vector<std::pair<std::function<void(OpMeasurement&)>, std::string>> changes = {
      {[](OpMeasurement& op) { ++op.nnz; }, "nnz is"},
      {[](OpMeasurement& op) { op.products *= 2; }, "the number of products is"},
      {[](OpMeasurement& op) { ++op.structure_digest; }, "in other places"},
      {[](OpMeasurement& op) { op = {}; }, "is 0, expected"}};
  for (const auto& [change, text] : changes) {
    std::size_t op = 0;
    const auto mismatch = mismatch_of([&, &spoil = change](const Schedule&, Measurement& measurement) {
      op = between(0, measurement.ops.size() - 1);
      spoil(measurement.ops[op]);
    });
    ASSERT_TRUE(mismatch.has_value()) << text;
    EXPECT_EQ(mismatch->op, op);
    EXPECT_THAT(mismatch->what, HasSubstr("op " + std::to_string(op) + " of "));
    EXPECT_THAT(mismatch->what, HasSubstr(text));
  }
}

TEST_F(ValidateTest, FindsADroppedOp) {
  const auto dropped = mismatch_of([](const Schedule&, Measurement& measurement) { measurement.ops.pop_back(); });
  ASSERT_TRUE(dropped.has_value());
  EXPECT_THAT(dropped->what, HasSubstr("ops were executed, expected"));
  // One in the middle: the ops after it stand one place too early, and the first that differs is named.
  const auto shifted = mismatch_of([](const Schedule&, Measurement& measurement) {
    measurement.ops.erase(measurement.ops.begin() + 1);
    measurement.ops.push_back({});
  });
  ASSERT_TRUE(shifted.has_value());
  EXPECT_TRUE(shifted->op.has_value());
}

TEST_F(ValidateTest, ReportsTheMismatchOfOneScheduleOnly) {
  const Validation validation = run(FakeBackend([](const Schedule& schedule, Measurement& measurement) {
                                      if (schedule.depth == 1) measurement.results[2][0] += 1e6;
                                    }),
                                    guaranteed_, {});
  for (std::size_t i = 0; i < validation.schedules.size(); ++i) {
    EXPECT_EQ(validation.schedules[i].mismatch.has_value(), i == 1) << i;
  }
  EXPECT_EQ(validation.first_mismatch()->what, validation.schedules[1].mismatch->what);
}

TEST_F(ValidateTest, KeepsWhatRanWhereTheBackendFailsInTheMiddle) {
  const Machine machine = seconds_machine();
  ValidationOptions options;
  options.machine = &machine;
  const Validation validation = run(FakeBackend([](const Schedule& schedule, Measurement& measurement) {
                                      measurement.seconds = schedule.depth == 1 ? 1e-9 : 1.0;
                                      if (schedule.depth == 1) throw BackendError("the device caught fire");
                                      if (schedule.depth == 2) throw std::bad_alloc();
                                    }),
                                    guaranteed_, options);
  ASSERT_GT(validation.schedules.size(), 3U);
  for (std::size_t i = 0; i < validation.schedules.size(); ++i) {
    const ScheduleValidation& one = validation.schedules[i];
    EXPECT_EQ(one.ran(), i != 1 && i != 2) << i;
    EXPECT_FALSE(one.mismatch.has_value()) << i;
    EXPECT_TRUE(one.skipped.empty()) << i;
    EXPECT_TRUE(one.prediction.has_value()) << i;
  }
  EXPECT_EQ(validation.schedules[1].failed, "the device caught fire");
  EXPECT_THAT(validation.schedules[2].failed, HasSubstr("the memory of this machine does not suffice for hybrid:2"));
  EXPECT_EQ(validation.first_failure(), "the device caught fire");
  EXPECT_TRUE(validation.any_ran());
  EXPECT_EQ(validation.end_to_end.points, validation.schedules.size() - 2);
  EXPECT_NE(validation.measured_best, 1U);
}

TEST_F(ValidateTest, LeavesAScheduleWithAMismatchOutOfTheErrorsAndTheChoice) {
  const Machine machine = seconds_machine();
  ValidationOptions options;
  options.machine = &machine;
  const Validation validation = run(FakeBackend([](const Schedule& schedule, Measurement& measurement) {
                                      measurement.seconds = schedule.depth == 0 ? 1e-9 : 1.0;
                                      if (schedule.depth == 0) ++measurement.ops[0].nnz;
                                    }),
                                    guaranteed_, options);
  EXPECT_EQ(validation.end_to_end.points, validation.schedules.size() - 1);
  EXPECT_NE(validation.measured_best, 0U) << "a wrong result is not the fastest";
  EXPECT_NE(validation.predicted_best, 0U);
}

TEST_F(ValidateTest, NamesTheOperatorWhoseGradientIsNotFinite) {
  // The forward pass is finite, but 1e200 * 1e200 is not.
  const Network network({1}, {{"a", Linear{1}, {}}, {"b", Linear{1}, {}}, {"c", Linear{1}, {}}});
  NetworkWeights weights(3);
  weights[0].values = {1};
  weights[1].values = weights[2].values = {1e200};
  const std::vector<double> zero = {0};
  const Analysis analysed = analyse({network, weights, nullptr, 8}, PatternKind::guaranteed, depth_candidates(4));
  try {
    static_cast<void>(validate(*make_backend("reference"), {network, weights, zero, PatternKind::guaranteed, {}, 8},
                               analysed.network, analysed.schedules, {}));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_THAT(error.what(), HasSubstr("linear 'b': an element of the gradient with respect to its input is "));
  }
}

TEST(TooLarge, CountsAllValuesWhereNothingIsUsedAgain) {
  ScheduleProfile profile;
  profile.schedule = linear_schedule(4);
  profile.ops.resize(profile.schedule.combines.size());
  profile.value_bytes.assign(profile.schedule.values(), std::uint64_t{2} << 30);  // 12 GiB in all
  EXPECT_THAT(too_large(profile, Execution::dag), HasSubstr("12884901888 bytes of live values, more than 8589934592"));
  profile.value_bytes.assign(profile.schedule.values(), std::uint64_t{1} << 30);
  EXPECT_EQ(too_large(profile, Execution::dag), "");
  EXPECT_EQ(too_large(profile, Execution::level), "");
  profile.ops[1].flops = kMostFlops;
  EXPECT_EQ(too_large(profile, Execution::level), "") << "exactly the limit";
  profile.ops[0].flops = 1;
  EXPECT_THAT(too_large(profile, Execution::level), HasSubstr("20000000001 FLOPs, more than 20000000000"));
}

TEST_F(ValidateTest, FindsAProfileThatCountsSomethingElse) {
  Analysis forged = guaranteed_;
  ++forged.schedules[1].ops[2].products;
  const Validation validation = run(*make_backend("reference"), forged, {});
  ASSERT_TRUE(validation.schedules[1].mismatch.has_value());
  EXPECT_EQ(validation.schedules[1].mismatch->op, 2U);
  EXPECT_THAT(validation.schedules[1].mismatch->what, HasSubstr("op 2 of hybrid:1: the profile has "));
}

TEST_F(ValidateTest, SkipsWhatIsTooLargeWithTheFigureUnlessForced) {
  Analysis forged = guaranteed_;
  forged.schedules[0].ops[0].flops = 30'000'000'000;
  for (std::uint64_t& bytes : forged.schedules[1].value_bytes) bytes = std::uint64_t{9} << 30;
  const std::unique_ptr<Backend> cpu = make_backend("cpu");
  const Machine machine = seconds_machine();
  std::vector<std::string> ran;
  ValidationOptions options;
  options.machine = &machine;
  options.progress = [&](const std::string& schedule) { ran.push_back(schedule); };
  const Validation careful = run(*cpu, forged, options);
  const std::uint64_t flops = totals(forged.schedules[0], Scope::all).flops;
  EXPECT_THAT(careful.schedules[0].skipped, HasSubstr(std::to_string(flops) + " FLOPs, more than 20000000000"));
  EXPECT_THAT(careful.schedules[1].skipped, HasSubstr("bytes of live values, more than 8589934592"));
  for (std::size_t i = 0; i < careful.schedules.size(); ++i) {
    EXPECT_EQ(careful.schedules[i].ran(), i > 1) << i;
    EXPECT_TRUE(careful.schedules[i].prediction.has_value()) << i;
    EXPECT_EQ(careful.schedules[i].measurement.ops.empty(), i < 2) << i;
  }
  EXPECT_EQ(careful.end_to_end.points, careful.schedules.size() - 2);
  EXPECT_EQ(ran.size(), careful.schedules.size() - 2);
  EXPECT_GE(careful.measured_best.value(), 2U);
  EXPECT_GE(careful.predicted_best.value(), 2U);
  options.force = true;
  const Validation forced = run(*cpu, forged, options);
  for (const ScheduleValidation& one : forced.schedules) {
    EXPECT_TRUE(one.ran());
    EXPECT_FALSE(one.mismatch.has_value());
  }
}

TEST_F(ValidateTest, DoesNotTryWhatTheBackendCannotRunEvenIfForced) {
  const std::unique_ptr<Backend> cpu = make_backend("cpu");
  const Machine machine = seconds_machine();
  ValidationOptions options;
  options.machine = &machine;
  options.force = true;
  options.cannot_run = [](const ScheduleProfile& profile) {
    return profile.schedule.hybrid_depth() == 1U ? std::string("a product of 9 scalar multiplications") : std::string();
  };
  const Validation found = run(*cpu, guaranteed_, options);
  for (std::size_t i = 0; i < found.schedules.size(); ++i) {
    const bool is_refused = guaranteed_.schedules[i].schedule.hybrid_depth() == 1U;
    EXPECT_EQ(found.schedules[i].ran(), !is_refused) << i;
    EXPECT_EQ(found.schedules[i].skipped, is_refused ? "a product of 9 scalar multiplications" : "") << i;
    EXPECT_TRUE(found.schedules[i].prediction.has_value()) << i;
  }
}

TEST_F(ValidateTest, PutsThePredictionBesideTheMeasurement) {
  const Machine machine = seconds_machine();
  ValidationOptions options;
  options.machine = &machine;
  // Measured times by hand: an end-to-end time of 100 - depth, and 2 s for every level.
  const FakeBackend fake([](const Schedule& schedule, Measurement& measurement) {
    measurement.seconds = 100.0 - schedule.depth;
    measurement.level_seconds.assign(schedule.levels, 2);
  });
  const Validation validation = run(fake, guaranteed_, options);
  std::vector<double> predicted;
  std::vector<double> measured;
  std::vector<double> level_errors;
  for (std::size_t i = 0; i < validation.schedules.size(); ++i) {
    const Schedule& schedule = guaranteed_.schedules[i].schedule;
    const ScheduleValidation& one = validation.schedules[i];
    ASSERT_TRUE(one.prediction.has_value());
    // Nothing but latency: a second for each op and each level.
    EXPECT_DOUBLE_EQ(one.prediction->seconds, static_cast<double>(schedule.combines.size() + schedule.levels));
    predicted.push_back(one.prediction->seconds);
    measured.push_back(one.measurement.seconds);
    for (const std::size_t ops : level_sizes(schedule)) {
      level_errors.push_back(std::fabs((1 + static_cast<double>(ops)) / 2 - 1));
    }
  }
  EXPECT_EQ(validation.end_to_end, error_figures(predicted, measured));
  EXPECT_EQ(validation.levels.points, level_errors.size());
  EXPECT_DOUBLE_EQ(validation.levels.max, *std::max_element(level_errors.begin(), level_errors.end()));
  EXPECT_EQ(validation.measured_best, validation.schedules.size() - 1) << "the deepest is the fastest";
  const auto best = std::min_element(predicted.begin(), predicted.end()) - predicted.begin();
  EXPECT_EQ(validation.predicted_best, static_cast<std::size_t>(best));
  EXPECT_DOUBLE_EQ(validation.regret_of_choice.value(), measured[static_cast<std::size_t>(best)] / measured.back() - 1);
  EXPECT_TRUE(validation.rank_agreement.has_value());
  EXPECT_DOUBLE_EQ(validation.predicted_build_s.value(), 0.5 * static_cast<double>(guaranteed_.network.build_values));
}

TEST_F(ValidateTest, RefusesABackendThatIsNotAvailable) {
  const FakeBackend away([](const Schedule&, Measurement&) {}, {false, "the device is on holiday"});
  try {
    static_cast<void>(run(away, guaranteed_, {}));
    FAIL() << "accepted";
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "fake: the device is on holiday");
  }
}

}  // namespace
}  // namespace upsweep
