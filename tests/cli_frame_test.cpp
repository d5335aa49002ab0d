#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "support/command_line.hpp"
#include "support/files.hpp"

// The same question asked of several commands has one answer.

namespace upsweep::testing::cli_frame_test {
namespace {

using ::testing::HasSubstr;

const std::string kSource = UPSWEEP_SOURCE_DIR;
const std::string kModels = kSource + "/models/";

/// The best scan's score by the first baseline.
double first_ratio(const Json& verdict) { return verdict["baselines"][0]["ratio"].get<double>(); }

TEST(Frame, ABatchIsTheSameQuestionToEveryCommand) {
  const TemporaryFolder folder;
  const std::string gpu = UPSWEEP_SOURCE_DIR "/configs/machines/a100-sxm4-80gb.yaml";
  const std::string network = UPSWEEP_SOURCE_DIR "/models/lenet5.yaml";
  const std::string chain = folder.write("chain.yaml", "chain: {length: 300, size: 4, kind: dense}\n");
  for (const std::string& model : {network, chain}) {
    for (const bool has_machine : {false, true}) {
      std::vector<std::string> rest = {"--batch", "7", "--workers", "5"};
      if (has_machine) rest.insert(rest.end(), {"--machine", gpu});
      const auto json_with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), rest.begin(), rest.end());
        return json_of(arguments);
      };
      const Json search = json_with({"search", model, "--schemes", "hybrid"});
      EXPECT_EQ(search["batch"], 7);
      EXPECT_EQ(search["execution"], "level") << "of a batch no other is known";
      EXPECT_EQ(search["verdict"]["frame"]["batch"], 7);
      EXPECT_EQ(search["verdict"]["frame"]["execution"], "level");
      EXPECT_THAT(search["verdict"]["sentence"].get<std::string>(), HasSubstr(", 7 inputs, level execution"));
      EXPECT_TRUE(search["candidates"][1]["makespans"]["dag"].is_null()) << "not known, not 0";
      const std::string best = search["verdict"]["baselines"][0]["best_scan"];
      const Json profile = json_with({"profile", model, "--schedule", best});
      EXPECT_EQ(first_ratio(profile["verdict"]), first_ratio(search["verdict"])) << model;
      EXPECT_EQ(profile["verdict"]["frame"], search["verdict"]["frame"]);
      const std::string study = folder.write(
          "study.yaml", "name: same\nbase:\n  model: " + model + "\n" +
                            (has_machine ? "  machine: " + gpu + "\n" : std::string()) + "  schedule: " + best +
                            "\n  batch: 7\naxes: [{path: workers, values: [5]}]\n");
      const Json row = json_of({"study", study})["rows"][0];
      EXPECT_EQ(row["score"], search["verdict"]["baselines"][0]["scan_score"]) << model;
      EXPECT_EQ(row["plain_score"], search["verdict"]["baselines"][0]["score"]) << model;
    }
  }
}

TEST(Frame, WhatAMachineHasNoMemoryForIsNoAnswerUnlessAsked) {
  const TemporaryFolder folder;
  const std::string model = kModels + "vgg16-imagenet.yaml";
  const std::string gpu = kSource + "/configs/machines/a100-sxm4-40gb.yaml";
  const std::vector<std::string> search = {"search",    model,    "--machine",     gpu,
                                           "--schemes", "hybrid", "--count-limit", "1e6"};
  const Json limited = json_of(search);
  EXPECT_EQ(limited["memory_limit"], std::uint64_t{40} << 30);
  EXPECT_FALSE(limited["candidates"][0]["feasible"]);
  EXPECT_THAT(limited["verdict"]["sentence"].get<std::string>(), HasSubstr("neither plain BP nor a scan fits"));
  const Json profile = json_of({"profile", model, "--machine", gpu, "--schedule", "linear"});
  EXPECT_EQ(profile["verdict"]["pays"], limited["verdict"]["pays"]);
  EXPECT_THAT(profile["verdict"]["sentence"].get<std::string>(), HasSubstr("neither plain BP nor a scan fits"));
  std::vector<std::string> unlimited = search;
  unlimited.insert(unlimited.end(), {"--memory", "none"});
  const Json any = json_of(unlimited);
  EXPECT_TRUE(any["memory_limit"].is_null());
  EXPECT_TRUE(any["candidates"][0]["feasible"]);
}

TEST(Frame, OfABatchSharedOpsFollowTheFormula) {
  const std::string model = UPSWEEP_SOURCE_DIR "/models/lenet5.yaml";
  const Json one = json_of({"profile", model, "--schedule", "hybrid:1", "--workers", "5"});
  const Json many = json_of({"profile", model, "--schedule", "hybrid:1", "--workers", "5", "--batch", "7"});
  EXPECT_EQ(many["ops"], one["ops"]) << "of one input";
  std::uint64_t makespan = 0;
  for (const Json& level : one["levels"]) {
    const std::uint64_t flops = 7 * level["flops_sum"].get<std::uint64_t>();
    makespan += std::max((flops + 4) / 5, level["span_max"].get<std::uint64_t>());
  }
  EXPECT_EQ(many["makespan_shared"], makespan);
}

void expect_refused(const std::vector<std::string>& arguments, const std::string& error) {
  const Finished run = upsweep(arguments);
  EXPECT_EQ(run.exit_code, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr(error));
}

TEST(Frame, WhatAScanTakesOnceIsPaidBackByWhatItSaves) {
  const std::string model = kModels + "rnn-bitstream.yaml";
  for (const std::string command : {"search", "profile"}) {
    const Json verdict = json_of({command, model, "--machine",
                                  UPSWEEP_SOURCE_DIR "/configs/machines/a100-sxm4-80gb.yaml", "--setup", "2"})
                             .at("verdict");
    ASSERT_EQ(verdict["pays"], "yes");
    const Json& payback = verdict["payback"];
    EXPECT_EQ(payback["setup_s"], 2);
    EXPECT_EQ(payback["iterations"], std::ceil(2 / payback["saved_s"].get<double>()));
    EXPECT_THAT(verdict["sentence"].get<std::string>(), HasSubstr(", 2.000 s once, is paid back after "));
  }
  expect_refused({"search", model, "--setup", "-1"}, "--setup is '-1', accepted is a number of seconds of at least 0");
}

TEST(Frame, RefusesWhatABatchHasNot) {
  const TemporaryFolder folder;
  const std::string model = UPSWEEP_SOURCE_DIR "/models/lenet5.yaml";
  for (const std::string command : {"search", "profile"}) {
    expect_refused({command, model, "--batch", "0"}, "--batch is '0', accepted is an integer from 1 to 1000000");
    expect_refused({command, model, "--batch", "2", "--execution", "dag"},
                   "--batch is 2 and --execution is dag, which has one input");
    expect_refused({command, model, "--batch", "2", "--db", folder.path("x.sqlite")},
                   "a database keeps runs of one input");
  }
  expect_refused({"validate", model, "--batch", "2"}, "--batch is 2 with a network of operators");
}

}  // namespace
}  // namespace upsweep::testing::cli_frame_test
