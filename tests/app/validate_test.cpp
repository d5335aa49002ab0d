#include "upsweep/app/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/app.hpp"
#include "support/files.hpp"
#include "support/rendered.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep::testing::app_validate_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// Two layers, one of them pruned.
const std::string kNetwork =
    "input: [8]\nweights: {init: he_normal, seed: 3, prune: {method: magnitude_layer, sparsity: 0.5}}\n"
    "sample: {count: 2, seed: 1}\noperators:\n"
    "  - linear: {name: w1, out_features: 6}\n  - tanh: {name: f1}\n  - linear: {name: w2, out_features: 4}\n";
const std::string kRecurrent =
    "name: net\nrecurrent: {cell: rnn, input_size: 1, hidden_size: 4, steps: 6, batch: 2}\nhead: {out_features: 3}\n";

class ValidateRequests : public ::testing::Test {
 protected:
  ValidateRequests() {
    request_.model = folder_.write("net.yaml", kNetwork);
    request_.backend = "reference";
  }

  TemporaryFolder folder_;
  ValidateRequest request_;
};

TEST_F(ValidateRequests, ProveSchedulesOfANetwork) {
  request_.all_depths = true;
  request_.db = folder_.path("runs.sqlite");
  const ValidateOutcome outcome = run_quietly(request_);
  const auto& found = std::get<NetworkValidation>(outcome.found);
  EXPECT_EQ(outcome.mismatch, std::nullopt);
  EXPECT_EQ(outcome.failure, std::nullopt);
  ASSERT_THAT(found.validation.schedules, SizeIs(found.analysis.schedules.size()));
  EXPECT_THAT(outcome.run_ids, SizeIs(found.analysis.schedules.size()));
  EXPECT_EQ(to_json(found.report())["backend"], "reference");
}

TEST_F(ValidateRequests, SkipAScheduleThatMemoryHasNoRoomForAndNameWhatTakesIt) {
  request_.model =
      folder_.write("wide.yaml",
                    "input: [400]\nweights: {init: he_normal}\nsample: {count: 1, seed: 1}\noperators:\n"
                    "  - linear: {name: wide, out_features: 1000}\n  - linear: {name: w, out_features: 9}\n");
  request_.schedule = "linear";
  request_.force = true;
  const MemoryCeiling ceiling(held_memory() + 3'000'000);  // numbers and positions of `wide` take 3.2 MB
  const ValidateOutcome outcome = run_quietly(request_);
  const auto& schedules = std::get<NetworkValidation>(outcome.found).validation.schedules;
  ASSERT_THAT(schedules, SizeIs(1));
  EXPECT_FALSE(schedules.front().ran());
  EXPECT_THAT(schedules.front().skipped, AllOf(HasSubstr("about 3."), HasSubstr("for the link that ends at 'wide'"),
                                               HasSubstr("there are"), HasSubstr("a schedule that forms less")));
}

TEST_F(ValidateRequests, ProvePassesOfARecurrentModel) {
  request_.model = folder_.write("rnn.yaml", kRecurrent);
  request_.backend = "cpu";
  request_.schedule = "linear,blelloch";
  request_.no_prediction = true;
  request_.sizes.steps = 9;
  const ValidateOutcome outcome = run_quietly(request_);
  const auto& report = std::get<PassesReport>(outcome.found);
  EXPECT_EQ(report.model.steps, 9U);
  EXPECT_THAT(report.validation.passes, SizeIs(3)) << "the baseline first";
  EXPECT_EQ(outcome.mismatch, std::nullopt);
}

TEST_F(ValidateRequests, KeepPicturesOfThePrunedModel) {
  // The weights have gone into the runs when pictures are made.
  request_.db = folder_.path("runs.sqlite");
  const ValidateOutcome outcome = run_quietly(request_);
  const std::string hash = std::get<NetworkValidation>(outcome.found).model.content_hash;
  std::uint64_t entries = 0;
  for (const StoredPicture& picture : StoreReader(*request_.db).pictures(hash, "guaranteed")) {
    if (picture.name == "w2") entries = picture.nnz;
  }
  EXPECT_EQ(entries, 12U) << "half of 4 x 6";
}

TEST_F(ValidateRequests, NameTheFieldThatIsWrong) {
  ValidateRequest wrong = request_;
  wrong.workers = 0;
  EXPECT_EQ(wrong_field(wrong), "workers");
  wrong = request_;
  wrong.schedule = "zigzag";
  EXPECT_EQ(wrong_field(wrong), "schedule");
  wrong = request_;
  wrong.backend = "cudnn";
  EXPECT_EQ(wrong_field(wrong), "backend") << "of recurrent models alone";
  wrong = request_;
  wrong.sizes.steps = 3;
  EXPECT_EQ(wrong_field(wrong), "steps") << "of recurrent models alone";
  wrong.sizes.steps = 1;
  EXPECT_EQ(wrong_field(wrong), "steps");
  wrong = request_;
  wrong.input = 2;
  EXPECT_THAT(refusal<InputError>(wrong), HasSubstr("net.yaml: `input` is 2, accepted are 0 to 1"));
  wrong = request_;
  wrong.workers = 100'000;
  EXPECT_THAT(refusal<BackendError>(wrong), HasSubstr("`workers` is 100000"));
}

TEST_F(ValidateRequests, CanBeStopped) {
  EXPECT_TRUE(is_interrupted(request_));
  request_.model = folder_.write("rnn.yaml", kRecurrent);
  EXPECT_TRUE(is_interrupted(request_));
}

}  // namespace
}  // namespace upsweep::testing::app_validate_test
