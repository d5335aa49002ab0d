#include "upsweep/app/training.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/app.hpp"
#include "support/files.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::testing::app_training_test {
namespace {

using ::testing::ElementsAre;

const std::string kTraining = std::string(UPSWEEP_SOURCE_DIR) + "/configs/training/";

TEST(TrainingRequests, HaveAnswersOfTheKindOfTheirFile) {
  const TemporaryFolder folder;
  const TrainingRequest request{{}, kTraining + "policies.yaml", std::nullopt, folder.path("runs.sqlite")};
  const TrainingOutcome outcome = run_quietly(request);
  EXPECT_EQ(outcome.file.kind, "pipeline");
  const auto& answers = std::get<PipelineAnswers>(outcome.answers);
  EXPECT_EQ(answers.choices.size(), std::get<PipelineStudy>(outcome.file.study).choices.size());
  EXPECT_TRUE(answers.best.has_value());
  EXPECT_THAT(outcome.run_ids, ElementsAre(1));
  const TrainingOutcome other = run_quietly(TrainingRequest{{}, kTraining + "multi-region-example.yaml"});
  EXPECT_GT(std::get<MultiRegionAnswers>(other.answers).one_stream_makespan, 0);
  EXPECT_TRUE(other.run_ids.empty());
}

TEST(TrainingRequests, NameTheFieldThatIsWrong) {
  EXPECT_EQ(wrong_field(TrainingRequest{{}, kTraining + "policies.yaml", 0}), "optimum");
  EXPECT_EQ(wrong_field(TrainingRequest{{}, kTraining + "policies.yaml", 1'000'001}), "optimum");
  EXPECT_NE(refusal<InputError>(TrainingRequest{{}, "none.yaml"}), "");
  TrainingRequest framed{{}, kTraining + "policies.yaml"};
  framed.workers = 3;
  EXPECT_EQ(wrong_field(framed), "workers") << "its devices are the file's";
  TrainingRequest empty{{}, kTraining + "scan-vs-pipeline.yaml"};
  empty.batch = 0;
  EXPECT_EQ(wrong_field(empty), "batch");
}

TEST(TrainingRequests, SayHowMuchIsToBeSimulatedWhereItTakesASecond) {
  const TemporaryFolder folder;
  const auto said = [&](int micro_batches) {
    const std::string file = folder.write(
        "step.yaml",
        "name: step\nkind: pipeline\nlayers: 100\ndevices: 4\nmicro_batches: " + std::to_string(micro_batches) +
            "\nF: 1\nO: 1\nW: 1\nskip_o1: false\nalloc: contiguous\npolicies: [gpipe]\n");
    std::string first;
    Watch watch;
    watch.progress = [&](const std::string& text) {
      if (!text.starts_with("simulating gpipe")) return;
      first = text;
      throw Interrupted();  // it comes before the work, which nobody has to wait for
    };
    EXPECT_THROW(static_cast<void>(run(TrainingRequest{{}, file}, kCaller, watch)), Interrupted);
    return first;
  };
  EXPECT_EQ(said(10), "simulating gpipe (1 of 1)");
  EXPECT_EQ(said(20'000), "simulating gpipe (1 of 1): 6 M operations, about 3.0 s");
}

TEST(TrainingRequests, CanBeStopped) { EXPECT_TRUE(is_interrupted(TrainingRequest{{}, kTraining + "policies.yaml"})); }

}  // namespace
}  // namespace upsweep::testing::app_training_test
