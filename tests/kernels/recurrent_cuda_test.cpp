#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "recurrent/support.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"

namespace upsweep::recurrent_cuda_test {
namespace {

using ::testing::HasSubstr;
using testing::RecurrentCase;

constexpr std::uint64_t kSeed = 20240611;

template <class T>
PassShape shape_of(const RecurrentCase<T>& test) {
  return {test.weights.shape, test.states.steps, test.states.batch, true};
}

/// The gradients of the last of `runs` runs.
template <class T>
std::vector<T> gradients_of(BackwardPass<T>& pass, const RecurrentCase<T>& test, std::size_t runs) {
  std::vector<T> gradients(test.states.hidden.size(), std::numeric_limits<T>::quiet_NaN());
  pass.set_inputs(test.inputs);
  pass.load(test.weights, test.states, test.head.hidden_gradient, gradients);
  for (std::size_t run = 0; run < runs; ++run) static_cast<void>(pass.run());
  pass.fetch();
  return gradients;
}

template <class T>
HiddenGradientOracle oracle_of(const RecurrentCase<T>& test) {
  return hidden_gradient_oracle<T>(test.weights, test.states, test.head.hidden_gradient);
}

template <class T>
std::string fault_of(const RecurrentCase<T>& test, const HiddenGradientOracle& oracle,
                     const std::vector<T>& gradients) {
  return compare_hidden_gradients<T>(test.states, oracle, gradients).mismatch.value_or("");
}

template <class T>
std::string fault_of(const RecurrentCase<T>& test, const std::vector<T>& gradients) {
  return fault_of(test, oracle_of(test), gradients);
}

template <class T>
class RecurrentCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!recurrent_backend("cuda").availability().available)
      GTEST_SKIP() << recurrent_backend("cuda").availability().reason;
  }

  static void expect_agreement(const RecurrentCase<T>& test, const std::vector<std::string>& names) {
    const HiddenGradientOracle oracle = oracle_of(test);
    for (const std::string& name : names) {
      SCOPED_TRACE(testing::describe(test.weights.shape, test.states.steps, test.states.batch) + ", " + name);
      const BackwardMethod method = parse_backward_method(name);
      const auto pass = make_backward_pass<T>(recurrent_backend("cuda"), method, shape_of(test));
      EXPECT_EQ(pass->bytes(), pass_bytes(recurrent_backend("cuda"), method, shape_of(test), sizeof(T)));
      EXPECT_EQ(fault_of(test, oracle, gradients_of(*pass, test, 2)), "");
      EXPECT_THAT(pass->notes(), ::testing::IsEmpty()) << "a graph is captured, no other kernels are taken";
    }
  }
};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RecurrentCuda, Numbers);

TYPED_TEST(RecurrentCuda, AgreesWithBpttForEveryMethodCellAndSize) {
  for (const std::size_t hidden : {1, 3, 8, 13, 20, 22, 32, 33, 64}) {
    for (const CellShape& shape : testing::all_cells(2, hidden, 3)) {
      const auto test = testing::recurrent_case<TypeParam>(shape, 13, 5, kSeed);
      this->expect_agreement(test, {"bptt", "linear", "hybrid:1", "blelloch", "blocked:1", "blocked:2", "blocked:4",
                                    "blocked:5:3", "blocked:30"});
    }
  }
}

TYPED_TEST(RecurrentCuda, AgreesOverManySteps) {
  for (const CellShape& shape : testing::all_cells(1, 20, 2)) {
    if (shape.kind == CellKind::rnn && shape.nonlinearity == Nonlinearity::relu) continue;
    const auto test = testing::recurrent_case<TypeParam>(shape, 2000, 3, kSeed);
    this->expect_agreement(test, {"bptt", "linear", "hybrid:3", "blelloch", "blocked:64", "blocked:33:7.5"});
  }
}

TYPED_TEST(RecurrentCuda, AgreesForOneStep) {
  const auto test = testing::recurrent_case<TypeParam>({CellKind::gru, Nonlinearity::tanh, 1, 5, 2}, 1, 2, kSeed);
  this->expect_agreement(test, {"bptt", "linear", "blelloch", "blocked:3"});
}

TYPED_TEST(RecurrentCuda, ServesTheNextBatchWithTheSamePlan) {
  const CellShape shape{CellKind::gru, Nonlinearity::tanh, 2, 12, 3};
  const auto first = testing::recurrent_case<TypeParam>(shape, 40, 4, kSeed);
  const auto second = testing::recurrent_case<TypeParam>(shape, 40, 4, kSeed + 1);
  for (const char* name : {"bptt", "hybrid:2", "blocked:6"}) {
    const auto pass =
        make_backward_pass<TypeParam>(recurrent_backend("cuda"), parse_backward_method(name), shape_of(first));
    EXPECT_EQ(fault_of(first, gradients_of(*pass, first, 3)), "") << name;
    EXPECT_EQ(fault_of(second, gradients_of(*pass, second, 1)), "") << name;
    EXPECT_NE(fault_of(first, gradients_of(*pass, second, 1)), "") << "the comparison tells them apart";
  }
}

TYPED_TEST(RecurrentCuda, TimesItsPhases) {
  const auto test = testing::recurrent_case<TypeParam>({CellKind::rnn, Nonlinearity::tanh, 1, 16, 2}, 64, 2, kSeed);
  const auto times_of = [&](const char* name) {
    const auto pass =
        make_backward_pass<TypeParam>(recurrent_backend("cuda"), parse_backward_method(name), shape_of(test));
    static_cast<void>(gradients_of(*pass, test, 1));
    return pass->run();
  };
  const ScanTimes sequential = times_of("bptt");
  EXPECT_EQ(sequential.total(), sequential.down);
  EXPECT_GT(sequential.down, 0);
  const ScanTimes blocked = times_of("blocked:4");
  EXPECT_EQ(blocked.jacobians, 0);
  for (const double phase : {blocked.up, blocked.middle, blocked.down}) EXPECT_GT(phase, 0);
  const ScanTimes levels = times_of("hybrid:2");
  for (const double phase : {levels.jacobians, levels.up, levels.middle, levels.down}) EXPECT_GT(phase, 0);
}

TYPED_TEST(RecurrentCuda, TakesLargeCellsSequentiallyAndSaysSo) {
  for (const CellShape& shape : testing::all_cells(1, 100, 2)) {
    const auto test = testing::recurrent_case<TypeParam>(shape, 9, 3, kSeed);
    const auto pass = make_backward_pass<TypeParam>(recurrent_backend("cuda"), {}, shape_of(test));
    EXPECT_EQ(fault_of(test, gradients_of(*pass, test, 2)), "") << testing::describe(shape, 9, 3);
    EXPECT_THAT(pass->notes(), ::testing::ElementsAre(HasSubstr("slower than those for up to 64")));
    EXPECT_THROW(static_cast<void>(make_backward_pass<TypeParam>(recurrent_backend("cuda"),
                                                                 parse_backward_method("blelloch"), shape_of(test))),
                 std::invalid_argument);
  }
}

TYPED_TEST(RecurrentCuda, RefusesWhatDoesNotFitIntoMemory) {
  const PassShape shape{{CellKind::rnn, Nonlinearity::tanh, 1, 64, 2}, 200000, 20000, true};
  try {
    static_cast<void>(
        recurrent_backend("cuda").make(parse_backward_method("blelloch"), shape, std::type_identity<float>()));
    FAIL() << "no error";
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), HasSubstr("blocked:P stores no Jacobians"));
    EXPECT_THAT(error.what(), HasSubstr("bytes are free"));
  }
}

TYPED_TEST(RecurrentCuda, RefusesOperandsOfAnotherShape) {
  const CellShape shape{CellKind::rnn, Nonlinearity::tanh, 1, 4, 2};
  const auto test = testing::recurrent_case<TypeParam>(shape, 6, 2, kSeed);
  const auto pass = make_backward_pass<TypeParam>(recurrent_backend("cuda"), {}, {shape, 7, 2, true});
  EXPECT_THROW(static_cast<void>(gradients_of(*pass, test, 1)), std::invalid_argument);
}

TEST(RecurrentDevices, SayWhyTheyAreNotAvailable) {
  for (const char* name : {"cuda", "cudnn", "cudnn-standard"}) {
    const Availability here = recurrent_backend(name).availability();
    if (here.available) {
      EXPECT_FALSE(recurrent_backend(name).facts().device.empty());
      continue;
    }
    EXPECT_NE(here.reason, "") << name;
    EXPECT_THROW(static_cast<void>(recurrent_backend(name).facts()), BackendError);
    EXPECT_THROW(static_cast<void>(make_backward_pass<float>(recurrent_backend(name), {}, {{}, 3, 1, true})),
                 BackendError);
  }
}

template <class T>
class RecurrentCudnn : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!recurrent_backend("cudnn").availability().available)
      GTEST_SKIP() << recurrent_backend("cudnn").availability().reason;
  }
};
TYPED_TEST_SUITE(RecurrentCudnn, Numbers);

// Its forward pass rounds differently, so that the bound of a backward pass does not hold.
TYPED_TEST(RecurrentCudnn, FirstGradientIsOurs) {
  constexpr double kClose = std::is_same_v<TypeParam, float> ? 1e-3 : 1e-9;
  for (const auto& [name, hidden] : {std::pair("cudnn", 3U), {"cudnn", 20U}, {"cudnn", 64U}, {"cudnn-standard", 20U}}) {
    const RecurrentBackend& backend = recurrent_backend(name);
    for (const CellShape& shape : testing::all_cells(5, hidden, 3)) {
      const auto test = testing::recurrent_case<TypeParam>(shape, 12, 4, kSeed);
      SCOPED_TRACE(name + (' ' + testing::describe(shape, 12, 4)));
      const HiddenGradientOracle oracle = oracle_of(test);
      const auto pass = make_backward_pass<TypeParam>(backend, {}, shape_of(test));
      EXPECT_FALSE(pass->gives_all());
      const std::vector<TypeParam> found = gradients_of(*pass, test, 3);
      const std::size_t step = test.states.batch * hidden;
      double largest = 0;
      for (std::size_t i = 0; i < step; ++i) largest = std::max(largest, std::fabs(oracle.gradient[i]));
      for (std::size_t i = 0; i < step; ++i) {
        EXPECT_NEAR(static_cast<double>(found[i]), oracle.gradient[i], kClose * largest) << i;
      }
      EXPECT_TRUE(std::isnan(found[step])) << "the gradient of h_1 is not told";
      EXPECT_TRUE(std::equal(test.head.hidden_gradient.begin(), test.head.hidden_gradient.end(),
                             found.end() - static_cast<std::ptrdiff_t>(step)));
      EXPECT_EQ(pass->bytes(), pass_bytes(backend, {}, shape_of(test), sizeof(TypeParam)));
    }
  }
}

TYPED_TEST(RecurrentCudnn, NeedsTheInputs) {
  const auto test = testing::recurrent_case<TypeParam>({CellKind::rnn, Nonlinearity::tanh, 2, 4, 2}, 3, 2, kSeed);
  const auto pass = make_backward_pass<TypeParam>(recurrent_backend("cudnn"), {}, shape_of(test));
  std::vector<TypeParam> gradients = test.gradients();
  EXPECT_THROW(pass->load(test.weights, test.states, test.head.hidden_gradient, gradients), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::recurrent_cuda_test
