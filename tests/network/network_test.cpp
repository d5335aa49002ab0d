#include "upsweep/network/network.hpp"

#include <gtest/gtest.h>

namespace upsweep::network_test {
namespace {

std::string refusal(const Shape& input, const std::vector<OperatorSpec>& specs) {
  try {
    const Network network(input, specs);
    return "accepted";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Network, InfersShapesAlongTheChainAndSkipsViewsAsLinks) {
  const Network network({3, 4, 4},
                        {{"c", Conv2d{2, {3, 3}}, {}}, {"r", Relu{}, {}}, {"f", Flatten{}, {}}, {"l", Linear{5}, {}}});
  ASSERT_EQ(network.operators().size(), 4U);
  EXPECT_EQ(network.operators()[2].in_shape, (Shape{2, 2, 2}));
  EXPECT_EQ(network.operators()[3].out_shape, (Shape{5}));
  EXPECT_EQ(network.links(), (std::vector<std::size_t>{0, 1, 3}));
}

TEST(Network, FollowsStatedInputsInsteadOfTheOrderOfTheList) {
  const std::vector<std::string> after_c = {"c"};
  const std::vector<std::string> after_a = {"a"};
  const Network network({4}, {{"a", Linear{3}, {}}, {"b", Tanh{}, after_c}, {"c", Linear{2}, after_a}});
  ASSERT_EQ(network.operators().size(), 3U);
  EXPECT_EQ(network.operators()[1].name, "c");
  EXPECT_EQ(network.operators()[2].name, "b");
  EXPECT_EQ(network.operators()[2].out_shape, (Shape{2}));
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, std::vector<std::string>{}}}),
            "relu 'a' reads no activation, accepted is at least one");
}

using Names = std::vector<std::string>;

TEST(Network, BlocksOfBranchesAreLinksBetweenArticulationPoints) {
  // Two residual blocks, the second around two operators and with a shortcut of its own, and a flatten between.
  const Network network({4, 3, 3}, {{"a", Conv2d{4, {1, 1}}, {}},
                                    {"b", Conv2d{4, {1, 1}}, {}},
                                    {"sum", Add{}, Names{"b", "a"}},
                                    {"flat", Flatten{}, {}},
                                    {"c", Linear{5}, {}},
                                    {"d", Tanh{}, {}},
                                    {"short", Linear{7}, Names{"flat"}},
                                    {"both", Concat{}, Names{"d", "short"}},
                                    {"r", Relu{}, {}}});
  EXPECT_EQ(network.links(), (std::vector<std::size_t>{0, 2, 7, 8}));
  ASSERT_TRUE(network.has_blocks());
  EXPECT_FALSE(network.link(0).is_block);
  EXPECT_EQ(network.link(0).input, kNetworkInput);
  EXPECT_TRUE(network.link(1).is_block);
  EXPECT_EQ(network.link(1).input, 0U);
  EXPECT_EQ(network.link(1).operators, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(network.link(2).input, 3U);
  EXPECT_EQ(network.link(2).operators, (std::vector<std::size_t>{4, 5, 6, 7}));
  EXPECT_EQ(network.inputs_of(2), (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(network.operators()[7].out_shape, (Shape{12}));
  EXPECT_EQ(network.shape_of(kNetworkInput), (Shape{4, 3, 3}));
  try {
    require_no_blocks(network, "training");
    FAIL();
  } catch (const OperatorError& error) {
    EXPECT_EQ(error.index(), 2U);
    EXPECT_STREQ(error.what(), "add 'sum' joins branches, accepted for training are networks without");
  }
}

TEST(Network, TheInputCanBeRead) {
  const Network network({4}, {{"a", Tanh{}, {}}, {"sum", Add{}, Names{"a", "input"}}});
  EXPECT_EQ(network.links(), (std::vector<std::size_t>{1}));
  EXPECT_EQ(network.inputs_of(1), (std::vector<std::size_t>{0, kNetworkInput}));
  const Network twice({4}, {{"a", Tanh{}, {}}, {"sum", Add{}, Names{"a", "a"}}});
  EXPECT_EQ(twice.links(), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(twice.link(1).is_block);
  EXPECT_EQ(Network({4}, {{"input", Tanh{}, {}}, {"b", Relu{}, {}}}).links().size(), 2U);
  EXPECT_EQ(refusal({4}, {{"input", Tanh{}, {}}, {"sum", Add{}, Names{"input", "input"}}}),
            "add 'sum': its input 'input' is the name of an operator and of the network's input, accepted is another "
            "name for the operator");
}

TEST(Network, NamesTheOperatorWhoseBranchesAreWrong) {
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, {}}, {"b", Relu{}, {}}, {"sum", Relu{}, Names{"a", "b"}}}),
            "relu 'sum': it reads 2 activations, accepted is one");
  EXPECT_EQ(refusal({4}, {{"a", Add{}, {}}}),
            "add 'a': it reads 1 activation, accepted are two or more: state its inputs");
  EXPECT_EQ(refusal({4}, {{"a", Linear{3}, {}}, {"sum", Add{}, Names{"a", "input"}}}),
            "add 'sum': its inputs have shapes [3], [4], accepted are inputs of one shape");
  EXPECT_EQ(refusal({1, 4, 4}, {{"a", Conv2d{1, {2, 2}}, {}}, {"join", Concat{}, Names{"a", "input"}}}),
            "concat 'join': its inputs have shapes [1, 3, 3], [1, 4, 4], accepted are inputs that differ in the first "
            "axis only");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, {}}, {"lost", Relu{}, {}}, {"b", Relu{}, Names{"a"}}}),
            "relu 'lost' ends nowhere: no operator reads it, and relu 'b' gives the network's output; accepted is one "
            "such operator");
}

TEST(Network, NamesWhatElseIsWrong) {
  EXPECT_EQ(refusal({4}, {}), "the list of operators is empty, accepted is at least one operator");
  EXPECT_EQ(refusal({4}, {{"d", Dropout{}, {}}}),
            "all operators are views (flatten, dropout), accepted is at least one operator with a Jacobian");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, {}}, {"a", Tanh{}, {}}}),
            "tanh 'a': the name is used twice, first by operator 1; accepted are unique names");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, std::vector<std::string>{"z"}}}),
            "relu 'a': its input 'z' is not in the list, accepted are names of operators and 'input', the network's "
            "input");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, {}},
                          {"b", Relu{}, std::vector<std::string>{"c"}},
                          {"c", Relu{}, std::vector<std::string>{"b"}}}),
            "relu 'b' is part of a cycle (relu 'b', relu 'c'), accepted are networks without");
  EXPECT_NE(refusal({1, 60000, 60000}, {{"c", Conv2d{2, {1, 1}}, {}}}).find("accepted are at most 4294967295"),
            std::string::npos);
}

}  // namespace
}  // namespace upsweep::network_test
