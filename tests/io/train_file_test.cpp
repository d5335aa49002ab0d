#include "upsweep/io/train_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.hpp"
#include "support/refusal.hpp"
#include "support/training_files.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/feature_file.hpp"
#include "upsweep/io/recurrent_file.hpp"

namespace upsweep::testing::train_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::string kModel =
    "name: net\nrecurrent: {cell: rnn, input_size: 2, hidden_size: 3, steps: 4, batch: 2}\nhead: {out_features: 3}\n";
const std::string kNetwork =
    "name: net\ninput: [2]\nweights: {init: he_normal, seed: 0}\noperators:\n  - linear: {out_features: 3}\n";
const std::string kFile =
    "name: x\n"
    "model: models/net.yaml\n"
    "train:\n"
    "  data: {synthetic_features: {samples: 20, seed: 7}}\n"
    "  optimizer: {adam: {learning_rate: 3.0e-5}}\n"
    "  batch: 8\n"
    "  iterations: 100\n"
    "  backward: [bptt, hybrid:0, \"blocked:4\"]\n";

std::string with(std::string text, const std::string& from, const std::string& to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

/// A train file beside its model.
struct Files {
  TemporaryFolder folder;
  std::string path;

  explicit Files(const std::string& text, const std::string& model = kModel) : path(folder.write("t.yaml", text)) {
    folder.write("models/net.yaml", model);
  }
};

TrainSpec parse(const std::string& text, const std::string& model = kModel) {
  return load_train(read_yaml(Files(text, model).path));
}

/// What is wrong, without the folder of the file.
std::string refusal(const std::string& text, const std::string& model = kModel) {
  const Files files(text, model);
  const std::string message = testing::refusal_of([&] { return load_train(read_yaml(files.path)); });
  return message.starts_with(files.path) ? message.substr(files.path.size()) : message;
}

TEST(TrainFile, ReadsEveryKey) {
  const Files files(kFile + "  steps: 3\n  backend: cuda\n  shuffle_seed: 5\nnote: made up\n");
  const TrainSpec spec = load_train(read_yaml(files.path));
  EXPECT_EQ(spec.file, files.path);
  EXPECT_EQ(spec.name, "x");
  EXPECT_EQ(spec.note, "made up");
  EXPECT_TRUE(std::filesystem::equivalent(spec.model_file, files.folder.path("models/net.yaml")));
  EXPECT_TRUE(spec.is_recurrent);
  EXPECT_EQ(std::get<SyntheticFeatureData>(spec.data).samples, 20U);
  EXPECT_EQ(std::get<SyntheticFeatureData>(spec.data).seed, 7U);
  EXPECT_EQ(spec.optimizer, OptimizerSettings(AdamSettings{3e-5}));
  EXPECT_EQ(spec.batch, 8U);
  EXPECT_EQ(spec.steps, 3U);
  EXPECT_EQ(spec.iterations, 100U);
  EXPECT_THAT(spec.backward, ElementsAre("bptt", "linear", "blocked:4")) << "canonical names";
  EXPECT_EQ(spec.backend, "cuda");
  EXPECT_EQ(spec.shuffle_seed, 5U);
  EXPECT_EQ(spec.lines.data, 4);
  EXPECT_EQ(spec.lines.optimizer, 5);
  EXPECT_EQ(spec.lines.backward, 8);
  EXPECT_EQ(spec.lines.steps, 9);
  EXPECT_THAT(spec.error(spec.lines.data, "bad").what(), EndsWith("t.yaml:4: bad"));
}

TEST(TrainFile, LeavesWhatIsMissingToTheModel) {
  const TrainSpec spec = parse(with(kFile, "  batch: 8\n", ""));
  EXPECT_EQ(spec.batch, std::nullopt);
  EXPECT_EQ(spec.steps, std::nullopt);
  EXPECT_EQ(spec.backend, "cpu");
  EXPECT_EQ(spec.shuffle_seed, 0U);
  EXPECT_EQ(spec.lines.batch, 0);
}

TEST(TrainFile, ReadsEveryKindOfDataAndOptimizer) {
  const std::string data = "{synthetic_features: {samples: 20, seed: 7}}";
  EXPECT_EQ(kind_of(parse(with(kFile, data, "{bitstream: {samples: 9, seed: 0}}")).data), "bitstream");
  const auto features =
      std::get<FeatureData>(parse(with(kFile, data, "{features: {inputs: x.npy, labels: y.npy}}")).data);
  EXPECT_EQ(features.inputs, "x.npy");
  EXPECT_TRUE(features.is_normalized);
  const std::string network = with(kFile, "[bptt, hybrid:0, \"blocked:4\"]", "[bp, blelloch]");
  const TrainSpec images = parse(with(network, data, "{images: {cifar10: cifar}}"), kNetwork);
  EXPECT_FALSE(images.is_recurrent);
  EXPECT_THAT(std::get<CifarData>(images.data).folder, EndsWith("/cifar")) << "beside the file";
  EXPECT_EQ(kind_of(parse(with(network, data, "{images: {synthetic: {samples: 9, seed: 0}}}"), kNetwork).data),
            "images: synthetic");
  const std::string adam = "{adam: {learning_rate: 3.0e-5}}";
  EXPECT_EQ(parse(with(kFile, adam, "{sgd: {learning_rate: 0.001, momentum: 0.9}}")).optimizer,
            OptimizerSettings(SgdSettings{0.001, 0.9}));
  EXPECT_EQ(parse(with(kFile, adam, "{adam: {learning_rate: 1, beta1: 0.5, beta2: 0.25, epsilon: 2}}")).optimizer,
            OptimizerSettings(AdamSettings{1, 0.5, 0.25, 2}));
}

TEST(TrainFile, HashIsOfWhatIsTrained) {
  const std::string hash = parse(kFile).content_hash;
  EXPECT_EQ(parse("# a comment\n" + with(kFile, "name: x", "name: y")).content_hash, hash);
  EXPECT_NE(parse(with(kFile, "seed: 7", "seed: 8")).content_hash, hash);
}

TEST(TrainFile, RefusesBadFilesAtTheirLine) {
  const auto change = [](const std::string& from, const std::string& to) { return refusal(with(kFile, from, to)); };
  EXPECT_EQ(change("iterations: 100", "iterations: 0"),
            ":7: iterations of train is '0', accepted is an integer from 1 to 10000000");
  EXPECT_THAT(change("  iterations: 100\n", ""), HasSubstr("train has no key 'iterations'"));
  EXPECT_THAT(change("batch", "batches"), HasSubstr(":6: unknown key 'batches' in train"));
  EXPECT_THAT(change("hybrid:0", "blellock"), HasSubstr(":8: backward of train: 'blellock' is no backward method"));
  EXPECT_THAT(change("hybrid:0", "bptt"), HasSubstr(":8: backward of train has 'bptt' twice"));
  EXPECT_THAT(change("[bptt, hybrid:0, \"blocked:4\"]", "[]"), HasSubstr(":8: backward of train is a list of 0"));
  EXPECT_THAT(change("adam", "adagrad"), HasSubstr(":5: optimizer of train is 'adagrad', accepted are sgd, adam"));
  EXPECT_THAT(change("3.0e-5", "-1"), HasSubstr(":5: adam: learning_rate is -1"));
  EXPECT_THAT(change("learning_rate", "rate"), HasSubstr("adam has no key 'learning_rate'"));
  EXPECT_THAT(change("{adam: {learning_rate: 3.0e-5}}", "sgd"), HasSubstr(":5: optimizer of train is 'sgd'"));
  EXPECT_THAT(change("synthetic_features: {samples: 20, seed: 7}", "bits: {}"),
              HasSubstr(":4: data of train with a recurrent model is 'bits': did you mean bitstream?, accepted are "
                        "bitstream, features"));
  EXPECT_THAT(change("samples: 20", "samples: 0"), HasSubstr(":4: samples of synthetic_features is '0'"));
  EXPECT_THAT(change("net.yaml", "none.yaml"), HasSubstr(":2: model of a train file: "));
  EXPECT_THAT(change("name: x\n", ""), HasSubstr("no key 'name'"));
  EXPECT_THAT(change("name: x\n", "name: x\nkind: pipeline\n"),
              HasSubstr(":2: a key 'kind' as in training files, which "
                        "`upsweep training` runs"));
  EXPECT_THAT(change("batch: 8", "batch: 1000001"), HasSubstr("accepted is an integer from 1 to 1000000"));
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
}

TEST(TrainFile, RefusesWhatDoesNotGoWithTheModel) {
  const std::string images = with(kFile, "{synthetic_features: {samples: 20, seed: 7}}", "{images: {cifar10: x}}");
  EXPECT_THAT(refusal(images), HasSubstr(":4: data of train with a recurrent model is 'images', accepted are "));
  EXPECT_THAT(refusal(kFile, kNetwork),
              HasSubstr("data of train with a network of operators is 'synthetic_features', accepted are images"));
  EXPECT_THAT(refusal(images, kNetwork), HasSubstr(":8: backward of train: 'bptt' is no backward pass of a network"));
  EXPECT_THAT(refusal(with(images, "bptt, hybrid:0, \"blocked:4\"", "linear, hybrid:0"), kNetwork),
              HasSubstr(":8: backward of train has 'linear' twice"));
  const std::string network = with(images, "bptt, hybrid:0, \"blocked:4\"", "bp");
  EXPECT_THAT(refusal(with(network, "  batch: 8\n", ""), kNetwork), HasSubstr("train has no key 'batch'"));
  EXPECT_THAT(refusal(network + "  steps: 3\n", kNetwork), HasSubstr("unknown key 'steps' in train"));
}

TEST(FeatureFile, CutsAndNormalizesTheGivenSequences) {
  const Files files(
      with(kFile, "{synthetic_features: {samples: 20, seed: 7}}", "{features: {inputs: x.npy, labels: y.npy}}"));
  // Two sequences of 3 steps of 2 coefficients.
  files.folder.write("x.npy", npy<float>("<f4", "(2, 3, 2)", {1, 5, 3, 5, 9, 9, 0, 0, 2, 4, 9, 9}));
  files.folder.write("y.npy", npy<std::int32_t>("<i4", "(2,)", {2, 0}));
  TrainSpec spec = load_train(read_yaml(files.path));
  const CellShape cell = load_recurrent(read_yaml(spec.model_file)).shape;
  const auto read = [&](std::size_t steps) {
    const SequenceData data = load_features(spec, cell, steps, 4);
    std::vector<float> inputs(2 * steps * 2);
    std::vector<std::uint32_t> labels(2);
    data.fill<float>(std::vector<std::size_t>{0, 1}, inputs, labels);
    EXPECT_THAT(labels, ElementsAre(2, 0));
    return inputs;
  };
  EXPECT_THAT(read(2), ElementsAre(-1, 0, -1, -1, 1, 0, 1, 1)) << "of the first 2 steps, [t][b][coefficient]";
  std::get<FeatureData>(spec.data).is_normalized = false;
  EXPECT_THAT(read(2), ElementsAre(1, 5, 0, 0, 3, 5, 2, 4));
  try {
    (void)read(4);
    FAIL() << "sequences of 3 steps were accepted for 4";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.yaml:4: sequences of x.npy have 3 steps, accepted are at least the 4 of"));
  }
  files.folder.write("x.npy", npy<double>("<f8", "(2, 3, 2)", {1, 5, 3, 5, 9, 9, 0, 1e39, 2, 4, 9, 9}));
  EXPECT_THROW((void)read(2), InputError) << "infinite in fp32";
  files.folder.write("x.npy", npy<float>("<f4", "(2, 3, 2)", {1, 5, 3, 5, 9, 9, 0, 0, 2, 4, 9, 9}));
  files.folder.write("y.npy", npy<std::int32_t>("<i4", "(2,)", {3, 0}));
  EXPECT_THROW((void)read(2), InputError) << "label 3 of 3 classes";
}

TEST(FeatureFile, KeepsNumbersOfModelsInDoublePrecision) {
  const Files files(with(kFile, "{synthetic_features: {samples: 20, seed: 7}}",
                         "{features: {inputs: x.npy, labels: y.npy, normalize: false}}"));
  files.folder.write("x.npy", npy<double>("<f8", "(1, 1, 2)", {0.1, 1e39}));
  files.folder.write("y.npy", npy<std::int32_t>("<i4", "(1,)", {0}));
  const TrainSpec spec = load_train(read_yaml(files.path));
  const CellShape cell = load_recurrent(read_yaml(spec.model_file)).shape;
  const SequenceData data = load_features(spec, cell, 1, 8);
  std::vector<double> inputs(2);
  std::vector<std::uint32_t> labels(1);
  data.fill<double>(std::vector<std::size_t>{0}, inputs, labels);
  EXPECT_THAT(inputs, ElementsAre(0.1, 1e39));
}

TEST(TrainFile, ReadsThoseOfTheProject) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(UPSWEEP_SOURCE_DIR) + "/configs/training")) {
    if (!testing::is_train_file(entry.path().string())) continue;
    EXPECT_EQ(load_train(read_yaml(entry.path().string())).name, entry.path().stem().string());
    ++count;
  }
  EXPECT_GE(count, 5U);
}

}  // namespace
}  // namespace upsweep::testing::train_file_test
