#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"
#include "support/training_files.hpp"
#include "upsweep/io/link_file.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/training/layer_costs.hpp"

// Training files whose costs come from a network and a machine.

namespace upsweep::training_network_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::parse_training;
using testing::with;
using testing::without;

const std::string kSource = UPSWEEP_SOURCE_DIR;
const std::string kPath = kSource + "/t.yaml";  // paths in a file are relative to its folder
const std::string kMachine = "machine: configs/machines/v100-sxm2-32gb.yaml\n";
const std::string kNetworkFile = "name: x\nkind: pipeline\nmodel: models/lenet5.yaml\n" + kMachine +
                                 "devices: 2\nmicro_batches: 4\nbatch: 32\nalloc: contiguous\npolicy: gpipe\n";
const std::string kSharingFile =
    "name: x\nkind: data_parallel\nmodel: models/lenet5.yaml\n" + kMachine + "batch: 8\nbandwidth: 1e9\n";

std::string refusal(const std::string& text) { return testing::training_refusal(text, kPath); }

PipelineStudy pipeline(const std::string& text) { return std::get<PipelineStudy>(parse_training(text, kPath).study); }

LayerCosts costs(bool is_csr, std::uint64_t samples) {
  const Model model = load_network(read_yaml(kSource + "/models/lenet5.yaml"), Numbers::structure);
  const Machine machine = load_machine(read_yaml(kSource + "/configs/machines/v100-sxm2-32gb.yaml"));
  const MicroBatch batch{samples, 4, 0};
  return is_csr ? csr_costs(model.network, model.weights, machine, batch)
                : dense_costs(layer_works(model.network), machine, batch);
}

TEST(TrainingNetwork, ALayerHasTheBytesOfItsInputOutputAndWeights) {
  // 784-512-512-10 in fp32, 8 samples in a micro-batch.
  const PipelineStudy study = pipeline(with(kNetworkFile, "model", "models/mlp-mnist.yaml"));
  EXPECT_THAT(study.choices.at(0).pipeline.bytes,
              ElementsAre(LayerBytes{4 * 8 * 784, 4 * 8 * 512, 4 * (784 * 512 + 512)},
                          LayerBytes{4 * 8 * 512, 4 * 8 * 512, 4 * (512 * 512 + 512)},
                          LayerBytes{4 * 8 * 512, 4 * 8 * 10, 4 * (512 * 10 + 10)}));
  const PipelineStudy layers = pipeline(with(kNetworkFile, "model", "models/layers/bert-24.yaml"));
  const std::vector<LayerBytes>& bert = layers.choices.at(0).pipeline.bytes;
  EXPECT_EQ(bert.at(0).input, 0U) << "a layers file does not say";
  EXPECT_EQ(bert.at(1).input, bert.at(0).output);
}

TEST(TrainingNetwork, AMachineOrLinkIsAFileOrOneThatTheProgramCarries) {
  const std::string named = with(with(kNetworkFile, "machine", "v100-sxm2-32gb"), "link", "nvlink");
  const std::string files =
      with(with(kNetworkFile, "machine", "configs/machines/v100-sxm2-32gb.yaml"), "link", "configs/links/nvlink.yaml");
  const TrainingFile by_name = parse_training(named, kPath);
  EXPECT_EQ(by_name.source->frame.machine, "v100-sxm2-32gb");
  EXPECT_EQ(by_name.content_hash, parse_training(files, kPath).content_hash) << "the same machine and link";
  EXPECT_THAT(refusal(with(kNetworkFile, "machine", "v100-sxm2-32g")),
              AllOf(HasSubstr("t.yaml:"), HasSubstr("machine of a training file is 'v100-sxm2-32g'"),
                    HasSubstr("did you mean v100-sxm2-32gb?")));
  EXPECT_THAT(refusal(with(kNetworkFile, "link", "nvlnk")),
              AllOf(HasSubstr("link of a training file is 'nvlnk'"), HasSubstr("did you mean nvlink?"),
                    HasSubstr("pcie3-x16")));
  EXPECT_THAT(refusal(with(kNetworkFile, "link", "./nvlink")), HasSubstr("no such file")) << "what has a / is a path";
  const testing::TemporaryFolder folder;
  folder.write("nvlink", "name: mine\nbandwidth_GBps: 1\nlatency_us: 1\n");
  EXPECT_EQ(link_document("nvlink", folder.path("t.yaml")).file, folder.path("nvlink")) << "a file goes first";
}

TEST(TrainingNetwork, AMemoryLimitIsACountOfTensorsOrASize) {
  EXPECT_FALSE(pipeline(with(kNetworkFile, "memory_limit", "16")).is_limit_in_bytes);
  const PipelineStudy study = pipeline(with(kNetworkFile, "memory_limit", "16GiB"));
  EXPECT_TRUE(study.is_limit_in_bytes);
  EXPECT_EQ(study.memory_limit, std::uint64_t{16} << 30U);
  EXPECT_EQ(pipeline(with(kNetworkFile, "memory_limit", "1.5 GB")).memory_limit, 1'500'000'000U);
  const std::string accepted =
      ", accepted is a number of bytes with its unit, B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, or an integer: tensors "
      "on a device";
  for (const auto& [limit, said] : {std::pair{"16XB", "'16XB'"}, std::pair{"400Mib", "'400Mib': did you mean 400MiB?"},
                                    std::pair{"16.5", "'16.5'"}, std::pair{"[16GiB]", "a list of 1"}})
    EXPECT_THAT(refusal(with(kNetworkFile, "memory_limit", limit)),
                HasSubstr("memory_limit of a training file is " + (said + accepted)));
  EXPECT_THAT(testing::training_refusal(with(testing::kPipelineFile, "memory_limit", "16GiB")),
              HasSubstr("memory_limit of a training file is 16GiB, accepted is an integer: tensors on a device; how "
                        "many bytes they have is known of a file that takes its layers from a `model`"));
}

TEST(TrainingNetwork, CostsAreThoseOfTheMachineModelPerMicroBatch) {
  for (const bool is_csr : {true, false}) {
    const TrainingFile file = parse_training(with(kNetworkFile, "kernels", is_csr ? "csr" : "dense"), kPath);
    const Pipeline& step = std::get<PipelineStudy>(file.study).choices.at(0).pipeline;
    const LayerCosts want = costs(is_csr, 8);  // 32 samples in 4 micro-batches
    EXPECT_EQ(step.layers(), 7U);
    EXPECT_EQ(step.forward, want.forward);
    EXPECT_TRUE(
        std::equal(step.weight_gradient.begin() + 1, step.weight_gradient.end(), want.weight_gradient.begin() + 1));
    EXPECT_GT(want.inner_gradient[0], 0) << "the gradient through the ReLU";
    EXPECT_EQ(step.weight_gradient[0], want.weight_gradient[0] + want.inner_gradient[0]) << "W of layer 1 needs it";
    EXPECT_EQ(step.output_gradient[0], 0) << "left out";
    EXPECT_TRUE(
        std::equal(step.output_gradient.begin() + 1, step.output_gradient.end(), want.output_gradient.begin() + 1));
    EXPECT_TRUE(std::equal(step.transfer_sizes.begin(), step.transfer_sizes.end(), want.output_bytes.begin()));
    EXPECT_EQ(step.transfer_sizes.size(), 6U);
    EXPECT_EQ(step.weight_gradient[1], 0) << "a pooling has no weights, so no W";
    ASSERT_TRUE(file.source.has_value());
    EXPECT_EQ(file.source->is_csr, is_csr);
    EXPECT_EQ(file.source->frame.batch, 32U);
    EXPECT_EQ(file.source->model, "lenet5");
    EXPECT_THAT(file.source->layer_names, ElementsAre("conv1", "pool1", "conv2", "pool2", "fc1", "fc2", "fc3"));
  }
}

TEST(TrainingNetwork, HasNoTasksOfLayersWithoutWeights) {
  const PipelineStudy study = pipeline(kNetworkFile);
  const PipelineOutcome outcome = evaluate(study.choices[0], {});
  EXPECT_EQ(outcome.run.timeline.size(), 4U * (7 + 6 + 5));
  for (const StepEntry& entry : outcome.run.timeline) {
    const bool is_pooling = entry.op.layer == 1 || entry.op.layer == 3;
    EXPECT_FALSE(is_pooling && entry.op.kind == StepOpKind::weight_gradient);
  }
}

TEST(TrainingNetwork, DefaultsToJacobiansAndASampleOfEachMicroBatch) {
  const TrainingFile file = parse_training(without(kNetworkFile, "batch"), kPath);
  EXPECT_TRUE(file.source->is_csr);
  EXPECT_EQ(file.source->frame.batch, 4U);
  EXPECT_EQ(std::get<PipelineStudy>(file.study).choices[0].pipeline.forward, costs(true, 1).forward);
}

TEST(TrainingNetwork, WhatIsAskedForStandsInsteadOfTheFiles) {
  const std::string a100 = kSource + "/configs/machines/a100-pcie-80gb.yaml";
  const auto load = [](const std::string& text, const FrameRequest& frame) {
    std::istringstream in(text);
    return load_training(parse_yaml(in, kPath), frame);
  };
  FrameRequest asked;
  asked.machine = a100;
  asked.batch = 8;
  asked.launch = LaunchMode::eager;
  asked.library = kRoofline;
  const TrainingFile found = load(kNetworkFile, asked);
  std::string said = with(with(kNetworkFile, "machine", a100), "batch", "8");
  said = with(with(said, "launch", "eager"), "library", kRoofline);
  const TrainingFile want = load(said, {});
  const auto step = [](const TrainingFile& file) { return std::get<PipelineStudy>(file.study).choices.at(0).pipeline; };
  EXPECT_EQ(step(found).forward, step(want).forward);
  EXPECT_EQ(step(found).weight_gradient, step(want).weight_gradient);
  EXPECT_NE(step(found).forward, step(load(kNetworkFile, {})).forward);
  EXPECT_EQ(found.source->machine, "nvidia-a100-pcie-80gb");
  EXPECT_EQ(found.source->frame.batch, 8U);
  EXPECT_EQ(found.source->frame.launch, LaunchMode::eager);
  EXPECT_EQ(found.source->frame.library, kRoofline);
  FrameRequest launch;
  launch.launch = LaunchMode::eager;
  EXPECT_NE(load(kNetworkFile, launch).content_hash, load(kNetworkFile, {}).content_hash);
  EXPECT_EQ(load(kNetworkFile, {}).source->frame.library, "cuSPARSE") << "the first of the machine's, which is said";
  try {
    static_cast<void>(load("name: x\nkind: pipeline\nlayers: 2\n", asked));
    ADD_FAILURE() << "a file with costs of its own took another machine";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the file has costs of its own, whatever the machine"));
  }
}

TEST(TrainingNetwork, LinkFilesGiveBandwidthAndLatency) {
  const PipelineStudy study = pipeline(with(kNetworkFile, "link", "configs/links/nvlink.yaml"));
  EXPECT_EQ(study.choices[0].pipeline.bandwidth, 50e9);
  for (const char* key : {"bandwidth", "latency"}) {
    EXPECT_THAT(refusal(with(with(kNetworkFile, "link", "configs/links/nvlink.yaml"), key, "1")),
                HasSubstr(std::string(key) + " of a training file beside a link file, accepted is one of the two"));
  }
}

TEST(TrainingNetwork, SynchronisationIsTheBytesOfTheWeightsOverTheLink) {
  const auto study = std::get<DataParallelStudy>(parse_training(kSharingFile, kPath).study);
  const LayerCosts want = costs(true, 8);
  EXPECT_EQ(study.step.forward, want.forward);
  ASSERT_EQ(study.step.synchronisation.size(), 7U);
  for (std::size_t layer = 0; layer < 7; ++layer)
    EXPECT_EQ(study.step.synchronisation[layer], want.weight_bytes[layer] / 1e9);
  EXPECT_EQ(study.step.synchronisation[0], (5 * 5 * 6 + 6) * 4 / 1e9) << "conv1: 5 by 5 by 6, and 6 biases";
  EXPECT_THAT(refusal(without(kSharingFile, "bandwidth")), HasSubstr("neither link nor bandwidth, accepted is one of"));
  EXPECT_THAT(refusal(with(kSharingFile, "link", "configs/links/nvlink.yaml")),
              HasSubstr("bandwidth of a training file beside a link file"));
}

TEST(TrainingNetwork, OfBranchesTakesABlockAsALayerOfDenseKernels) {
  const auto file = [](const std::string& model, const std::string& kernels) {
    return with(with(with(kNetworkFile, "model", "models/" + model), "kernels", kernels), "batch", "8");
  };
  const std::string residual = file("resnet20-cifar10-pruned90.yaml", "dense");
  const Pipeline step = pipeline(residual).choices.at(0).pipeline;
  EXPECT_EQ(step.layers(), 12U) << "the stem, nine blocks, pooling and the head";
  EXPECT_EQ(step.transfer_sizes[0], 2 * 16 * 32 * 32 * 4) << "2 samples, 16 channels";
  EXPECT_THAT(refusal(file("two-streams.yaml", "csr")),
              HasSubstr("/models/two-streams.yaml:22: add 'sum' joins branches, accepted for sparse costs of layers "
                        "(`kernels: dense` takes a block as a layer) are networks without"));
  const Model model = load_network(read_yaml(kSource + "/models/two-streams.yaml"), Numbers::structure);
  EXPECT_THROW(static_cast<void>(csr_costs(model.network, model.weights, {}, {})), OperatorError);
}

TEST(TrainingNetwork, MicroBatchesDivideTheBatch) {
  EXPECT_EQ(refusal(with(kNetworkFile, "micro_batches", "3")),
            kPath + ":9: 3 micro-batches of a batch of 32 samples, accepted is a divisor");
  const std::string several =
      with(without(kNetworkFile, "policy"), "policies", "[gpipe, {policy: ff, micro_batches: 5}]");
  EXPECT_THAT(refusal(several), HasSubstr("5 micro-batches of a batch of 32 samples, accepted is a divisor"));
  const PipelineStudy study =
      pipeline(with(without(kNetworkFile, "policy"), "policies", "[gpipe, {policy: ff, micro_batches: 8}]"));
  EXPECT_EQ(study.choices[1].pipeline.forward, costs(true, 4).forward);
}

TEST(TrainingNetwork, LayersAgreeWithTheModel) {
  EXPECT_EQ(pipeline(with(kNetworkFile, "layers", "7")).choices[0].pipeline.layers(), 7U);
  EXPECT_EQ(
      refusal(with(kNetworkFile, "layers", "6")),
      kPath + ":10: layers of a training file is 6, accepted is 7, the layers of " + kSource + "/models/lenet5.yaml");
}

TEST(TrainingNetwork, SaysWhatIsWrong) {
  EXPECT_THAT(refusal(without(kNetworkFile, "machine")), HasSubstr("a training file has no key 'machine'"));
  EXPECT_THAT(refusal(with(kNetworkFile, "F", "1")), HasSubstr("unknown key 'F'"));
  EXPECT_THAT(refusal(with(kNetworkFile, "size", "1")), HasSubstr("unknown key 'size'"));
  EXPECT_THAT(refusal(with(kSharingFile, "S", "1")), HasSubstr("unknown key 'S'"));
  EXPECT_THAT(refusal(with(kNetworkFile, "kernels", "fast")),
              HasSubstr("kernels of a training file is 'fast', accepted are csr, dense"));
  EXPECT_THAT(refusal(with(kNetworkFile, "batch", "0")), HasSubstr("batch of a training file is '0'"));
  EXPECT_THAT(refusal(with(kNetworkFile, "model", "models/none.yaml")), HasSubstr("models/none.yaml"));
  EXPECT_THAT(refusal(with(with(kNetworkFile, "model", "models/layers/bert-24.yaml"), "kernels", "csr")),
              HasSubstr("kernels of a training file is csr, accepted is dense"));
  EXPECT_THAT(refusal(with(with(kNetworkFile, "kernels", "dense"), "scan", "[linear]")),
              HasSubstr("without Jacobians, accepted is a model file with kernels: csr and a machine"));
  EXPECT_THAT(refusal(with(kNetworkFile, "scan", "[hybrid]")),
              HasSubstr("is 'hybrid': did you mean hybrid:2?, accepted are linear, blelloch, hybrid:L"));
  EXPECT_THAT(refusal(with(kNetworkFile, "scan", "[kogge-stone]")),
              HasSubstr("is 'kogge-stone', accepted are linear, blelloch, hybrid:L"));
  EXPECT_THAT(refusal(with(kNetworkFile, "scan", "[linear]")),
              HasSubstr("beside policy, accepted is scan beside policies"));
  const std::string several = with(without(kNetworkFile, "policy"), "policies", "[gpipe]");
  EXPECT_THAT(pipeline(with(several, "scan", "[linear, hybrid:2]")).scans, ElementsAre("linear", "hybrid:2"));
  for (const char* kind : {"multi_region", "reverse_first_k_memory"}) {
    EXPECT_THAT(refusal(with(kNetworkFile, "kind", kind)),
                HasSubstr(std::string("kind is ") + kind + " with a model, accepted with a model are pipeline, data_"));
  }
  EXPECT_THAT(refusal(with(with(kNetworkFile, "machine", "configs/machines/pram-unit.yaml"), "kernels", "dense")),
              HasSubstr("pram-unit.yaml"));
}

TEST(TrainingNetwork, HashFollowsTheContentOfTheFilesAndNotTheirNames) {
  const testing::TemporaryFolder folder;
  const auto read = [](const std::string& path) { return testing::read_file(kSource + "/" + path); };
  folder.write("net.yaml", read("models/lenet5.yaml"));
  folder.write("gpu.yaml", read("configs/machines/v100-sxm2-32gb.yaml"));
  const std::string copy = with(with(kNetworkFile, "model", "net.yaml"), "machine", "gpu.yaml");
  const auto hash = [&] { return parse_training(copy, folder.path("t.yaml")).content_hash; };
  const std::string base = hash();
  EXPECT_EQ(parse_training(kNetworkFile, kPath).content_hash, base);
  folder.write("gpu.yaml", read("configs/machines/a100-sxm4-40gb.yaml"));
  EXPECT_NE(hash(), base);
  folder.write("gpu.yaml", read("configs/machines/v100-sxm2-32gb.yaml"));
  folder.write("net.yaml", with(read("models/lenet5.yaml"), "input", "[1, 32, 32]"));
  EXPECT_NE(hash(), base);
}

}  // namespace
}  // namespace upsweep::training_network_test
