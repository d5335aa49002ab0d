#include "upsweep/jacobian/numeric_chain.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>

#include "support/jacobian_values.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep::numeric_chain_test {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Vector = std::vector<double>;

class NumericChainTest : public testing::SeededTest {
 protected:
  Vector normals(std::size_t count) {
    Vector numbers(count);
    for (double& number : numbers) number = normal();
    return numbers;
  }

  /// Random weights, some of them pruned.
  OperatorWeights pruned_weights(const Operator& op) {
    OperatorWeights weights = random_weights(op);
    if (!weight_shape(op.kind, op.in_shape)) return weights;
    weights.kept.clear();
    for (double& w : weights.values) {
      if (chance(0.4)) w = 0;
      weights.kept.push_back(w != 0 ? 1 : 0);
    }
    return weights;
  }

  /// Random weights, all of them kept.
  OperatorWeights random_weights(const Operator& op) {
    OperatorWeights weights;
    if (const auto shape = weight_shape(op.kind, op.in_shape)) {
      weights.values = normals(elements(*shape));
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

  NetworkWeights random_weights(const Network& network) {
    NetworkWeights weights;
    for (const Operator& op : network.operators())
      weights.push_back(chance(0.5) ? random_weights(op) : pruned_weights(op));
    return weights;
  }
};

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

/// A network with all that a chain is made of.
struct Setting {
  Network network = every_kind();
  NetworkWeights weights;
  std::vector<Vector> inputs;
  Vector gradient;
};

/// Links are numbered from the loss in a chain.
std::size_t link_of(const Setting& setting, std::size_t position) {
  return setting.network.links().size() - 1 - position;
}

CsrMatrix<double> jacobian_of(const Setting& setting, std::size_t position) {
  const std::size_t link = link_of(setting, position);
  const std::size_t o = setting.network.links()[link];
  return testing::jacobian_values(setting.network.operators()[o], setting.weights[o], setting.inputs[link]);
}

template <class T>
NumericChain<T> guaranteed(const Setting& setting) {
  return numeric_chain<T>(setting.network, setting.weights, setting.inputs,
                          guaranteed_chain(setting.network, setting.weights), setting.gradient);
}

class NumericChains : public NumericChainTest {
 protected:
  Setting random_setting() {
    Setting setting;
    setting.weights = random_weights(setting.network);
    setting.inputs = link_inputs(setting.network, setting.weights, normals(elements(setting.network.input())));
    setting.gradient = normals(7);
    return setting;
  }

  template <class T>
  void expect_jacobians(const Setting& setting) {
    const NumericChain<T> chain = guaranteed<T>(setting);
    ASSERT_EQ(chain.values.size(), setting.network.links().size());
    for (std::size_t i = 0; i < chain.values.size(); ++i) {
      SCOPED_TRACE(setting.network.operators()[setting.network.links()[link_of(setting, i)]].name);
      const CsrMatrix<double> wanted = jacobian_of(setting, i);
      EXPECT_EQ(chain.structure.jacobians[i]->to_csr(), wanted.pattern);
      EXPECT_EQ(chain.values[i], std::vector<T>(wanted.values.begin(), wanted.values.end()));
    }
    EXPECT_EQ(chain.gradient, std::vector<T>(setting.gradient.begin(), setting.gradient.end()));
  }
};

TEST_F(NumericChains, HaveTheJacobianOfEveryOperatorInTheGuaranteedPattern) {
  for (int round = 0; round < 3; ++round) {
    const Setting setting = random_setting();
    expect_jacobians<double>(setting);
    expect_jacobians<float>(setting);
  }
}

TEST_F(NumericChains, HaveTheSameNumbersAtTheEntriesOfTheSamplePatternAndLeaveOnlyZerosOut) {
  for (int round = 0; round < 3; ++round) {
    const Setting setting = random_setting();
    const NumericChain<double> chain =
        numeric_chain<double>(setting.network, setting.weights, setting.inputs,
                              SampleChains(setting.network, setting.weights).at(setting.inputs[0]), setting.gradient);
    std::size_t left_out = 0;
    for (std::size_t i = 0; i < chain.values.size(); ++i) {
      SCOPED_TRACE(setting.network.operators()[setting.network.links()[link_of(setting, i)]].name);
      const CsrMatrix<double> full = jacobian_of(setting, i);
      const CsrPattern part = chain.structure.jacobians[i]->to_csr();
      ASSERT_EQ(part.rows, full.pattern.rows);
      std::size_t at = 0;
      for (Index r = 0; r < part.rows; ++r) {
        for (std::uint64_t e = full.pattern.indptr[r]; e < full.pattern.indptr[r + 1]; ++e) {
          if (at < part.indptr[r + 1] && part.indices[at] == full.pattern.indices[e]) {
            EXPECT_EQ(chain.values[i][at++], full.values[e]);
          } else {
            EXPECT_EQ(full.values[e], 0) << "row " << r;
            ++left_out;
          }
        }
        ASSERT_EQ(at, part.indptr[r + 1]) << "an entry outside of the guaranteed pattern";
      }
    }
    EXPECT_GT(left_out, 0U) << "the patterns did not differ";
  }
}

TEST_F(NumericChains, HaveTheSameNumbersWhenTheirLinksAreFilledAgainWhateverStoodThere) {
  const Setting setting = random_setting();
  const NumericChain<float> wanted = guaranteed<float>(setting);
  NumericChain<float> chain = wanted;
  for (std::vector<float>& values : chain.values) values.assign(values.size(), std::nanf(""));
  for (std::size_t link = setting.network.links().size(); link-- > 0;) {
    fill_link(setting.network, setting.weights, setting.inputs, link, chain);
  }
  EXPECT_EQ(chain.values, wanted.values);
  NumericChain<float> bare = chain_without_values<float>(setting.network, wanted.structure, setting.gradient);
  EXPECT_EQ(bare.gradient, wanted.gradient);
  EXPECT_EQ(bare.values, std::vector<std::vector<float>>(wanted.values.size()));
  for (std::size_t link = 0; link < setting.network.links().size(); ++link) {
    fill_link(setting.network, setting.weights, setting.inputs, link, bare);
  }
  EXPECT_EQ(bare.values, wanted.values);
}

TEST_F(NumericChains, DoNotDependOnTheNumberOfThreads) {
  const Setting setting = random_setting();
  const NumericChain<double> many = guaranteed<double>(setting);
  const ThreadLimit one(1);
  EXPECT_EQ(guaranteed<double>(setting).values, many.values);
}

TEST_F(NumericChains, RefuseWhatDoesNotBelongTogether) {
  const Setting setting = random_setting();
  const JacobianChain structure = guaranteed_chain(setting.network, setting.weights);
  const auto make = [&](const std::vector<Vector>& inputs, const JacobianChain& chain, const Vector& gradient) {
    static_cast<void>(numeric_chain<double>(setting.network, setting.weights, inputs, chain, gradient));
  };
  EXPECT_NO_THROW(make(setting.inputs, structure, setting.gradient));
  EXPECT_THROW(make(setting.inputs, structure, Vector(6)), std::invalid_argument);
  std::vector<Vector> inputs = setting.inputs;
  inputs.pop_back();
  EXPECT_THROW(make(inputs, structure, setting.gradient), std::invalid_argument);
  inputs = setting.inputs;
  inputs[3].pop_back();
  EXPECT_THROW(make(inputs, structure, setting.gradient), std::invalid_argument);
  JacobianChain shorter = structure;
  shorter.jacobians.pop_back();
  EXPECT_THROW(make(setting.inputs, shorter, setting.gradient), std::invalid_argument);
}

TEST(FillJacobianValues, RefusesAPatternThatItsOperatorCannotHave) {
  const Operator op{"relu", Relu{}, {3}, {3}};
  const Pattern beside = Pattern::from_csr({3, 3, {0, 1, 3, 4}, {0, 0, 1, 2}});
  Vector values(4);
  EXPECT_THROW(fill_jacobian_values<double>(op, {}, Vector{1, 1, 1}, beside, values), std::invalid_argument);
  values.resize(2);
  EXPECT_THROW(fill_jacobian_values<double>(op, {}, Vector{1, 1, 1}, Pattern::diagonal(3), values),
               std::invalid_argument);
}

TEST(NumericChain, NamesTheOperatorWhoseDerivativeIsOutOfRange) {
  const Network network({1}, {{"small", Linear{1}, {}}, {"big", Linear{1}, {}}, {"end", Linear{1}, {}}});
  NetworkWeights weights(3);
  weights[0].values = weights[2].values = {1};
  weights[1].values = {1e39};
  const std::vector<Vector> inputs = link_inputs(network, weights, Vector{1});
  try {
    static_cast<void>(numeric_chain<float>(network, weights, inputs, guaranteed_chain(network, weights), Vector{1}));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_THAT(error.what(), HasSubstr("linear 'big'"));
    EXPECT_THAT(error.what(), HasSubstr("1e+39 was found, accepted are numbers of 3.4"));
  }
  const NumericChain<double> chain =
      numeric_chain<double>(network, weights, inputs, guaranteed_chain(network, weights), Vector{1});
  EXPECT_EQ(chain.values, (std::vector<Vector>{{1}, {1e39}, {1}}));
}

TEST(NumericChain, NamesTheLastOperatorWhereTheLossGradientIsOutOfRange) {
  const Network network({1}, {{"fc", Linear{1}, {}}, {"end", Relu{}, {}}});
  NetworkWeights weights(2);
  weights[0].values = {1};
  const JacobianChain structure = guaranteed_chain(network, weights);
  try {
    static_cast<void>(chain_without_values<float>(network, structure, Vector{-1e39}));
    FAIL() << "accepted";
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 1U);
    EXPECT_THAT(error.what(), HasSubstr("relu 'end': an element of the loss gradient: -1e+39 was found"));
  }
  EXPECT_EQ(chain_without_values<double>(network, structure, Vector{-1e39}).gradient, Vector{-1e39});
}

TEST(SoftmaxCrossEntropyGradient, EqualsHandComputedValues) {
  EXPECT_THAT(softmax_cross_entropy_gradient(Vector{0, std::log(3.0)}, 1),
              ElementsAre(DoubleEq(0.25), DoubleEq(-0.25)));
  EXPECT_THAT(softmax_cross_entropy_gradient(Vector{0, std::log(3.0)}, 0),
              ElementsAre(DoubleEq(-0.75), DoubleEq(0.75)));
  EXPECT_EQ(softmax_cross_entropy_gradient(Vector{5}, 0), Vector{0});
}

TEST(SoftmaxCrossEntropyGradient, DoesNotOverflow) {
  EXPECT_THAT(softmax_cross_entropy_gradient(Vector{1e4, -1e4, 1e4}, 1),
              ElementsAre(DoubleEq(0.5), DoubleEq(-1), DoubleEq(0.5)));
}

TEST_F(NumericChainTest, SoftmaxCrossEntropyGradientEqualsFiniteDifferences) {
  const auto loss = [](const Vector& output, std::size_t label) {
    double sum = 0;
    for (const double logit : output) sum += std::exp(logit);
    return std::log(sum) - output[label];
  };
  for (int round = 0; round < 20; ++round) {
    const Vector output = normals(between(1, 12));
    const std::size_t label = between(0, output.size() - 1);
    const Vector gradient = softmax_cross_entropy_gradient(output, label);
    ASSERT_EQ(gradient.size(), output.size());
    for (std::size_t i = 0; i < output.size(); ++i) {
      constexpr double kStep = 1e-5;
      Vector above = output;
      Vector below = output;
      above[i] += kStep;
      below[i] -= kStep;
      EXPECT_NEAR(gradient[i], (loss(above, label) - loss(below, label)) / (2 * kStep), 1e-8);
    }
  }
}

TEST(SoftmaxCrossEntropyGradient, RefusesALabelThatIsNoOutput) {
  try {
    static_cast<void>(softmax_cross_entropy_gradient(Vector(10), 10));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the label is 10, accepted are 0 to 9: the network has 10 outputs");
  }
}

/// Every entry of J^T of `op` beside its definition: number_of(row, column) of the weight, or nothing where there is
/// none.
template <class NumberOf>
void expect_entries(const Operator& op, const OperatorWeights& weights, const NumberOf& number_of) {
  SCOPED_TRACE(weights.kept.empty() ? "all weights" : "pruned");
  const Pattern pattern = guaranteed_pattern(op, weights);
  Vector values(pattern.nnz());
  fill_jacobian_values<double>(op, weights, Vector(elements(op.in_shape), 1.0), pattern, values);
  std::size_t next = 0;
  for (Index r = 0; r < pattern.rows(); ++r) {
    std::vector<Index> columns;
    pattern.row(r).for_each([&](Index column) { columns.push_back(column); });
    std::vector<Index> expected;
    for (Index c = 0; c < pattern.cols(); ++c) {
      const std::optional<std::size_t> number = number_of(r, c);
      if (!number || !weights.keeps(*number)) continue;
      expected.push_back(c);
      ASSERT_LT(next, values.size());
      ASSERT_EQ(values[next++], weights.values[*number]) << "row " << r << ", column " << c;
    }
    ASSERT_EQ(columns, expected) << "row " << r;
  }
  EXPECT_EQ(next, values.size());
}

class Definitions : public NumericChainTest {
 protected:
  template <class NumberOf>
  void expect_numbers(const Operator& op, const NumberOf& number_of) {
    OperatorWeights weights = random_weights(op);
    expect_entries(op, weights, number_of);
    weights.kept.assign(weights.values.size(), 1);
    expect_entries(op, weights, number_of);
    expect_entries(op, pruned_weights(op), number_of);
  }
};

TEST_F(Definitions, WideGroupsAreCutAmongThreads) {
  const std::size_t groups = 2;
  const std::size_t inputs = 300;  // of a group, and of both more than a thread takes at a time
  const std::size_t outputs = 200;
  const Operator op{"wide",
                    Conv2d{groups * outputs, {1, 1}, {1, 1}, {0, 0}, {1, 1}, groups},
                    {groups * inputs, 1, 1},
                    {groups * outputs, 1, 1}};
  expect_numbers(op, [&](Index r, Index c) -> std::optional<std::size_t> {
    if (r / inputs != c / outputs) return std::nullopt;
    return c * inputs + r % inputs;
  });
}

TEST_F(Definitions, LinearsOfOneAndOfSeveralVectorsHaveTheSameNumbers) {
  // No multiples of what is written together; rows and outputs of more than one tile.
  for (const auto& [inputs, outputs] : {std::pair{21, 5}, std::pair{2500, 70}}) {
    for (const Shape& leading : {Shape{}, Shape{3}}) {
      const std::size_t n = inputs;
      const std::size_t m = outputs;
      Shape in = leading;
      in.push_back(n);
      Shape out = leading;
      out.push_back(m);
      expect_numbers({"linear", Linear{m}, in, out}, [&](Index r, Index c) -> std::optional<std::size_t> {
        if (r / n != c / m) return std::nullopt;
        return c % m * n + r % n;
      });
    }
  }
}

/// The weight's position along an axis by which an input reaches an output: of a convolution that of the window of
/// `out`, of a transposed one that of the window of `in`.
std::optional<std::size_t> kernel_position(const Conv2d& conv, bool is_transposed, bool is_x, std::size_t in,
                                           std::size_t out) {
  const auto along = [is_x](const PerAxis& e) { return static_cast<std::ptrdiff_t>(is_x ? e.x : e.y); };
  const auto stride = along(conv.stride);
  const auto in_at = static_cast<std::ptrdiff_t>(in);
  const auto out_at = static_cast<std::ptrdiff_t>(out);
  const auto offset = (is_transposed ? out_at - in_at * stride : in_at - out_at * stride) + along(conv.padding);
  if (offset < 0 || offset % along(conv.dilation) != 0 || offset / along(conv.dilation) >= along(conv.kernel))
    return std::nullopt;
  return static_cast<std::size_t>(offset / along(conv.dilation));
}

TEST_F(Definitions, ConvolutionsHaveTheWeightOfEachWindow) {
  const Shape in = {6, 5, 4};
  for (const Conv2d& conv : {Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, Conv2d{4, {3, 2}, {2, 1}, {1, 1}, {1, 2}, 2},
                             Conv2d{6, {2, 3}, {1, 2}, {0, 1}, {2, 1}, 6}}) {
    for (const bool is_transposed : {false, true}) {
      const OperatorKind kind =
          is_transposed
              ? OperatorKind(ConvTranspose2d{
                    conv.out_channels, conv.kernel, conv.stride, conv.padding, {0, 0}, conv.dilation, conv.groups})
              : OperatorKind(conv);
      const Operator op{"convolution", kind, in, infer_shape(kind, in)};
      const std::size_t in_plane = in[1] * in[2];
      const std::size_t out_plane = op.out_shape[1] * op.out_shape[2];
      const std::size_t group_inputs = in[0] / conv.groups;
      const std::size_t group_outputs = op.out_shape[0] / conv.groups;
      expect_numbers(op, [&](Index r, Index c) -> std::optional<std::size_t> {
        const std::size_t input = r / in_plane;
        const std::size_t output = c / out_plane;
        if (input / group_inputs != output / group_outputs) return std::nullopt;
        const auto y =
            kernel_position(conv, is_transposed, false, r % in_plane / in[2], c % out_plane / op.out_shape[2]);
        const auto x = kernel_position(conv, is_transposed, true, r % in[2], c % op.out_shape[2]);
        if (!y || !x) return std::nullopt;
        return ((output * group_inputs + input % group_inputs) * conv.kernel.y + *y) * conv.kernel.x + *x;
      });
    }
  }
}

}  // namespace
}  // namespace upsweep::numeric_chain_test
