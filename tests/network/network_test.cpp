#include "upsweep/network/network.hpp"

#include <gtest/gtest.h>

namespace upsweep {
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
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, std::vector<std::string>{}}}), "relu 'a' reads no activation, accepted is one");
}

TEST(Network, NamesTheOperatorThatBranches) {
  const std::vector<OperatorSpec> residual = {
      {"a", Relu{}, {}}, {"b", Relu{}, {}}, {"sum", Relu{}, std::vector<std::string>{"a", "b"}}};
  EXPECT_EQ(
      refusal({4}, residual),
      "relu 'a' feeds 2 operators (relu 'b', relu 'sum'), accepted is one: networks with branches are not modelled");
  const std::vector<OperatorSpec> join = {{"a", Relu{}, {}}, {"b", Relu{}, std::vector<std::string>{"a", "a"}}};
  EXPECT_NE(refusal({4}, join).find("networks with branches are not modelled"), std::string::npos);
}

TEST(Network, NamesWhatElseIsWrong) {
  EXPECT_EQ(refusal({4}, {}), "the list of operators is empty, accepted is at least one operator");
  EXPECT_EQ(refusal({4}, {{"d", Dropout{}, {}}}),
            "all operators are views (flatten, dropout), accepted is at least one operator with a Jacobian");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, {}}, {"a", Tanh{}, {}}}),
            "tanh 'a': the name is used twice, first by operator 1; accepted are unique names");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, std::vector<std::string>{"z"}}}),
            "relu 'a': its input 'z' is not in the list, accepted are names of operators");
  EXPECT_EQ(refusal({4}, {{"a", Relu{}, {}},
                          {"b", Relu{}, std::vector<std::string>{"c"}},
                          {"c", Relu{}, std::vector<std::string>{"b"}}}),
            "relu 'b' cannot be reached from the network's input: it is part of a cycle");
  EXPECT_NE(refusal({1, 60000, 60000}, {{"c", Conv2d{2, {1, 1}}, {}}}).find("accepted are at most 4294967295"),
            std::string::npos);
}

}  // namespace
}  // namespace upsweep
