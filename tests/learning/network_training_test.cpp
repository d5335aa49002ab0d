#include "upsweep/learning/network_training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "upsweep/base/parallel.hpp"
#include "upsweep/network/pruning.hpp"
#include "upsweep/network/random.hpp"

namespace upsweep::network_training_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A small relative of LeNet-5.
Network small_lenet() {
  return {{2, 7, 8},
          {{"conv1", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"norm1", BatchNorm2d{}, {}},
           {"tanh1", Tanh{}, {}},
           {"pool1", AvgPool2d{{2, 2}, {2, 2}}, {}},
           {"conv2", Conv2d{4, {2, 2}}, {}},
           {"relu2", LeakyRelu{0.1}, {}},
           {"pool2", MaxPool2d{{2, 2}, {1, 1}}, {}},
           {"flatten", Flatten{}, {}},
           {"fc1", Linear{6}, {}},
           {"tanh3", Tanh{}, {}},
           {"fc2", Linear{3}, {}}}};
}

NetworkWeights start_weights(const Network& network) {
  NetworkWeights weights(network.operators().size());
  fill_he_normal(network, 3, weights);
  return weights;
}

NetworkTraining short_training() {
  NetworkTraining training;
  training.batch = 5;
  training.iterations = 12;
  training.optimizer = SgdSettings{0.05, 0.9};
  training.shuffle_seed = 4;
  return training;
}

ImageData small_images() { return ImageData::synthetic({2, 7, 8}, 3, 23, 6); }

const std::vector<std::string>& all_passes() {
  static const std::vector<std::string> names = {"bp", "linear", "hybrid:1", "hybrid:2", "blelloch"};
  return names;
}

template <class T>
TrainResult train_all(const std::vector<std::string>& names = all_passes()) {
  const Network network = small_lenet();
  return train_network_by_all<T>(network, start_weights(network), short_training(), small_images(), names);
}

/// Trains by a backward pass that was made for the test.
TrainedNetwork train_by(const Network& network, const ActivationGradients& backward) {
  return train_network<double>(network, start_weights(network), short_training(), small_images(), backward, "test");
}

TEST(NetworkTraining, CurvesOfAllBackwardPassesAgreeToRounding) {
  const TrainResult exact = train_all<double>();
  ASSERT_EQ(exact.curves.size(), all_passes().size());
  for (std::size_t i = 0; i < all_passes().size(); ++i) {
    SCOPED_TRACE(all_passes()[i]);
    EXPECT_EQ(exact.curves[i].backward, all_passes()[i]);
    EXPECT_EQ(exact.curves[i].loss.size(), 12U);
    EXPECT_LT(exact.differences[i].value().largest_relative, 1e-12);
    EXPECT_LT(exact.weight_differences[i].value(), 1e-12);
    EXPECT_EQ(exact.curves[i].accuracy, exact.curves[0].accuracy);
  }
  const TrainResult single = train_all<float>();
  for (std::size_t i = 1; i < all_passes().size(); ++i) {
    SCOPED_TRACE(all_passes()[i]);
    EXPECT_LT(single.differences[i].value().largest_relative, 1e-5);
    EXPECT_LT(single.weight_differences[i].value(), 1e-5);
    EXPECT_GT(single.weight_differences[i].value(), 0)
        << "fp32 rounds: no difference at all means that nothing was compared";
  }
}

TEST(NetworkTraining, LearnsTheClasses) {
  const Network network = small_lenet();
  NetworkTraining training = short_training();
  training.iterations = 60;
  const LossCurve curve =
      train_network_by_all<double>(network, start_weights(network), training, small_images(), {"blelloch"}).curves[0];
  EXPECT_LT(curve.loss.back(), 0.3 * curve.loss.front());
  EXPECT_GT(curve.accuracy.back(), 0.7);
}

TEST(NetworkTraining, AWrongGradientIsSeen) {
  const Network network = small_lenet();
  const ActivationGradients right = plain_backward(network);
  // One number of the gradients of one sample at the output of conv2 is 1 % off.
  const ActivationGradients wrong = [&](const NetworkWeights& weights, const BatchVectors& inputs,
                                        BatchVectors& gradients) {
    right(weights, inputs, gradients);
    double& largest = *std::ranges::max_element(gradients[5][2], {}, [](double value) { return std::fabs(value); });
    largest *= 1.01;
  };
  const LossCurve reference = train_by(network, right).curve;
  const CurveDifference difference = compare_curves(reference, train_by(network, wrong).curve);
  EXPECT_EQ(reference.loss[0], train_by(network, wrong).curve.loss[0]) << "the first loss is that before any update";
  EXPECT_GT(difference.largest_relative, 1e-9) << "a thousand times what rounding does";
}

TEST(NetworkTraining, DoesNotDependOnTheNumberOfThreads) {
  const TrainResult many = train_all<float>();
  const ThreadLimit limit(1);
  const TrainResult one = train_all<float>();
  for (std::size_t i = 0; i < all_passes().size(); ++i)
    EXPECT_EQ(many.curves[i].loss, one.curves[i].loss) << all_passes()[i];
}

TEST(NetworkTraining, PrunedWeightsStayZero) {
  const Network network = small_lenet();
  NetworkWeights weights = start_weights(network);
  prune(network, MagnitudeGlobal{0.5}, weights);
  for (const bool by_scan : {false, true}) {
    ScanBackward<double> scan(network, weights, "blelloch");
    const ActivationGradients pass = [&](const NetworkWeights& at, const BatchVectors& inputs,
                                         BatchVectors& gradients) {
      by_scan ? scan.run(at, inputs, gradients) : plain_backward(network)(at, inputs, gradients);
    };
    const NetworkWeights after =
        train_network<double>(network, weights, short_training(), small_images(), pass, "test").weights;
    for (std::size_t o = 0; o < weights.size(); ++o) {
      std::size_t changed = 0;
      for (std::size_t i = 0; i < weights[o].kept.size(); ++i) {
        const double masked = weights[o].kept[i] == 0 ? after[o].values[i] : 0;
        EXPECT_EQ(masked, 0) << network.operators()[o].name << " " << i;
        changed += after[o].values[i] != weights[o].values[i] ? 1 : 0;
      }
      EXPECT_EQ(changed > 0, !weights[o].kept.empty()) << network.operators()[o].name;
    }
  }
  EXPECT_EQ(trained_parameters(network, weights),
            trained_parameters(network, start_weights(network)) - std::uint64_t{(54 + 48 + 48 + 18) / 2});
}

TEST(NetworkTraining, WeightsOfAnFp32ModelAreFp32Numbers) {
  const Network network = small_lenet();
  const TrainedNetwork trained = train_network<float>(network, start_weights(network), short_training(), small_images(),
                                                      plain_backward(network), "bp");
  for (const OperatorWeights& weights : trained.weights) {
    for (const double value : weights.values) EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
    for (const double value : weights.bias) EXPECT_EQ(value, static_cast<double>(static_cast<float>(value)));
  }
}

TEST(NetworkTraining, TimesOfAllPhasesAreMeasuredAndProgressIsReported) {
  const Network network = small_lenet();
  std::vector<std::string> reported;
  const TrainProgress progress = [&](const LossCurve& curve, std::size_t index) {
    reported.push_back(curve.backward + std::to_string(index) + ":" + std::to_string(curve.loss.size()));
  };
  NetworkTraining training = short_training();
  training.iterations = 2;
  const TrainResult result = train_network_by_all<float>(network, start_weights(network), training, small_images(),
                                                         {"bp", "linear"}, progress);
  EXPECT_THAT(reported, ElementsAre("bp0:1", "bp0:2", "linear1:1", "linear1:2"));
  for (const LossCurve& curve : result.curves) {
    const PhaseTimes& s = curve.seconds;
    EXPECT_THAT((std::vector{s.data, s.forward, s.backward, s.parameters, s.update}), Each(::testing::Gt(0)));
  }
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("linear: ")));
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(NetworkTraining, ThatDivergesSaysWhereAndWhen) {
  const Network network({4}, {{"fc", Linear{3}, {}}});
  NetworkTraining training = short_training();
  training.optimizer = SgdSettings{1.5e308, 0};
  const ImageData data = ImageData::synthetic({4}, 3, 23, 6);
  const TrainResult result =
      train_network_by_all<double>(network, start_weights(network), training, data, {"bp", "linear"});
  ASSERT_EQ(result.curves.size(), 2U);
  EXPECT_EQ(result.failures(), 2U);
  EXPECT_THAT(result.curves[1].failure.value_or("finished"), HasSubstr("training by linear, iteration "));
  EXPECT_LT(result.longest(), training.iterations);
  EXPECT_FALSE(result.differences[1] || result.weight_differences[1]) << "nothing was compared";
}

TEST(NetworkTraining, RejectsWhatDoesNotFitTogether) {
  const Network network = small_lenet();
  const NetworkWeights weights = start_weights(network);
  const auto error = [&](const ImageData& data, const NetworkWeights& start, const std::vector<std::string>& names) {
    return error_of(
        [&] { static_cast<void>(train_network_by_all<float>(network, start, short_training(), data, names)); });
  };
  EXPECT_THAT(error(ImageData::synthetic({2, 8, 7}, 3, 9, 1), weights, all_passes()),
              HasSubstr("images of the shape [2, 8, 7], accepted are those of the network's input, [2, 7, 8]"));
  EXPECT_THAT(error(ImageData::synthetic({2, 7, 8}, 4, 9, 1), weights, all_passes()), HasSubstr("images of 4 classes"));
  EXPECT_THAT(error(ImageData::synthetic({2, 7, 8}, 3, 4, 1), weights, all_passes()), HasSubstr("4"));
  EXPECT_THAT(error(small_images(), NetworkWeights(11), all_passes()),
              HasSubstr("conv2d 'conv1': 0 weights, accepted are 54"));
  EXPECT_THAT(error(small_images(), weights, {}), HasSubstr("no backward pass"));
  EXPECT_THAT(error(small_images(), weights, {"bp", "hybrid:"}),
              HasSubstr("'hybrid:' is no backward pass of a network: did you mean hybrid:2?, accepted are bp, linear, "
                        "substitution, blelloch, hybrid:L"));
}

}  // namespace
}  // namespace upsweep::network_training_test
