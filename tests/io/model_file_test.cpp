#include "upsweep/io/model_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "support/files.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::model_file_test {
namespace {

using testing::npy;
using testing::TemporaryFolder;

Model parse(const std::string& text, Numbers numbers = Numbers::structure, const std::string& path = "m.yaml") {
  std::istringstream in(text);
  return load_network(parse_yaml(in, path), numbers);
}

std::string refusal(const std::string& text, Numbers numbers = Numbers::structure, const std::string& path = "m.yaml") {
  return testing::refusal_of([&] { return parse(text, numbers, path); });
}

std::uint64_t kept(const OperatorWeights& weights) {
  return static_cast<std::uint64_t>(std::count(weights.kept.begin(), weights.kept.end(), 1));
}

TEST(LoadModel, GivesEverySettingPyTorchsDefault) {
  const Model model = parse(
      "input: [4, 9, 9]\noperators:\n  - conv2d: {out_channels: 2, kernel: [3, 1]}\n  - maxpool2d: {kernel: 2}\n  - "
      "avgpool2d: {name: p, kernel: 2}\n"
      "  - leaky_relu\n  - elu:\n  - gelu\n  - batchnorm2d\n  - dropout\n  - adaptive_avgpool2d: {output_size: 1}\n  - "
      "flatten\n  - linear: {out_features: 3}\n");
  EXPECT_EQ(model.name, "m");
  EXPECT_EQ(model.value_bytes, 4U);
  std::vector<std::string> texts;
  for (const Operator& op : model.network.operators()) texts.push_back(op.name + " " + canonical_text(op.kind));
  EXPECT_EQ(
      texts,
      (std::vector<std::string>{
          "conv2d1 conv2d(out_channels=2, kernel=3x1, stride=1x1, padding=0x0, dilation=1x1, groups=1, bias=true)",
          "maxpool2d2 maxpool2d(kernel=2x2, stride=2x2, padding=0x0, dilation=1x1, ceil_mode=false)",
          "p avgpool2d(kernel=2x2, stride=2x2, padding=0x0, ceil_mode=false, count_include_pad=true, "
          "divisor_override=0)",
          "leaky_relu4 leaky_relu(negative_slope=0.01)",
          "elu5 elu(alpha=1)",
          "gelu6 gelu(approximate=none)",
          "batchnorm2d7 batchnorm2d(eps=1e-05, affine=true)",
          "dropout8 dropout()",
          "adaptive_avgpool2d9 adaptive_avgpool2d(output_size=1x1)",
          "flatten10 flatten()",
          "linear11 linear(out_features=3, bias=true)",
      }));
}

TEST(LoadModel, ReadsMasksValuesBiasesAndInputsRelativeToTheFile) {
  const TemporaryFolder folder;
  folder.write("w/l.npy", npy<float>("<f4", "(2, 3)", {1, 0, 2, 3, 4, 0}));
  folder.write("w/l.bias.npy", npy<double>("<f8", "(2,)", {0.5, -0.5}));
  folder.write("w/unrelated.npy", "ignored");
  folder.write("x.npy", npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6}));
  const std::string path = folder.write("m.yaml",
                                        "input: [3]\ndtype: fp64\nweights: {values: w}\nsample: {inputs: "
                                        "x.npy}\noperators:\n  - linear: {name: l, out_features: 2}\n");
  const Model model = load_network(read_yaml(path), Numbers::needed);
  EXPECT_EQ(model.value_bytes, 8U);
  EXPECT_EQ(model.weights[0].values, (std::vector<double>{1, 0, 2, 3, 4, 0}));
  EXPECT_EQ(model.weights[0].kept, (std::vector<std::uint8_t>{1, 0, 1, 1, 1, 0})) << "a zero is a pruned weight";
  EXPECT_EQ(model.weights[0].bias, (std::vector<double>{0.5, -0.5}));
  EXPECT_EQ(model.sample->count, 2U);
  EXPECT_EQ(model.sample->at(1)[2], 6);
}

TEST(LoadModel, MakesUpNumbersWhereThereAreMasksAlone) {
  const TemporaryFolder folder;
  folder.write("w/l.npy", npy<std::uint8_t>("|b1", "(2, 3)", {1, 0, 1, 1, 1, 0}));
  const std::string text =
      "input: [3]\nweights: {masks: w}\nsample: {count: 2, seed: 1}\noperators:\n  - linear: {name: l, out_features: "
      "2}\n";
  const std::string path = folder.write("m.yaml", text);
  const Model structure = load_network(read_yaml(path), Numbers::structure);
  EXPECT_TRUE(structure.weights[0].values.empty());
  const Model numbers = load_network(read_yaml(path), Numbers::needed);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(numbers.weights[0].values[i] != 0, numbers.weights[0].kept[i] != 0) << i;
  EXPECT_EQ(numbers.sample->values.size(), 6U);
  EXPECT_EQ(structure.content_hash, numbers.content_hash) << "the same model, however it is used";
}

TEST(LoadModel, PrunesSeededWeights) {
  const std::string head = "input: [40]\nweights: ";
  const std::string tail = "\noperators:\n  - linear: {name: l, out_features: 50}\n";
  EXPECT_EQ(kept(parse(head + "{init: he_normal, seed: 3, prune: {method: magnitude_global, sparsity: 0.97}}" + tail)
                     .weights[0]),
            60U);
  EXPECT_EQ(kept(parse(head + "{prune: {method: magnitude_layer, sparsity: 0.5}}" + tail).weights[0]), 1000U);
  EXPECT_EQ(kept(parse(head + "{prune: {method: n_m, n: 2, m: 4}}" + tail).weights[0]), 1000U);
}

TEST(LoadModel, HashesWhatCountsDependOn) {
  const std::string base = "name: a\ninput: [3]\noperators:\n  - linear: {name: l, out_features: 2}\n";
  const std::string hash = parse(base).content_hash;
  EXPECT_EQ(parse("# a comment\nname: b\ninput: [3]\noperators: [linear: {out_features: 2, name: l, bias: true}]\n")
                .content_hash,
            hash);
  EXPECT_NE(parse("name: a\ninput: [4]\noperators:\n  - linear: {name: l, out_features: 2}\n").content_hash, hash);
  EXPECT_NE(
      parse("name: a\ninput: [3]\ndtype: fp64\noperators:\n  - linear: {name: l, out_features: 2}\n").content_hash,
      hash);
  EXPECT_NE(parse("name: a\ninput: [3]\nweights: {seed: 9}\noperators:\n  - linear: {name: l, out_features: 2}\n")
                .content_hash,
            hash);
}

/// One bad file and what its message must contain.
struct BadModel {
  std::string text;
  std::string message;
};

TEST(LoadModel, RefusesEachKindOfBadFileAtItsLine) {
  const std::string head = "input: [3, 8, 8]\noperators:\n";
  const std::vector<BadModel> cases = {
      {head + "  - relu\n  - warp\n", "m.yaml:4: the operator 'warp' is not modelled, accepted are conv2d, linear"},
      {head + "  - conv2d: {out_channels: 4, kernel: 3, strides: 1}\n",
       "m.yaml:3: unknown key 'strides' in conv2d 'conv2d1': did you mean stride?, accepted are"},
      {head + "  - conv2d: {out_channels: four, kernel: 3}\n",
       "m.yaml:3: out_channels of conv2d 'conv2d1' is 'four', accepted is an integer from 1"},
      {head + "  - conv2d: {out_channels: 4, kernel: -3}\n",
       "m.yaml:3: kernel of conv2d 'conv2d1' is '-3', accepted is an integer from 1"},
      {head + "  - conv2d: {out_channels: 0, kernel: 3}\n",
       "m.yaml:3: out_channels of conv2d 'conv2d1' is '0', accepted"},
      {head + "  - conv2d: {out_channels: 4, kernel: [1, 2, 3]}\n",
       "m.yaml:3: kernel of conv2d 'conv2d1' is a list of 3, accepted is an integer of at least 1, or [y, x]"},
      {head + "  - conv2d: {kernel: 3}\n",
       "m.yaml:3: conv2d 'conv2d1' has no key 'out_channels', found are kernel, accepted"},
      {head + "  - conv2d: {out_channels: 2, kernal: 3}\n",
       "m.yaml:3: conv2d 'conv2d1' has no key 'kernel', but 'kernal': did you mean kernel?, found are out_channels, "
       "kernal"},
      {head + "  - relu: {name: ../r}\n", "m.yaml:3: name of a relu is '../r', accepted is text without / and \\"},
      {head + "  - relu: {name: \"a\\nb\"}\n",
       "m.yaml:3: name of a relu is the text 'a?b', accepted is UTF-8 text without"},
      {head + "  - relu: {name: a\xff}\n", "m.yaml:3: "},
      {"input: [1]\noperators:\n  - linear: {out_features: 2147483647}\n  - linear: {out_features: 2147483647}\n",
       "m.yaml:4: linear 'linear2': its weight [2147483647, 2147483647] has"},
      {"input: [1, 1, 1]\noperators:\n  - conv2d: {out_channels: 1, kernel: 2147483647, padding: 1073741823}\n",
       "m.yaml:3: conv2d 'conv2d1': its weight"},
      {head + "  - conv2d\n", "m.yaml:3: conv2d 'conv2d1' has no key 'out_channels', found are none"},
      {head + "  - conv2d: {out_channels: 4, kernel: 3, bias: 1}\n",
       "m.yaml:3: bias of conv2d 'conv2d1' is '1', accepted is true or false"},
      {head + "  - conv2d: {out_channels: 4, kernel: 11}\n",
       "m.yaml:3: conv2d 'conv2d1': the kernel covers 11 elements in y, accepted is at most the padded input, 8"},
      {head + "  - conv2d: {out_channels: 4, kernel: 3, groups: 2}\n",
       "m.yaml:3: conv2d 'conv2d1': its input has 3 channels, accepted is a multiple of groups, 2"},
      {head + "  - conv2d: {out_channels: 4, kernel: 3, in_channels: 5}\n",
       "m.yaml:3: conv2d 'conv2d1': it states 5 inputs, its input has shape [3, 8, 8]"},
      {head + "  - conv2d: {out_channels: 4, kernel: 3, padding_mode: reflect}\n",
       "m.yaml:3: padding_mode of conv2d 'conv2d1' is 'reflect', accepted is zeros"},
      {head + "  - linear: {out_features: 4}\n",
       "m.yaml:3: linear 'linear1': its input has shape [3, 8, 8], accepted is [features]: put a flatten in front"},
      {head + "  - gelu: {approximate: fast}\n",
       "m.yaml:3: approximate of gelu 'gelu1' is 'fast', accepted is none or tanh"},
      {head + "  - dropout: {p: 1.5}\n",
       "m.yaml:3: p of dropout 'dropout1' is '1.5', accepted is a number from 0 to 1"},
      {head + "  - batchnorm2d: {track_running_stats: false}\n", "m.yaml:3: track_running_stats of batchnorm2d"},
      {head + "  - relu: {name: a}\n  - tanh: {name: a}\n", "m.yaml:4: tanh 'a': the name is used twice"},
      {head + "  - [relu]\n", "m.yaml:3: operator 1 is a list of 1, accepted is 'kind' or 'kind: {settings}'"},
      {"input: [3, 8, 8]\noperators: ~\n", "m.yaml:2: operators is empty, accepted is a list of at least one operator"},
      {"input: [3, 8, 8]\noperators: []\n",
       "m.yaml:2: operators is a list of 0, accepted is a list of at least one operator"},
      {"input: [3, 8, 8]\noperators: [flatten]\n", "m.yaml:2: all operators are views"},
      {"operators: [relu]\n", "m.yaml:1: the model has no key 'input', found are operators"},
      {"input: [1, 2, 3, 4, 5, 6, 7, 8, 9]\noperators: [relu]\n",
       "m.yaml:1: input is a list of 9, accepted is [channels, height, width] or [features], or up to 8 sizes"},
      {"input: [3, 8]\noperators: [{conv2d: {out_channels: 1, kernel: 1}}]\n", "m.yaml:2: conv2d 'conv2d1'"},
      {"input: [0]\noperators: [relu]\n", "m.yaml:1: a size of input is '0', accepted is"},
      {"input: [4294967296, 4294967296, 4294967296]\noperators: [relu]\n",
       "m.yaml:1: the product of the sizes of input [4294967296, 4294967296, 4294967296] exceeds 64 bits"},
      {"input: [4294967296]\noperators: [relu]\n",
       "m.yaml:1: input [4294967296] has 4294967296 elements, accepted are at most 4294967295"},
      {"input: [3]\ndtype: fp16\noperators: [relu]\n", "m.yaml:2: dtype is 'fp16', accepted are fp32, fp64"},
      {"input: [3]\ncolour: red\noperators: [relu]\n",
       "m.yaml:2: unknown key 'colour' in the model, accepted are name, input, dtype, weights, sample, operators"},
      {"input: [3]\nweights: {masks: none}\noperators: [relu]\n",
       "m.yaml:2: masks of weights names none, which is no folder"},
      {"input: [3]\nweights: {init: ones}\noperators: [relu]\n",
       "m.yaml:2: init of weights is 'ones', accepted is he_normal"},
      {"input: [3]\nweights: {prune: {method: magnitude_global, sparsity: 1}}\noperators: [relu]\n",
       "m.yaml:2: sparsity of prune is '1', accepted is a number in [0, 1)"},
      {"input: [3]\nweights: {prune: {method: magnitude_global, sparsity: -0.1}}\noperators: [relu]\n",
       "m.yaml:2: sparsity of prune is '-0.1'"},
      {"input: [3]\nweights: {prune: {method: random, sparsity: 0.5}}\noperators: [relu]\n",
       "m.yaml:2: method of prune is 'random', accepted are"},
      {"input: [3]\nweights: {prune: {method: n_m, n: 5, m: 4}}\noperators: [relu]\n",
       "m.yaml:2: n of prune is '5', accepted is an integer from 1 to 4"},
      {"input: [3]\nweights: {values: a, masks: b}\noperators: [relu]\n",
       "m.yaml:2: weights has both values and masks, accepted is one of them"},
      {"input: [3]\nweights: {values: a, init: he_normal}\noperators: [relu]\n",
       "m.yaml:2: weights has both values and init"},
      {"input: [3]\nweights: {masks: a, prune: {method: n_m, n: 1, m: 2}}\noperators: [relu]\n",
       "m.yaml:2: weights has both masks and prune"},
      {"input: [3]\nsample: {}\noperators: [relu]\n",
       "m.yaml:2: sample has neither inputs nor count, accepted is one of them"},
      {"input: [3]\nsample: {count: 0}\noperators: [relu]\n", "m.yaml:2: count of sample is '0', accepted"},
      {"input: [3]\nsample: {inputs: none.npy}\noperators: [relu]\n", "m.yaml:2: none.npy: no such file"},
      {"just text\n", "m.yaml:1: the model is 'just text', accepted is a mapping of keys to values"},
  };
  for (const BadModel& bad : cases) {
    const std::string message = refusal(bad.text);
    EXPECT_NE(message.find(bad.message), std::string::npos)
        << bad.text << "\ngot: " << message << "\nwant: " << bad.message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(LoadModel, NeedsASampleForTheSamplePattern) {
  EXPECT_NE(refusal("input: [3]\noperators: [relu]\n", Numbers::needed).find("m.yaml:1: the model has no key 'sample'"),
            std::string::npos);
}

TEST(LoadModel, NamesOperatorAndArrayWhenAnArrayIsWrong) {
  const TemporaryFolder folder;
  const std::string text =
      "input: [3]\nweights: {masks: w}\noperators:\n  - relu\n  - linear: {name: l, out_features: 2}\n";
  const std::string path = folder.write("m.yaml", text);
  const auto message = [&](const std::string& array) {
    folder.write("w/l.npy", array);
    return refusal(text, Numbers::structure, path);
  };
  const std::string where = path + ":5: linear 'l': " + folder.path("w/l.npy");
  folder.write("w/other.npy", "ignored");
  EXPECT_EQ(refusal(text, Numbers::structure, path), where + ": no such file, accepted is a .npy file");
  EXPECT_EQ(message(npy<std::uint8_t>("|b1", "(3, 2)", {1, 1, 1, 1, 1, 1})),
            where + " has shape [3, 2], accepted is [2, 3]");
  EXPECT_NE(message(npy<double>("|O", "(2, 3)", {1})).find(where + ": the element type is '|O'"), std::string::npos);
  EXPECT_NE(message("\x93NUM").find(where + ": the file ends after"), std::string::npos);
  EXPECT_EQ(message(npy<float>("<f4", "(2, 3)", {1, 1, 1, -INFINITY, 1, 1})),
            where + " has -inf at element 3, accepted are finite numbers");
  std::filesystem::remove(folder.path("w/l.npy"));
  std::filesystem::create_directory(folder.path("w/l.npy"));
  EXPECT_EQ(refusal(text, Numbers::structure, path), where + ": not a regular file, accepted is a .npy file");
}

TEST(LoadModel, ReadsShippedModels) {
  for (const char* name : {"vgg11-cifar10", "vgg11-cifar10-pruned97", "vgg11-quarter-pruned90", "vgg16-cifar10",
                           "vgg16-imagenet", "alexnet-imagenet", "alexnet-imagenet-pruned97", "lenet5", "mlp-mnist",
                           "densenet-block", "inception-block", "two-streams", "resnet20-cifar10-pruned90"}) {
    EXPECT_EQ(
        load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name + ".yaml"), Numbers::structure).name,
        name);
  }
}

}  // namespace
}  // namespace upsweep::model_file_test
