#include "upsweep/onnx/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"
#include "support/onnx_file.hpp"
#include "support/sanitized.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/jacobian/forward.hpp"

namespace upsweep::import_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::OnnxFile;
using testing::set;

class OnnxImport : public ::testing::Test {
 protected:
  OnnxNetwork read(const OnnxFile& file, const OnnxOptions& options = {}, bool values = true) {
    file.save(folder_.path("net.onnx"));
    return import_onnx(folder_.path("net.onnx"), options, values);
  }
  /// The one line of what is refused, less the folder.
  std::string refusal(const OnnxFile& file, const OnnxOptions& options = {}) {
    try {
      static_cast<void>(read(file, options));
    } catch (const InputError& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find('\n'), std::string::npos);
      return text.substr(text.find("net.onnx"));
    }
    return "accepted";
  }
  static std::vector<std::string> kinds(const OnnxNetwork& network) {
    std::vector<std::string> kinds;
    for (const OperatorSpec& spec : network.specs) kinds.push_back(kind_name(spec.kind));
    return kinds;
  }
  /// Output at an input, by the network's own forward pass.
  static std::vector<double> output(const OnnxNetwork& read, const std::vector<double>& x) {
    const Network network(read.input, read.specs);
    return activations(network, read.weights, x).back();
  }

  testing::TemporaryFolder folder_;
};

TEST_F(OnnxImport, CountsMultiplyAccumulatesOfConvolutionsAndProducts) {
  OnnxFile file;
  file.input("x", {1, 2, 5, 5}).floats("w", {4, 1, 3, 3}).floats("b", {4}).floats("m", {3, 36}).output("y");
  auto& conv = file.node("Conv", {"x", "w", "b"}, "c");
  set(conv, "group", 2);
  file.node("Relu", {"c"}, "r");
  file.node("Flatten", {"r"}, "f");
  set(file.node("Gemm", {"f", "m"}, "y"), "transB", 1);
  const OnnxNetwork network = read(file);
  EXPECT_EQ(network.macs.conv, 4U * 9 * 9 * 1);
  EXPECT_EQ(network.macs.linear, 36U * 3);
  EXPECT_EQ(network.macs.total(), 324U + 108);
  EXPECT_THAT(kinds(network), ElementsAre("conv2d", "relu", "flatten", "linear"));
  EXPECT_EQ(network.facts.counted, 3U);
  EXPECT_EQ(network.facts.free, 1U);
  EXPECT_EQ(network.facts.opset, 13);
}

TEST_F(OnnxImport, MovesThatCancelLeaveNoOperator) {
  OnnxFile file;
  file.input("x", {1, 2, 3, 4}).integers("s", {1, -1}).output("y");
  set(file.node("Transpose", {"x"}, "t"), "perm", std::vector<std::int64_t>{0, 2, 3, 1});
  set(file.node("Transpose", {"t"}, "u"), "perm", std::vector<std::int64_t>{0, 3, 1, 2});
  file.node("Reshape", {"u", "s"}, "v");
  file.node("Tanh", {"v"}, "y");
  EXPECT_THAT(kinds(read(file)), ElementsAre("tanh"));
}

TEST_F(OnnxImport, LayerNormOfChannelsLastStaysOnTheImage) {
  OnnxFile file;
  file.input("x", {1, 4, 3, 3}).floats("two", {}, {{2}}).floats("eps", {}, {{1e-5F}}).floats("m", {4, 6}).output("y");
  set(file.node("Transpose", {"x"}, "t"), "perm", std::vector<std::int64_t>{0, 2, 3, 1});
  set(file.node("ReduceMean", {"t"}, "mean"), "axes", std::vector<std::int64_t>{-1});
  file.node("Sub", {"t", "mean"}, "d");
  file.node("Pow", {"d", "two"}, "p");
  set(file.node("ReduceMean", {"p"}, "var"), "axes", std::vector<std::int64_t>{-1});
  file.node("Add", {"var", "eps"}, "a");
  file.node("Sqrt", {"a"}, "s");
  file.node("Div", {"d", "s"}, "n");
  file.node("MatMul", {"n", "m"}, "q");
  set(file.node("Transpose", {"q"}, "y"), "perm", std::vector<std::int64_t>{0, 3, 1, 2});
  const OnnxNetwork network = read(file);
  EXPECT_THAT(kinds(network), ElementsAre("grouped", "conv2d"));
  EXPECT_EQ(network.macs.linear, 9U * 4 * 6);
}

TEST_F(OnnxImport, ActivationsOfSeveralNodesAreOne) {
  OnnxFile file;
  file.input("x", {1, 6}).floats("r", {}, {{1.41421356F}}).floats("1", {}, {{1}}).floats("h", {}, {{0.5}}).output("y");
  file.node("Sigmoid", {"x"}, "s");
  file.node("Mul", {"x", "s"}, "silu");
  file.node("Div", {"silu", "r"}, "d");
  file.node("Erf", {"d"}, "e");
  file.node("Add", {"e", "1"}, "a");
  file.node("Mul", {"silu", "a"}, "m");
  file.node("Mul", {"m", "h"}, "y");
  const OnnxNetwork network = read(file);
  EXPECT_THAT(kinds(network), ElementsAre("silu", "gelu"));
  EXPECT_EQ(network.facts.counted, 7U);
}

TEST_F(OnnxImport, NormsBehindConvolutionsAreTakenInUnlessTheUserAsks) {
  OnnxFile file;
  file.input("x", {1, 1, 2, 2}).floats("w", {1, 1, 1, 1}, {{3}}).floats("s", {1}, {{2}}).floats("b", {1}, {{1}});
  file.floats("mean", {1}, {{5}}).floats("var", {1}, {{4}}).output("y");
  file.node("Conv", {"x", "w"}, "c");
  auto* eps = file.node("BatchNormalization", {"c", "s", "b", "mean", "var"}, "y").add_attribute();
  eps->set_name("epsilon");
  eps->set_f(0);
  const OnnxNetwork folded = read(file);
  EXPECT_THAT(kinds(folded), ElementsAre("conv2d"));
  const OnnxNetwork apart = read(file, {.fold_norms = false});
  EXPECT_THAT(kinds(apart), ElementsAre("conv2d", "batchnorm2d"));
  // (3x - 5) / 2 · 2 + 1
  EXPECT_THAT(output(folded, {1, 2, 3, 4}), ElementsAre(-1, 2, 5, 8));
  EXPECT_THAT(output(apart, {1, 2, 3, 4}), ElementsAre(-1, 2, 5, 8));
}

TEST_F(OnnxImport, AttentionGivesTheNumbersOfItsFormula) {
  OnnxFile file;
  file.input("x", {1, 2, 2}).output("y");
  set(file.node("Transpose", {"x"}, "t"), "perm", std::vector<std::int64_t>{0, 2, 1});
  file.node("MatMul", {"x", "t"}, "a");
  set(file.node("Softmax", {"a"}, "s"), "axis", -1);
  file.node("MatMul", {"s", "x"}, "y");
  const OnnxNetwork network = read(file);
  EXPECT_EQ(network.macs.matmul, 16U);
  const std::vector<double> y = output(network, {1, 0, 0, 2});
  const double a = std::exp(1) / (std::exp(1) + 1);
  const double b = std::exp(4) / (std::exp(4) + 1);
  const double want[] = {a, 2 * (1 - a), 1 - b, 2 * b};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(y[i], want[i], 1e-12);
}

TEST_F(OnnxImport, SlicesConcatsAndConstantsBesideActivationsGiveTheirNumbers) {
  OnnxFile file;
  file.input("x", {1, 4}).floats("c", {1, 1}, {{7}}).integers("3", {3}).integers("0", {-5}).integers("1", {1});
  file.integers("-1", {-1}).output("y");
  file.node("Slice", {"x", "3", "0", "1", "-1"}, "r");  // reversed
  set(file.node("Concat", {"c", "r"}, "k"), "axis", 1);
  file.node("Neg", {"k"}, "y");
  EXPECT_THAT(output(read(file), {1, 2, 3, 4}), ElementsAre(-7, -4, -3, -2, -1));
}

TEST_F(OnnxImport, WeightsOfZeroArePrunedAndMissingOnesCount) {
  OnnxFile file;
  file.input("x", {1, 2}).input("v", {2, 2}).floats("w", {2, 2}, {{1, 0, 0, 2}}).output("y");
  file.node("MatMul", {"x", "w"}, "a");
  file.node("MatMul", {"a", "v"}, "y");
  const OnnxNetwork network = read(file, {}, false);
  EXPECT_THAT(network.weights[0].kept, ElementsAre(1, 0, 0, 1));
  EXPECT_TRUE(network.weights[1].kept.empty());
  EXPECT_FALSE(network.facts.has_values);
}

/// A product with `count` weights of fp32 in raw_data, every third of them 0.
OnnxFile with_raw_weights(std::int64_t count) {
  OnnxFile file;
  file.input("x", {1, count}).output("y");
  std::string bytes;
  for (std::int64_t i = 0; i < count; ++i) {
    const float weight = i % 3 == 0 ? 0 : static_cast<float>(i);
    bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
  }
  file.add_tensor("w", {count, 1}, onnx::TensorProto::FLOAT)->set_raw_data(bytes);
  file.node("MatMul", {"x", "w"}, "y");
  return file;
}

TEST_F(OnnxImport, WeightsAreReadFromTheFileWhateverTheirSize) {
  // Below and above the size from which they are passed over at first, and of more than one stretch of reading.
  for (const std::int64_t count : {7, 300, 300'000}) {
    const OnnxFile file = with_raw_weights(count);
    for (const bool values : {false, true}) {
      const OnnxNetwork network = read(file, {}, values);
      const OperatorWeights& weights = network.weights[0];
      ASSERT_EQ(weights.kept.size(), static_cast<std::size_t>(count));
      for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(weights.kept[static_cast<std::size_t>(i)], i % 3 != 0) << i;
      ASSERT_EQ(weights.values.size(), values ? static_cast<std::size_t>(count) : 0U);
      for (std::size_t i = 0; i < weights.values.size(); ++i)
        ASSERT_EQ(weights.values[i], i % 3 == 0 ? 0 : static_cast<double>(i));
    }
  }
}

TEST_F(OnnxImport, BytesOfLargeWeightsThatDoNotFitTheirShapeAreRefused) {
  OnnxFile file = with_raw_weights(300);
  file.graph().mutable_initializer(0)->set_dims(0, 301);
  file.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1)->set_dim_value(
      301);
  EXPECT_THAT(refusal(file), HasSubstr("a tensor of 1200 bytes, accepted are 301 numbers of 4"));
  const std::string whole = with_raw_weights(300).model().SerializeAsString();
  for (const std::size_t size : {whole.size() - 1, whole.size() - 100, whole.size() / 2}) {
    folder_.write("net.onnx", whole.substr(0, size));
    EXPECT_THROW(static_cast<void>(import_onnx(folder_.path("net.onnx"), {}, true)), InputError) << size;
  }
}

TEST_F(OnnxImport, APartThatClaimsMoreThanTheWholeIsRefused) {
  OnnxFile file;
  file.input("x", {1, 2}).floats("w", {2, 1}).output("y");
  file.node("MatMul", {"x", "w"}, "y");
  // The last part of the graph, an initializer, whose length is raised beyond the graph's end.
  onnx::GraphProto rest = file.graph();
  rest.clear_initializer();
  const std::string tensor = file.graph().initializer(0).SerializeAsString();
  const auto delimited = [](int field, const std::string& bytes, std::size_t claimed) {
    return std::string{static_cast<char>(field << 3 | 2), static_cast<char>(claimed)} + bytes;
  };
  onnx::ModelProto head = file.model();
  head.clear_graph();
  for (const std::size_t more : {0, 1, 20}) {
    const std::string graph = rest.SerializeAsString() + delimited(5, tensor, tensor.size() + more);
    ASSERT_LT(graph.size(), 128U) << "one byte of length";
    folder_.write("net.onnx", delimited(7, graph, graph.size()) + head.SerializeAsString());
    const auto import = [&] { static_cast<void>(import_onnx(folder_.path("net.onnx"), {}, true)); };
    if (more == 0) {
      EXPECT_NO_THROW(import());
    } else {
      EXPECT_THROW(import(), InputError) << more;
    }
  }
}

TEST_F(OnnxImport, ShapesAndOutputsAreChosen) {
  OnnxFile file;
  file.input("x", {-1, 3, -1}).output("a").output("b");
  file.node("Relu", {"x"}, "a");
  file.node("Tanh", {"x"}, "b");
  EXPECT_THAT(refusal(file), HasSubstr("axis 2 of input 'x' is dynamic ('n'), accepted is a size"));
  const OnnxNetwork network = read(file, {.inputs = {{"x", {1, 3, 5}}}, .output = "b"});
  EXPECT_EQ(network.input, (Shape{3, 5}));
  EXPECT_THAT(kinds(network), ElementsAre("tanh"));
  EXPECT_THAT(refusal(file, {.inputs = {{"x", {1, 3, 5}}}, .output = "c"}),
              HasSubstr("no output 'c', accepted are a, b"));
  EXPECT_THAT(refusal(file, {.inputs = {{"x", {1, std::uint64_t{1} << 40, std::uint64_t{1} << 40}}}}),
              HasSubstr("a count exceeds 64 bits (18446744073709551615), accepted are smaller tensors"));
  EXPECT_THAT(refusal(file, {.inputs = {{"x", {2, 3, 5}}}}), HasSubstr("accepted is a batch of 1"));
  EXPECT_THAT(refusal(file, {.inputs = {{"z", {1}}, {"x", {1, 3, 5}}}}),
              HasSubstr("no input 'z' without numbers, accepted are x"));
}

TEST_F(OnnxImport, NamesThatAreNoTextAreShownAsQuestionMarks) {
  OnnxFile file;
  file.input("x", {1, 4}).output("y");
  file.node("NonZero", {"x"}, "y").set_name("a\n\x1b[31m\x85");
  EXPECT_THAT(refusal(file), HasSubstr("node 'a??[31m?' (NonZero)"));
  OnnxFile text;
  text.input("x", {1, 4}).output("y");
  text.node("NonZero", {"x"}, "y").set_name("größe");
  EXPECT_THAT(refusal(text), HasSubstr("node 'größe' (NonZero)"));
}

TEST_F(OnnxImport, WhatDependsOnDataIsRefusedByName) {
  OnnxFile file;
  file.input("x", {1, 4}).output("y");
  file.node("NonZero", {"x"}, "y");
  EXPECT_THAT(refusal(file), HasSubstr("node 'y' (NonZero): NonZero is not modelled, accepted are Abs"));
  OnnxFile custom;
  custom.input("x", {1, 4}).output("y");
  custom.node("Relu", {"x"}, "y").set_domain("com.example");
  EXPECT_THAT(refusal(custom), HasSubstr("node 'y' (Relu): domain 'com.example' is not modelled"));
}

TEST_F(OnnxImport, WrongGraphsAreRefusedInOneLine) {
  OnnxFile cycle;
  cycle.input("x", {1, 4}).output("b");
  cycle.node("Add", {"x", "b"}, "a");
  cycle.node("Relu", {"a"}, "b");
  EXPECT_THAT(refusal(cycle), HasSubstr("part of a cycle"));
  OnnxFile twice;
  twice.input("x", {1, 4}).output("a");
  twice.node("Relu", {"x"}, "a");
  twice.node("Tanh", {"x"}, "a");
  EXPECT_THAT(refusal(twice), HasSubstr("its output 'a' is a name used twice"));
  OnnxFile apart;
  apart.input("x", {1, 4}).floats("c", {2}).output("y");
  apart.node("Relu", {"x"}, "a");
  apart.node("Neg", {"c"}, "y");
  EXPECT_THAT(refusal(apart), HasSubstr("no path leads from input 'x' to output 'y'"));
  OnnxFile missing;
  missing.input("x", {1, 4}).output("y");
  missing.node("Add", {"x", "z"}, "y");
  EXPECT_THAT(refusal(missing), HasSubstr("its input 'z' is made by no node"));
  OnnxFile shape;
  shape.input("x", {1, 4}).floats("w", {3, 2}).output("y");
  shape.node("MatMul", {"x", "w"}, "y");
  EXPECT_THAT(refusal(shape), HasSubstr("node 'y' (MatMul): [1, 4] times a matrix of 3 rows"));
  OnnxFile twice_out;
  twice_out.input("x", {1, 2, 2}).output("y");
  auto* equation = twice_out.node("Einsum", {"x", "x"}, "y").add_attribute();
  equation->set_name("equation");
  equation->set_type(onnx::AttributeProto::STRING);
  equation->set_s("bij,bjk->biik");
  EXPECT_THAT(refusal(twice_out), HasSubstr("has a letter twice in its output"));
  for (const std::vector<std::int64_t>& dims : {std::vector<std::int64_t>{1}, {1, 4}}) {  // found by the fuzzer, too
    OnnxFile flat;
    flat.input("x", dims).output("y");
    flat.node("GlobalLpPool", {"x"}, "y");
    EXPECT_THAT(refusal(flat), HasSubstr("node 'y' (GlobalLpPool): an input without positions"));
  }
  // A size of 0 makes no other one small; found by the fuzzer.
  OnnxFile none;
  none.input("x", {1, 1}).integers("s", {0, std::int64_t{1} << 60, 1}).output("y");
  none.node("Expand", {"x", "s"}, "y");
  EXPECT_THAT(refusal(none),
              HasSubstr("node 'y' (Expand): a tensor of shape [0, 1152921504606846976, 1], accepted are at most"));
  // Little that becomes much; a sanitizer takes several times its memory.
  if (testing::kIsSanitized) return;
  OnnxFile grows;
  grows.input("x", {1, 1}).output("y").floats("w", {1}).integers("s", {1 << 24});
  grows.node("Expand", {"w", "s"}, "0");
  for (int i = 0; i < 4; ++i) grows.node("Neg", {std::to_string(i)}, std::to_string(i + 1));
  grows.node("Add", {"x", "4"}, "y");
  EXPECT_THAT(refusal(grows), HasSubstr("numbers, accepted are at most 67108864"));
}

TEST_F(OnnxImport, ExternalDataStaysInTheFolder) {
  const auto with = [&](const std::string& location) {
    OnnxFile file;
    file.input("x", {1, 2}).output("y");
    auto* tensor = file.add_tensor("w", {2, 1}, onnx::TensorProto::FLOAT);
    tensor->set_data_location(onnx::TensorProto::EXTERNAL);
    auto* entry = tensor->add_external_data();
    entry->set_key("location");
    entry->set_value(location);
    file.node("MatMul", {"x", "w"}, "y");
    return file;
  };
  EXPECT_THAT(refusal(with("../../etc/passwd")), HasSubstr("accepted are paths inside the folder of the model"));
  EXPECT_THAT(refusal(with("/etc/passwd")), HasSubstr("accepted are paths inside the folder of the model"));
  EXPECT_THAT(refusal(with("none.bin")), HasSubstr("which is no file"));
  folder_.write("w.bin", "1234");
  EXPECT_THAT(refusal(with("w.bin")), HasSubstr("4 bytes from 0, accepted is a file with 8"));
  const float numbers[] = {2, 0};
  folder_.write("w.bin", std::string(reinterpret_cast<const char*>(numbers), 8));
  EXPECT_THAT(read(with("w.bin")).weights[0].kept, ElementsAre(1, 0));
}

TEST_F(OnnxImport, TruncatedFilesAreRefused) {
  OnnxFile file;
  file.input("x", {1, 2}).output("y");
  file.node("Relu", {"x"}, "y");
  const std::string whole = file.model().SerializeAsString();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    folder_.write("net.onnx", whole.substr(0, size));
    EXPECT_THROW(static_cast<void>(import_onnx(folder_.path("net.onnx"), {}, true)), InputError) << size;
  }
}

TEST_F(OnnxImport, RecurrentLayersAreLinks) {
  OnnxFile file;
  file.input("x", {5, 1, 3}).floats("w", {1, 6, 3}).floats("r", {1, 6, 2}).output("y");
  OnnxOptions options;
  set(file.node("GRU", {"x", "w", "r"}, "h"), "hidden_size", 2);
  file.node("Tanh", {"h"}, "y");
  EXPECT_THAT(refusal(file), HasSubstr("accepted is a batch of 1"));
  OnnxFile batch_first;
  batch_first.input("x", {1, 5, 3}).floats("w", {1, 6, 3}).floats("r", {1, 6, 2}).output("y");
  set(batch_first.node("Transpose", {"x"}, "t"), "perm", std::vector<std::int64_t>{1, 0, 2});
  set(batch_first.node("GRU", {"t", "w", "r"}, "h"), "hidden_size", 2);
  batch_first.node("Tanh", {"h"}, "y");
  const OnnxNetwork network = read(batch_first);
  EXPECT_THAT(kinds(network), ElementsAre("recurrence", "tanh"));
  EXPECT_EQ(network.macs.recurrent, 5U * 3 * 2 * (2 + 3));
}

}  // namespace
}  // namespace upsweep::import_test
