#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/files.hpp"
#include "support/onnx_file.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/io/npy.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/jacobian/forward.hpp"

// Pruning by tables and rules, drawn patterns, and arrays under other names.

namespace upsweep::budgets_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kOperators =
    "operators:\n"
    "  - conv2d: {name: conv1, out_channels: 4, kernel: 3, padding: 1}\n"
    "  - batchnorm2d\n"
    "  - relu: {name: relu1}\n"
    "  - maxpool2d: {kernel: 2}\n"
    "  - flatten\n"
    "  - linear: {name: fc, out_features: 5}\n";

class Budgets : public ::testing::Test {
 protected:
  Model load(const std::string& settings, Numbers numbers = Numbers::structure,
             const std::string& operators = kOperators, const std::string& input = "[2, 4, 4]") {
    const std::string file = folder_.write("m.yaml", "input: " + input + "\n" + settings + operators);
    return require_network(load_model(file, numbers), "tests");
  }
  std::string refusal(const std::string& settings) {
    return testing::refusal_of([&] { return load(settings); });
  }
  static std::size_t kept(const Model& model, const std::string& name) {
    for (std::size_t o = 0; o < model.weights.size(); ++o) {
      if (model.network.operators()[o].name != name) continue;
      const auto& kept = model.weights[o].kept;
      return static_cast<std::size_t>(std::ranges::count(kept, std::uint8_t{1}));
    }
    return 0;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(Budgets, SayOfEachLayerWhatIsPruned) {
  folder_.write("b.csv", "layer,kept_weights_pct,sparsity,other\nfc,25,60,x\nconv1,50,75,y\ntotal,30,70,z\n");
  Model model = load("weights: {prune: {per_layer: b.csv}}\n");  // 72 and 80 weights
  EXPECT_EQ(kept(model, "conv1"), 36U);
  EXPECT_EQ(kept(model, "fc"), 20U);
  model = load("weights: {prune: {per_layer: b.csv, column: sparsity}}\n");
  EXPECT_EQ(kept(model, "conv1"), 18U);
  EXPECT_EQ(kept(model, "fc"), 32U);
  model = load("weights: {prune: {per_layer: b.csv, column: sparsity, by: order}}\n");
  EXPECT_EQ(kept(model, "fc"), 20U) << "the second row";
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: other}}\n"),
              HasSubstr("b.csv:2: column 'other' has 'x', accepted is a number"));
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: none}}\n"),
              HasSubstr("no column 'none', found are layer, kept_weights_pct, sparsity, other"));
  EXPECT_THAT(refusal("weights: {prune: {per_layer: none.csv}}\n"), HasSubstr("none.csv"));
}

TEST_F(Budgets, OfOtherLayersAreRefused) {
  folder_.write("b.csv", "name,kept\nconv1,50\n");
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: kept}}\n"),
              HasSubstr("it has no row for operator 'fc'"));
  folder_.write("b.csv", "name,kept\nconv1,50\nfc,20\nfc2,20\n");
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: kept}}\n"),
              HasSubstr("b.csv:4: there is no operator 'fc2'"));
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: kept, by: order}}\n"),
              HasSubstr("row 'fc2' is one too many"));
  folder_.write("b.csv", "name,kept\nconv1,50\nfc,120\n");
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: kept}}\n"),
              HasSubstr("has 120, accepted are percents"));
  folder_.write("b.csv", "name,kept\nconv1,50\nconv1,20\n");
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: kept}}\n"), HasSubstr("'conv1' is there twice"));
  folder_.write("b.csv", "name,kept\nconv1,50,7\n");
  EXPECT_THAT(refusal("weights: {prune: {per_layer: b.csv, column: kept}}\n"), HasSubstr("b.csv:2: it has 3 cells"));
}

TEST_F(Budgets, ErdosRenyiKeepsTheWholeShareAndMoreOfSmallLayers) {
  const Model model = load("weights: {prune: {method: erk, sparsity: 0.8}}\n");
  const std::vector<double> sparsities = erdos_renyi_sparsities(model.network, 0.8);
  EXPECT_NEAR((1 - sparsities[0]) * 72 + (1 - sparsities[5]) * 80, 0.2 * 152, 1e-9);
  // Sums of axes over products: (4 + 2 + 3 + 3) / 72 and (5 + 16) / 80.
  EXPECT_NEAR((1 - sparsities[0]) / (1 - sparsities[5]), 12.0 / 72 / (21.0 / 80), 1e-9);
  EXPECT_EQ(kept(model, "conv1"), static_cast<std::size_t>(std::ceil((1 - sparsities[0]) * 72 - 1e-6)));
  const std::vector<double> few = erdos_renyi_sparsities(model.network, 0.1);
  EXPECT_EQ(*std::ranges::min_element(few), 0) << "what would be denser than whole stays whole";
  EXPECT_NEAR((1 - few[0]) * 72 + (1 - few[5]) * 80, 0.9 * 152, 1e-9);
}

TEST_F(Budgets, DensitiesDrawPatternsFromASeed) {
  folder_.write("d.csv", "layer,activation_pct\nconv1,25\nfc,100\n");
  const std::string settings = "sample: {densities: d.csv, count: 2, seed: 3}\n";
  const Model model = load(settings, Numbers::needed);
  ASSERT_TRUE(model.sample->is_drawn());
  const SampleChains chains(model.network, model.weights);
  const JacobianChain first = chains.at(*model.sample, 0);
  const JacobianChain second = chains.at(*model.sample, 1);
  // a[1] is fc, a[2] the pool, a[3] the relu.
  EXPECT_EQ(first.jacobians[2]->nnz(), 16U) << "a quarter of 64";
  EXPECT_EQ(first.jacobians[1]->nnz(), 16U) << "one input for each output";
  EXPECT_NE(*first.jacobians[2], *second.jacobians[2]);
  EXPECT_EQ(*first.jacobians[2], *SampleChains(model.network, model.weights).at(*model.sample, 0).jacobians[2]);
  EXPECT_NE(load("sample: {densities: d.csv, count: 2, seed: 4}\n").content_hash, model.content_hash);
  folder_.write("d.csv", "layer,activation_pct\nconv1,25\nfc,90\n");
  EXPECT_THAT(refusal(settings),
              HasSubstr("90 % of the outputs of 'fc' are not 0, accepted without a relu behind it is 100"));
}

TEST_F(Budgets, NamesSayWhichTensorIsWhose) {
  write_npy(folder_.path("stem.npy"), {4, 2, 3, 3}, std::vector<double>(72, 2));
  write_npy(folder_.path("stem.bias.npy"), {4}, std::vector<double>(4, 1));
  write_npy(folder_.path("head.npy"), {5, 16}, std::vector<double>(80, 3));
  const std::string arrays = "weights: {values: ., names: ";
  const auto values = [&](const std::string& names) { return load(arrays + names + "}\n", Numbers::run).weights; };
  NetworkWeights weights = values("{conv1: stem.weight, fc: head}");
  EXPECT_EQ(weights[0].values[71], 2);
  EXPECT_THAT(weights[0].bias, ElementsAre(1, 1, 1, 1));
  EXPECT_EQ(weights[5].values[0], 3);
  folder_.write("n.csv", "operator,tensor\nconv1,stem\nfc,head\n");
  EXPECT_EQ(values("n.csv")[5].values[0], 3);
  folder_.write("n.csv", "mine,theirs\nconv1,stem\nfc,head\n");
  EXPECT_EQ(values("{file: n.csv, operator: mine, tensor: theirs}")[5].values[0], 3);
  EXPECT_THAT(refusal(arrays + "{conv2: stem}}\n"), HasSubstr("names of weights has 'conv2'"));
  EXPECT_THAT(refusal(arrays + "{conv1: stem}}\n"), HasSubstr("linear 'fc'"));
}

TEST_F(Budgets, TransposedConvolutionsAndRecurrentLayersAreReadAsPyTorchStoresThem) {
  std::vector<double> stored;
  for (int i = 0; i < 2 * 3 * 2 * 2; ++i) stored.push_back(i + 1);
  write_npy(folder_.path("up.npy"), {2, 3, 2, 2}, stored);
  const Model model = load("weights: {values: .}\n", Numbers::run,
                           "operators:\n  - conv_transpose2d: {name: up, out_channels: 3, kernel: 2}\n", "[2, 1, 1]");
  EXPECT_THAT(activations(model.network, model.weights, std::vector<double>{1, 0}).back(),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(activations(model.network, model.weights, std::vector<double>{0, 1}).back()[0], 13);
  write_npy(folder_.path("r.weight_ih_l0.npy"), {1, 2}, std::vector<double>{0.5, 0});
  write_npy(folder_.path("r.weight_hh_l0.npy"), {1, 1}, std::vector<double>{2});
  write_npy(folder_.path("r.bias_hh_l0.npy"), {1}, std::vector<double>{0});
  const Model rnn = load("weights: {values: .}\n", Numbers::run,
                         "operators:\n  - rnn: {name: r, hidden_size: 1, nonlinearity: relu}\n", "[3, 2]");
  EXPECT_THAT(activations(rnn.network, rnn.weights, std::vector<double>{1, 9, 0, 9, 0, 9}).back(),
              ElementsAre(0.5, 1, 2));
}

TEST_F(Budgets, PruneOnnxFilesWithNumbersOrWithout) {
  for (const bool has_values : {true, false}) {
    testing::OnnxFile file;
    file.input("x", {1, 2}).output("y");
    if (has_values) {
      file.floats("one.weight", {2, 4}, {{1, 2, 3, 4, 5, 6, 7, 8}}).floats("two.weight", {4, 4});
    } else {
      file.input("one.weight", {2, 4}).input("two.weight", {4, 4});
    }
    file.node("MatMul", {"x", "one.weight"}, "a");
    file.node("MatMul", {"a", "two.weight"}, "y");
    file.save(folder_.path("net.onnx"));
    OnnxOptions options;
    options.prune = MagnitudeLayer{0.5};
    Model model = load_onnx(folder_.path("net.onnx"), options, Numbers::structure);
    EXPECT_EQ(kept(model, "a"), 4U);
    EXPECT_EQ(kept(model, "y"), 8U);
    if (has_values) {
      EXPECT_THAT(model.weights[0].kept, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1)) << "the largest of [outputs, inputs]";
    }
    folder_.write("b.csv", "name,sparsity\ntwo,75\none,0\n");
    options = {};
    options.budget = BudgetFile{folder_.path("b.csv"), "sparsity"};
    model = load_onnx(folder_.path("net.onnx"), options, Numbers::needed);
    EXPECT_EQ(kept(model, "y"), 4U) << "by the names of tensors";
    EXPECT_EQ(std::ranges::count(model.weights[1].values, 0.0), 12);
  }
}

}  // namespace
}  // namespace upsweep::budgets_test
