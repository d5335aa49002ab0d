#include "upsweep/profile/convention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "upsweep/io/model_file.hpp"
#include "upsweep/profile/cost_table.hpp"

namespace upsweep::testing::convention_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Network chain(Shape input, std::vector<OperatorSpec> specs) { return {std::move(input), specs}; }

/// The costs of operator `o` by a convention.
OperatorCosts costs_of(const Network& network, const std::string& convention, std::size_t o = 0,
                       std::uint64_t batch = 1) {
  return count_costs(network, find_conventions(convention), batch, 4, 1).operators[0][o];
}

Costs total_of(const Network& network, const std::string& convention, std::uint64_t batch = 1) {
  return count_costs(network, find_conventions(convention), batch, 4, 1).totals[0].costs;
}

/// 3x3 filters over 2 x 4 x 5 with a border of zeros: 20 positions.
Conv2d filters(std::uint64_t channels, std::uint64_t groups = 1, bool bias = true) {
  Conv2d conv{channels, {3, 3}, {1, 1}, {1, 1}};
  conv.groups = groups;
  conv.bias = bias;
  return conv;
}

TEST(Conventions, AreFoundByName) {
  EXPECT_THAT(convention_names(), ElementsAre("upsweep", "torchinfo", "fvcore", "deepspeed", "calculon", "all"));
  EXPECT_EQ(find_conventions("all").size(), 5U);
  EXPECT_THAT(find_conventions("thop"), IsEmpty());
  for (const Convention& convention : conventions()) EXPECT_TRUE(convention.has(&Costs::parameters)) << convention.name;
}

TEST(Conventions, DifferOnTheBiasOfAConvolution) {
  const Network network = chain({2, 4, 5}, {{"conv", filters(6), {}}});
  const std::uint64_t macs = 20 * 6 * 2 * 9;
  EXPECT_EQ(costs_of(network, "upsweep").costs, (Costs{114, macs, 2 * macs, 0, 2 * macs, 2 * macs, 4 * 120}))
      << "the network's input has no gradient";
  EXPECT_EQ(costs_of(network, "torchinfo").costs, (Costs{114, macs + 120, {}, {}, {}, {}, 2 * 4 * 120}));
  EXPECT_EQ(costs_of(network, "fvcore").costs, (Costs{114, macs, {}, {}, {}, {}, 4 * 120}));
  EXPECT_EQ(costs_of(network, "deepspeed").costs, (Costs{114, macs, 2 * macs + 120, {}, {}, 4 * macs + 240, {}}));
  EXPECT_EQ(costs_of(network, "calculon").costs, Costs{});
  EXPECT_EQ(costs_of(network, "calculon").unknown, "Calculon has no such layer");
}

TEST(Conventions, DivideGroupedConvolutionsByTheirGroups) {
  const Network network = chain({2, 4, 5}, {{"conv", filters(6, 2, false), {}}});
  const std::uint64_t macs = 20 * 6 * 9;
  for (const std::string tool : {"upsweep", "torchinfo", "fvcore", "deepspeed"}) {
    EXPECT_EQ(costs_of(network, tool).costs.parameters, 54U) << tool;
    EXPECT_EQ(costs_of(network, tool).costs.forward_macs, macs) << tool;
  }
}

TEST(Conventions, MultiplyAllButParametersByTheBatch) {
  const Network network = chain({2, 4, 5}, {{"conv", filters(6), {}}, {"relu", Relu{}, {}}});
  for (const Convention& convention : conventions()) {
    Costs one = total_of(network, convention.name);
    const Costs seven = total_of(network, convention.name, 7);
    EXPECT_EQ(one.parameters, seven.parameters) << convention.name;
    one.parameters.reset();
    for (const CostQuantity& quantity : kCostQuantities) {
      if (!(one.*quantity.count)) continue;
      EXPECT_EQ(seven.*quantity.count, 7 * *(one.*quantity.count)) << quantity.name;
    }
  }
}

TEST(Conventions, OfALinearOfSeveralVectors) {
  const Network network = chain({5, 4}, {{"first", Linear{4}, {}}, {"fc", Linear{3}, {}}});
  const std::uint64_t macs = 5 * 4 * 3;
  EXPECT_EQ(costs_of(network, "upsweep", 1).costs, (Costs{15, macs, 2 * macs, 2 * macs, 2 * macs, 4 * macs, 60}));
  EXPECT_EQ(costs_of(network, "torchinfo", 1).costs.forward_macs, 15U) << "as often as the batch, not the vectors";
  EXPECT_EQ(costs_of(network, "fvcore", 1).costs.forward_macs, macs);
  EXPECT_EQ(costs_of(network, "deepspeed", 1).costs.forward_flops, 2 * macs) << "no bias";
  EXPECT_EQ(costs_of(network, "calculon", 1).costs, (Costs{12, {}, 2 * macs, 2 * macs, 2 * macs, 4 * macs, 4 * 20}));
}

TEST(Conventions, OfNormsPoolingAndActivations) {
  const Network network = chain({2, 4, 4}, {{"conv", filters(2), {}},
                                            {"norm", BatchNorm2d{}, {}},
                                            {"relu", Relu{}, {}},
                                            {"tanh", Tanh{}, {}},
                                            {"max", MaxPool2d{{2, 2}, {2, 2}}, {}},
                                            {"mean", AdaptiveAvgPool2d{{1, 1}}, {}}});
  const auto forward = [&](const std::string& tool, std::optional<std::uint64_t> Costs::*count) {
    std::vector<std::uint64_t> found;
    for (std::size_t o = 1; o < 6; ++o) found.push_back((costs_of(network, tool, o).costs.*count).value());
    return found;
  };
  EXPECT_THAT(forward("upsweep", &Costs::forward_macs), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(forward("upsweep", &Costs::forward_flops), ElementsAre(32, 32, 32, 32, 8));
  EXPECT_THAT(forward("torchinfo", &Costs::forward_macs), ElementsAre(4, 0, 0, 0, 0)) << "its parameters";
  EXPECT_THAT(forward("torchinfo", &Costs::activation_bytes), ElementsAre(2 * 4 * 32, 0, 0, 0, 0));
  EXPECT_THAT(forward("fvcore", &Costs::forward_macs), ElementsAre(64, 0, 0, 0, 8));
  EXPECT_THAT(forward("deepspeed", &Costs::forward_flops), ElementsAre(64, 32, 0, 32, 8)) << "tanh is not patched";
  const CostTable table = count_costs(network, find_conventions("all"), 1, 4, 1);
  EXPECT_THAT(table.left_out[0], IsEmpty());
  EXPECT_THAT(table.left_out[1], ElementsAre("relu", "tanh", "maxpool2d", "adaptive_avgpool2d"));
  EXPECT_THAT(table.left_out[2], ElementsAre("relu", "tanh", "maxpool2d"));
  EXPECT_THAT(table.left_out[3], ElementsAre("tanh"));
}

TEST(Conventions, OfAttention) {
  const Grouped softmax{GroupRule::softmax, 3};
  const Grouped norm{GroupRule::normalise, 4, 1, 1e-5, 4};
  const Network network = chain({3, 4}, {{"norm", norm, {}},
                                         {"keys", Linear{3}, {}},
                                         {"scores", MatMul{}, {{"keys", "norm"}}},
                                         {"softmax", softmax, {}},
                                         {"gelu", Gelu{}, {}}});
  EXPECT_EQ(costs_of(network, "upsweep", 2).costs, (Costs{0, 36, 72, 144, 0, 144, 48})) << "two gradients";
  EXPECT_EQ(costs_of(network, "calculon", 2).costs, (Costs{0, {}, 72, 144, 0, 144, 4 * (9 + 12)}));
  EXPECT_EQ(costs_of(network, "torchinfo", 2).costs, (Costs{0, 0, {}, {}, {}, {}, 0})) << "no module";
  EXPECT_EQ(costs_of(network, "deepspeed", 2).costs.forward_flops, 72U);
  EXPECT_EQ(costs_of(network, "calculon", 0).costs, (Costs{8, {}, 9 * 12, 14 * 12, 7 * 12, 21 * 12, 48}));
  EXPECT_EQ(costs_of(network, "fvcore", 0).costs.forward_macs, 5U * 12);
  EXPECT_EQ(costs_of(network, "calculon", 3).costs, (Costs{0, {}, 60, 96, 0, 96, 48}));
  EXPECT_EQ(costs_of(network, "calculon", 4).costs, (Costs{0, {}, 96, 156, 0, 156, 48}));
}

TEST(Conventions, OfBranchesCountTheSumsOfGradients) {
  const Network network = chain({2, 4, 4}, {{"conv", filters(2), {}},
                                            {"relu", Relu{}, {{"conv"}}},
                                            {"sum", Add{}, {{"relu", "conv"}}},
                                            {"both", Concat{}, {{"sum", "relu"}}}});
  EXPECT_EQ(costs_of(network, "upsweep", 0).costs.input_gradient_flops, 32U) << "conv has two readers, its input none";
  EXPECT_EQ(costs_of(network, "upsweep", 1).costs.input_gradient_flops, 32U + 32) << "its own, and two readers";
  EXPECT_EQ(costs_of(network, "upsweep", 2).costs, (Costs{0, 0, 32, 0, 0, 0, 128}));
  EXPECT_EQ(costs_of(network, "upsweep", 3).costs, (Costs{0, 0, 0, 0, 0, 0, 256}));
  EXPECT_EQ(costs_of(network, "calculon", 2).costs, (Costs{0, {}, 32, 64, 0, 64, 256}));
  EXPECT_EQ(costs_of(network, "deepspeed", 2).costs.forward_flops, 0U);
}

TEST(Conventions, OfATransposedConvolution) {
  ConvTranspose2d conv{4, {2, 2}, {2, 2}};
  const Network network = chain({3, 4, 4}, {{"up", conv, {}}});
  const std::uint64_t macs = 16 * 3 * 4 * 4;
  EXPECT_EQ(costs_of(network, "upsweep").costs.forward_macs, macs);
  EXPECT_EQ(costs_of(network, "fvcore").costs.forward_macs, macs);
  EXPECT_EQ(costs_of(network, "torchinfo").costs.forward_macs, (3U * 4 * 4 + 4) * 64) << "every weight at each output";
  EXPECT_EQ(costs_of(network, "deepspeed").costs.forward_flops, 2 * macs + 4 * (2 * 2))
      << "a bias for each output of a convolution";
  conv.kernel = {5, 5};
  const Network wide = chain({3, 4, 4}, {{"up", conv, {}}});
  EXPECT_THAT(costs_of(wide, "deepspeed").unknown, HasSubstr("its bias"));
}

TEST(Conventions, OfARecurrentLayer) {
  Recurrence gru{RecurrentCell::gru, 4};
  const Network network = chain({5, 3}, {{"gru", gru, {}}});
  const std::uint64_t weights = 3 * 4 * (3 + 4);
  EXPECT_EQ(costs_of(network, "upsweep").costs,
            (Costs{weights + 24, 5 * weights, 10 * weights, 0, 10 * weights, 10 * weights, 4 * 20}));
  EXPECT_EQ(costs_of(network, "torchinfo").costs.forward_macs, 5 * (weights + 24));
  EXPECT_EQ(costs_of(network, "fvcore").costs.forward_macs, 0U) << "unsupported, as it says";
  EXPECT_EQ(costs_of(network, "deepspeed").costs.forward_flops, 5 * (2 * weights - 24 + 7 * 4 + 24));
  EXPECT_EQ(costs_of(network, "deepspeed").costs.forward_macs, 0U);
  gru.reset_after = false;
  EXPECT_EQ(costs_of(chain({5, 3}, {{"gru", gru, {}}}), "deepspeed").unknown, "no cell of PyTorch");
}

// What fvcore's own documentation says of this network: flop_count.py and activation_count.py.
TEST(Conventions, OfFvcoreGiveTheFiguresOfItsDocumentation) {
  const Network network = chain(
      {3, 10, 10},
      {{"conv", Conv2d{10, {1, 1}}, {}}, {"act", Relu{}, {}}, {"flatten", Flatten{}, {}}, {"fc", Linear{10}, {}}});
  EXPECT_EQ(total_of(network, "fvcore").forward_macs, 13000U);
  EXPECT_EQ(total_of(network, "fvcore").activation_bytes, 4U * 1010);
}

Costs total_of_model(const std::string& name, const std::string& convention) {
  return total_of(
      load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name + ".yaml"), Numbers::structure)
          .network,
      convention);
}

// Parameters and GFLOPS of torchvision's table of weights.
TEST(Conventions, GiveThePublishedFiguresOfKnownNetworks) {
  EXPECT_EQ(total_of_model("resnet50-imagenet", "upsweep").parameters, 25'557'032U);
  EXPECT_EQ(total_of_model("resnet50-imagenet", "upsweep").forward_macs, 4'089'184'256U);
  EXPECT_EQ(total_of_model("alexnet-imagenet", "upsweep").parameters, 61'100'840U);
  EXPECT_EQ(total_of_model("alexnet-imagenet", "upsweep").forward_macs, 714'188'480U);
  EXPECT_EQ(total_of_model("vgg16-imagenet", "upsweep").parameters, 138'357'544U);
  EXPECT_EQ(total_of_model("vgg16-imagenet", "upsweep").forward_macs, 15'470'264'320U);
  // The summary that torchinfo prints: 4.09 G mult-adds, forward/backward pass size 177.83 MB.
  EXPECT_EQ(total_of_model("resnet50-imagenet", "torchinfo").activation_bytes, 177'831'744U);
}

}  // namespace
}  // namespace upsweep::testing::convention_test
