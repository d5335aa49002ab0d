#include "upsweep/io/layers_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/link_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model.hpp"
#include "upsweep/training/layer_costs.hpp"

namespace upsweep::layers_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSource = UPSWEEP_SOURCE_DIR;
const std::string kHead = "source: here\nlayers:\n";

LayersModel parse(const std::string& text) {
  std::istringstream in(text);
  return load_layers(parse_yaml(in, "net.yaml"));
}

std::string refusal(const std::string& text) {
  return testing::refusal_of([&] { return parse(text); });
}

/// The refusal of a file whose only layer has these parts, at line 3.
std::string part_refusal(const std::string& parts) {
  return refusal(kHead + "  - {name: a, output: 1, parts: [" + parts + "]}\n");
}

LayersModel preset(const std::string& name) {
  return load_layers(read_yaml(kSource + "/models/layers/" + name + ".yaml"));
}

/// Multiply-adds of the products with weights, per sample.
std::uint64_t weight_multiply_adds(const LayersModel& model) {
  std::uint64_t flops = 0;
  for (const LayerWork& layer : model.layers) {
    for (const PartWork& part : layer.parts) flops += part.weight_gradient.flops;
  }
  return flops / 2;
}

std::uint64_t weights(const LayersModel& model) {
  std::uint64_t sum = 0;
  for (const LayerWork& layer : model.layers) sum += layer.weights();
  return sum;
}

TEST(LayersFile, ChainsTheOperatorsOfALayer) {
  const LayersModel model = parse(
      "name: n\nsource: s\ndtype: fp32\nlayers:\n"
      "  - {name: a, parts: [conv2d: {input: [3, 8, 8], out_channels: 4, kernel: 3, stride: 2, padding: 1}, "
      "batchnorm2d, relu, flatten, linear: {in_features: 64, out_features: 10, bias: false}]}\n");
  EXPECT_EQ(model.name, "n");
  EXPECT_EQ(model.source, "s");
  EXPECT_EQ(model.value_bytes, 4U);
  EXPECT_THAT(model.lines, ElementsAre(5));
  ASSERT_EQ(model.layers.size(), 1U);
  const LayerWork& layer = model.layers[0];
  EXPECT_EQ(layer.output, 10U);
  ASSERT_EQ(layer.parts.size(), 4U);
  const KernelWork conv{2 * 16 * 4 * 3 * 9, 192 + 64, 108 + 4};
  EXPECT_EQ(layer.parts[0], (PartWork{conv, conv, conv, 112}));
  EXPECT_EQ(layer.parts[1].weights, 8U);
  EXPECT_EQ(layer.parts[3].forward, (KernelWork{2 * 64 * 10, 74, 640}));
}

TEST(LayersFile, RepeatsALayerUnderNumberedNames) {
  const LayersModel model =
      parse(kHead + "  - {name: e, repeat: 3, output: 7, parts: [matmul: {m: 2, k: 3, n: 5, count: 4, bias: true}]}\n" +
            "  - {name: f, output: 1, parts: [elementwise: {elements: 6, flops_per_element: 2, weights: 3}]}\n");
  ASSERT_EQ(model.layers.size(), 4U);
  EXPECT_EQ(model.name, "net");
  EXPECT_EQ(model.layers[0].name, "e.1");
  EXPECT_EQ(model.layers[2].name, "e.3");
  EXPECT_EQ(model.layers[2].parts[0], matmul_work({.m = 2, .k = 3, .n = 5, .count = 4, .bias = true}));
  EXPECT_EQ(model.layers[3].name, "f");
  EXPECT_EQ(model.layers[3].parts[0], (PartWork{{12, 12, 0}, {12, 18, 0}, {}, 3}));
  EXPECT_THAT(model.lines, ElementsAre(3, 3, 3, 4));
}

TEST(LayersFile, HashesTheWorkAndNotTheTexts) {
  const std::string part = "parts: [elementwise: {elements: 6}]";
  const std::string hash = parse(kHead + "  - {name: a, output: 1, " + part + "}\n").content_hash;
  EXPECT_EQ(parse("name: other\nsource: there\nlayers: [{parts: [elementwise: {elements: 6, flops_per_element: 1}], "
                  "output: 1, name: a}]\n")
                .content_hash,
            hash);
  EXPECT_NE(parse(kHead + "  - {name: a, output: 2, " + part + "}\n").content_hash, hash);
}

TEST(LayersFile, ErrorsOfTheFileSayWhatIsAccepted) {
  EXPECT_EQ(refusal("layers: []\n"),
            "net.yaml:1: the layers file has no key 'source', found are layers, accepted is a mapping with that key");
  EXPECT_EQ(refusal("source: s\nlayers: []\n"),
            "net.yaml:2: layers is a list of 0, accepted is a list of at least one layer");
  EXPECT_EQ(refusal("source: s\ndtype: fp16\nlayers: []\n"),
            "net.yaml:2: dtype is 'fp16', accepted is fp32, the type of the machines' dense rates");
  EXPECT_EQ(refusal("source: s\nlayers: []\nlayer: 1\n"),
            "net.yaml:3: unknown key 'layer' in the layers file: did you mean layers?, accepted are name, source, "
            "dtype, layers");
}

TEST(LayersFile, ErrorsOfALayerSayWhatIsAccepted) {
  const std::string part = "parts: [elementwise: {elements: 6}]";
  EXPECT_EQ(refusal(kHead + "  - {output: 1, " + part + "}\n"),
            "net.yaml:3: layer 1 has no key 'name', found are output, parts, accepted is a mapping with that key");
  EXPECT_EQ(refusal(kHead + "  - {name: a, " + part + "}\n"),
            "net.yaml:3: layer 'a' has no key 'output' and its last part is no operator, accepted is output: elements "
            "per sample");
  EXPECT_EQ(refusal(kHead + "  - {name: a, output: 0, " + part + "}\n"),
            "net.yaml:3: output of layer 'a' is '0', accepted is an integer from 1 to 2147483647");
  EXPECT_EQ(refusal(kHead + "  - {name: a, output: 1, repeat: 0, " + part + "}\n"),
            "net.yaml:3: repeat of layer 'a' is '0', accepted is an integer from 1 to 10000");
  EXPECT_EQ(refusal(kHead + "  - {name: a, output: 1, parts: []}\n"),
            "net.yaml:3: parts of layer 'a' is a list of 0, accepted is a list of at least one part");
  EXPECT_EQ(refusal(kHead + "  - {name: a, output: 1, parts: [flatten: {input: [2, 3, 4]}]}\n"),
            "net.yaml:3: parts of layer 'a' are views alone, accepted is at least one other");
  EXPECT_EQ(refusal(kHead + "  - {name: a, output: 1, " + part + "}\n  - {name: a, output: 1, " + part + "}\n"),
            "net.yaml:4: layer 'a' has the name of the layer in line 3, accepted is a name of its own");
  const std::string many = ", repeat: 6000, output: 1, " + part + "}\n";
  EXPECT_EQ(refusal(kHead + "  - {name: a" + many + "  - {name: b" + many),
            "net.yaml:4: there are more than 10000 layers, accepted are at most as many");
}

TEST(LayersFile, ErrorsOfAPartSayWhatIsAccepted) {
  EXPECT_THAT(
      part_refusal("conv3d: {}"),
      HasSubstr(
          "net.yaml:3: a part of layer 'a' is 'conv3d': did you mean conv2d?, accepted are matmul, elementwise, "));
  EXPECT_EQ(part_refusal("[1]"),
            "net.yaml:3: a part of layer 'a' is a list of 1, accepted is 'kind' or 'kind: {settings}'");
  EXPECT_EQ(part_refusal("matmul"),
            "net.yaml:3: matmul of layer 'a' is 'matmul', accepted is a mapping of keys to values");
  EXPECT_EQ(part_refusal("elementwise: {flops_per_element: 2}"),
            "net.yaml:3: elementwise of layer 'a' has no key 'elements', found are flops_per_element, accepted is a "
            "mapping with that key");
  EXPECT_EQ(part_refusal("matmul: {m: 1, k: 2, n: 3, weights: false, bias: true}"),
            "net.yaml:3: bias of matmul of layer 'a' is true without weights, accepted is a bias with weights");
  EXPECT_EQ(part_refusal("matmul: {m: 2000000000, k: 2000000000, n: 2000000000}"),
            "net.yaml:3: matmul of layer 'a': a count exceeds 64 bits (18446744073709551615), accepted are smaller "
            "sizes");
  EXPECT_EQ(part_refusal("elementwise: {elements: 1, flops: 2}"),
            "net.yaml:3: unknown key 'flops' in elementwise of layer 'a': did you mean flops_per_element?, accepted "
            "are elements, flops_per_element, "
            "weights");
  EXPECT_EQ(part_refusal("elementwise: {elements: 8}, relu"),
            "net.yaml:3: relu of layer 'a' has no key 'input' and the part before is no operator, accepted is input: "
            "[channels, height, width] or [features]");
  EXPECT_EQ(part_refusal("relu: {input: [2, 3]}"),
            "net.yaml:3: input of relu of layer 'a' is a list of 2, accepted is [channels, height, width] or "
            "[features]");
  EXPECT_EQ(part_refusal("linear: {input: [4, 2, 2], out_features: 3}"),
            "net.yaml:3: linear of layer 'a': its input has shape [4, 2, 2], accepted is [features]: put a flatten in "
            "front");
  EXPECT_EQ(part_refusal("linear: {input: [4], in_features: 5, out_features: 3}"),
            "net.yaml:3: linear of layer 'a': it states 5 inputs, its input has shape [4]");
  EXPECT_THAT(part_refusal("linear: {input: [4], out_features: 3, width: 3}"),
              HasSubstr("net.yaml:3: unknown key 'width' in linear of layer 'a', accepted are input, in_features"));
  EXPECT_EQ(part_refusal("add: {input: [4]}"),
            "net.yaml:3: add of layer 'a' reads several outputs, accepted for its work is elementwise: {elements: N}");
}

// torchvision states 25,557,032 weights and 4.089 G multiply-adds.
TEST(LayersFile, ResNet50HasThePublishedWeightsAndMultiplyAdds) {
  const LayersModel model = preset("resnet-50");
  EXPECT_EQ(model.layers.size(), 54U);
  EXPECT_EQ(weights(model), 25'557'032U);
  EXPECT_NEAR(static_cast<double>(weight_multiply_adds(model)), 4.089e9, 0.001e9);
  EXPECT_EQ(model.layers.back().output, 1000U);
}

// torchvision states 7,978,856 weights and 2.834 G multiply-adds.
TEST(LayersFile, DenseNet121HasThePublishedWeightsAndMultiplyAdds) {
  const LayersModel model = preset("densenet-121");
  EXPECT_EQ(model.layers.size(), 121U);
  EXPECT_EQ(weights(model), 7'978'856U);
  EXPECT_NEAR(static_cast<double>(weight_multiply_adds(model)), 2.834e9, 0.001e9);
  EXPECT_EQ(model.layers.back().output, 1000U);
}

// Of the 340 M of BERT-Large (Devlin et al. 2019), an encoder has 4 (H² + H) + 8 H² + 5 H + 4 H with H = 1024.
TEST(LayersFile, BertLargeHasTheWeightsOfItsEncoders) {
  const LayersModel model = preset("bert-24");
  EXPECT_EQ(model.layers.size(), 24U);
  EXPECT_EQ(weights(model), 302'309'376U);
  EXPECT_EQ(weight_multiply_adds(model), std::uint64_t{24} * 128 * 12 * 1024 * 1024);
  EXPECT_EQ(model.layers[0].output, 128U * 1024);
}

// The paper measures communication over computation of an encoder as 0.05, 0.16 and 1.8 (H. Oh et al. 2022, section
// 8.4.1). It does not say of what; taken as a transfer over a forward pass, the roofline comes this near.
TEST(LayersFile, BertLargeCommunicatesAboutAsMuchAsThePaperMeasured) {
  const Machine machine = load_machine(read_yaml(kSource + "/configs/machines/v100-sxm2-32gb.yaml"));
  const LayerCosts costs = dense_costs(preset("bert-24").layers, machine, {.samples = 24});
  const auto ratio = [&](const std::string& link) {
    const double bytes_per_s = load_link(read_yaml(kSource + "/configs/links/" + link + ".yaml")).bytes_per_s;
    return costs.output_bytes[0] / bytes_per_s / costs.forward[0];
  };
  EXPECT_NEAR(ratio("nvlink"), 0.05, 0.1 * 0.05);
  EXPECT_NEAR(ratio("pcie3-x16"), 0.16, 0.1 * 0.16);
  EXPECT_NEAR(ratio("ethernet-10gb"), 1.8, 0.1 * 1.8);
}

TEST(LayersFile, TheOtherNetworksOfThePaperHave16EqualLayers) {
  for (const char* name : {"ffnn-16", "rnn-16"}) {
    const LayersModel model = preset(name);
    EXPECT_EQ(model.name, name);
    ASSERT_EQ(model.layers.size(), 16U);
    for (const LayerWork& layer : model.layers) EXPECT_EQ(layer.parts, model.layers[0].parts) << name;
  }
}

TEST(LayersFile, EveryPresetHasDenseCosts) {
  const Machine machine = load_machine(read_yaml(kSource + "/configs/machines/v100-sxm2-32gb.yaml"));
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/models/layers")) {
    const LayersModel model = load_layers(read_yaml(entry.path().string()));
    EXPECT_EQ(model.name, entry.path().stem()) << entry.path();
    const LayerCosts costs = dense_costs(model.layers, machine, {.samples = 8});
    for (const std::vector<double>* times : {&costs.forward, &costs.output_gradient, &costs.weight_gradient})
      EXPECT_TRUE(std::all_of(times->begin(), times->end(), [](double s) { return s > 0 && s < 1; })) << entry.path();
  }
}

TEST(LayersFile, IsToldFromAModelFile) {
  EXPECT_TRUE(ModelFile(kSource + "/models/layers/bert-24.yaml").holds<LayersModel>());
  EXPECT_TRUE(ModelFile(kSource + "/models/lenet5.yaml").holds<Model>());
}

}  // namespace
}  // namespace upsweep::layers_file_test
