#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "solve/rounding_level.hpp"
#include "support/random.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/solve/iterate.hpp"
#include "upsweep/solve/residual.hpp"
#include "upsweep/solve/shifted_systems.hpp"
#include "upsweep/validate/direct_backprop.hpp"

namespace upsweep::network_gradients_test {
namespace {

using Vector = std::vector<double>;

/// All kinds of links: wide and narrow, elementwise ones alone, in pairs and at the end, pools.
Network small_network() {
  const std::vector<OperatorKind> kinds = {Conv2d{4, {3, 3}, {1, 1}, {1, 1}},
                                           BatchNorm2d{},
                                           Relu{},
                                           MaxPool2d{{2, 2}, {2, 2}},
                                           Conv2d{3, {2, 2}},
                                           LeakyRelu{0.2},
                                           Flatten{},
                                           Linear{10},
                                           Tanh{},
                                           Linear{6},
                                           Silu{},
                                           Linear{5},
                                           Sigmoid{}};
  std::vector<OperatorSpec> specs;
  for (const OperatorKind& kind : kinds) specs.push_back({fmt::format("op{}", specs.size()), kind, {}});
  return {{2, 6, 6}, specs};
}

class NetworkGradientsTest : public testing::SeededTest {
 protected:
  NetworkGradientsTest() : network_(small_network()) {
    for (const Operator& op : network_.operators()) {
      OperatorWeights weights;
      if (const auto shape = weight_shape(op.kind, op.in_shape)) {
        const auto inputs = static_cast<double>(elements(*shape)) / static_cast<double>((*shape)[0]);
        weights.values = normals(elements(*shape), 1.5 / std::sqrt(inputs));
        for (double& w : weights.values) {
          if (chance(0.3)) w = 0;
          weights.kept.push_back(w != 0 ? 1 : 0);
        }
        weights.bias = normals((*shape)[0], 0.1);
      }
      if (std::holds_alternative<BatchNorm2d>(op.kind)) {
        weights.values = normals(op.in_shape[0], 1);
        weights.bias = normals(op.in_shape[0], 1);
        weights.running_mean = normals(op.in_shape[0], 1);
        for (std::size_t c = 0; c < op.in_shape[0]; ++c) weights.running_var.push_back(0.5 + std::fabs(normal()));
      }
      weights_.push_back(std::move(weights));
    }
    inputs_ = link_inputs(network_, weights_, normals(elements(network_.input()), 1));
    gradient_ = normals(elements(network_.operators().back().out_shape), 1);
    direct_ = direct_backprop(network_, weights_, inputs_, gradient_).gradient;
  }

  Vector normals(std::size_t count, double deviation) {
    Vector numbers(count);
    for (double& number : numbers) number = deviation * normal();
    return numbers;
  }

  template <class T>
  NumericChain<T> chain(const std::vector<Vector>& inputs, bool sample = false) {
    JacobianChain structure =
        sample ? SampleChains(network_, weights_).at(inputs.front()) : guaranteed_chain(network_, weights_);
    return numeric_chain<T>(network_, weights_, inputs, std::move(structure), gradient_);
  }

  /// Compares block by block with direct back-propagation, relative to the largest element of each gradient.
  template <class T>
  void expect_direct(const BackwardSystem<T>& system, const std::vector<T>& v, double accepted) {
    for (std::size_t k = 0; k < system.blocks(); ++k) {
      const Vector& expected = direct_[system.shape().blocks[k].activation];
      const auto found = system.block(std::span<const T>(v), k);
      ASSERT_EQ(found.size(), expected.size());
      double largest = 1e-300;
      for (const double g : expected) largest = std::max(largest, std::fabs(g));
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(static_cast<double>(found[i]), expected[i], accepted * largest) << "block " << k;
    }
  }

  Network network_;
  NetworkWeights weights_;
  std::vector<Vector> inputs_;
  Vector gradient_;
  std::vector<Vector> direct_;
};

TEST_F(NetworkGradientsTest, BothFormsInBothPatternsAreDirectBackPropagation) {
  for (const bool sample : {false, true}) {
    for (const SystemForm form : {SystemForm::unit, SystemForm::scaled}) {
      const BackwardSystem<double> wide(chain<double>(inputs_, sample), form);
      expect_direct(wide, substitute(wide), 1e-11);
      EXPECT_TRUE(testing::is_at_rounding_level(residual<double>(wide, substitute(wide))));
      const BackwardSystem<float> narrow(chain<float>(inputs_, sample), form);
      expect_direct(narrow, substitute(narrow), 1e-3);
      EXPECT_TRUE(testing::is_at_rounding_level(residual<float>(narrow, substitute(narrow))));
    }
  }
  const auto unit = system_shape(guaranteed_chain(network_, weights_), SystemForm::unit);
  const auto scaled = system_shape(guaranteed_chain(network_, weights_), SystemForm::scaled);
  EXPECT_EQ(unit.couplings(), 11U);  // 12 links, that to the input is not used
  EXPECT_EQ(scaled.couplings(), 5U) << "conv1's output first, then the pool and four operators with weights";
}

TEST_F(NetworkGradientsTest, EveryMethodReachesDirectBackPropagation) {
  const BackwardSystem<double> system(chain<double>(inputs_), SystemForm::scaled);
  const IterateSettings<double> settings{.tolerance = 1e-10, .omega = 0.9, .reference = &direct_};
  for (const SolveMethod method : {SolveMethod::jacobi, SolveMethod::richardson, SolveMethod::bicgstab}) {
    for (const std::size_t group : {1U, 2U, 3U}) {
      const auto solution = hybrid_solve<double>(system, group, method, settings);
      const IterationPoint& last = solution.history.back();
      EXPECT_LT(last.error, 1e-4) << method_name(method, group);
      EXPECT_LE(last.residual, 1e-10);
      expect_direct(system, solution.v, last.error * (1 + 1e-6));
      if (method == SolveMethod::jacobi) {
        EXPECT_LE(solution.iterations, nilpotent_bound(system.shape(), group));
      }
    }
  }
}

TEST_F(NetworkGradientsTest, SamplesWithoutMaxPoolsShareTheirWeights) {
  const Network full = network_;
  std::vector<OperatorSpec> specs;
  NetworkWeights weights;
  for (std::size_t o = 7; o < full.operators().size(); ++o) {  // from the first linear on
    specs.push_back({full.operators()[o].name, full.operators()[o].kind, {}});
    weights.push_back(weights_[o]);
  }
  const Network tail(full.operators()[7].in_shape, specs);
  std::vector<DirectGradients> direct;
  std::optional<ShiftedSystems<double>> all;
  for (int sample = 0; sample < 3; ++sample) {
    const auto inputs = link_inputs(tail, weights, normals(elements(tail.input()), 1));
    const Vector gradient = normals(gradient_.size(), 1);
    direct.push_back(direct_backprop(tail, weights, inputs, gradient));
    const auto numbers = numeric_chain<double>(tail, weights, inputs, guaranteed_chain(tail, weights), gradient);
    if (all) {
      all->add(numbers);
    } else {
      all.emplace(numbers);
    }
  }
  const Vector solutions = all->substitute();
  for (std::size_t s = 0; s < 3; ++s) {
    direct_ = direct[s].gradient;
    const auto begin = solutions.begin() + static_cast<std::ptrdiff_t>(s * all->unknowns());
    expect_direct(all->system(s), Vector(begin, begin + static_cast<std::ptrdiff_t>(all->unknowns())), 1e-11);
  }
}

}  // namespace
}  // namespace upsweep::network_gradients_test
