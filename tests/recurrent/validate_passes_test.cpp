#include "upsweep/recurrent/validate_passes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "upsweep/devices/registry.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

constexpr CellShape kRnn{CellKind::rnn, Nonlinearity::tanh, 2, 6, 4};

PassesOptions quick() {
  PassesOptions options;
  options.repetitions = 1;
  options.min_seconds = 0;
  return options;
}

std::vector<PassRequest> on_cpu(const std::vector<std::string>& methods) {
  std::vector<PassRequest> requests;
  for (const std::string& method : methods) requests.push_back({"cpu", parse_backward_method(method)});
  return requests;
}

TEST(ValidatePasses, EveryMethodOfEveryCellIsRight) {
  for (const CellShape& shape : {kRnn, CellShape{CellKind::gru, Nonlinearity::tanh, 3, 5, 3}}) {
    const auto batch = random_batch<float>(initial_weights<float>(shape, 1), 37, 3, 2);
    const PassesValidation result = validate_passes(
        batch, true, on_cpu({"bptt", "linear", "hybrid:2", "blelloch", "blocked:4"}), recurrent_backend, quick());
    ASSERT_EQ(result.passes.size(), 5U);
    for (const PassOutcome& pass : result.passes) {
      EXPECT_EQ(pass.failure, "");
      EXPECT_EQ(pass.mismatch().value_or(""), "");
      EXPECT_EQ(pass.hidden.elements, 38U * 3 * shape.hidden) << "none is left out";
      EXPECT_GT(pass.parameters.elements, 0U);
      EXPECT_GT(pass.times.total(), 0);
      EXPECT_GT(pass.flops.total(), 0U);
    }
    ASSERT_TRUE(result.drift) << "measured, as there are several passes";
    EXPECT_GT(*result.drift, 0);
    EXPECT_GT(result.gradient_last, 0);
    EXPECT_GT(result.loss, 0);
  }
}

TEST(ValidatePasses, ForwardPassAndParameterGradientsAreMeasuredAndEachStepIsChecked) {
  const auto batch = random_batch<float>(initial_weights<float>(kRnn, 1), 21, 3, 2);
  const PassesValidation result =
      validate_passes(batch, true, on_cpu({"bptt", "blelloch"}), recurrent_backend, quick());
  ASSERT_EQ(result.outer.size(), 1U) << "both passes are of one backend";
  const OuterOutcome& here = result.outer.front();
  EXPECT_EQ(here.backend, "cpu");
  EXPECT_GT(here.forward_s, 0);
  EXPECT_GT(here.parameters_s.value_or(0), 0);
  EXPECT_EQ(here.states.elements, 22U * 3 * 6) << "none is left out";
  EXPECT_EQ(here.mismatch().value_or(""), "");
  EXPECT_EQ(result.outer_of("cpu"), &here);
  EXPECT_EQ(result.outer_of("cuda"), nullptr) << "not asked for";
}

TEST(ValidatePasses, AForwardPassThatCannotRunSaysWhy) {
  if (recurrent_backend("cuda").availability().available) GTEST_SKIP() << "there is a GPU, where it runs";
  const auto batch = random_batch<float>(initial_weights<float>(kRnn, 1), 9, 2, 2);
  std::vector<PassRequest> requests = on_cpu({"bptt"});
  for (const char* backend : {"cuda", "cudnn"}) requests.push_back({backend, parse_backward_method("bptt")});
  const PassesValidation result = validate_passes(batch, true, requests, recurrent_backend, quick());
  ASSERT_EQ(result.outer.size(), 2U) << "cudnn has that of cuda";
  EXPECT_EQ(result.outer[1].backend, "cuda");
  EXPECT_FALSE(result.outer[1].ran());
  EXPECT_FALSE(result.outer[1].mismatch());
  EXPECT_EQ(result.outer_of("cudnn"), nullptr);
  EXPECT_TRUE(result.outer[0].ran());
}

TEST(ValidatePasses, UnfusedChainsInDoublePrecisionToo) {
  const auto batch = random_batch<double>(initial_weights<double>(kRnn, 3), 20, 2, 2);
  const PassesValidation result =
      validate_passes(batch, false, on_cpu({"bptt", "blelloch"}), recurrent_backend, quick());
  for (const PassOutcome& pass : result.passes) EXPECT_EQ(pass.failure + pass.mismatch().value_or(""), "");
}

TEST(ValidatePasses, APassThatCannotRunSaysWhyAndTheOthersRun) {
  const auto batch = random_batch<float>(initial_weights<float>(kRnn, 1), 9, 2, 2);
  std::vector<PassRequest> requests = {{"reference", parse_backward_method("blelloch")}};
  requests.push_back({"cpu", parse_backward_method("bptt")});
  const PassesValidation result = validate_passes(batch, true, requests, recurrent_backend, quick());
  EXPECT_FALSE(result.passes[0].ran());
  EXPECT_THAT(result.passes[0].failure, HasSubstr("reference"));
  EXPECT_TRUE(result.passes[1].ran());
}

TEST(ValidatePasses, AnExplodingGradientIsNamedWithItsStepAndVanishedOnesAreCounted) {
  // All states are 0, where the derivative of tanh is 1: the gradient grows by the weight in every step.
  CellWeights<float> weights = zero_weights<float>({CellKind::rnn, Nonlinearity::tanh, 1, 1, 2});
  weights.w_head = {1, -1};
  weights.w_hh = {1e15F};
  const SequenceBatch<float> batch{weights, 6, std::vector<float>(12), {0, 1}};
  try {
    static_cast<void>(validate_passes(batch, true, on_cpu({"bptt"}), recurrent_backend, quick()));
    FAIL() << "accepted";
  } catch (const ExplodingGradient& error) {
    EXPECT_EQ(error.step(), 3U) << "1e30 is a float, 1e45 is none";
    EXPECT_EQ(error.sample(), 0U);
    EXPECT_THAT(error.what(), HasSubstr("infinite from h_3 on"));
  }
  CellWeights<float> small = weights;
  small.w_hh = {1e-15F};
  const PassesValidation vanished = validate_passes(SequenceBatch<float>{small, 6, std::vector<float>(12), {0, 1}},
                                                    true, on_cpu({"bptt"}), recurrent_backend, quick());
  EXPECT_EQ(vanished.live_states, 3U) << "1e-30 is a normal float, 1e-45 is none";
  const SequenceBatch<double> wide{to_double(weights), 6, std::vector<double>(12), {0, 1}};
  EXPECT_NO_THROW(static_cast<void>(validate_passes(wide, true, on_cpu({"bptt"}), recurrent_backend, quick())));
}

TEST(ValidatePasses, RandomBatchesAreReproducibleAndStandardised) {
  const auto weights = initial_weights<float>(kRnn, 1);
  const auto batch = random_batch<float>(weights, 500, 4, 9);
  EXPECT_EQ(batch.inputs, random_batch<float>(weights, 500, 4, 9).inputs);
  EXPECT_NE(batch.inputs, random_batch<float>(weights, 500, 4, 8).inputs);
  double sum = 0;
  double squares = 0;
  for (const float x : batch.inputs) {
    sum += x;
    squares += static_cast<double>(x) * x;
  }
  const auto count = static_cast<double>(batch.inputs.size());
  EXPECT_NEAR(sum / count, 0, 5 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 5 / std::sqrt(count));
  for (const std::uint32_t label : batch.labels) EXPECT_LT(label, 4U);
}

TEST(ValidatePasses, MemoryIsKnownBeforeItIsTaken) {
  // States and gradients 4 bytes each, four arrays of the oracle and the widened states 8 bytes; inputs.
  EXPECT_EQ(validation_bytes(kRnn, 9, 3, 4), 30U * 6 * (2 * 4 + 5 * 8) + 30 * 2 * 4);
  EXPECT_EQ(validation_bytes({CellKind::gru, Nonlinearity::tanh, 1, 1, 1}, 1, 1, 8), 2U * (6 * 8 + 4 * 8) + 2 * 8);
}

}  // namespace
}  // namespace upsweep
