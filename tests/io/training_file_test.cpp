#include "upsweep/io/training_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/files.hpp"
#include "support/training_files.hpp"
#include "upsweep/training/policy.hpp"

namespace upsweep::training_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kDataParallelFile;
using testing::kFirstKFile;
using testing::kMultiRegionFile;
using testing::kPipelineFile;
using testing::parse_training;
using testing::with;
using testing::without;

PipelineStudy pipeline(const std::string& text) { return std::get<PipelineStudy>(parse_training(text).study); }

std::string refusal(const std::string& key, const std::string& value) {
  return testing::training_refusal(with(kPipelineFile, key, value));
}

std::string hash(const std::string& text) { return parse_training(text).content_hash; }

TEST(TrainingFile, HasDefaults) {
  const TrainingFile file = parse_training(kPipelineFile);
  EXPECT_EQ(file.name, "x");
  EXPECT_EQ(file.kind, "pipeline");
  EXPECT_EQ(file.line, 2);
  EXPECT_EQ(file.note, "");
  EXPECT_FALSE(file.source.has_value());
  const PipelineStudy& study = std::get<PipelineStudy>(file.study);
  ASSERT_EQ(study.choices.size(), 1U);
  EXPECT_FALSE(study.is_comparison);
  EXPECT_FALSE(study.memory_limit.has_value());
  EXPECT_EQ(study.choices[0].policy, "gpipe");
  EXPECT_EQ(study.choices[0].line, 10);
  const Pipeline& step = study.choices[0].pipeline;
  EXPECT_EQ(step.devices, 2U);
  EXPECT_EQ(step.micro_batches, 2U);
  EXPECT_THAT(step.forward, ElementsAre(1, 1, 1, 1)) << "a number stands for a list";
  EXPECT_THAT(step.update, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(step.transfer_sizes, ElementsAre(0, 0, 0));
  EXPECT_EQ(step.latency, 0);
  EXPECT_FALSE(step.bandwidth.has_value());
  EXPECT_EQ(step.comm_model, CommModel::delay);
  EXPECT_TRUE(step.skip_first_output_gradient);
}

TEST(TrainingFile, ReadsEveryKeyOfAPipeline) {
  std::string text = with(with(kPipelineFile, "F", "[1, 2, 3, 4.5]"), "U", "[0, 1, 0, 2]");
  text = with(with(with(text, "size", "[7, 8, 9]"), "bandwidth", "0.5"), "latency", "0.25");
  text = with(with(with(text, "comm_model", "link"), "skip_o1", "false"), "memory_limit", "12");
  const PipelineStudy study = pipeline(with(text, "note", "measured elsewhere"));
  const Pipeline& step = study.choices[0].pipeline;
  EXPECT_THAT(step.forward, ElementsAre(1, 2, 3, 4.5));
  EXPECT_THAT(step.update, ElementsAre(0, 1, 0, 2));
  EXPECT_THAT(step.transfer_sizes, ElementsAre(7, 8, 9));
  EXPECT_EQ(step.bandwidth, 0.5);
  EXPECT_EQ(step.latency, 0.25);
  EXPECT_EQ(step.comm_model, CommModel::link);
  EXPECT_FALSE(step.skip_first_output_gradient);
  EXPECT_EQ(study.memory_limit, 12U);
  EXPECT_FALSE(pipeline(with(kPipelineFile, "bandwidth", "null")).choices[0].pipeline.bandwidth.has_value());
}

TEST(TrainingFile, IsJsonToo) {
  const PipelineStudy study = pipeline(
      R"({"name": "x", "kind": "pipeline", "layers": 2, "devices": 2, "micro_batches": 1, "F": [1, 2], "O": [0, 1],
          "W": [1, 1], "U": [0, 0], "alloc": [1, 0], "skip_o1": true, "bandwidth": null, "policy": "mp"})");
  EXPECT_THAT(study.choices[0].pipeline.device_of, ElementsAre(1, 0));
}

TEST(TrainingFile, TakesAllocationsOfEveryForm) {
  const auto devices = [](const std::string& alloc) {
    return pipeline(with(with(kPipelineFile, "layers", "5"), "alloc", alloc)).choices[0].pipeline.device_of;
  };
  EXPECT_THAT(devices("contiguous"), ElementsAre(0, 0, 0, 1, 1)) << "the first devices take one more";
  EXPECT_THAT(devices("modulo"), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(devices("{modulo: 1}"), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(devices("{modulo: 2}"), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(devices("{modulo: 9}"), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(devices("[1, 1, 0, 1, 0]"), ElementsAre(1, 1, 0, 1, 0));
}

TEST(TrainingFile, IgnoresTheFirstOutputGradientOnlyWhereItIsLeftOut) {
  const std::string text = with(kPipelineFile, "O", "[-3, 1, 1, 1]");
  EXPECT_EQ(pipeline(text).choices[0].pipeline.output_gradient[0], 0);
  EXPECT_THAT(testing::training_refusal(with(text, "skip_o1", "false")),
              HasSubstr("entry 1 of O of a training file is -3, accepted is a number above 0"));
}

TEST(TrainingFile, ComparesPolicies) {
  const PipelineStudy study =
      pipeline(with(without(kPipelineFile, "policy"), "policies",
                    "[gpipe, {policy: ff, alloc: modulo}, {policy: eager_ofw, alloc: {modulo: 2}, micro_batches: 4}, "
                    "{policy: mp, micro_batches: 1}, {policy: ff, label: mine, alloc: [0, 1, 1, 1]}]"));
  EXPECT_TRUE(study.is_comparison);
  std::vector<std::string> labels;
  for (const PipelineChoice& choice : study.choices) labels.push_back(choice.label);
  EXPECT_THAT(labels,
              ElementsAre("gpipe", "ff modulo", "eager_ofw modulo:2, 4 micro-batches", "mp, 1 micro-batch", "mine"));
  EXPECT_THAT(study.choices[0].pipeline.device_of, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(study.choices[4].pipeline.device_of, ElementsAre(0, 1, 1, 1));
  EXPECT_EQ(study.choices[2].pipeline.micro_batches, 4U);
  EXPECT_THAT(study.choices[2].pipeline.forward, ElementsAre(0.5, 0.5, 0.5, 0.5)) << "twice as many, half as large";
  EXPECT_THAT(study.choices[3].pipeline.forward, ElementsAre(2, 2, 2, 2));
}

TEST(TrainingFile, SaysWhatIsWrongWithNumbers) {
  EXPECT_EQ(refusal("F", "[1, 2, 3]"), "t.yaml:6: F of a training file has 3 entries, accepted are 4");
  EXPECT_EQ(refusal("size", "[1, 2]"), "t.yaml:11: size of a training file has 2 entries, accepted are 3");
  EXPECT_EQ(refusal("U", "[]"), "t.yaml:11: U of a training file has 0 entries, accepted are 4");
  EXPECT_EQ(refusal("F", "[1, 2, -3, 4]"),
            "t.yaml:6: entry 3 of F of a training file is -3, accepted is a number above 0");
  EXPECT_EQ(refusal("O", "[1, 0, 1, 1]"),
            "t.yaml:7: entry 2 of O of a training file is 0, accepted is a number above 0");
  EXPECT_EQ(refusal("W", "0"), "t.yaml:8: W of a training file is 0, accepted is a number above 0");
  EXPECT_EQ(refusal("U", "-1"), "t.yaml:11: U of a training file is -1, accepted is a number of at least 0");
  EXPECT_EQ(refusal("latency", "-1"),
            "t.yaml:11: latency of a training file is -1, accepted is a number of at least 0");
  EXPECT_EQ(refusal("bandwidth", "0"), "t.yaml:11: bandwidth of a training file is 0, accepted is a number above 0");
  for (const char* number : {".nan", "nan", ".inf", "-.inf", "1e400", "abc", "1,5", "true"}) {
    EXPECT_EQ(refusal("F", number),
              std::string("t.yaml:6: F of a training file is '") + number + "', accepted is a finite number");
  }
  EXPECT_EQ(refusal("W", "[1, 2, .inf, 1]"),
            "t.yaml:8: entry 3 of W of a training file is '.inf', accepted is a finite number");
  EXPECT_THAT(refusal("F", "{1: 2}"), HasSubstr("F of a training file (or one number for all) is a mapping"));
  EXPECT_THAT(refusal("layers", "0"), HasSubstr("t.yaml:3: layers of a training file is '0', accepted is an integer"));
  EXPECT_THAT(refusal("devices", "2.5"), HasSubstr("t.yaml:4: devices of a training file is '2.5', accepted is"));
  EXPECT_THAT(refusal("micro_batches", "-1"), HasSubstr("t.yaml:5: micro_batches of a training file is '-1'"));
  EXPECT_THAT(refusal("memory_limit", "0"),
              HasSubstr("memory_limit of a training file is '0', accepted is an integer"));
  EXPECT_THAT(refusal("skip_o1", "maybe"),
              HasSubstr("skip_o1 of a training file is 'maybe', accepted is true or false"));
}

TEST(TrainingFile, SaysWhatIsWrongWithAllocations) {
  EXPECT_EQ(refusal("alloc", "[0, 1, 2, 0]"),
            "t.yaml:9: device of layer 3 in alloc of a training file is '2', accepted is an integer from 0 to 1");
  EXPECT_THAT(refusal("alloc", "[0, -1, 0, 0]"), HasSubstr("device of layer 2 in alloc of a training file is '-1'"));
  EXPECT_EQ(refusal("alloc", "[0, 1, 0]"), "t.yaml:9: alloc of a training file has 3 entries, accepted are 4");
  EXPECT_THAT(refusal("alloc", "round"),
              HasSubstr("is 'round', accepted are contiguous, modulo, {modulo: GROUP}, a list of devices"));
  EXPECT_THAT(refusal("alloc", "modul"),
              HasSubstr("is 'modul': did you mean modulo?, accepted are contiguous, modulo"));
  EXPECT_THAT(refusal("alloc", "{modulo: 0}"), HasSubstr("modulo of alloc of a training file is '0', accepted is an"));
  EXPECT_THAT(refusal("alloc", "{group: 2}"), HasSubstr("alloc of a training file has no key 'modulo'"));
  EXPECT_THAT(refusal("alloc", "{modulo: 2, by: 3}"), HasSubstr("unknown key 'by' in alloc of a training file"));
}

TEST(TrainingFile, SaysWhatIsWrongWithPolicies) {
  const std::string unknown = refusal("policy", "gpip");
  EXPECT_THAT(unknown, HasSubstr("t.yaml:10: policy of a training file is 'gpip': did you mean gpipe?, accepted are "));
  for (const Policy& policy : policies()) EXPECT_THAT(unknown, HasSubstr(policy.name));
  EXPECT_THAT(refusal("policy", "[gpipe]"), HasSubstr("policy of a training file is a list of 1, accepted is text"));
  EXPECT_THAT(refusal("policies", "[ff]"), HasSubstr("policy of a training file beside policies, accepted is one of"));
  const std::string several = without(kPipelineFile, "policy");
  EXPECT_THAT(testing::training_refusal(with(several, "policies", "[]")),
              HasSubstr("policies of a training file is empty, accepted is at least one policy"));
  EXPECT_THAT(testing::training_refusal(with(several, "policies", "[ff, gpip]")),
              HasSubstr("t.yaml:10: a policy is 'gpip': did you mean gpipe?, accepted are "));
  EXPECT_THAT(testing::training_refusal(with(several, "policies", "[{policy: ff, devices: 3}]")),
              HasSubstr("unknown key 'devices' in policy 1, accepted are policy, alloc, micro_batches, label"));
  EXPECT_THAT(refusal("comm_model", "pigeon"),
              HasSubstr("comm_model of a training file is 'pigeon', accepted are delay, link"));
  EXPECT_THAT(refusal("scan", "[linear]"), HasSubstr("scan of a training file without Jacobians, accepted is a model"));
}

TEST(TrainingFile, NamesUnknownAndMissingKeys) {
  EXPECT_THAT(refusal("color", "red"),
              HasSubstr("t.yaml:11: unknown key 'color' in a training file, accepted are name, kind, note, model, "));
  for (const char* key : {"S", "search_link", "machine", "link", "batch", "kernels", "main_stream"})
    EXPECT_THAT(refusal(key, "1"), HasSubstr(std::string("unknown key '") + key + "'"));
  for (const std::string key : {"name", "kind", "layers", "devices", "micro_batches", "F", "O", "W", "alloc", "policy"})
    EXPECT_THAT(testing::training_refusal(without(kPipelineFile, key)), HasSubstr("has no key '" + key + "'")) << key;
  EXPECT_EQ(
      refusal("kind", "pipe"),
      "t.yaml:2: kind of a training file is 'pipe': did you mean pipeline?, accepted are pipeline, data_parallel, "
      "multi_region, reverse_first_k_memory");
  EXPECT_THAT(testing::training_refusal(kPipelineFile + "F: 2\n"),
              HasSubstr("key 'F' stands here for the second time"));
  EXPECT_THAT(testing::training_refusal(""), HasSubstr("t.yaml:1: the file is empty"));
  EXPECT_THAT(testing::training_refusal("[1]"), HasSubstr("t.yaml:1: a training file is a list of 1"));
}

TEST(TrainingFile, HashDependsOnEverythingButNamesAndNotes) {
  for (const std::string& text : {kPipelineFile, kDataParallelFile, kFirstKFile, kMultiRegionFile}) {
    const std::string base = hash(text);
    EXPECT_EQ(base.size(), 32U);
    EXPECT_EQ(hash(with(text, "name", "another")), base);
    EXPECT_EQ(hash(with(text, "note", "seen elsewhere")), base);
    EXPECT_EQ(hash("# a comment\n" + text), base);
  }
  const std::string base = hash(kPipelineFile);
  EXPECT_NE(hash(with(kPipelineFile, "F", "2")), base);
  EXPECT_NE(hash(with(kPipelineFile, "F", "[1, 1, 1, 1.5]")), hash(with(kPipelineFile, "F", "[1, 1, 1, 1.25]")));
  EXPECT_NE(hash(with(kPipelineFile, "policy", "ff")), base);
  EXPECT_NE(hash(with(kPipelineFile, "alloc", "modulo")), base);
  EXPECT_NE(hash(with(kPipelineFile, "latency", "1")), base);
  EXPECT_NE(hash(with(kMultiRegionFile, "base", "11")), hash(kMultiRegionFile));
}

TEST(TrainingFile, IsReadFromAPathThatErrorsName) {
  const testing::TemporaryFolder folder;
  const std::string good = folder.write("good.yaml", kPipelineFile);
  EXPECT_EQ(load_training(read_yaml(good)).file, good);
  const std::string bad = folder.write("bad.yaml", with(kPipelineFile, "F", "x"));
  EXPECT_THROW(
      {
        try {
          static_cast<void>(load_training(read_yaml(bad)));
        } catch (const InputError& error) {
          EXPECT_THAT(error.what(), HasSubstr(bad + ":6: "));
          throw;
        }
      },
      InputError);
  EXPECT_THROW(static_cast<void>(load_training(read_yaml(folder.path("none.yaml")))), InputError);
}

}  // namespace
}  // namespace upsweep::training_file_test
