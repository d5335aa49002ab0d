#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/model_file.hpp"

namespace upsweep::model_branches_test {
namespace {

using ::testing::HasSubstr;
using Names = std::vector<std::string>;

Model parse(const std::string& text) {
  std::istringstream in(text);
  return load_network(parse_yaml(in, "m.yaml"), Numbers::structure);
}

std::string refusal(const std::string& text) {
  return testing::refusal_of([&] { return parse(text); });
}

Names inputs_of(const Model& model, const std::string& name) {
  const std::vector<Operator>& operators = model.network.operators();
  const auto found = std::find_if(operators.begin(), operators.end(), [&](const auto& op) { return op.name == name; });
  Names names;
  for (const std::size_t source : model.network.inputs_of(static_cast<std::size_t>(found - operators.begin())))
    names.push_back(source == kNetworkInput ? kInputName : operators[source].name);
  return names;
}

TEST(LoadModelWithBranches, ReadsTheInputsOfEveryOperator) {
  const Model model = parse(R"(
input: [2, 4, 4]
operators:
  - relu: {name: a}
  - conv2d: {name: b, inputs: [input], out_channels: 2, kernel: 1}
  - add: {name: sum, inputs: [a, b]}
  - tanh
  - concat: {name: both, inputs: [tanh4, input, sum]}
)");
  EXPECT_EQ(inputs_of(model, "a"), Names{"input"}) << "the first operator reads the network's input";
  EXPECT_EQ(inputs_of(model, "b"), Names{"input"});
  EXPECT_EQ(inputs_of(model, "sum"), (Names{"a", "b"}));
  EXPECT_EQ(inputs_of(model, "tanh4"), Names{"sum"}) << "without `inputs` it is the one before";
  EXPECT_EQ(inputs_of(model, "both"), (Names{"tanh4", "input", "sum"}));
  EXPECT_EQ(model.network.operators().back().out_shape, (Shape{6, 4, 4}));
}

TEST(LoadModelWithBranches, KeepsLinesWithOperatorsThatAreListedInAnotherOrder) {
  const Model model = parse(
      "input: [2]\noperators:\n  - add: {name: sum, inputs: [t, r]}\n  - relu: {name: r, inputs: [input]}\n  - tanh: "
      "{name: t, inputs: [r]}\n");
  std::vector<std::string> found;
  for (std::size_t o = 0; o < model.lines.size(); ++o)
    found.push_back(model.network.operators()[o].name + " " + std::to_string(model.lines[o]));
  EXPECT_EQ(found, (Names{"r 4", "t 5", "sum 3"}));
}

TEST(LoadModelWithBranches, RefusesEachKindOfBadGraphAtItsLine) {
  const std::string head = "input: [3, 8, 8]\noperators:\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"  - relu: {name: a, inputs: [b]}\n  - tanh: {name: b}\n", "m.yaml:3: relu 'a' is part of a cycle"},
      {"  - relu: {name: a}\n  - tanh: {name: b, inputs: [b]}\n", "m.yaml:4: tanh 'b' is part of a cycle"},
      {"  - relu: {name: a}\n  - add: {name: s, inputs: [a, c]}\n",
       "m.yaml:4: add 's': its input 'c' is not in the list, accepted are names of operators and 'input'"},
      {"  - maxpool2d: {name: a, kernel: 2}\n  - add: {name: s, inputs: [a, input]}\n",
       "m.yaml:4: add 's': its inputs have shapes [3, 4, 4], [3, 8, 8], accepted are inputs of one shape"},
      {"  - maxpool2d: {name: a, kernel: 2}\n  - concat: {name: s, inputs: [a, input]}\n",
       "m.yaml:4: concat 's': its inputs have shapes [3, 4, 4], [3, 8, 8], accepted are inputs that differ in the "
       "first axis only"},
      {"  - relu: {name: a}\n  - flatten: {name: f}\n  - concat: {name: s, inputs: [a, f]}\n",
       "m.yaml:5: concat 's': its inputs have shapes [3, 8, 8], [192], accepted"},
      {"  - relu: {name: a}\n  - relu: {name: b, inputs: [a]}\n  - tanh: {name: c, inputs: [a]}\n",
       "m.yaml:4: relu 'b' ends nowhere: no operator reads it, and tanh 'c' gives the network's output"},
      {"  - relu: {name: a}\n  - relu: {name: b}\n  - tanh: {name: c, inputs: [a, b]}\n",
       "m.yaml:5: tanh 'c': it reads 2 activations, accepted is one"},
      {"  - relu: {name: a}\n  - add: {name: s}\n",
       "m.yaml:4: add 's': it reads 1 activation, accepted are two or more: state its inputs"},
      {"  - relu: {name: a}\n  - concat\n", "m.yaml:4: concat 'concat2': it reads 1 activation, accepted are two or"},
      {"  - relu: {name: a}\n  - add: {name: s, inputs: []}\n",
       "m.yaml:4: add 's' reads no activation, accepted is at least one"},
      {"  - relu: {name: a}\n  - add: {name: s, inputs: a}\n",
       "m.yaml:4: inputs of add 's' is 'a', accepted is a list of operator names"},
      {"  - relu: {name: a}\n  - add: {name: s, inputs: [a, [input]]}\n", "m.yaml:4: inputs of add 's' is a list of 1"},
      {"  - relu: {name: a}\n  - concat: {name: s, inputs: [a, input], dim: 1}\n",
       "m.yaml:4: unknown key 'dim' in concat 's', accepted are name, inputs"},
  };
  for (const auto& [operators, message] : cases) {
    const std::string found = refusal(head + operators);
    EXPECT_THAT(found, HasSubstr(message)) << operators;
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
  }
}

TEST(LoadModelWithBranches, HashesWhichActivationsAreRead) {
  const auto hash = [](const std::string& operators) {
    return parse("input: [2]\noperators:\n" + operators).content_hash;
  };
  const std::string list = "  - relu: {name: a}\n  - tanh: {name: b}\n  - sigmoid: {name: c}\n";
  EXPECT_EQ(hash(list), hash("  - sigmoid: {name: c, inputs: [b]}\n  - tanh: {name: b, inputs: [a]}\n  - relu: {name: "
                             "a, inputs: [input]}\n"))
      << "a list is a list, however it is written";
  const std::string branches = "  - relu: {name: a}\n  - tanh: {name: b}\n  - add: {name: s, inputs: ";
  const std::vector<std::string> hashes = {hash(branches + "[a, b]}\n"), hash(branches + "[b, a]}\n"),
                                           hash(branches + "[b, input]}\n"), hash(branches + "[b, a, a]}\n")};
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) EXPECT_NE(hashes[i], hashes[k]) << i << ' ' << k;
  }
}

TEST(LoadModelWithBranches, KeepsTheHashesOfModelsWithout) {
  // What stores hold of earlier versions.
  EXPECT_EQ(parse("input: [3]\noperators:\n  - linear: {name: l, out_features: 2}\n  - relu\n").content_hash,
            "90b125c9f1943ed41264e34bd6067de9");
}

}  // namespace
}  // namespace upsweep::model_branches_test
