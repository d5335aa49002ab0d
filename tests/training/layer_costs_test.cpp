#include "upsweep/training/layer_costs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "support/refusal.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep::layer_costs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kSource = UPSWEEP_SOURCE_DIR;

Machine machine_named(const std::string& name) {
  return load_machine(read_yaml(kSource + "/configs/machines/" + name + ".yaml"));
}

/// A cpu of two workers whose every cost is made up, with a cache that small networks leave.
Machine made_up_cpu() {
  Machine machine;
  machine.name = "made-up";
  machine.kind = MachineKind::cpu;
  machine.cache_bytes = 4096;
  machine.near_cache_bytes = 1024;
  machine.first_cache_bytes = 256;
  for (const std::size_t workers : {1, 2}) {
    Rates rates;
    rates.workers = workers;
    rates.op_latency_s = 3e-7;
    rates.level_latency_s = 2e-7;
    double number = 1e-9;
    for (KindRates* kind : {&rates.fp32.mv, &rates.fp32.mm, &rates.fp64.mv, &rates.fp64.mm}) {
      for (double& cost : kind->costs.unit_s) cost = number *= 1.1;
      for (double& cost : kind->memory_costs.unit_s) cost = number *= 1.05;
    }
    machine.rates.push_back(rates);
  }
  return machine;
}

Conv2d conv(std::uint64_t channels, std::uint64_t kernel) {
  return {.out_channels = channels, .kernel = {kernel, kernel}, .padding = {kernel / 2, kernel / 2}};
}

/// The first layer is one operator, so that the others are what `linear` executes.
Network small_network() {
  return Network({2, 6, 6}, {{"a", conv(3, 3), {}},
                             {"b", conv(4, 3), {}},
                             {"norm", BatchNorm2d{}, {}},
                             {"relu", Relu{}, {}},
                             {"pool", MaxPool2d{.kernel = {2, 2}, .stride = {2, 2}}, {}},
                             {"flat", Flatten{}, {}},
                             {"drop", Dropout{}, {}},
                             {"fc", Linear{5}, {}},
                             {"tanh", Tanh{}, {}}});
}

NetworkWeights no_masks(const Network& network) { return NetworkWeights(network.operators().size()); }

double sum(const std::vector<double>& values, std::size_t from) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from), values.end(), 0.0);
}

/// The error that dense_costs() throws, or "accepted".
std::string dense_refusal(const Machine& machine, const MicroBatch& batch) {
  return testing::refusal_of<std::invalid_argument>([&] { return dense_costs({}, machine, batch); });
}

TEST(ChainLayers, JoinElementwiseOperatorsAndViewsToTheOperatorBefore) {
  const Network network = small_network();
  EXPECT_THAT(chain_layers(network),
              ElementsAre(OperatorRange{0, 0}, OperatorRange{1, 3}, OperatorRange{4, 6}, OperatorRange{7, 8}));
  const Network leading({8}, {{"relu", Relu{}, {}}, {"drop", Dropout{}, {}}, {"fc", Linear{2}, {}}});
  EXPECT_THAT(chain_layers(leading), ElementsAre(OperatorRange{0, 2}));
  EXPECT_EQ(layer_name(leading, {0, 2}), "fc");
  const Network elementwise({8}, {{"relu", Relu{}, {}}, {"tanh", Tanh{}, {}}});
  EXPECT_THAT(chain_layers(elementwise), ElementsAre(OperatorRange{0, 1}));
  EXPECT_EQ(layer_name(elementwise, {0, 1}), "relu");
}

TEST(CsrCosts, OfASampleAddUpToThePredictionOfTheLinearSchedule) {
  const Network network = small_network();
  const JacobianChain chain = guaranteed_chain(network, no_masks(network));
  for (const unsigned value_bytes : {4U, 8U}) {
    const ScheduleProfile profile = profile_schedules({linear_schedule(chain.length())}, chain, value_bytes).front();
    for (const Machine& machine : {made_up_cpu(), machine_named("v100-sxm2-32gb"), machine_named("pram-unit")}) {
      for (const std::size_t workers : {std::size_t{1}, machine.workers()}) {
        const Prediction linear = predict_time(profile, machine, workers, Execution::level, value_bytes);
        const LayerCosts costs =
            csr_costs(network, no_masks(network), machine, {.value_bytes = value_bytes, .workers = workers});
        EXPECT_NEAR(sum(costs.output_gradient, 1), linear.seconds, 1e-9 * linear.seconds) << machine.name;
      }
    }
  }
}

TEST(CsrCosts, HaveOneWeightGradientPerConvolutionOrLinearAndTheirBytes) {
  const Network network = small_network();
  const LayerCosts costs =
      csr_costs(network, no_masks(network), machine_named("pram-unit"), {.samples = 3, .workers = 2});
  // Two rounds of three samples on two workers, an op a second.
  EXPECT_THAT(costs.names, ElementsAre("a", "b", "pool", "fc"));
  EXPECT_THAT(costs.forward, ElementsAre(2, 6, 2, 4));
  EXPECT_THAT(costs.output_gradient, ElementsAre(2, 6, 2, 4));
  EXPECT_THAT(costs.weight_gradient, ElementsAre(2, 2, 0, 2));
  EXPECT_THAT(costs.output_bytes, ElementsAre(3 * 4 * 108, 3 * 4 * 144, 3 * 4 * 36, 3 * 4 * 5));
  EXPECT_THAT(costs.weight_bytes, ElementsAre(4 * (54 + 3), 4 * (108 + 4 + 8), 0, 4 * (180 + 5)));
}

TEST(CsrCosts, CountOnlyKeptWeights) {
  const Network network({4}, {{"fc", Linear{2}, {}}});
  NetworkWeights weights(1);
  weights[0].kept = {1, 0, 0, 0, 0, 1, 1, 0};
  const Machine machine = machine_named("v100-sxm2-32gb");
  EXPECT_THAT(csr_costs(network, weights, machine, {}).weight_bytes, ElementsAre(4 * (3 + 2)));
}

TEST(CsrCosts, OfABatchAreBetweenOneSampleAndAsManyOneByOne) {
  const Network network = small_network();
  for (Machine machine : {made_up_cpu(), machine_named("v100-sxm2-32gb")}) {
    machine.cache_bytes = 0;  // else the working set of the batch leaves it
    const LayerCosts one = csr_costs(network, no_masks(network), machine, {});
    const LayerCosts many = csr_costs(network, no_masks(network), machine, {.samples = 64});
    for (std::size_t i = 0; i < one.layers(); ++i) {
      EXPECT_GT(many.forward[i], one.forward[i]) << machine.name << ", layer " << i;
      EXPECT_LT(many.forward[i], 64 * one.forward[i]) << machine.name << ", layer " << i;
    }
  }
}

TEST(CsrCosts, ComeFromMemoryWhereOthersPushEverythingOutMeanwhile) {
  const Network network = small_network();
  Machine cached = made_up_cpu();
  cached.cache_bytes = std::uint64_t{1} << 40;
  Machine uncached = cached;
  uncached.cache_bytes = 1;
  Machine shared = cached;
  shared.churn_bytes_per_s = 1e30;
  const auto forward = [&](const Machine& machine) {
    return csr_costs(network, no_masks(network), machine, {}).forward;
  };
  EXPECT_NE(forward(cached), forward(uncached));
  EXPECT_EQ(forward(shared), forward(uncached));
}

TEST(CsrCosts, RefuseNoSamplesAndWeightsOfAnotherNetwork) {
  const Network network = small_network();
  const Machine machine = made_up_cpu();
  EXPECT_THROW(static_cast<void>(csr_costs(network, no_masks(network), machine, {.samples = 0})),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(csr_costs(network, {}, machine, {})), std::invalid_argument);
}

TEST(EqualOps, TakeWhatALevelOfThemTakes) {
  OpWork work;
  work.is_mv = true;
  work.flops = 1000;
  work.bytes = 8000;
  work.steps.teams = 10;
  Machine machine = machine_named("v100-sxm2-32gb");  // 16 streams; 10 of 5120 teams: an op fills 1/512 of it
  const Rates& rates = machine.at(16);
  const double busy = std::max(1000 / rates.fp32.mv.flops_per_s, 8000 / rates.fp32.mv.bytes_per_s);
  const double alone = rates.op_latency_s + std::max(512 * 1000 / rates.fp32.mv.flops_per_s, busy);
  const OpPlace place{.workers = 16};
  // One op for each sample: a kernel after the other, without a barrier.
  EXPECT_DOUBLE_EQ(equal_ops_seconds(work, 1, machine, place), alone);
  EXPECT_DOUBLE_EQ(equal_ops_seconds(work, 800, machine, place), 800 * (busy + rates.op_latency_s / 16));
  EXPECT_EQ(equal_ops_seconds(work, 0, machine, place), 0);
  EXPECT_THROW(static_cast<void>(equal_ops_seconds(work, 1, machine, {.workers = 0})), std::invalid_argument);
}

TEST(LayerWork, OfConvolutionAndLinearIsTheSameForwardAndBackward) {
  const Network network = small_network();
  const std::vector<LayerWork> layers = layer_works(network);
  ASSERT_EQ(layers.size(), 4U);
  const KernelWork b{2 * 36 * 4 * 3 * 9, 108 + 144, 108 + 4};
  EXPECT_EQ(layers[1].parts[0], (PartWork{b, b, b, 112}));
  EXPECT_EQ(layers[1].parts[1], (PartWork{{144, 288, 0}, {144, 432, 0}, {}, 8}));
  EXPECT_EQ(layers[2].parts, (std::vector<PartWork>{{{144, 180, 0}, {144, 324, 0}, {}, 0}}));
  const KernelWork fc{2 * 36 * 5, 41, 185};
  EXPECT_EQ(layers[3].parts[0], (PartWork{fc, fc, fc, 185}));
  EXPECT_EQ(layers[1].output, 144U);
  EXPECT_EQ(layers[1].weights(), 120U);
}

TEST(LayerWork, OfGroupedConvolutionsDividesByTheGroups) {
  Conv2d grouped = conv(4, 3);
  grouped.groups = 2;
  grouped.bias = false;
  const PartWork work = operator_work({"g", grouped, {2, 5, 5}, {4, 5, 5}});
  EXPECT_EQ(work.forward.flops, 2U * 25 * 4 * 1 * 9);
  EXPECT_EQ(work.weights, 36U);
}

TEST(LayerWork, OfAProductOfActivationsHasTwoGradientsAndNoWeights) {
  const PartWork work = matmul_work({.m = 2, .k = 3, .n = 5, .count = 4, .weights = false});
  EXPECT_EQ(work, (PartWork{{4 * 60, 4 * 31, 0}, {4 * 120, 4 * 62, 0}, {}, 0}));
  const KernelWork learned{4 * 60, 4 * 16, 4 * 20};
  EXPECT_EQ(matmul_work({.m = 2, .k = 3, .n = 5, .count = 4, .bias = true}), (PartWork{learned, learned, learned, 80}));
}

TEST(DenseCosts, AreTheRooflineOfEachPart) {
  Machine machine = machine_named("v100-sxm2-32gb");
  Rates& rates = machine.rates.back();
  rates.op_latency_s = 1;
  rates.fp32.mm.flops_per_s = 10;
  rates.fp32.mm.bytes_per_s = 100;
  LayerWork layer;
  layer.name = "x";
  layer.output = 7;
  layer.parts = {{{30, 2, 5}, {20, 100, 5}, {10, 0, 0}, 5}, {{1, 50, 0}, {1, 75, 0}, {}, 2}};
  const LayerCosts costs = dense_costs(std::vector<LayerWork>{layer}, machine, {.samples = 2});
  EXPECT_THAT(costs.names, ElementsAre("x"));
  // 60 FLOPs at 10/s against 4 * (2 * 2 + 5) bytes at 100/s; 4 * 2 * 50 bytes against 2 FLOPs.
  EXPECT_DOUBLE_EQ(costs.forward[0], 1 + 6 + 1 + 4);
  EXPECT_DOUBLE_EQ(costs.output_gradient[0], 1 + 4.0 * (200 + 5) / 100 + 1 + 6);
  EXPECT_DOUBLE_EQ(costs.weight_gradient[0], 1 + 2);
  EXPECT_THAT(costs.output_bytes, ElementsAre(2 * 4 * 7));
  EXPECT_THAT(costs.weight_bytes, ElementsAre(4 * 7));
}

TEST(DenseCosts, RefuseAMachineWithoutFlopsPerSecond) {
  const std::string accepted = "accepted is a machine of kind cpu or gpu with them";
  EXPECT_EQ(dense_refusal(machine_named("v100-sxm2-32gb"), {}), "accepted");
  EXPECT_EQ(dense_refusal(machine_named("pram-unit"), {}),
            "machine 'pram-unit' is of kind pram, which has no time for dense kernels; " + accepted);
  Machine calibrated = made_up_cpu();
  calibrated.provenance.origin = "calibration";
  EXPECT_EQ(dense_refusal(calibrated, {}),
            "machine 'made-up' has no FLOP/s and bandwidth that a dense kernel's time follows from (origin: "
            "calibration; missing: rates[2].fp32.dense_GFLOPps); " +
                accepted);
  EXPECT_THAT(dense_refusal(machine_named("v100-sxm2-32gb"), {.samples = 0}), HasSubstr("0 samples in a micro-batch"));
  EXPECT_THAT(dense_refusal(machine_named("v100-sxm2-32gb"), {.value_bytes = 2}), HasSubstr("2 bytes per number"));
}

TEST(DenseCosts, OfAModelFileCoverItsLayers) {
  const Model model = load_network(read_yaml(kSource + "/models/lenet5.yaml"), Numbers::structure);
  const std::vector<LayerWork> layers = layer_works(model.network);
  const LayerCosts costs = dense_costs(layers, machine_named("v100-sxm2-32gb"), {.samples = 64});
  EXPECT_THAT(costs.names, ElementsAre("conv1", "pool1", "conv2", "pool2", "fc1", "fc2", "fc3"));
  EXPECT_THAT(costs.weight_gradient[1], 0);
  // LeCun et al. 1998 count 61,706 weights for this form of LeNet-5.
  EXPECT_EQ(sum(costs.weight_bytes, 0), 4 * 61706);
}

TEST(DenseCosts, ABlockOfBranchesIsALayer) {
  // stem; a and its ReLU beside nothing, added up; ReLU; head. The stem's output has two readers.
  const Network network({2, 4, 4}, {{"stem", conv(3, 3), {}},
                                    {"a", conv(3, 3), {}},
                                    {"relu_a", Relu{}, {}},
                                    {"sum", Add{}, {{"relu_a", "stem"}}},
                                    {"relu", Relu{}, {}},
                                    {"flat", Flatten{}, {}},
                                    {"head", Linear{.out_features = 5}, {}}});
  EXPECT_THAT(chain_layers(network), ElementsAre(OperatorRange{0, 0}, OperatorRange{1, 5}, OperatorRange{6, 6}));
  const std::vector<LayerWork> layers = layer_works(network);
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[1].name, "a");
  EXPECT_EQ(layers[1].output, 48U);
  ASSERT_EQ(layers[1].parts.size(), 5U) << "a, relu_a, sum, the sum of the stem's gradients, relu";
  EXPECT_EQ(layers[1].parts[0], operator_work(network.operators()[1]));
  EXPECT_EQ(layers[1].parts[2].forward, (KernelWork{48, 144, 0})) << "reads two activations of 48 and writes one";
  EXPECT_EQ(layers[1].parts[2].output_gradient, KernelWork{});
  EXPECT_EQ(layers[1].parts[3].forward, KernelWork{});
  EXPECT_EQ(layers[1].parts[3].output_gradient, (KernelWork{48, 144, 0}));
  EXPECT_EQ(layers[1].parts[4], operator_work(network.operators()[4]));
}

TEST(DenseCosts, LayersOfNetworksWithBranchesHaveAllTheirWeights) {
  for (const char* file : {"resnet20-cifar10-pruned90", "densenet-block", "inception-block", "two-streams"}) {
    const Model model = load_network(read_yaml(fmt::format("{}/models/{}.yaml", kSource, file)), Numbers::structure);
    std::uint64_t of_layers = 0;
    for (const LayerWork& layer : layer_works(model.network)) of_layers += layer.weights();
    std::uint64_t of_operators = 0;
    std::size_t next = 0;
    for (const Operator& op : model.network.operators()) of_operators += weight_count(op);
    for (const OperatorRange& range : chain_layers(model.network)) {
      EXPECT_EQ(range.first, next) << file;
      next = range.last + 1;
    }
    EXPECT_EQ(next, model.network.operators().size()) << file;
    EXPECT_EQ(of_layers, of_operators) << file;
  }
}

}  // namespace
}  // namespace upsweep::layer_costs_test
