#include "upsweep/learning/recurrent_training.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "upsweep/devices/registry.hpp"
#include "upsweep/recurrent/bptt.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"

namespace upsweep::recurrent_training_test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kSeed = 5;

RecurrentTraining small(CellKind kind, OptimizerSettings optimizer = SgdSettings{0.1, 0}) {
  RecurrentTraining training;
  training.shape = {CellShape{kind, Nonlinearity::tanh, 3, 6, 3}, 12, 4, true};
  training.iterations = 10;
  training.optimizer = optimizer;
  training.start = initial_weights<double>(training.shape.cell, kSeed);
  return training;
}

SequenceData data_for(const RecurrentTraining& training) {
  const PassShape& shape = training.shape;
  return SequenceData::synthetic_features({64, shape.steps, shape.cell.input, shape.cell.classes}, kSeed);
}

std::vector<BackwardMethod> methods(const std::vector<std::string>& names) {
  std::vector<BackwardMethod> all;
  for (const std::string& name : names) all.push_back(parse_backward_method(name));
  return all;
}

/// How far apart the losses of two right gradients may be after n iterations: to first order, an iteration changes the
/// loss by rate · |g|², below 1 as the loss itself, and a relative error of K roundings in g changes that by K times
/// the unit roundoff. K: those of one path through all steps.
template <class T>
double bound(const RecurrentTraining& training) {
  const double roundings = static_cast<double>(training.shape.steps) * roundings_per_step(training.shape.cell);
  return static_cast<double>(training.iterations) * roundings * std::numeric_limits<T>::epsilon() / 2;
}

/// Sequential, with an error of choice in the gradients.
template <class T>
class SpoiltPass : public BackwardPass<T> {
 public:
  using Spoil = std::function<void(std::span<T> gradients, std::size_t runs)>;
  explicit SpoiltPass(Spoil spoil) : spoil_(std::move(spoil)) {}

  void load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
            std::span<T> gradients) override {
    run_ = [&weights, &states, last, gradients] { bptt<T>(weights, states, last, gradients); };
    gradients_ = gradients;
  }
  ScanTimes run() override {
    run_();
    spoil_(gradients_, runs++);
    return {0, 0, 0, 1};
  }
  void fetch() override {}
  [[nodiscard]] ScanFlops flops() const override { return {}; }
  [[nodiscard]] std::uint64_t bytes() const override { return 0; }

  std::size_t runs = 0;

 private:
  Spoil spoil_;
  std::function<void()> run_;
  std::span<T> gradients_;
};

template <class T>
TrainedCell<T> train_spoilt(const RecurrentTraining& training, const typename SpoiltPass<T>::Spoil& spoil) {
  SpoiltPass<T> pass(spoil);
  return train_cell<T>(training, data_for(training), pass,
                       make_outer_passes<T>(recurrent_backend("cpu").outer(), training.shape), "spoilt");
}

template <class T>
void expect_one_curve(const RecurrentTraining& training, const std::vector<std::string>& names) {
  const TrainResult result = train_by_all<T>(training, data_for(training), recurrent_backend("cpu"), methods(names));
  ASSERT_EQ(result.curves.size(), names.size());
  for (std::size_t c = 0; c < names.size(); ++c) {
    EXPECT_EQ(result.curves[c].backward, names[c]);
    EXPECT_EQ(result.curves[c].loss.size(), training.iterations);
    EXPECT_LE(result.differences[c].value().first_relative, bound<T>(training)) << names[c] << ", seed " << kSeed;
    EXPECT_LE(result.weight_differences[c].value(), bound<T>(training)) << names[c] << ", seed " << kSeed;
  }
  EXPECT_EQ(result.differences[0].value().largest, 0);
}

TEST(RecurrentTraining, EveryScanHasTheCurveOfBackPropagation) {
  for (const CellKind kind : {CellKind::rnn, CellKind::gru}) {
    expect_one_curve<double>(small(kind), {"bptt", "linear", "hybrid:2", "blelloch", "blocked:3", "blocked:2:4"});
    expect_one_curve<float>(small(kind), {"bptt", "blelloch", "blocked:3"});
  }
}

TEST(RecurrentTraining, UnfusedStepsHaveThatCurveToo) {
  RecurrentTraining training = small(CellKind::rnn);
  training.shape.is_fused = false;
  expect_one_curve<double>(training, {"bptt", "linear", "hybrid:1", "blelloch"});
}

TEST(RecurrentTraining, CurvesStayTogetherWithMomentsToo) {
  RecurrentTraining training = small(CellKind::rnn, AdamSettings{1e-2});
  training.iterations = 60;
  const TrainResult result =
      train_by_all<double>(training, data_for(training), recurrent_backend("cpu"), methods({"bptt", "blelloch"}));
  EXPECT_LE(result.differences[1].value().largest_relative, 1e-9) << "Adam divides by gradients that may be small";
}

TEST(RecurrentTraining, AWrongGradientLeavesTheCurve) {
  const RecurrentTraining training = small(CellKind::rnn);
  const std::size_t width = training.shape.batch * training.shape.cell.hidden;
  const auto difference = [&](double factor) {
    const auto right = train_spoilt<double>(training, [](std::span<double>, std::size_t) {});
    const auto wrong = train_spoilt<double>(training, [&](std::span<double> gradients, std::size_t) {
      for (double& value : gradients.subspan((training.shape.steps - 2) * width, width)) value *= factor;
    });
    return compare_curves(right.curve, wrong.curve).first_relative;
  };
  EXPECT_GT(difference(0), bound<double>(training)) << "one step is left out";
  EXPECT_GT(difference(1 + 1e-6), bound<double>(training)) << "one step is slightly off";
  EXPECT_EQ(difference(1), 0) << "the same training twice has the same curve, to the last bit";
}

TEST(RecurrentTraining, LossFallsOnAnEasyTask) {
  RecurrentTraining training = small(CellKind::gru, AdamSettings{2e-2});
  training.iterations = 80;
  const TrainResult result =
      train_by_all<float>(training, data_for(training), recurrent_backend("cpu"), methods({"blelloch"}));
  const LossCurve& curve = result.curves[0];
  EXPECT_GT(curve.loss.front(), 0.9) << "about log 3: nothing is known yet";
  EXPECT_LT(curve.loss.back(), 0.4) << "seed " << kSeed;
  EXPECT_GT(curve.accuracy.back(), 0.7);
  EXPECT_GT(curve.seconds.forward, 0);
  EXPECT_GT(curve.seconds.backward, 0);
  EXPECT_GE(curve.seconds.backward, result.pass_seconds[0].total()) << "the pass is part of the phase";
}

TEST(RecurrentTraining, OneRunMoreThanThereAreIterationsComesFirst) {
  const RecurrentTraining training = small(CellKind::rnn);
  SpoiltPass<float> pass([](std::span<float>, std::size_t) {});
  std::size_t calls = 0;
  const auto trained = train_cell<float>(
      training, data_for(training), pass, make_outer_passes<float>(recurrent_backend("cpu").outer(), training.shape),
      "counted",
      [&](const LossCurve& curve, std::size_t index) {
        EXPECT_EQ(curve.loss.size(), ++calls);
        EXPECT_EQ(index, 7U);
      },
      7);
  EXPECT_EQ(calls, training.iterations);
  EXPECT_EQ(pass.runs, training.iterations + 1);
  EXPECT_EQ(trained.pass_seconds.down, static_cast<double>(training.iterations)) << "the first run is not counted";
}

TEST(RecurrentTraining, StopsAtTheStepWhereInfinityBegins) {
  const RecurrentTraining training = small(CellKind::rnn);
  const std::size_t width = training.shape.batch * training.shape.cell.hidden;
  const LossCurve curve = train_spoilt<float>(training, [&](std::span<float> gradients, std::size_t runs) {
                            // The run before the first iteration is the first one: this is iteration 3.
                            for (const std::size_t t : {2U, 5U, 0U}) {
                              if (runs == 3) gradients[t * width + 1] = std::numeric_limits<float>::infinity();
                            }
                          }).curve;
  EXPECT_EQ(curve.loss.size(), 2U);
  EXPECT_THAT(curve.failure.value_or("finished"),
              HasSubstr("training by spoilt, iteration 3: the gradient of a hidden state is not finite, seen from the "
                        "loss, first at step 5"));
}

TEST(RecurrentTraining, StopsWhereStatesExplode) {
  RecurrentTraining training = small(CellKind::rnn, SgdSettings{1e30, 0});
  training.shape.cell.nonlinearity = Nonlinearity::relu;
  training.start.shape = training.shape.cell;
  const TrainResult result =
      train_by_all<float>(training, data_for(training), recurrent_backend("cpu"), methods({"bptt", "blelloch"}));
  ASSERT_EQ(result.curves.size(), 2U) << "those after the first one are trained as well";
  EXPECT_EQ(result.failures(), 2U);
  EXPECT_LE(result.longest(), 3U);
  EXPECT_GE(result.longest(), 1U);
  for (const LossCurve& curve : result.curves) {
    EXPECT_THAT(curve.failure.value_or("finished"),
                HasSubstr(fmt::format("training by {}, iteration {}: ", curve.backward, curve.loss.size() + 1)));
    EXPECT_THAT(curve.failure.value_or("finished"), HasSubstr("not finite"));
    EXPECT_EQ(curve.accuracy.size(), curve.loss.size());
    EXPECT_GT(curve.seconds.total(), 0) << "of the iterations that it has";
  }
}

TEST(RecurrentTraining, APassThatDivergesAloneLeavesTheOthersTheirCurves) {
  // Jacobians are W with W · W = 0, in fp32 infinity less infinity; a small vector times W twice stays finite. All
  // states are (1, 1), and a learning rate of 0 keeps it so.
  RecurrentTraining training = small(CellKind::rnn, SgdSettings{0, 0});
  training.shape.cell = {CellKind::rnn, Nonlinearity::relu, 3, 2, 3};
  training.start = zero_weights<double>(training.shape.cell);
  training.start.w_hh = {1e25, -1e25, 1e25, -1e25};
  training.start.b_hh = {1, 1};
  training.start.w_head = {1e-20, 2e-20, -1e-20, 1e-20, 0.5e-20, -2e-20};
  const TrainResult result = train_by_all<float>(training, data_for(training), recurrent_backend("cpu"),
                                                 methods({"bptt", "blelloch", "linear"}));
  ASSERT_EQ(result.curves.size(), 3U);
  EXPECT_EQ(result.failures(), 1U);
  EXPECT_THAT(result.curves[1].failure.value_or("finished"), HasSubstr("training by blelloch, iteration 1: "));
  EXPECT_EQ(result.curves[1].loss.size(), 0U);
  EXPECT_EQ(result.curves[1].seconds.total(), 0);
  EXPECT_EQ(result.pass_seconds[1].total(), 0);
  EXPECT_FALSE(result.differences[1] || result.weight_differences[1]) << "nothing was compared";
  for (const std::size_t c : {0U, 2U}) {
    EXPECT_FALSE(result.curves[c].failure) << c;
    EXPECT_EQ(result.curves[c].loss.size(), training.iterations);
    ASSERT_TRUE(result.differences[c] && result.weight_differences[c]);
    EXPECT_EQ(result.differences[c]->largest, 0);
    EXPECT_EQ(result.weight_differences[c], 0);
  }
}

TEST(RecurrentTraining, MemoryOfEveryPassIsCheckedBeforeTheFirstIteration) {
  RecurrentTraining training = small(CellKind::rnn);
  training.shape = {CellShape{CellKind::rnn, Nonlinearity::tanh, 1, 300, 3}, std::size_t{1} << 24U, 1, true};
  training.start = zero_weights<double>(training.shape.cell);
  const SequenceData data = data_for(training);
  try {
    (void)train_by_all<float>(training, data, recurrent_backend("cpu"), methods({"bptt", "blelloch"}),
                              [](const LossCurve&, std::size_t) { FAIL() << "bptt was trained first"; });
    FAIL() << "5.6 TiB of Jacobians were accepted";
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), HasSubstr("cpu: blelloch over 16777216 steps"));
  }
}

TEST(RecurrentTraining, RefusesWhatDoesNotFit) {
  const RecurrentTraining training = small(CellKind::rnn);
  const auto train = [](const RecurrentTraining& wrong, const SequenceData& data,
                        const std::vector<std::string>& names) {
    return train_by_all<float>(wrong, data, recurrent_backend("cpu"), methods(names));
  };
  const SequenceData data = data_for(training);
  EXPECT_THROW((void)train(training, data, {}), std::invalid_argument);
  EXPECT_THROW((void)train(training, SequenceData::synthetic_features({64, 11, 3, 3}, 0), {"bptt"}),
               std::invalid_argument)
      << "another number of steps";
  EXPECT_THROW((void)train(training, SequenceData::synthetic_features({3, 12, 3, 3}, 0), {"bptt"}),
               std::invalid_argument)
      << "fewer samples than a batch";
  RecurrentTraining other = training;
  other.start = initial_weights<double>(CellShape{CellKind::rnn, Nonlinearity::tanh, 3, 7, 3}, 0);
  EXPECT_THROW((void)train(other, data, {"bptt"}), std::invalid_argument) << "weights of another cell";
}

}  // namespace
}  // namespace upsweep::recurrent_training_test
