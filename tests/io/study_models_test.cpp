#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/files.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/study_file.hpp"

namespace upsweep::study_models_test {
namespace {

using ::testing::HasSubstr;

const std::string kNetwork =
    "name: net\n"
    "input: [3, 8, 8]\n"
    "weights: {seed: 1, prune: {method: magnitude_global, sparsity: 0.5}}\n"
    "operators:\n"
    "  - conv2d: {name: conv1, out_channels: 4, kernel: 3, padding: 1}\n"
    "  - relu\n"
    "  - conv2d: {name: conv2, out_channels: 6, kernel: 3, padding: 1}\n"
    "  - flatten\n"
    "  - linear: {out_features: 10}\n";
const std::string kChain = "name: long\nchain: {length: 1000, size: 20, kind: dense}\n";
const std::string kRecurrent =
    "name: net\nrecurrent: {cell: rnn, input_size: 3, hidden_size: 20, steps: 1000, batch: 16}\n"
    "head: {out_features: 10}\n";
const std::string kMachine =
    "name: two-sizes\n"
    "kind: cpu\n"
    "memory_GiB: {value: 16, source: \"a datasheet\"}\n"
    "provenance: {origin: datasheet, device: none}\n"
    "rates:\n"
    "  - workers: 1\n"
    "    op_latency_us: {value: 2, source: \"a guess\"}\n"
    "    level_latency_ns: 500\n"
    "    bandwidth_GBps: 10\n"
    "    fp32: {compute_GFLOPps: 100}\n"
    "    fp64: {compute_GFLOPps: 50}\n"
    "  - workers: 4\n"
    "    op_latency_ns: 3000\n"
    "    level_latency_us: 1\n"
    "    bandwidth_GBps: 20\n"
    "    fp32: {compute_GFLOPps: 100}\n"
    "    fp64: {compute_GFLOPps: 50}\n";

YamlDocument parse(const std::string& text, const std::string& file = "base.yaml") {
  std::istringstream in(text);
  return parse_yaml(in, file);
}

PathValue set(const std::string& path, const std::string& text) { return {path, {text, std::nullopt}, false}; }
PathValue number(const std::string& path, double value) { return {path, axis_value(value), false}; }
PathValue factor(const std::string& path, double value) { return {path, axis_value(value), true}; }

StudyModel model(const std::string& base, const std::vector<PathValue>& values) {
  return model_with(parse(base), values, "study.yaml", false);
}
HomogeneousChain chain(const std::string& base, const std::vector<PathValue>& values) {
  return std::get<ChainModel>(model(base, values)).chain;
}
Network network(const std::vector<PathValue>& values) { return std::get<Model>(model(kNetwork, values)).network; }
std::uint64_t channels(const Network& net, std::size_t op) {
  return std::get<Conv2d>(net.operators()[op].kind).out_channels;
}
Machine machine(const std::vector<PathValue>& values) {
  const YamlDocument base = parse(kMachine);
  return machine_with(&base, values, "study.yaml");
}

template <class Make>
std::string refusal(const Make& make) {
  return testing::refusal_of([&] { return make(); });
}

TEST(StudyModels, ANetworkTakesValuesByPath) {
  const Network net = network({number("input[1]", 16), number("operators.conv1.out_channels", 8)});
  EXPECT_EQ(net.operators()[0].in_shape, (Shape{3, 16, 8}));
  EXPECT_EQ(channels(net, 0), 8U);
  EXPECT_EQ(channels(net, 2), 6U);
}

TEST(StudyModels, ANetworkTakesAKeyThatItLacks) {
  EXPECT_EQ(std::get<Model>(model(kNetwork, {set("dtype", "fp64")})).value_bytes, 8U);
  EXPECT_EQ(std::get<Conv2d>(network({number("operators.conv1.dilation", 2)}).operators()[0].kind).dilation,
            (PerAxis{2, 2}));
}

TEST(StudyModels, LaterValuesStandOnEarlierOnes) {
  EXPECT_EQ(
      channels(network({number("operators.conv1.out_channels", 8), factor("operators.conv1.out_channels", 2)}), 0),
      16U);
}

TEST(StudyModels, DifferentValuesHashDifferently) {
  const auto hash = [](const std::vector<PathValue>& values) {
    return std::get<Model>(model(kNetwork, values)).content_hash;
  };
  EXPECT_EQ(hash({number("weights.prune.sparsity", 0.5)}), hash({}));
  EXPECT_NE(hash({number("weights.prune.sparsity", 0.6)}), hash({}));
}

TEST(StudyModels, ChainsAndRecurrentNetworksAreChains) {
  EXPECT_EQ(chain(kChain, {number("chain.length", 1'000'000'000)}).elements, 1'000'000'000U);
  EXPECT_EQ(chain(kChain, {set("chain.kind", "banded"), number("chain.nnz_per_row", 3)}).half_bandwidth, 1U);
  EXPECT_EQ(chain(kRecurrent, {number("recurrent.steps", 5)}), fused_chain(20, 5));
  EXPECT_EQ(std::get<ChainModel>(model(kRecurrent, {number("recurrent.batch", 7)})).batch, 7U);
}

TEST(StudyModels, AFactorMultipliesWhatStandsThere) {
  const Network net = network({factor("operators[*].conv2d.out_channels", 0.5)});
  EXPECT_EQ(channels(net, 0), 2U);
  EXPECT_EQ(channels(net, 2), 3U);
  EXPECT_EQ(chain(kChain, {factor("chain.length", 1.5)}).elements, 1500U);
}

TEST(StudyModels, AFactorOfAWholeNumberIsRoundedToAWholeOneOfAtLeastOne) {
  EXPECT_EQ(chain(kChain, {factor("chain.size", 0.33)}).size, 7U);
  EXPECT_EQ(chain(kChain, {factor("chain.size", 0.0001)}).size, 1U);
  // What is none stays none.
  const Network net = network({number("operators.conv1.padding", 0), factor("operators[*].conv2d.padding", 2)});
  EXPECT_EQ(std::get<Conv2d>(net.operators()[0].kind).padding, (PerAxis{0, 0}));
  EXPECT_EQ(std::get<Conv2d>(net.operators()[2].kind).padding, (PerAxis{2, 2}));
  const std::string uniform = "chain: {length: 5, size: 20, kind: uniform, density: 0.4}\n";
  EXPECT_DOUBLE_EQ(chain(uniform, {factor("chain.density", 0.5)}).density, 0.2);
}

TEST(StudyModels, AFactorNeedsANumber) {
  EXPECT_THAT(refusal([] { return model(kChain, {factor("chain.kind", 2)}); }),
              HasSubstr("study.yaml: '2' times 'dense' at 'chain.kind', accepted is a factor where a number stands"));
  EXPECT_THAT(refusal([] { return model(kNetwork, {factor("input", 2)}); }), HasSubstr("times a list of 3 at 'input'"));
  EXPECT_THAT(refusal([] { return model(kChain, {factor("chain.density", 2)}); }),
              HasSubstr("path 'chain.density' does not exist"));
  EXPECT_THAT(refusal([] { return model(kChain, {factor("chain.length", 1e18)}); }), HasSubstr("at most 2^53"));
}

TEST(StudyModels, WhatIsNoValidModelIsRefusedAtItsLine) {
  EXPECT_THAT(refusal([] { return model(kChain, {number("chain.length", 0)}); }),
              HasSubstr("base.yaml:2: length of chain is '0'"));
  EXPECT_THAT(refusal([] { return model(kNetwork, {number("operators.conv2.kernel", 99)}); }),
              HasSubstr("base.yaml:7: conv2d 'conv2'"));
  EXPECT_THAT(refusal([] { return model(kChain, {number("chain.lenght", 5)}); }), HasSubstr("unknown key 'lenght'"));
  EXPECT_THAT(refusal([] { return model(kChain, {number("chin.length", 5)}); }),
              HasSubstr("study.yaml: path 'chin.length' does not exist, the nearest that does is 'chain.length'"));
}

TEST(StudyModels, NumbersAreReadWhereTheyAreNeeded) {
  const YamlDocument base = parse(kNetwork);
  EXPECT_THAT(refusal([&] { return model_with(base, {}, "study.yaml", true); }), HasSubstr("has no key 'sample'"));
}

TEST(StudyModels, AWholeDocumentComesFirstAndIsBesideTheStudy) {
  const testing::TemporaryFolder folder;
  folder.write("models/short.yaml", "chain: {length: 7, size: 3, kind: diagonal}\n");
  const std::string study = folder.write("studies/study.yaml", "");
  const std::vector<PathValue> values = {number("chain.size", 4), set("", "../models/short.yaml")};
  const ChainModel found = std::get<ChainModel>(model_with(parse(kNetwork), values, study, false));
  EXPECT_EQ(found.chain.elements, 7U);
  EXPECT_EQ(found.chain.size, 4U);
  EXPECT_EQ(found.name, "short");
  EXPECT_THAT(refusal([&] { return model_with(parse(kChain), {{set("", "../models/none.yaml")}}, study, false); }),
              HasSubstr("none.yaml"));
}

TEST(StudyModels, PathsInAWholeDocumentAreRelativeToIt) {
  const testing::TemporaryFolder folder;
  folder.write("models/masked.yaml",
               "input: [2]\nweights: {masks: masks}\noperators:\n  - linear: {name: fc, "
               "out_features: 1, bias: false}\n");
  folder.write("models/masks/fc.npy", testing::npy<std::uint8_t>("|b1", "(1, 2)", {1, 0}));
  const std::vector<PathValue> values = {set("", "../models/masked.yaml")};
  const Model found = std::get<Model>(model_with(parse(kChain), values, folder.write("studies/study.yaml", ""), false));
  EXPECT_EQ(found.weights[0].kept, (std::vector<std::uint8_t>{1, 0}));
}

TEST(StudyMachines, TakeValuesByPath) {
  const Machine changed = machine({number("memory_GiB", 1), number("rates[1].workers", 8)});
  EXPECT_EQ(changed.memory_bytes, 1U << 30U);
  EXPECT_EQ(changed.rates[1].workers, 8U);
}

TEST(StudyMachines, LaunchLatencyIsTheOpLatencyOfAllRates) {
  for (const auto& [name, seconds] : {std::pair("launch_latency_us", 5e-6), std::pair("launch_latency_ns", 5e-9),
                                      std::pair("launch_latency_s", 5.0)}) {
    const Machine changed = machine({number(name, 5)});
    EXPECT_DOUBLE_EQ(changed.rates[0].op_latency_s, seconds) << name;
    EXPECT_DOUBLE_EQ(changed.rates[1].op_latency_s, seconds) << name;
    EXPECT_DOUBLE_EQ(changed.rates[1].level_latency_s, 1e-6) << name;
  }
}

TEST(StudyMachines, LevelLatencyIsThatOfAllRates) {
  const Machine changed = machine({number("level_latency_us", 7)});
  EXPECT_DOUBLE_EQ(changed.rates[0].level_latency_s, 7e-6);
  EXPECT_DOUBLE_EQ(changed.rates[1].level_latency_s, 7e-6);
  EXPECT_DOUBLE_EQ(changed.rates[0].op_latency_s, 2e-6);
}

TEST(StudyMachines, AnotherUnitReplacesTheOneThatStandsThere) {
  EXPECT_DOUBLE_EQ(machine({number("rates[0].op_latency_ns", 9)}).rates[0].op_latency_s, 9e-9);
  EXPECT_EQ(machine({number("memory_MiB", 512)}).memory_bytes, 512U << 20U);
  EXPECT_DOUBLE_EQ(machine({number("rates[*].bandwidth_TBps", 2)}).rates[1].fp32.mm.bytes_per_s, 2e12);
  EXPECT_EQ(machine({number("memory_GiB", 1)}).provenance.sources.at("memory"), "a datasheet");
}

TEST(StudyMachines, AFactorOfAnAliasKeepsEveryUnit) {
  const Machine changed = machine({factor("launch_latency_us", 0.5)});
  EXPECT_DOUBLE_EQ(changed.rates[0].op_latency_s, 1e-6);
  EXPECT_DOUBLE_EQ(changed.rates[1].op_latency_s, 1.5e-6);
}

TEST(StudyMachines, WhatIsNoneIsRefused) {
  EXPECT_THAT(refusal([] { return machine({number("rates[0].op_latency_us", -1)}); }),
              HasSubstr("base.yaml:7: op_latency_us of rates[1] is '-1'"));
  EXPECT_THAT(refusal([] { return machine({number("launch_latency_GiB", 1)}); }), HasSubstr("launch_latency_GiB"));
  EXPECT_THAT(refusal([] { return machine_with(nullptr, {}, "study.yaml"); }),
              HasSubstr("study.yaml: the study has no machine"));
}

TEST(StudyMachines, AWholeDocumentStandsInForABase) {
  const testing::TemporaryFolder folder;
  folder.write("machines/m.yaml", kMachine);
  const std::vector<PathValue> values = {number("launch_latency_us", 4), set("", "../machines/m.yaml")};
  const Machine found = machine_with(nullptr, values, folder.write("studies/study.yaml", ""));
  EXPECT_EQ(found.name, "two-sizes");
  EXPECT_DOUBLE_EQ(found.rates[0].op_latency_s, 4e-6);
}

class StudyModelsOfAnyValues : public testing::SeededTest {};

TEST_F(StudyModelsOfAnyValues, AreThoseOfAFileWithTheValuesInIt) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    const std::uint64_t length = between(1, std::uint64_t{1} << 40U);
    const std::uint64_t size = between(1, 1'000'000);
    const bool is_dense = chance(0.5);
    const std::string kind = is_dense ? "dense" : "diagonal";
    const ChainModel whole = read_chain(parse("chain: {length: " + std::to_string(length) +
                                              ", size: " + std::to_string(size) + ", kind: " + kind + "}\n"));
    const ChainModel changed =
        std::get<ChainModel>(model(kChain, {number("chain.length", static_cast<double>(length)),
                                            number("chain.size", static_cast<double>(size)), set("chain.kind", kind)}));
    EXPECT_EQ(changed.chain, whole.chain);
    EXPECT_EQ(changed.content_hash, whole.content_hash);
  }
}

TEST(StudyModels, MasksThatAreKeptAreThoseThatWouldBeMade) {
  const std::string pooled =
      "input: [3, 8, 8]\n"
      "weights: {seed: 1, prune: {method: magnitude_global, sparsity: 0.5}}\n"
      "operators:\n"
      "  - conv2d: {name: conv1, out_channels: 4, kernel: 3, padding: 1}\n"
      "  - relu\n"
      "  - adaptive_avgpool2d: {output_size: 1}\n"
      "  - flatten\n"
      "  - linear: {out_features: 10}\n";
  SeededMasks kept(1 << 20);
  for (const std::string& base : {pooled, kNetwork}) {  // the second one's last weight has another shape for each image
    for (const double size : {8., 12., 8., 17.}) {
      for (const double sparsity : {0.5, 0.9}) {
        const std::vector<PathValue> values = {number("input[1]", size), number("weights.prune.sparsity", sparsity)};
        const Model alone = std::get<Model>(model(base, values));
        const Model shared = std::get<Model>(model_with(parse(base), values, "study.yaml", false, &kept));
        EXPECT_EQ(shared.content_hash, alone.content_hash);
        for (std::size_t o = 0; o < alone.weights.size(); ++o)
          EXPECT_EQ(shared.weights[o].kept, alone.weights[o].kept) << o << " at " << size << ", " << sparsity;
      }
    }
  }
}

}  // namespace
}  // namespace upsweep::study_models_test
