#include "upsweep/learning/optimizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "support/refusal.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

/// One parameter through a list of gradients.
template <class T>
std::vector<T> path(const OptimizerSettings& settings, T start, const std::vector<T>& gradients) {
  Optimizer<T> optimizer(settings, {1});
  std::vector<T> parameter = {start};
  std::vector<T> places;
  for (const T gradient : gradients) {
    const std::array<std::span<T>, 1> parameters = {parameter};
    const std::array<std::span<const T>, 1> one = {std::span<const T>(&gradient, 1)};
    optimizer.step(parameters, one);
    places.push_back(parameter[0]);
  }
  return places;
}

TEST(Optimizer, SgdGoesAgainstTheGradient) {
  EXPECT_EQ(path<double>(SgdSettings{0.5, 0}, 1, {2, -4}), (std::vector<double>{0, 2}));
}

TEST(Optimizer, MomentumKeepsAShareOfTheStepsBefore) {
  // Velocities 2, 0.5 · 2 + 1 = 2, 0.5 · 2 - 4 = -3.
  EXPECT_EQ(path<double>(SgdSettings{0.25, 0.5}, 1, {2, 1, -4}), (std::vector<double>{0.5, 0, 0.75}));
}

TEST(Optimizer, AdamFollowsItsFormulas) {
  // beta1 = 1/2, beta2 = 3/4, learning rate 1, epsilon 1, by hand:
  // g = 4: m = 2, v = 4, corrected by 1 - 1/2 and 1 - 3/4: 4 and 16, step 4 / (4 + 1).
  // g = -1: m = 1/2, v = 13/4, corrected by 3/4 and 7/16: 2/3 and 52/7.
  const std::vector<double> places = path<double>(AdamSettings{1, 0.5, 0.75, 1}, 10, {4, -1});
  EXPECT_NEAR(places[0], 10 - 0.8, 1e-14);
  EXPECT_NEAR(places[1], 10 - 0.8 - (2.0 / 3) / (std::sqrt(52.0 / 7) + 1), 1e-14);
}

TEST(Optimizer, FirstStepOfAdamIsTheLearningRateWhateverTheGradient) {
  for (const double gradient : {1e-3, -7.0, 1e5}) {
    const double place = path<double>(AdamSettings{3e-5}, 0, {gradient})[0];
    EXPECT_NEAR(place, gradient > 0 ? -3e-5 : 3e-5, 3e-5 * 2e-5) << "epsilon of a gradient of 1e-3: 1e-5";
  }
}

TEST(Optimizer, FloatFollowsDoubleToRounding) {
  const std::vector<float> coarse = path<float>(AdamSettings{0.1}, 1, {0.5F, -0.25F, 2});
  const std::vector<double> fine = path<double>(AdamSettings{0.1}, 1, {0.5, -0.25, 2});
  for (std::size_t i = 0; i < fine.size(); ++i) EXPECT_NEAR(static_cast<double>(coarse[i]), fine[i], 1e-5);
}

TEST(Optimizer, NoGradientAndNoMomentumLeavesParametersAlone) {
  EXPECT_EQ(path<double>(SgdSettings{0.5, 0.9}, 1, {0, 0}), (std::vector<double>{1, 1}));
  EXPECT_EQ(path<double>(AdamSettings{}, 1, {0, 0}), (std::vector<double>{1, 1}));
}

TEST(Optimizer, UpdatesEveryArray) {
  Optimizer<double> optimizer(SgdSettings{1, 0}, {2, 1});
  std::vector<double> first = {1, 2};
  std::vector<double> second = {3};
  const std::vector<double> gradient = {1, 1};
  const std::array<std::span<double>, 2> parameters = {first, second};
  const std::array<std::span<const double>, 2> gradients = {gradient, std::span(gradient).first(1)};
  optimizer.step(parameters, gradients);
  EXPECT_EQ(first, (std::vector<double>{0, 1}));
  EXPECT_EQ(second, (std::vector<double>{2}));
  EXPECT_EQ(optimizer.steps(), 1U);
  const std::array<std::span<const double>, 2> wrong = {gradient, gradient};
  EXPECT_THROW(optimizer.step(parameters, wrong), std::invalid_argument);
  EXPECT_THROW(optimizer.step(std::span(parameters).first(1), gradients), std::invalid_argument);
  EXPECT_EQ(first, (std::vector<double>{0, 1})) << "a refused step changes nothing";
  EXPECT_EQ(optimizer.steps(), 1U);
}

TEST(Optimizer, RefusesSettingsThatNameTheNumber) {
  const auto refusal = [](const OptimizerSettings& settings) -> std::string {
    return testing::refusal_of<std::invalid_argument>([&] { return require_valid(settings); });
  };
  EXPECT_THAT(refusal(SgdSettings{-1, 0}), HasSubstr("learning_rate is -1"));
  EXPECT_THAT(refusal(SgdSettings{1, 1}), HasSubstr("momentum is 1, accepted is a number from 0 to below 1"));
  EXPECT_THAT(refusal(AdamSettings{1, -0.5}), HasSubstr("beta1 is -0.5"));
  EXPECT_THAT(refusal(AdamSettings{1, 0.9, 1}), HasSubstr("beta2 is 1"));
  EXPECT_THAT(refusal(AdamSettings{1, 0.9, 0.999, 0}), HasSubstr("epsilon is 0"));
  EXPECT_THAT(refusal(AdamSettings{std::nan("")}), HasSubstr("learning_rate is nan"));
  EXPECT_EQ(refusal(SgdSettings{0, 0}), "accepted");
}

TEST(Optimizer, RefusesAnEpsilonThatItsNumbersDoNotHave) {
  for (const double epsilon : {1e-60, 1e60}) {
    const AdamSettings adam{1e-3, 0.9, 0.999, epsilon};
    EXPECT_THROW((Optimizer<float>(adam, {1})), std::invalid_argument) << epsilon;
    EXPECT_NO_THROW((Optimizer<double>(adam, {1}))) << epsilon;
    EXPECT_NO_THROW(require_valid(adam, sizeof(double))) << epsilon;
  }
  try {
    require_valid(AdamSettings{1e-3, 0.9, 0.999, 1e-60}, sizeof(float));
    FAIL() << "0 / 0 was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("epsilon is 1e-60, which is 0 in fp32, accepted is"));
  }
  EXPECT_NO_THROW(require_valid(AdamSettings{}, sizeof(float)));
  EXPECT_NO_THROW(require_valid(SgdSettings{}, sizeof(float)));
}

TEST(Optimizer, SaysWhatItIs) {
  EXPECT_EQ(to_string(SgdSettings{0.001, 0.9}), "SGD, learning rate 0.001, momentum 0.9");
  EXPECT_EQ(to_string(AdamSettings{3e-5}), "Adam, learning rate 3e-05");
  EXPECT_EQ(to_string(AdamSettings{1, 0.5}), "Adam, learning rate 1, betas 0.5 and 0.999, epsilon 1e-08");
}

}  // namespace
}  // namespace upsweep
