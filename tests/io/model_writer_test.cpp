#include "upsweep/io/model_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"
#include "support/onnx_file.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::model_writer_test {
namespace {

using testing::OnnxFile;
using testing::set;

/// What is counted of a model: all operators, links and ops of the deepest scan.
std::string counts_of(const Model& model, Numbers numbers) {
  const std::size_t length = model.network.links().size() + 1;
  const NetworkView view{model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes};
  const PatternKind kind = numbers == Numbers::structure ? PatternKind::guaranteed : PatternKind::sample;
  const Analysis analysis = analyse(view, kind, {hybrid_schedule(length, max_depth(length))});
  std::string text;
  for (const OperatorProfile& op : analysis.network.operators) text += std::to_string(op.nnz) + ' ';
  for (const LinkProfile& link : analysis.network.links)
    text += std::to_string(link.rows) + 'x' + std::to_string(link.cols) + ':' + std::to_string(link.nnz) + ' ';
  for (const OpProfile& op : analysis.schedules.front().ops)
    text += std::to_string(op.flops) + '/' + std::to_string(op.nnz) + '/' + std::to_string(op.span) + ' ';
  return text;
}

/// Convolutions with a branch, attention over positions and moves; `with_values`: with weights, some of them 0.
OnnxFile network_of_many_kinds(bool with_values) {
  OnnxFile file;
  file.input("x", {1, 2, 4, 4}).integers("flat", {1, -1}).output("y");
  const auto weight = [&](const std::string& name, const std::vector<std::int64_t>& dims, std::size_t count) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(i % 3 == 0 ? 0 : 0.1F * static_cast<float>(i % 7) + 0.05F);
    with_values ? file.floats(name, dims, values) : file.input(name, dims);  // exported without parameters
  };
  weight("/a/w", {3, 2, 3, 3}, 54);
  weight("/b/w", {3, 3, 1, 1}, 9);
  weight("m", {3, 3}, 9);
  weight("last", {4, 48}, 192);
  set(file.node("Conv", {"x", "/a/w"}, "/a/out"), "pads", std::vector<std::int64_t>{1, 1, 1, 1});
  file.node("Relu", {"/a/out"}, "/a/relu");
  file.node("Conv", {"/a/relu", "/b/w"}, "/b/out");
  file.node("Sigmoid", {"/b/out"}, "gate");
  file.node("Mul", {"/a/relu", "gate"}, "gated");
  file.node("Add", {"gated", "/a/relu"}, "sum");
  set(file.node("Transpose", {"sum"}, "t"), "perm", std::vector<std::int64_t>{0, 2, 3, 1});
  file.node("MatMul", {"t", "m"}, "q");
  set(file.node("Softmax", {"q"}, "p"), "axis", -1);
  file.node("Reshape", {"p", "flat"}, "f");
  set(file.node("Gemm", {"f", "last"}, "g"), "transB", 1);
  file.node("Tanh", {"g"}, "y");
  return file;
}

TEST(ModelWriter, WritesWhatCountsTheSame) {
  for (const bool with_values : {false, true}) {
    const testing::TemporaryFolder folder;
    network_of_many_kinds(with_values).save(folder.path("net.onnx"));
    const Numbers numbers = with_values ? Numbers::needed : Numbers::structure;
    const auto read = [&](const char* name) { return std::get<Model>(load_model(folder.path(name), numbers)); };
    const Model model = read("net.onnx");
    ASSERT_EQ(model.import->has_values, with_values);
    const WrittenModel written = write_model(model, with_values, folder.path("net.yaml"));
    EXPECT_EQ(written.operators, model.network.operators().size());
    EXPECT_EQ(written.arrays, folder.path("net.safetensors")) << "of weights, or of index maps";
    // A file of its own has no sample: that of the ONNX file serves both.
    Model again = std::get<Model>(load_model(folder.path("net.yaml"), with_values ? Numbers::run : numbers));
    again.sample = model.sample;
    ASSERT_EQ(again.network.operators().size(), model.network.operators().size());
    EXPECT_EQ(counts_of(again, numbers), counts_of(model, numbers)) << with_values;
    for (std::size_t o = 0; with_values && o < model.weights.size(); ++o) {
      EXPECT_EQ(again.weights[o].values, model.weights[o].values) << model.network.operators()[o].name;
      EXPECT_EQ(again.weights[o].bias, model.weights[o].bias);
    }
  }
}

TEST(ModelWriter, KeepsThePositionsOfPrunedWeightsWithoutNumbers) {
  const testing::TemporaryFolder folder;
  network_of_many_kinds(true).save(folder.path("net.onnx"));
  const Model model = std::get<Model>(load_model(folder.path("net.onnx"), Numbers::structure));
  const WrittenModel written = write_model(model, false, folder.path("net.yaml"));
  EXPECT_EQ(written.arrays, folder.path("net.safetensors"));
  const Model again = std::get<Model>(load_model(folder.path("net.yaml"), Numbers::structure));
  for (std::size_t o = 0; o < model.weights.size(); ++o) EXPECT_EQ(again.weights[o].kept, model.weights[o].kept);
  EXPECT_EQ(counts_of(again, Numbers::structure), counts_of(model, Numbers::structure));
}

TEST(ModelWriter, SaysWhereItCannotWrite) {
  const testing::TemporaryFolder folder;
  network_of_many_kinds(false).save(folder.path("net.onnx"));
  const Model model = std::get<Model>(load_model(folder.path("net.onnx"), Numbers::structure));
  EXPECT_THROW(static_cast<void>(write_model(model, false, folder.path("none/net.yaml"))), InputError);
}

}  // namespace
}  // namespace upsweep::model_writer_test
