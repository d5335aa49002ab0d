#include "upsweep/sim/dense_time.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/files.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::dense_time_test {
namespace {

Model model_of(const std::string& text) {
  std::istringstream in(text);
  return load_network(parse_yaml(in, "model.yaml"), Numbers::structure);
}

NetworkProfile profile_of(const Model& model) {
  const NetworkView view{model.network, model.weights};
  return analyse(view, PatternKind::guaranteed, {linear_schedule(model.network.links().size() + 1)}).network;
}

/// 100 FLOPs and 10 bytes a second, 0.5 s for a launch.
const DenseRates kRates{.flops_per_s = 100, .bytes_per_s = 10, .launch_s = 0.5};

TEST(DenseTime, OfAKernelIsItsLaunchAndTheLargerOfArithmeticAndMemory) {
  EXPECT_DOUBLE_EQ(kRates.seconds({1000, 1, 1}, 1), 0.5 + 10) << "arithmetic";
  EXPECT_DOUBLE_EQ(kRates.seconds({1, 30, 20}, 1), 0.5 + 20) << "memory: (30 + 20) numbers of 4 bytes";
  EXPECT_DOUBLE_EQ(kRates.seconds({1, 30, 20}, 3), 0.5 + 44) << "a batch reads the weights once";
  EXPECT_DOUBLE_EQ(kRates.seconds({1000, 1, 1}, 3), 0.5 + 30);
}

TEST(DenseTime, OfANetworkAddsUpGradientsThatBackPropagationForms) {
  const Model model = model_of(R"(
name: small
input: [4]
operators: [linear: {out_features: 3, bias: false}, relu, linear: {out_features: 2, bias: false}])");
  const DenseBackprop dense = dense_backprop(model.network, profile_of(model), kRates, 1);
  // No gradient of the input: relu has 3 + 3 FLOPs and 9 numbers, the second linear 12 FLOPs and 5 + 6 numbers.
  EXPECT_EQ(dense.kernels, 2U);
  EXPECT_DOUBLE_EQ(dense.gradients_s, (0.5 + 3.6) + (0.5 + 4.4));
  // Both weights: 24 FLOPs and 7 + 12 numbers; 12 FLOPs and 5 + 6.
  EXPECT_DOUBLE_EQ(dense.weight_gradients_s, (0.5 + 7.6) + (0.5 + 4.4));
  EXPECT_DOUBLE_EQ(dense.gradients_share(), 9.0 / 22.0);
}

TEST(DenseTime, OfBranchesCountsTheSumsOfGradients) {
  const Model model = model_of(R"(
name: residual
input: [2]
operators: [relu: {name: a}, relu: {name: b}, add: {inputs: [a, b]}])");
  const DenseBackprop dense = dense_backprop(model.network, profile_of(model), kRates, 1);
  // relu b: 4 FLOPs, 6 numbers; what a is read for twice: 2 additions, 6 numbers.
  EXPECT_EQ(dense.kernels, 2U);
  EXPECT_DOUBLE_EQ(dense.gradients_s, 2 * (0.5 + 2.4));
  DenseRates issued = kRates;
  issued.host_s = 4;
  EXPECT_DOUBLE_EQ(dense_backprop(model.network, profile_of(model), issued, 1).gradients_s, 2 * 4)
      << "the host issues kernels while the device works";
}

TEST(DenseTime, NeedsARateAndABandwidth) {
  Machine machine;
  machine.kind = MachineKind::cpu;
  machine.rates.resize(1);
  EXPECT_EQ(missing_dense_key(machine, 1, 4), "rates[1].fp32.dense_GFLOPps");
  EXPECT_FALSE(dense_rates(machine, 1, 4));
  machine.rates[0].fp32.dense_flops_per_s = 7;
  EXPECT_EQ(missing_dense_key(machine, 1, 4), "rates[1].copy_bandwidth_GBps");
  EXPECT_EQ(missing_dense_key(machine, 1, 8), "rates[1].fp64.dense_GFLOPps");
  machine.rates[0].copy_bytes_per_s = 9;
  EXPECT_EQ(missing_dense_key(machine, 1, 4), "");
  EXPECT_EQ(dense_rates(machine, 1, 4)->bytes_per_s, 9);
  machine.rates[0].fp32.mm.bytes_per_s = 11;
  EXPECT_EQ(dense_rates(machine, 1, 4)->bytes_per_s, 11) << "that of combines, where they have one";
  machine.rates[0].fp32.mm.flops_per_s = 5;
  EXPECT_EQ(dense_rates(machine, 1, 4)->flops_per_s, 7) << "what is said for dense products comes before a peak";
  machine.rates[0].fp32.dense_flops_per_s = 0;
  EXPECT_EQ(dense_rates(machine, 1, 4)->flops_per_s, 5);
  machine.kind = MachineKind::pram;
  EXPECT_FALSE(dense_rates(machine, 1, 4));
  EXPECT_EQ(missing_dense_key(machine, 1, 4), "") << "no key would help";
}

}  // namespace
}  // namespace upsweep::dense_time_test
