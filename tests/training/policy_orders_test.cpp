#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "support/pipelines.hpp"
#include "support/refusal.hpp"

namespace upsweep::policy_orders_test {
namespace {

using testing::equal_pipeline;
using testing::equal_stages;
using ::testing::HasSubstr;
using testing::run_policy;

std::string order_on(const PipelineRun& run, std::uint32_t device) {
  std::string text;
  for (const StepEntry& entry : run.timeline) {
    if (entry.device == device) text += (text.empty() ? "" : " ") + to_string(entry.op);
  }
  return text;
}

std::string refusal(const Pipeline& pipeline, const std::string& policy) {
  return testing::refusal_of<std::invalid_argument>([&] { return run_policy(pipeline, policy); });
}

double makespan(const Pipeline& pipeline, const std::string& policy) { return run_policy(pipeline, policy).makespan; }

Pipeline modulo(std::size_t layers, std::size_t devices, std::size_t micro_batches) {
  return equal_pipeline(modulo_allocation(layers, devices, 1), devices, micro_batches);
}

Pipeline keeping_first_output(Pipeline pipeline) {
  pipeline.skip_first_output_gradient = false;
  return pipeline;
}

// --- orders by hand: layers 1, 2 on device 0 and 3, 4 on device 1, O(1) left out ---

TEST(PolicyOrder, OfMp) {
  const PipelineRun run = run_policy(equal_stages(2, 2, 1), "mp");
  EXPECT_EQ(order_on(run, 0), "F1.0 F2.0 W2.0 O2.0 W1.0");
  EXPECT_EQ(order_on(run, 1), "F3.0 F4.0 W4.0 O4.0 W3.0 O3.0");
}

TEST(PolicyOrder, OfGpipe) {
  const PipelineRun run = run_policy(equal_stages(2, 2, 2), "gpipe");
  EXPECT_EQ(order_on(run, 0), "F1.0 F2.0 F1.1 F2.1 W2.0 O2.0 W1.0 W2.1 O2.1 W1.1");
  EXPECT_EQ(order_on(run, 1), "F3.0 F4.0 F3.1 F4.1 W4.0 O4.0 W3.0 O3.0 W4.1 O4.1 W3.1 O3.1");
}

TEST(PolicyOrder, OfOneForwardOneBackward) {
  const PipelineRun run = run_policy(equal_stages(2, 1, 3), "1f1b");
  EXPECT_EQ(order_on(run, 0), "F1.0 F1.1 W1.0 F1.2 W1.1 W1.2");
  EXPECT_EQ(order_on(run, 1), "F2.0 W2.0 O2.0 F2.1 W2.1 O2.1 F2.2 W2.2 O2.2");
  EXPECT_EQ(order_on(run_policy(equal_stages(2, 1, 3), "pipedream"), 1), order_on(run, 1));
}

TEST(PolicyOrder, OfOneForwardOneBackwardWithFastForwarding) {
  const PipelineRun run = run_policy(equal_stages(2, 2, 2), "1f1b_ff");
  EXPECT_EQ(order_on(run, 0), "F1.0 F2.0 F1.1 F2.1 O2.0 W2.0 W1.0 O2.1 W2.1 W1.1");
  EXPECT_EQ(order_on(run, 1), "F3.0 F4.0 O4.0 O3.0 W4.0 W3.0 F3.1 F4.1 O4.1 O3.1 W4.1 W3.1");
}

TEST(PolicyOrder, OfZeroBubble) {
  const PipelineRun run = run_policy(keeping_first_output(equal_stages(2, 1, 3)), "zb_h1");
  EXPECT_EQ(order_on(run, 0), "F1.0 F1.1 O1.0 W1.0 F1.2 O1.1 W1.1 O1.2 W1.2");
  EXPECT_EQ(order_on(run, 1), "F2.0 O2.0 F2.1 O2.1 W2.0 F2.2 O2.2 W2.1 W2.2");
}

TEST(PolicyOrder, OfInterleaved) {
  const PipelineRun run = run_policy(modulo(4, 2, 2), "interleaved");
  EXPECT_EQ(order_on(run, 0), "F1.0 F1.1 F3.0 F3.1 W3.0 O3.0 W3.1 O3.1 W1.0 W1.1");
  EXPECT_EQ(order_on(run, 1), "F2.0 F2.1 F4.0 W4.0 O4.0 F4.1 W4.1 O4.1 W2.0 O2.0 W2.1 O2.1");
}

TEST(PolicyOrder, OfPaired) {
  const PipelineRun run = run_policy(modulo(4, 2, 2), "paired");
  EXPECT_EQ(order_on(run, 0), "F1.0 F1.1 F3.0 F3.1 O3.0 W3.0 O3.1 W3.1 W1.0 W1.1");
  EXPECT_EQ(order_on(run, 1), "F2.0 F2.1 F4.0 O4.0 F4.1 O4.1 O2.0 W4.0 O2.1 W4.1 W2.0 W2.1");
}

TEST(PolicyOrder, OfFastForwarding) {
  const PipelineRun run = run_policy(equal_stages(2, 1, 2), "ff");
  EXPECT_EQ(order_on(run, 0), "F1.0 F1.1 W1.0 W1.1");
  EXPECT_EQ(order_on(run, 1), "F2.0 F2.1 O2.0 O2.1 W2.0 W2.1") << "O of micro-batch 1 before W of micro-batch 0";
}

TEST(PolicyOrder, OfTheEagerPoliciesDiffersInWhatGoesFirst) {
  const Pipeline pipeline = equal_stages(1, 1, 2);
  EXPECT_EQ(order_on(run_policy(keeping_first_output(pipeline), "eager_ofw"), 0), "F1.0 O1.0 F1.1 O1.1 W1.0 W1.1");
  EXPECT_EQ(order_on(run_policy(keeping_first_output(pipeline), "eager_fow"), 0), "F1.0 F1.1 O1.0 O1.1 W1.0 W1.1");
}

TEST(PolicyOrder, UpdatesComeLastByAscendingLayer) {
  for (const Policy& policy : policies()) {
    if (policy.name == "pipedream") continue;
    Pipeline pipeline = equal_stages(1, 3, 1);
    pipeline.update = {1, 1, 1};
    const std::string order = order_on(simulate_pipeline(pipeline, policy), 0);
    EXPECT_TRUE(order.ends_with(" U1 U2 U3")) << policy.name << ": " << order;
  }
}

// --- section 7: the paper's numbers ---

TEST(PaperFigures, Figure5) {
  EXPECT_EQ(makespan(equal_stages(2, 4, 1), "mp"), 23);
  EXPECT_EQ(makespan(equal_stages(2, 4, 1), "ff"), 19);
  const PipelineRun run = run_policy(modulo(8, 2, 1), "ff");
  EXPECT_EQ(run.makespan, 16);
  EXPECT_EQ(makespan(keeping_first_output(equal_stages(2, 4, 1)), "mp"), 24);
  EXPECT_EQ(makespan(keeping_first_output(equal_stages(2, 4, 1)), "ff"), 20);
  EXPECT_EQ(makespan(keeping_first_output(modulo(8, 2, 1)), "ff"), 17);
  // 5c: the backward pass takes 8; the device of layer 1 is busy for 7 of them.
  EXPECT_EQ(run.busy[0], 4 + 7);
  EXPECT_EQ(run.busy[1], 4 + 8);
}

TEST(PaperFigures, Figure6) {
  EXPECT_EQ(makespan(equal_stages(2, 4, 2), "gpipe"), 35);
  EXPECT_EQ(makespan(equal_stages(2, 4, 2), "ff"), 30);
  EXPECT_EQ(makespan(modulo(8, 2, 2), "eager_ofw"), 25);
}

TEST(PaperFigures, Figure12) {
  EXPECT_EQ(makespan(equal_stages(4, 2, 4), "gpipe"), 41);
  EXPECT_EQ(makespan(equal_stages(4, 2, 4), "ff"), 34);
  EXPECT_EQ(makespan(modulo(8, 4, 4), "eager_ofw"), 27);
}

TEST(PaperFigures, Section841) {
  EXPECT_EQ(makespan(equal_stages(4, 4, 4), "gpipe"), 83);
  EXPECT_EQ(makespan(equal_stages(4, 4, 4), "ff"), 68);
  EXPECT_EQ(makespan(modulo(16, 4, 4), "eager_ofw"), 51);
  EXPECT_EQ(makespan(keeping_first_output(equal_stages(4, 4, 4)), "gpipe"), 84);
  EXPECT_EQ(makespan(keeping_first_output(equal_stages(4, 4, 4)), "ff"), 72);
  EXPECT_EQ(makespan(keeping_first_output(modulo(16, 4, 4)), "eager_ofw"), 51);
  EXPECT_EQ(makespan(modulo(16, 4, 4), "ff"), 53) << "with the gate";
  EXPECT_EQ(makespan(modulo(16, 4, 4), "eager_fow"), 53) << "F before O";
  EXPECT_EQ(makespan(equal_stages(4, 4, 4), "eager_ofw"), 60) << "contiguous without the gate";
}

// --- refusals ---

TEST(PolicyRefusal, OfMicroBatchesUnderMp) {
  EXPECT_EQ(refusal(equal_stages(2, 1, 2), "mp"),
            "2 micro-batches, accepted is 1: mp is cross-layer model parallelism");
}

TEST(PolicyRefusal, OfFewerLayersThanDevices) {
  for (const char* policy : {"mp", "1f1b", "1f1b_ff", "pipedream", "zb_h1", "interleaved"}) {
    Pipeline pipeline = equal_pipeline({0, 1}, 3, policy == std::string("mp") ? 1 : 3);
    EXPECT_EQ(refusal(pipeline, policy), "2 layers on 3 devices, accepted is at least one layer per device") << policy;
  }
  for (const char* policy : {"gpipe", "ff", "eager_ofw", "eager_fow", "paired"})
    EXPECT_EQ(refusal(equal_pipeline({0, 1}, 3, 2), policy), "accepted") << policy;
}

TEST(PolicyRefusal, OfAnythingButOneStagePerDevice) {
  for (const char* policy : {"1f1b", "1f1b_ff", "pipedream", "zb_h1"}) {
    EXPECT_EQ(refusal(modulo(4, 2, 2), policy),
              "layer 3 on device 0, accepted is one run of consecutive layers per device, in the order of the devices")
        << policy;
    EXPECT_THAT(refusal(equal_pipeline({1, 0}, 2, 2), policy), HasSubstr("layer 1 on device 1, accepted is one run"))
        << policy;
    EXPECT_EQ(refusal(equal_pipeline({0, 0, 0, 1}, 3, 2), policy),
              "no layer on device 2, accepted is one run of consecutive layers per device")
        << policy;
  }
}

TEST(PolicyRefusal, OfStagesThatDoNotGoRound) {
  EXPECT_EQ(refusal(modulo(4, 2, 3), "interleaved"),
            "3 micro-batches on 2 devices, accepted is a multiple of the devices");
  EXPECT_EQ(refusal(equal_pipeline({1, 0, 1, 0}, 2, 2), "interleaved"),
            "stage 0 on device 1, accepted are stages that go round the devices");
  EXPECT_EQ(refusal(modulo(3, 2, 2), "interleaved"), "3 stages on 2 devices, accepted are as many on every device");
}

TEST(PolicyRefusal, OfUpdatesUnderPipedream) {
  Pipeline pipeline = equal_stages(2, 1, 2);
  pipeline.update = {0, 0.5};
  EXPECT_EQ(refusal(pipeline, "pipedream"),
            "an update of cost 0.5 at layer 2, accepted is 0: updates of pipedream are not part of the step");
}

TEST(PolicyRefusal, OfAnUnknownNameListsAllThatAreKnown) {
  std::string message;
  try {
    static_cast<void>(find_policy("gpip"));
  } catch (const std::invalid_argument& error) {
    message = error.what();
  }
  EXPECT_THAT(message, HasSubstr("'gpip': did you mean gpipe?, accepted are "));
  for (const char* name : {"mp", "gpipe", "ff", "eager_ofw", "eager_fow", "paired", "1f1b", "1f1b_ff", "pipedream",
                           "interleaved", "zb_h1"})
    EXPECT_THAT(message, HasSubstr(name));
  for (const Policy& policy : policies()) EXPECT_EQ(find_policy(policy.name).name, policy.name);
  EXPECT_EQ(policies().size(), 11U);
}

}  // namespace
}  // namespace upsweep::policy_orders_test
