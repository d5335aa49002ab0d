#include "upsweep/onnx/torch_operators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <sstream>

#include "support/random.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/validate/direct_backprop.hpp"

// Operators under PyTorch's names; reports/pytorch.md compares their numbers with PyTorch's.

namespace upsweep::torch_operators_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model parse(const std::string& input, const std::string& operators, Numbers numbers = Numbers::run) {
  std::istringstream in("input: " + input + "\ndtype: fp64\noperators:\n" + operators);
  return load_network(parse_yaml(in, "m.yaml"), numbers);
}

std::string refusal(const std::string& input, const std::string& operators) {
  return testing::refusal_of([&] { return parse(input, operators, Numbers::structure); });
}

/// An operator as a model file has it, at an input, and the shape of what it gives.
struct Case {
  const char* name;
  const char* input;
  const char* settings;  ///< without the inputs
  Shape out;
  int inputs = 1;  ///< the network's input, and tanh, sin, ... of it
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"abs", "[5]", "", {5}},
      {"adaptive_avg_pool1d", "[2, 5]", "output_size: 3", {2, 3}},
      {"adaptive_max_pool1d", "[2, 6]", "output_size: 3", {2, 3}},
      {"adaptive_max_pool2d", "[2, 6, 4]", "output_size: [3, 2]", {2, 3, 2}},
      {"add", "[2, 3]", "other: 0.5", {2, 3}},
      {"amax", "[2, 3, 2]", "dim: [2, 3]", {2}},
      {"amin", "[2, 3]", "dim: 1, keepdim: true", {1, 3}},
      {"avg_pool1d", "[2, 7]", "kernel: 3, stride: 2, padding: 1, ceil_mode: true, count_include_pad: false", {2, 4}},
      {"batchnorm1d", "[3, 4]", "", {3, 4}},
      {"bmm", "[4, 4]", "", {4, 4}, 2},
      {"cat", "[2, 3]", "dim: -1", {2, 6}, 2},
      {"celu", "[5]", "alpha: 1.5", {5}},
      {"channel_shuffle", "[6, 2, 2]", "groups: 3", {6, 2, 2}},
      {"clamp", "[6]", "min: -1, max: 1.5", {6}},
      {"conv1d", "[4, 7]", "out_channels: 6, kernel_size: 3, stride: 2, padding: 1, groups: 2", {6, 4}},
      {"conv_transpose1d", "[4, 5]", "out_channels: 2, kernel: 3, stride: 2, padding: 1, output_padding: 1", {2, 10}},
      {"cos", "[5]", "", {5}},
      {"div", "[2, 3]", "", {2, 3}, 2},
      {"einsum", "[3, 4]", "equation: 'bij,bkj->bik'", {3, 3}, 2},
      {"erf", "[5]", "", {5}},
      {"exp", "[5]", "", {5}},
      {"expand", "[3, 1]", "size: [-1, 4]", {3, 4}},
      {"flatten", "[2, 3, 4]", "start_dim: 2", {2, 12}},
      {"flip", "[2, 3]", "dims: [1, 2]", {2, 3}},
      {"glu", "[4, 3]", "dim: 1", {2, 3}},
      {"group_norm", "[4, 2, 3]", "num_groups: 2, eps: 0.01", {4, 2, 3}},
      {"gru", "[4, 3]", "hidden_size: 2, bidirectional: true", {4, 4}},
      {"hardsigmoid", "[5]", "", {5}},
      {"hardswish", "[5]", "", {5}},
      {"hardtanh", "[5]", "min_val: -0.5", {5}},
      {"identity", "[5]", "", {5}},
      {"index_select", "[4, 2]", "dim: 1, index: [3, 0, 3]", {3, 2}},
      {"instance_norm", "[3, 2, 3]", "affine: true", {3, 2, 3}},
      {"interpolate", "[2, 3, 4]", "scale_factor: [2, 1.5], mode: bicubic", {2, 6, 6}},
      {"layer_norm", "[3, 4]", "normalized_shape: 4", {3, 4}},
      {"local_response_norm", "[5, 2, 2]", "size: 4, alpha: 0.5, k: 2", {5, 2, 2}},
      {"log", "[5]", "", {5}},
      {"log_softmax", "[3, 4]", "dim: 1", {3, 4}},
      {"lp_pool1d", "[2, 6]", "norm_type: 2, kernel: 3, stride: 2", {2, 2}},
      {"lp_pool2d", "[2, 4, 4]", "norm_type: 3, kernel: 2", {2, 2, 2}},
      {"lstm", "[4, 3]", "hidden_size: 2", {4, 2}},
      {"matmul", "[2, 3, 3]", "", {2, 3, 3}, 2},
      {"max_pool1d", "[2, 7]", "kernel: 3, dilation: 2, stride: 1", {2, 3}},
      {"maximum", "[2, 3]", "", {2, 3}, 2},
      {"mean", "[2, 3, 4]", "dim: [2, -1], keepdim: true", {2, 1, 1}},
      {"minimum", "[2, 3]", "other: 0.7", {2, 3}},
      {"mish", "[5]", "", {5}},
      {"mul", "[2, 3]", "", {2, 3}, 2},
      {"narrow", "[5, 2]", "dim: 1, start: -3, length: 2", {2, 2}},
      {"neg", "[5]", "", {5}},
      {"norm", "[3, 4]", "dim: 2", {3}},
      {"pad", "[2, 3, 3]", "pad: [1, 2, 0, 1], mode: reflect", {2, 4, 6}},
      {"permute", "[2, 3, 4]", "dims: [0, 2, 3, 1]", {3, 4, 2}},
      {"pixel_shuffle", "[8, 2, 3]", "upscale_factor: 2", {2, 4, 6}},
      {"pixel_unshuffle", "[2, 4, 6]", "downscale_factor: 2", {8, 2, 3}},
      {"pow", "[5]", "exponent: 3", {5}},
      {"prelu", "[3, 4]", "num_parameters: 3", {3, 4}},
      {"prod", "[2, 3]", "dim: -1", {2}},
      {"reciprocal", "[5]", "", {5}},
      {"relu6", "[5]", "", {5}},
      {"rms_norm", "[3, 4]", "normalized_shape: [4]", {3, 4}},
      {"rnn", "[4, 3]", "hidden_size: 2, nonlinearity: relu", {4, 2}},
      {"roll", "[2, 4]", "shifts: [1, -1], dims: [1, 2]", {2, 4}},
      {"rsqrt", "[5]", "", {5}},
      {"scaled_dot_product_attention", "[2, 3, 4]", "", {2, 3, 4}, 3},
      {"select", "[4, 3]", "dim: 1, index: -1", {3}},
      {"selu", "[5]", "", {5}},
      {"sign", "[5]", "", {5}},
      {"sin", "[5]", "", {5}},
      {"slice", "[7, 2]", "dim: 1, start: 1, step: 2", {3, 2}},
      {"softmax", "[3, 4]", "dim: -1", {3, 4}},
      {"softplus", "[5]", "beta: 2", {5}},
      {"softsign", "[5]", "", {5}},
      {"sqrt", "[5]", "", {5}},
      {"square", "[5]", "", {5}},
      {"squeeze", "[3, 1, 2]", "dim: 2", {3, 2}},
      {"stack", "[2, 3]", "dim: 1", {2, 2, 3}, 2},
      {"sub", "[2, 3]", "", {2, 3}, 2},
      {"sum", "[2, 3]", "", {1}},
      {"tile", "[2, 3]", "dims: [2]", {2, 6}},
      {"transpose", "[2, 3, 4]", "dim0: 1, dim1: -1", {4, 3, 2}},
      {"unflatten", "[6, 2]", "dim: 1, sizes: [2, 3]", {2, 3, 2}},
      {"unsqueeze", "[3]", "dim: 1", {1, 3}},
  };
  return all;
}

/// What may be 0 or less where the operator needs a positive number goes through exp before.
bool needs_positive(const std::string& name) {
  return std::set<std::string>{"log", "sqrt", "rsqrt", "div"}.contains(name);
}

Model model_of(const Case& one) {
  const std::string before = needs_positive(one.name) ? "exp" : "identity";
  std::string operators = "  - " + before + ": {name: x}\n";
  std::string inputs = "x";
  const char* others[] = {"tanh", "sin"};
  for (int k = 1; k < one.inputs; ++k) {
    operators += std::string("  - ") + others[k - 1] + ": {name: x" + std::to_string(k) + ", inputs: [x]}\n";
    inputs += ", x" + std::to_string(k);
  }
  const std::string settings = one.settings;
  operators += std::string("  - ") + one.name + ": {name: op, inputs: [" + inputs + "]" +
               (settings.empty() ? "" : ", ") + settings + "}\n  - sin: {name: last}\n";
  return parse(one.input, operators);
}

TEST(TorchOperators, EachIsTriedHere) {
  std::set<std::string> tried;
  for (const Case& one : cases()) tried.insert(one.name);
  for (const TorchOperator& one : torch_operators()) EXPECT_TRUE(tried.contains(one.name)) << one.name;
}

TEST(TorchOperators, GiveTheShapesThatPyTorchGives) {
  for (const Case& one : cases()) {
    const Model model = model_of(one);
    EXPECT_EQ(model.network.operators().back().out_shape, one.out) << one.name;
  }
}

class TorchOperatorValues : public testing::SeededTest {
 protected:
  static double loss(const Model& model, const std::vector<double>& x, const std::vector<double>& gradient) {
    const std::vector<double> out = activations(model.network, model.weights, x).back();
    double sum = 0;
    for (std::size_t i = 0; i < out.size(); ++i) sum += gradient[i] * out[i];
    return sum;
  }
  std::vector<double> apart(std::size_t count) {
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i)
      x.push_back(0.2 + 2.1 * static_cast<double>(i) / static_cast<double>(count));
    for (std::size_t i = count; i > 1; --i) std::swap(x[i - 1], x[between(0, i - 1)]);
    for (double& number : x) number = chance(0.5) ? number : -number;
    return x;
  }
};

TEST_F(TorchOperatorValues, ChainAndOracleEqualDifferences) {
  for (const Case& one : cases()) {
    const Model model = model_of(one);
    const std::vector<double> x = apart(elements(model.network.input()));
    const std::vector<double> upstream = apart(elements(model.network.operators().back().out_shape));
    const auto inputs = link_inputs(model.network, model.weights, x);
    const DirectGradients direct = direct_backprop(model.network, model.weights, inputs, upstream);
    const auto chain = numeric_chain<double>(model.network, model.weights, inputs,
                                             guaranteed_chain(model.network, model.weights), upstream);
    std::vector<double> handed = upstream;
    for (std::size_t i = 0; i < chain.structure.jacobians.size(); ++i) {
      const Pattern& pattern = *chain.structure.jacobians[i];
      std::vector<double> next(pattern.rows(), 0.0);
      std::size_t at = 0;
      for (Index r = 0; r < pattern.rows(); ++r)
        pattern.row(r).for_each([&](Index c) { next[r] += chain.values[i][at++] * handed[c]; });
      handed = next;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      constexpr double kStep = 1e-6;
      std::vector<double> more = x, less = x;
      more[i] += kStep;
      less[i] -= kStep;
      const double want = (loss(model, more, upstream) - loss(model, less, upstream)) / (2 * kStep);
      EXPECT_NEAR(handed[i], want, 2e-5 * (1 + std::fabs(want))) << one.name << ", element " << i;
      EXPECT_NEAR(direct.gradient[0][i], handed[i], 1e-9 * (1 + std::fabs(want))) << one.name << ", element " << i;
      EXPECT_GE(direct.magnitude[0][i], std::fabs(direct.gradient[0][i]) * (1 - 1e-12)) << one.name;
    }
  }
}

TEST(TorchOperators, KeepTheirNamesAndNameWhatTheyAreMadeOf) {
  const Model model = parse("[2, 3]", R"(
  - permute: {name: turned, dims: [0, 2, 1]}
  - layer_norm: {name: norm, normalized_shape: 2}
  - conv1d: {name: conv, out_channels: 2, kernel: 1}
  - squeeze: {dim: 1}
)");
  std::vector<std::string> names;
  for (const Operator& op : model.network.operators()) names.push_back(kind_name(op.kind) + " " + op.name);
  EXPECT_THAT(names, ElementsAre("index_map turned", "grouped norm", "reshape norm.view", "conv2d conv",
                                 "reshape conv.view", "reshape squeeze4"));
}

TEST(TorchOperators, GiveKindsTheirOwnNamesAndPyTorchsKernels) {
  const Model model = parse("[2, 8, 8]", R"(
  - max_pool2d: {kernel_size: 2}
  - avg_pool2d: {kernel_size: 2, stride: 2}
  - adaptive_avg_pool2d: {output_size: 1}
)");
  const std::vector<Operator>& operators = model.network.operators();
  EXPECT_EQ(canonical_text(operators[0].kind), canonical_text(MaxPool2d{{2, 2}, {2, 2}}));
  EXPECT_EQ(kind_name(operators[1].kind), "avgpool2d");
  EXPECT_EQ(kind_name(operators[2].kind), "adaptive_avgpool2d");
}

TEST(TorchOperators, NumbersInTheListAreThere) {
  const Model model = parse("[2]", "  - mul: {other: 3}\n  - add: {other: -1}\n  - prelu: {init: 0.5}\n");
  EXPECT_THAT(activations(model.network, model.weights, std::vector<double>{2, -2}).back(), ElementsAre(5, -3.5));
  const Model other = parse("[2]", "  - mul: {other: 4}\n  - add: {other: -1}\n  - prelu: {init: 0.5}\n");
  EXPECT_NE(model.content_hash, other.content_hash);
}

TEST(TorchOperators, AddsAreBroadcastAmongThem) {
  const Model model = parse("[2, 3]", R"(
  - identity: {name: x}
  - mean: {name: m, dim: 2, keepdim: true}
  - add: {inputs: [x, m]}
)");
  EXPECT_EQ(model.network.operators().back().out_shape, (Shape{2, 3}));
}

TEST(TorchOperators, AreRefusedWithLineAndWhatIsAccepted) {
  EXPECT_THAT(refusal("[2, 3]", "  - relu\n  - softmax: {dim: 0}\n"),
              HasSubstr("m.yaml:5: softmax 'softmax2': its dim is 0, accepted are 1 to 2 or -1 to -2"));
  EXPECT_THAT(refusal("[2, 3]", "  - softmax\n"), HasSubstr("softmax 'softmax1' has no key 'dim'"));
  EXPECT_THAT(refusal("[2, 3]", "  - softmax: {dim: 1, axis: 2}\n"), HasSubstr("m.yaml:4: unknown key 'axis'"));
  EXPECT_THAT(refusal("[2, 3]", "  - mul\n"),
              HasSubstr("mul 'mul1': it has neither or both of two inputs and `other`"));
  EXPECT_THAT(refusal("[2, 3]", "  - bmm: {inputs: [input]}\n"),
              HasSubstr("bmm 'bmm1': it reads 1 activations, accepted are 2"));
  EXPECT_THAT(refusal("[2, 3]", "  - layer_norm: {normalized_shape: [2]}\n"),
              HasSubstr("its normalized_shape is [2], accepted are the last sizes of [2, 3]"));
  EXPECT_THAT(
      refusal("[2, 3]", "  - tanh: {name: a}\n  - mean: {name: b, inputs: [a], dim: 1}\n  - tanh: {inputs: [a]}\n"),
      HasSubstr("m.yaml:5: mean 'b' ends nowhere"));
  EXPECT_THAT(refusal("[2, 3]", "  - mean: {name: b, inputs: [c]}\n"), HasSubstr("mean 'b': its input 'c' is not in"));
  EXPECT_THAT(refusal("[2, 3]", "  - topk\n"), HasSubstr("'topk' is not modelled, accepted are"));
}

}  // namespace
}  // namespace upsweep::torch_operators_test
