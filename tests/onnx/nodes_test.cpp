#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <set>

#include "support/files.hpp"
#include "support/onnx_file.hpp"
#include "support/refusal.hpp"
// After the settings of onnx_file.hpp.
#include <onnx/checker.h>
#include <onnx/shape_inference/implementation.h>

#include "support/random.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/onnx/import.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/validate/direct_backprop.hpp"

// Numbers of nodes of ONNX files; reports/pytorch.md compares exported networks with PyTorch.

namespace upsweep::onnx_nodes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OnnxFile;
using ::testing::Pointwise;
using testing::set;
using Vector = std::vector<double>;
using Integers = std::vector<std::int64_t>;

MATCHER(IsNear, "") {
  return std::fabs(std::get<0>(arg) - std::get<1>(arg)) < 1e-6 * (1 + std::fabs(std::get<1>(arg)));
}

class OnnxNodes : public testing::SeededTest {
 protected:
  OnnxNetwork read(const OnnxFile& file) {
    file.save(folder_.path("net.onnx"));
    return import_onnx(folder_.path("net.onnx"), {}, true);
  }
  /// The shape that libonnx infers of the output, without axes of one element; nothing for opsets that it does not
  /// know.
  static std::optional<Shape> standard_shape(OnnxFile file) {
    onnx::ModelProto& model = file.model();
    if (model.opset_import(0).version() > 17) return std::nullopt;
    model.mutable_graph()->set_name("net");
    auto* type = model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    onnx::shape_inference::InferShapes(model);
    if (!type->has_shape()) return std::nullopt;
    onnx::checker::check_model(model);
    Shape shape;
    for (const auto& axis : type->shape().dim()) {
      if (!axis.has_dim_value()) return std::nullopt;
      if (axis.dim_value() != 1) shape.push_back(static_cast<std::uint64_t>(axis.dim_value()));
    }
    return shape;
  }
  std::string refusal(const OnnxFile& file) {
    return testing::refusal_of([&] { return read(file); });
  }
  /// The output, whose gradients are checked against differences on the way.
  Vector output(const OnnxFile& file, const Vector& x) {
    const OnnxNetwork net = read(file);
    const Network network(net.input, net.specs);
    if (const std::optional<Shape> standard = standard_shape(file)) {
      Shape mine = network.operators().back().out_shape;
      std::erase(mine, 1U);
      EXPECT_EQ(elements(mine), elements(*standard)) << to_string(mine) << " and " << to_string(*standard);
      ++compared_shapes_;
    }
    const Vector out = activations(network, net.weights, x).back();
    Vector upstream(out.size());
    for (double& number : upstream) number = normal();
    const auto gradients = direct_backprop(network, net.weights, link_inputs(network, net.weights, x), upstream);
    const auto loss = [&](const Vector& at) {
      const Vector y = activations(network, net.weights, at).back();
      double sum = 0;
      for (std::size_t i = 0; i < y.size(); ++i) sum += upstream[i] * y[i];
      return sum;
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vector more = x, less = x;
      more[i] += 1e-6;
      less[i] -= 1e-6;
      const double want = (loss(more) - loss(less)) / 2e-6;
      EXPECT_NEAR(gradients.gradient[0][i], want, 2e-5 * (1 + std::fabs(want))) << "element " << i;
    }
    return out;
  }
  std::vector<float> numbers(std::size_t count) {
    std::vector<float> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<float>(normal()));
    return all;
  }
  Vector inputs(std::size_t count) {
    Vector all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(normal());
    return all;
  }
  /// A node at an input of this shape, with constants.
  OnnxFile one(const char* type, const Integers& dims, const std::vector<std::string>& more = {}) {
    OnnxFile file(17);
    Integers shape = dims;
    shape.insert(shape.begin(), 1);
    file.input("x", shape).output("y");
    std::vector<std::string> names = {"x"};
    names.insert(names.end(), more.begin(), more.end());
    node_ = &file.node(type, names, "y");
    return file;
  }

  testing::TemporaryFolder folder_;
  onnx::NodeProto* node_ = nullptr;
  int compared_shapes_ = 0;
};

void set_text(onnx::NodeProto& node, const char* name, const std::string& text) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::STRING);
  attribute->set_s(text);
}
void set_number(onnx::NodeProto& node, const char* name, float number) {
  auto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(onnx::AttributeProto::FLOAT);
  attribute->set_f(number);
}

TEST_F(OnnxNodes, ProductsWithAConstantForEachOfABatch) {
  const std::vector<float> c = numbers(2 * 3 * 4);
  const Vector x = inputs(2 * 5 * 3);
  OnnxFile right = one("MatMul", {2, 5, 3}, {"c"});
  right.floats("c", {1, 2, 3, 4}, c);
  Vector want;
  for (std::size_t e = 0; e < 40; ++e) {
    const std::size_t b = e / 20, i = e / 4 % 5, j = e % 4;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += x[(b * 5 + i) * 3 + k] * double{c[(b * 3 + k) * 4 + j]};
    want.push_back(sum);
  }
  EXPECT_THAT(output(right, x), Pointwise(IsNear(), want));
  OnnxFile left(17);
  left.input("x", {1, 2, 3, 5}).floats("c", {1, 2, 4, 3}).output("y");
  left.node("MatMul", {"c", "x"}, "y");
  const Vector y = output(left, x);
  for (std::size_t e = 0; e < 40; ++e) {
    const std::size_t b = e / 20, i = e / 5 % 4, j = e % 5;
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += 0.01 * static_cast<double>((b * 4 + i) * 3 + k + 1) * x[(b * 3 + k) * 5 + j];
    EXPECT_NEAR(y[e], sum, 1e-6);
  }
}

TEST_F(OnnxNodes, EinsumsOfConstantsAndOfSeveralFactors) {
  const std::vector<float> c = numbers(2 * 3 * 4);
  const Vector x = inputs(2 * 5 * 3);
  const auto einsum = [&](const std::string& equation, const std::vector<std::string>& names) {
    OnnxFile file(17);
    file.input("x", {1, 2, 5, 3}).floats("c", {2, 3, 4}, c).output("y");
    set_text(file.node("Einsum", names, "y"), "equation", equation);
    return file;
  };
  const auto x_at = [&](std::size_t h, std::size_t i, std::size_t k) { return x[(h * 5 + i) * 3 + k]; };
  const auto c_at = [&](std::size_t h, std::size_t k, std::size_t j) { return double{c[(h * 3 + k) * 4 + j]}; };
  Vector batched, shared, alone(3, 0.0), cubic(5, 0.0);
  for (std::size_t h = 0; h < 2; ++h) {
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) sum += x_at(h, i, k) * c_at(h, k, j);
        batched.push_back(sum);
      }
      for (std::size_t k = 0; k < 3; ++k) {
        alone[k] += x_at(h, i, k);
        for (std::size_t j = 0; j < 4; ++j) cubic[i] += x_at(h, i, k) * c_at(h, k, j) * x_at(h, i, k);
      }
    }
  }
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double sum = 0;
      for (std::size_t h = 0; h < 2; ++h) {
        for (std::size_t k = 0; k < 3; ++k) sum += x_at(h, i, k) * c_at(h, k, j);
      }
      shared.push_back(sum);
    }
  }
  EXPECT_THAT(output(einsum("bhik,hkj->bhij", {"x", "c"}), x), Pointwise(IsNear(), batched));
  EXPECT_THAT(output(einsum("hkj,bhik->bhij", {"c", "x"}), x), Pointwise(IsNear(), batched));
  EXPECT_THAT(output(einsum("bhik,hkj->bij", {"x", "c"}), x), Pointwise(IsNear(), shared));
  EXPECT_THAT(output(einsum("bhik->bk", {"x"}), x), Pointwise(IsNear(), alone));
  EXPECT_THAT(output(einsum("bhik, hkj, bhik -> bi", {"x", "c", "x"}), x), Pointwise(IsNear(), cubic));
  EXPECT_THAT(refusal(einsum("bhii->bh", {"x"})), HasSubstr("accepted are distinct letters"));
}

TEST_F(OnnxNodes, AveragesWithPaddingOnOneSideThatDoesNotCount) {
  OnnxFile file = one("AveragePool", {1, 3, 3});
  set(*node_, "kernel_shape", Integers{2, 2});
  set(*node_, "pads", Integers{0, 0, 1, 1});
  EXPECT_THAT(output(file, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
              Pointwise(IsNear(), Vector{3, 4, 4.5, 6, 7, 7.5, 7.5, 8.5, 9}));
}

TEST_F(OnnxNodes, TransposedConvolutionsOfAStatedSize) {
  const auto with = [&](const auto& settings) {
    OnnxFile file = one("ConvTranspose", {1, 1, 3}, {"w"});
    file.floats("w", {1, 1, 1, 3}, {{1, 10, 100}});
    set(*node_, "strides", Integers{1, 2});
    settings(*node_);
    return file;
  };
  // Without padding 1 10 102 20 203 30 300.
  EXPECT_THAT(output(with([](auto& node) {
                       set(node, "pads", Integers{0, 0, 0, 1});
                     }),
                     {1, 2, 3}),
              ElementsAre(1, 10, 102, 20, 203, 30));
  EXPECT_THAT(output(with([](auto& node) {
                       set(node, "output_shape", Integers{1, 6});
                     }),
                     {1, 2, 3}),
              ElementsAre(10, 102, 20, 203, 30, 300));
  const auto same = [](const char* rule) {
    return [rule](auto& node) { set_text(node, "auto_pad", std::string(rule)); };
  };
  EXPECT_THAT(output(with(same("SAME_UPPER")), {1, 2, 3}), ElementsAre(1, 10, 102, 20, 203, 30));
  EXPECT_THAT(output(with(same("SAME_LOWER")), {1, 2, 3}), ElementsAre(10, 102, 20, 203, 30, 300));
}

TEST_F(OnnxNodes, LocalResponsesOfEvenAndOddWindows) {
  for (const std::int64_t size : {1, 3, 4}) {
    OnnxFile file = one("LRN", {5, 1, 2});
    set(*node_, "size", size);
    set_number(*node_, "alpha", 0.5F);
    set_number(*node_, "beta", 0.75F);
    set_number(*node_, "bias", 2);
    const Vector x = inputs(10);
    Vector want;
    for (std::int64_t e = 0; e < 10; ++e) {
      double sum = 0;
      for (std::int64_t c = 0; c < 5; ++c) {
        const bool is_near = c >= e / 2 - (size - 1) / 2 && c <= e / 2 + size / 2;
        const double other = x[static_cast<std::size_t>(2 * c + e % 2)];
        if (is_near) sum += other * other;
      }
      want.push_back(x[static_cast<std::size_t>(e)] * std::pow(2 + 0.5 / static_cast<double>(size) * sum, -0.75));
    }
    EXPECT_THAT(output(file, x), Pointwise(IsNear(), want)) << size;
  }
}

TEST_F(OnnxNodes, BoundsPowersAndSumsWithConstants) {
  OnnxFile least = one("Min", {2, 3}, {"c"});
  least.floats("c", {3}, {{0.5, -1, 2}});
  EXPECT_THAT(output(least, {1, 2, 3, -4, -5, 6}), ElementsAre(0.5, -1, 2, -4, -5, 2));
  OnnxFile largest = one("Max", {3}, {"c", "d"});
  largest.floats("c", {3}, {{0.5, -1, 2}}).floats("d", {}, {{1}});
  EXPECT_THAT(output(largest, {0.75, 2, -3}), ElementsAre(1, 2, 2));
  OnnxFile sum(17);
  sum.input("x", {1, 2}).floats("c", {}, {{1}}).floats("d", {2}, {{2, 3}}).output("y");
  sum.node("Sum", {"c", "d", "x"}, "s");
  sum.node("Neg", {"s"}, "y");
  EXPECT_THAT(output(sum, {10, 20}), ElementsAre(-13, -24));
  OnnxFile power(17);
  power.input("x", {1, 2}).floats("c", {}, {{2}}).output("y");
  power.node("Pow", {"c", "x"}, "y");
  EXPECT_THAT(output(power, {3, -1}), Pointwise(IsNear(), Vector{8, 0.5}));
}

TEST_F(OnnxNodes, MishOfThreeNodesIsOne) {
  OnnxFile file(17);
  file.input("x", {1, 3}).output("y");
  file.node("Softplus", {"x"}, "s");
  file.node("Tanh", {"s"}, "t");
  file.node("Mul", {"x", "t"}, "y");
  const OnnxNetwork net = read(file);
  ASSERT_EQ(net.specs.size(), 1U);
  EXPECT_EQ(canonical_text(net.specs[0].kind), canonical_text(Activation{Function::mish}));
}

TEST_F(OnnxNodes, ReductionsAndNormalisations) {
  const Vector x = {1, -2, 3, -4, 5, -6};
  const auto reduce = [&](const char* type) {
    OnnxFile file = one(type, {2, 3});
    set(*node_, "axes", Integers{-1});
    set(*node_, "keepdims", 0);
    return output(file, x);
  };
  EXPECT_THAT(reduce("ReduceL1"), ElementsAre(6, 15));
  EXPECT_THAT(reduce("ReduceL2"), Pointwise(IsNear(), Vector{std::sqrt(14.0), std::sqrt(77.0)}));
  EXPECT_THAT(reduce("ReduceProd"), ElementsAre(-6, 120));
  EXPECT_THAT(reduce("ReduceSumSquare"), Pointwise(IsNear(), Vector{14, 77}));
  EXPECT_THAT(reduce("ReduceMin"), ElementsAre(-2, -6));
  EXPECT_THAT(reduce("ReduceLogSumExp"),
              Pointwise(IsNear(), Vector{std::log(std::exp(1) + std::exp(-2) + std::exp(3)),
                                         std::log(std::exp(-4) + std::exp(5) + std::exp(-6))}));
  OnnxFile instance = one("InstanceNormalization", {2, 3}, {"s", "b"});
  instance.floats("s", {2}, {{1, 2}}).floats("b", {2}, {{0, 1}});
  set_number(*node_, "epsilon", 0);
  const Vector y = output(instance, x);
  const double deviation = std::sqrt((1.0 / 9 + 64.0 / 9 + 49.0 / 9) / 3);
  EXPECT_NEAR(y[0], 1 / 3.0 / deviation, 1e-6);
  EXPECT_NEAR(y[1], -8 / 3.0 / deviation, 1e-6);
}

TEST_F(OnnxNodes, LinearResizeOfASequenceAndWithAxes) {
  OnnxFile file(18);
  file.input("x", {1, 1, 2}).floats("s", {1}, {{2}}).output("y");
  auto& node = file.node("Resize", {"x", "", "s"}, "y");
  set(node, "axes", Integers{2});
  set_text(node, "mode", std::string("linear"));
  EXPECT_THAT(output(file, {1, 5}), ElementsAre(1, 2, 4, 5));
}

TEST_F(OnnxNodes, NearestResizeHitsWholePlacesExactly) {
  OnnxFile file = one("Resize", {1, 6}, {"", "", "n"});
  file.integers("n", {1, 1, 14});
  set_text(*node_, "coordinate_transformation_mode", std::string("asymmetric"));
  set_text(*node_, "nearest_mode", std::string("floor"));
  file.node("Neg", {"y"}, "z");
  file.graph().mutable_output(0)->set_name("z");
  EXPECT_THAT(output(file, {0, 1, 2, 3, 4, 5}), ElementsAre(0, 0, 0, -1, -1, -2, -2, -3, -3, -3, -4, -4, -5, -5));
}

/// A recurrent node with weights of its own gate order.
class OnnxRecurrent : public OnnxNodes {
 protected:
  OnnxFile recurrent(const char* type, std::int64_t gates, const char* direction = "forward") {
    const std::int64_t directions = direction == std::string("bidirectional") ? 2 : 1;
    w_ = numbers(static_cast<std::size_t>(directions * gates * 2 * 3));
    r_ = numbers(static_cast<std::size_t>(directions * gates * 2 * 2));
    b_ = numbers(static_cast<std::size_t>(directions * gates * 4));
    OnnxFile file(17);
    file.input("x", {1, 4, 3}).floats("w", {directions, gates * 2, 3}, w_).floats("r", {directions, gates * 2, 2}, r_);
    file.floats("b", {directions, gates * 4}, b_).output("z");
    set(file.node("Transpose", {"x"}, "t"), "perm", Integers{1, 0, 2});
    node_ = &file.node(type, {"t", "w", "r", "b"}, "y");
    set(*node_, "hidden_size", 2);
    set_text(*node_, "direction", std::string(direction));
    file.node("Neg", {"y"}, "z");
    return file;
  }
  /// Sum of a gate of the file, by its row.
  [[nodiscard]] double sum(std::size_t row, const double* x, const Vector& h, bool with_state = true) const {
    double total = double{b_[row]};
    for (std::size_t f = 0; f < 3; ++f) total += double{w_[row * 3 + f]} * x[f];
    return with_state ? total + from_state(row, h) : total;
  }
  [[nodiscard]] double from_state(std::size_t row, const Vector& h) const {
    return double{b_[b_.size() / 2 + row]} + double{r_[row * 2]} * h[0] + double{r_[row * 2 + 1]} * h[1];
  }

  std::vector<float> w_, r_, b_;
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST_F(OnnxRecurrent, LstmsGiveTheStandardsNumbers) {
  const OnnxFile file = recurrent("LSTM", 4);
  const Vector x = inputs(12);
  Vector want, h(2, 0.0), c(2, 0.0);
  for (std::size_t t = 0; t < 4; ++t) {
    Vector next(2);
    for (std::size_t j = 0; j < 2; ++j) {
      const auto gate = [&](std::size_t g) { return sum(2 * g + j, &x[3 * t], h); };  // i, o, f, c
      c[j] = logistic(gate(2)) * c[j] + logistic(gate(0)) * std::tanh(gate(3));
      next[j] = logistic(gate(1)) * std::tanh(c[j]);
      want.push_back(-next[j]);
    }
    h = next;
  }
  EXPECT_THAT(output(file, x), Pointwise(IsNear(), want));
}

TEST_F(OnnxRecurrent, GrusGiveTheStandardsNumbersWithEitherReset) {
  for (const std::int64_t before : {0, 1}) {
    const OnnxFile file = recurrent("GRU", 3);
    set(*node_, "linear_before_reset", before);
    const Vector x = inputs(12);
    Vector want, h(2, 0.0);
    for (std::size_t t = 0; t < 4; ++t) {
      Vector next(2), kept(2);
      for (std::size_t j = 0; j < 2; ++j) kept[j] = logistic(sum(2 + j, &x[3 * t], h)) * h[j];
      for (std::size_t j = 0; j < 2; ++j) {
        const double z = logistic(sum(j, &x[3 * t], h));
        const double r = logistic(sum(2 + j, &x[3 * t], h));
        const double state = before != 0 ? r * from_state(4 + j, h) : from_state(4 + j, kept);
        next[j] = (1 - z) * std::tanh(sum(4 + j, &x[3 * t], h, false) + state) + z * h[j];
        want.push_back(-next[j]);
      }
      h = next;
    }
    EXPECT_THAT(output(file, x), Pointwise(IsNear(), want)) << before;
  }
}

TEST_F(OnnxRecurrent, RnnsOfBothDirections) {
  const OnnxFile file = recurrent("RNN", 1, "bidirectional");
  const Vector x = inputs(12);
  const Vector y = output(file, x);  // [steps, directions, 1, hidden]
  Vector h(2, 0.0);
  for (std::size_t t = 0; t < 4; ++t) {
    Vector next(2);
    for (std::size_t j = 0; j < 2; ++j) {
      double total = double{b_[j]} + double{b_[2 + j]};
      for (std::size_t f = 0; f < 3; ++f) total += double{w_[j * 3 + f]} * x[3 * t + f];
      for (std::size_t i = 0; i < 2; ++i) total += double{r_[j * 2 + i]} * h[i];
      next[j] = std::tanh(total);
      EXPECT_NEAR(y[4 * t + j], -next[j], 1e-6);
    }
    h = next;
  }
  double total = double{b_[4]} + double{b_[6]};  // the last step is the other direction's first
  for (std::size_t f = 0; f < 3; ++f) total += double{w_[6 + f]} * x[9 + f];
  EXPECT_NEAR(y[14], -std::tanh(total), 1e-6);
}

TEST_F(OnnxRecurrent, SettingsThatAreNotModelledAreRefused) {
  OnnxFile clip = recurrent("RNN", 1);
  set_number(*node_, "clip", 1);
  EXPECT_THAT(refusal(clip), HasSubstr("clip or input_forget"));
  OnnxFile function = recurrent("GRU", 3);
  auto* attribute = node_->add_attribute();
  attribute->set_name("activations");
  attribute->add_strings("Sigmoid");
  attribute->add_strings("Affine");
  EXPECT_THAT(refusal(function), HasSubstr("function 'Affine'"));
  OnnxFile first = recurrent("RNN", 1);
  first.floats("h", {1, 1, 2});
  node_->add_input("");
  node_->add_input("h");
  EXPECT_THAT(refusal(first), HasSubstr("first states that are not 0"));
  OnnxFile shape = recurrent("GRU", 3);
  node_->set_input(1, "r");
  EXPECT_THAT(refusal(shape), HasSubstr("a weight of shape [1, 6, 2], accepted is [1, 6, 3]"));
}

TEST(RecurrentLayers, GiveTheStatesOfRecurrentModels) {
  for (const CellKind cell : {CellKind::rnn, CellKind::gru}) {
    CellWeights<double> cells = initial_weights<double>({cell, Nonlinearity::tanh, 3, 2, 1}, 5);
    Recurrence kind{cell == CellKind::gru ? RecurrentCell::gru : RecurrentCell::rnn, 2};
    OperatorWeights weights;
    for (std::size_t row = 0; row < kind.gates() * 2; ++row) {
      weights.values.insert(weights.values.end(), &cells.w_ih[row * 3], &cells.w_ih[row * 3] + 3);
      weights.values.insert(weights.values.end(), &cells.w_hh[row * 2], &cells.w_hh[row * 2] + 2);
    }
    weights.bias = cells.b_ih;
    weights.bias.insert(weights.bias.end(), cells.b_hh.begin(), cells.b_hh.end());
    Vector x;
    for (int i = 0; i < 15; ++i) x.push_back(std::sin(i));
    const ForwardStates<double> states = run_forward<double>(cells, x, 5, 1);
    const std::vector<Shape> in = {{5, 3}};
    const Operator op{"op", kind, in[0], infer_shape(kind, in)};
    EXPECT_THAT(forward(op, weights, x), Pointwise(IsNear(), Vector(states.hidden.begin() + 2, states.hidden.end())));
  }
}

TEST_F(OnnxNodes, OutputsThatAreNotModelledAreRefusedWhereTheyAreRead) {
  OnnxFile file = one("MaxPool", {1, 4, 4});
  set(*node_, "kernel_shape", Integers{2, 2});
  node_->add_output("i");
  file.node("Neg", {"i"}, "z");
  file.graph().mutable_output(0)->set_name("z");
  EXPECT_THAT(refusal(file), HasSubstr("its input 'i' is an output that is not modelled"));
}

}  // namespace
}  // namespace upsweep::onnx_nodes_test
