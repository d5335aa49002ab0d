#include "upsweep/app/train.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/app.hpp"
#include "support/files.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/svg.hpp"

namespace upsweep::testing::app_train_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

const std::string kModel =
    "name: net\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 4, steps: 12, batch: 4}\nhead: {out_features: 3}\n";
const std::string kFile =
    "name: x\nmodel: net.yaml\n"
    "train:\n"
    "  data: {bitstream: {samples: 20, seed: 7}}\n"
    "  optimizer: {sgd: {learning_rate: 0.1, momentum: 0.9}}\n"
    "  iterations: 5\n"
    "  backward: [bptt, blelloch]\n";

class TrainRequests : public ::testing::Test {
 protected:
  TrainRequests() {
    folder_.write("net.yaml", kModel);
    request_.file = folder_.write("t.yaml", kFile);
  }

  TemporaryFolder folder_;
  TrainRequest request_;
};

TEST_F(TrainRequests, ReplaceWhatTheFileSays) {
  request_.iterations = 2;
  request_.backward = {{"bptt", "linear", "blocked:3"}};
  request_.workers = 1;
  if (has_charts()) request_.svg = folder_.path("curves.svg");
  request_.db = folder_.path("runs.sqlite");
  Said said;
  const TrainOutcome outcome = run_quietly(request_, said.watch());
  ASSERT_THAT(outcome.report.result.curves, SizeIs(3));
  EXPECT_THAT(outcome.report.result.curves[2].loss, SizeIs(2));
  EXPECT_EQ(outcome.report.workers, 1U);
  EXPECT_EQ(outcome.failure, nullptr);
  EXPECT_THAT(outcome.run_ids, ElementsAre(1));
  if (has_charts()) {
    EXPECT_THAT(read_file(*request_.svg), HasSubstr("<svg"));
  }
  EXPECT_THAT(said.doing.at(0), HasSubstr("training by bptt (1 of 3), iteration 1 of 2"));
}

TEST_F(TrainRequests, RefuseBlocksOfUnfusedStepsAsValidateDoes) {
  folder_.write("net.yaml",
                "name: net\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 4, steps: 12, batch: 4, fused: "
                "false}\nhead: {out_features: 3}\n");
  request_.backward = {{"bptt", "blocked:3"}};
  Said said;
  try {
    static_cast<void>(run_quietly(request_, said.watch()));
    FAIL() << "blocked:3 was accepted";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("blocked:3 has no unfused steps, accepted are bptt, linear, hybrid:L"));
  }
}

TEST_F(TrainRequests, NameTheFieldThatIsWrong) {
  TrainRequest wrong = request_;
  wrong.backward = {{"zigzag"}};
  EXPECT_EQ(wrong_field(wrong), "backward");
  wrong.backward = {{"bptt", "bptt"}};
  EXPECT_EQ(wrong_field(wrong), "backward");
  wrong = request_;
  wrong.iterations = 0;
  EXPECT_EQ(wrong_field(wrong), "iterations");
  wrong = request_;
  wrong.backend = "abacus";
  EXPECT_EQ(wrong_field(wrong), "backend");
  wrong = request_;
  wrong.svg = "-";
  EXPECT_EQ(wrong_field(wrong), "svg");
  wrong = request_;
  wrong.workers = 100'000;
  EXPECT_THAT(refusal<BackendError>(wrong), HasSubstr("`workers` is 100000"));
}

TEST_F(TrainRequests, CanBeStopped) { EXPECT_TRUE(is_interrupted(request_)); }

}  // namespace
}  // namespace upsweep::testing::app_train_test
