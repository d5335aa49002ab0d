#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/validate/validate.hpp"

namespace upsweep::validate_branches_test {
namespace {

using ::testing::HasSubstr;

/// Residual blocks, one of them with a convolution in its shortcut.
Network residual() {
  return {{2, 6, 6},
          {{"stem", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"a1", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"a2", BatchNorm2d{}, {}},
           {"a3", Relu{}, {}},
           {"a4", Conv2d{3, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"a", Add{}, {{"stem", "a4"}}},
           {"act", Relu{}, {}},
           {"b1", Conv2d{4, {3, 3}, {2, 2}, {1, 1}}, {}},
           {"b2", Tanh{}, {}},
           {"b3", Conv2d{4, {1, 1}, {2, 2}}, {{"act"}}},
           {"b", Add{}, {{"b2", "b3"}}},
           {"pool", AdaptiveAvgPool2d{{1, 1}}, {}},
           {"flat", Flatten{}, {}},
           {"fc", Linear{3}, {}}}};
}

/// Layers of a dense block, and branches of an inception block with a pooling among them.
Network joined() {
  return {{2, 6, 6},
          {{"stem", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"g1", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"g1a", Elu{}, {}},
           {"d1", Concat{}, {{"stem", "g1a"}}},
           {"g2", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
           {"d2", Concat{}, {{"d1", "g2"}}},
           {"i1", Conv2d{2, {1, 1}}, {{"d2"}}},
           {"i2", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {{"d2"}}},
           {"i2a", Relu{}, {}},
           {"i3", MaxPool2d{{3, 3}, {1, 1}, {1, 1}}, {{"d2"}}},
           {"i", Concat{}, {{"i1", "i2a", "i3"}}},
           {"flat", Flatten{}, {}},
           {"fc", Linear{3}, {}}}};
}

/// Two branches all the way.
Network two_streams() {
  return {{5},
          {{"a1", Linear{4}, {{"input"}}},
           {"a2", Tanh{}, {}},
           {"b1", Linear{3}, {{"input"}}},
           {"b2", Relu{}, {}},
           {"end", Concat{}, {{"a2", "b2"}}}}};
}

/// Changes one number of an element of the chain before the reference backend runs it: the one that the largest element
/// of the gradient is multiplied by.
class WrongChainBackend final : public Backend {
 public:
  explicit WrongChainBackend(std::size_t element) : element_(element) {}

  [[nodiscard]] std::string name() const override { return "wrong chain"; }
  [[nodiscard]] Availability availability() const override { return {true, ""}; }
  [[nodiscard]] DeviceFacts facts() const override { return {}; }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                                const RunOptions& options) const override {
    return run_spoiled(schedule, chain, options);
  }
  [[nodiscard]] Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                                const RunOptions& options) const override {
    return run_spoiled(schedule, chain, options);
  }

 private:
  template <class T>
  [[nodiscard]] Measurement run_spoiled(const Schedule& schedule, NumericChain<T> chain,
                                        const RunOptions& options) const {
    const std::vector<double> gradient = reference_->run(schedule, chain, options).results[element_ + 1];
    const CsrPattern csr = chain.structure.jacobians[element_]->to_csr();
    std::size_t entry = 0;
    for (std::size_t e = 1; e < csr.indices.size(); ++e) {
      if (std::fabs(gradient[csr.indices[e]]) > std::fabs(gradient[csr.indices[entry]])) entry = e;
    }
    T& number = chain.values[element_][entry];
    number += static_cast<T>(0.01) + std::abs(number);
    return reference_->run(schedule, chain, options);
  }

  std::size_t element_;
  std::unique_ptr<Backend> reference_ = make_backend("reference");
};

class ValidateBranchesTest : public testing::SeededTest {
 protected:
  NetworkWeights random_weights(const Network& network) {
    NetworkWeights all;
    for (const Operator& op : network.operators()) {
      OperatorWeights weights;
      if (const auto shape = weight_shape(op.kind, op.in_shape)) {
        const auto count = static_cast<std::size_t>(elements(*shape));
        for (std::size_t w = 0; w < count; ++w) {
          const bool kept = chance(0.7);
          weights.kept.push_back(kept ? 1 : 0);
          weights.values.push_back(
              kept ? normal() * std::sqrt(static_cast<double>((*shape)[0]) / static_cast<double>(count)) : 0);
        }
      }
      all.push_back(std::move(weights));
    }
    return all;
  }

  SampleInputs random_input(const Network& network) {
    SampleInputs sample{1, static_cast<std::size_t>(elements(network.input())), {}};
    for (std::size_t i = 0; i < sample.length; ++i) sample.values.push_back(normal());
    return sample;
  }

  static Validation run(const Backend& backend, const Network& network, NetworkWeights weights,
                        const SampleInputs& sample, PatternKind pattern, unsigned value_bytes,
                        const ValidationOptions& options = {}) {
    const Analysis analysed =
        analyse({network, weights, &sample, value_bytes}, pattern, depth_candidates(network.links().size() + 1));
    return validate(backend, {network, weights, sample.at(0), pattern, {}, value_bytes}, analysed.network,
                    analysed.schedules, options);
  }
};

TEST_F(ValidateBranchesTest, FindsBackendsRightAtEveryDepthInBothPatternsAndTypes) {
  for (const Network& network : {residual(), joined(), two_streams()}) {
    const NetworkWeights weights = random_weights(network);
    const SampleInputs sample = random_input(network);
    for (const char* name : {"reference", "cpu"}) {
      const std::unique_ptr<Backend> backend = make_backend(name);
      for (const PatternKind pattern : {PatternKind::guaranteed, PatternKind::sample}) {
        for (const unsigned value_bytes : {4U, 8U}) {
          SCOPED_TRACE(network.operators()[0].name + ", " + name + ", bytes " + std::to_string(value_bytes));
          const Validation validation = run(*backend, network, weights, sample, pattern, value_bytes);
          EXPECT_TRUE(validation.any_ran());
          for (const ScheduleValidation& one : validation.schedules) {
            EXPECT_FALSE(one.mismatch.has_value()) << one.mismatch->what;
            EXPECT_GT(one.values.elements, 0U);
            EXPECT_LE(one.values.worst_share, 1);
            EXPECT_LT(one.values.loosest_bound, value_bytes == 8 ? 1e-9 : 1e-2) << "a bound that proves nothing";
          }
          EXPECT_EQ(validation.measured_build_s > 0, network.links().size() > 1) << "the formation is measured";
        }
      }
    }
  }
}

TEST_F(ValidateBranchesTest, FindsAWrongNumberOfABlock) {
  for (const Network& network : {residual(), joined()}) {
    const NetworkWeights weights = random_weights(network);
    const SampleInputs sample = random_input(network);
    for (std::size_t link = 1; link < network.links().size(); ++link) {
      if (!network.link(link).is_block) continue;
      const WrongChainBackend backend(network.links().size() - 1 - link);
      const Validation validation = run(backend, network, weights, sample, PatternKind::guaranteed, 4);
      EXPECT_TRUE(validation.schedules.front().mismatch.has_value()) << "block " << link;
    }
  }
}

TEST(ExpectedOps, CountTheRoundingsOfFormingABlock) {
  const Network network({2}, {{"in", Linear{3}, {}},
                              {"f", Linear{3}, {}},
                              {"act", Tanh{}, {}},
                              {"sum", Add{}, {{"in", "act"}}},
                              {"out", Linear{2}, {}}});
  const JacobianChain chain = guaranteed_chain(network, NetworkWeights(5));
  // tanh meets I: 1 + 1; f: one multiplication and 3 additions more; the sum with I one.
  constexpr double kBlock = 2 + (1 + 3) + 1;
  EXPECT_EQ(chain.block(1)->roundings, kBlock);
  EXPECT_EQ(direct_roundings(chain), 1 + (1 + 2) + kBlock + (1 + 3));
  const std::vector<ExpectedOp> linear = expected_ops(linear_schedule(4), chain);
  EXPECT_EQ(linear[0].roundings, 1 + 1 + 2);
  EXPECT_EQ(linear[1].roundings, linear[0].roundings + (1 + kBlock) + 3) << "its numbers are rounded to their type";
}

TEST_F(ValidateBranchesTest, PredictsNoTimeForFormingBlocksWhereNoRateIsKnown) {
  Machine machine;
  machine.rates.resize(1);
  machine.rates[0].fp32.build.value_s = 0.5;
  ValidationOptions options;
  options.machine = &machine;
  const Network network = residual();
  const Validation validation = run(*make_backend("reference"), network, random_weights(network), random_input(network),
                                    PatternKind::guaranteed, 4, options);
  EXPECT_FALSE(validation.predicted_build_s.has_value());
  EXPECT_GT(validation.measured_build_s, 0);
}

TEST_F(ValidateBranchesTest, NamesTheBlockWhoseGradientIsNotFinite) {
  const Network network(
      {1}, {{"in", Linear{1}, {}}, {"a", Linear{1}, {}}, {"sum", Add{}, {{"in", "a"}}}, {"end", Linear{1}, {}}});
  NetworkWeights weights(4);
  weights[0].values = {1};
  weights[1].values = weights[3].values = {1e200};
  const SampleInputs zero{1, 1, {0}};
  try {
    static_cast<void>(run(*make_backend("reference"), network, weights, zero, PatternKind::guaranteed, 8));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 2U);
    EXPECT_THAT(error.what(), HasSubstr("add 'sum': an element of the gradient with respect to the input of the block "
                                        "that ends here is "));
  }
}

}  // namespace
}  // namespace upsweep::validate_branches_test
