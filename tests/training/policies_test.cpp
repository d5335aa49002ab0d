#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "support/pipeline_check.hpp"
#include "support/pipelines.hpp"

namespace upsweep {
namespace {

using testing::equal_stages;
using testing::key_of;
using testing::PipelineCheck;
using testing::run_policy;

constexpr int kRounds = 60;

class PoliciesTest : public testing::PipelineTest {};

bool is_ranked(const std::string& policy) { return policy == "ff" || policy.starts_with("eager_"); }

/// The key of a ranked policy as section 4 words it; the smallest wins.
class RankKey {
 public:
  RankKey(const Pipeline& pipeline, const std::string& policy) : is_output_first_(policy == "eager_ofw") {
    std::map<std::uint32_t, long> of_device;
    for (std::size_t layer = 0; layer < pipeline.layers(); ++layer) {
      const std::uint32_t device = pipeline.device_of[layer];
      if (layer == 0 || pipeline.device_of[layer - 1] != device) ++of_device[device];
      chunk_.push_back(of_device[device]);
    }
  }

  [[nodiscard]] std::tuple<int, long, long, long> operator()(const StepOp& op) const {
    const long layer = op.layer, m = op.micro_batch, chunk = chunk_[op.layer];
    switch (op.kind) {
      case StepOpKind::forward:
        return {is_output_first_ ? 1 : 0, chunk, m, layer};
      case StepOpKind::output_gradient:
        return {is_output_first_ ? 0 : 1, -chunk, m, -layer};
      case StepOpKind::weight_gradient:
        return {2, -chunk, m, -layer};
      case StepOpKind::update:
        break;
    }
    return {3, layer, 0, 0};
  }

 private:
  bool is_output_first_;
  std::vector<long> chunk_;
};

/// What keeps a ranked run from being work-conserving list scheduling, or nothing.
std::string ranking_fault(const Pipeline& pipeline, const PipelineRun& run, const std::string& policy) {
  const PipelineCheck check(pipeline, run);
  const RankKey key(pipeline, policy);
  for (const StepEntry& late : run.timeline) {
    double ready = check.ready(late.op);
    if (policy == "ff" && late.op.kind != StepOpKind::forward) ready = std::max(ready, check.forward_end(late.device));
    double busy = 0;  // of the device, while the operation waits
    for (const StepEntry& other : run.timeline) {
      if (other.device != late.device) continue;
      busy += std::max(0.0, std::min(other.end, late.start) - std::max(other.start, ready));
      const bool was_taken_before = ready <= other.start && other.start < late.start;
      if (was_taken_before && !(key(other.op) < key(late.op)))
        return to_string(other.op) + " was taken before " + to_string(late.op);
    }
    if (late.start > ready && busy != late.start - ready) return "the device idles before " + to_string(late.op);
    if (late.start < ready) return to_string(late.op) + " passes the gate";
  }
  return "";
}

/// What keeps a run from being a fixed order without needless waiting, or nothing.
std::string order_fault(const Pipeline& pipeline, const PipelineRun& run) {
  const PipelineCheck check(pipeline, run);
  std::vector<double> free(pipeline.devices, 0);
  std::vector<bool> updates(pipeline.devices, false);
  for (const StepEntry& entry : run.timeline) {
    if (entry.start != std::max(free[entry.device], check.ready(entry.op)))
      return to_string(entry.op) + " waits for nothing";
    const bool is_update = entry.op.kind == StepOpKind::update;
    if (updates[entry.device] && !is_update) return to_string(entry.op) + " follows an update";
    updates[entry.device] = is_update;
    free[entry.device] = entry.end;
  }
  return "";
}

TEST_F(PoliciesTest, EveryPolicyKeepsTheDefinitionsOnRandomPipelines) {
  for (const Policy& policy : policies()) {
    for (int round = 0; round < kRounds; ++round) {
      const Pipeline pipeline = random_pipeline(policy.name);
      const PipelineRun run = simulate_pipeline(pipeline, policy);
      EXPECT_TRUE(run.is_exact);
      EXPECT_EQ(run.policy, policy.name);
      EXPECT_EQ(PipelineCheck(pipeline, run).fault(), "") << policy.name << ", round " << round;
    }
  }
}

TEST_F(PoliciesTest, RankedPoliciesTakeTheReadyOperationOfTheSmallestKeyAtOnce) {
  for (const Policy& policy : policies()) {
    for (int round = 0; is_ranked(policy.name) && round < kRounds; ++round) {
      const Pipeline pipeline = random_pipeline(policy.name);
      EXPECT_EQ(ranking_fault(pipeline, simulate_pipeline(pipeline, policy), policy.name), "")
          << policy.name << ", round " << round;
    }
  }
}

TEST_F(PoliciesTest, StaticPoliciesWaitForNothingButTheirHead) {
  for (const Policy& policy : policies()) {
    for (int round = 0; !is_ranked(policy.name) && round < kRounds; ++round) {
      const Pipeline pipeline = random_pipeline(policy.name);
      EXPECT_EQ(order_fault(pipeline, simulate_pipeline(pipeline, policy)), "") << policy.name << ", round " << round;
    }
  }
}

TEST_F(PoliciesTest, OrdersDoNotDependOnTheUnitOfTime) {
  for (const Policy& policy : policies()) {
    Pipeline pipeline = random_pipeline(policy.name);
    const PipelineRun run = simulate_pipeline(pipeline, policy);
    for (auto* list : {&pipeline.forward, &pipeline.output_gradient, &pipeline.weight_gradient, &pipeline.update,
                       &pipeline.transfer_sizes}) {
      for (double& cost : *list) cost /= 1000;
    }
    pipeline.latency /= 1000;
    const PipelineRun small = simulate_pipeline(pipeline, policy);
    EXPECT_EQ(small.makespan, run.makespan / 1000) << policy.name;
    ASSERT_EQ(small.timeline.size(), run.timeline.size());
    for (std::size_t i = 0; i < run.timeline.size(); ++i)
      EXPECT_EQ(to_string(small.timeline[i].op), to_string(run.timeline[i].op)) << policy.name;
  }
}

// --- the checks above can fail ---

Pipeline with_transfers() {
  Pipeline pipeline = equal_stages(2, 2, 3, {1, 2, 1});
  pipeline.transfer_sizes.assign(3, 1);
  pipeline.bandwidth = 1;
  pipeline.latency = 0.5;
  pipeline.comm_model = CommModel::link;
  pipeline.update.assign(4, 1);
  return pipeline;
}

TEST(PipelineCheck, FindsEveryKindOfFault) {
  const Pipeline pipeline = with_transfers();
  const PipelineRun good = run_policy(pipeline, "gpipe");
  ASSERT_EQ(PipelineCheck(pipeline, good).fault(), "");
  const std::vector<std::pair<std::string, std::function<void(PipelineRun&)>>> mutations = {
      {"an operation less", [](PipelineRun& run) { run.timeline.pop_back(); }},
      {"an operation twice", [](PipelineRun& run) { run.timeline[1].op = run.timeline[0].op; }},
      {"another device", [](PipelineRun& run) { run.timeline[0].device = 1; }},
      {"another duration", [](PipelineRun& run) { run.timeline.back().end += 1; }},
      {"micro-batches swapped", [](PipelineRun& run) { std::swap(run.timeline[0].op, run.timeline[2].op); }},
      {"a transfer less", [](PipelineRun& run) { run.transfers.pop_back(); }},
      {"a transfer elsewhere", [](PipelineRun& run) { std::swap(run.transfers[0].from, run.transfers[0].to); }},
      {"an early departure", [](PipelineRun& run) { run.transfers[1].departure -= 0.25; }},
      {"an early arrival", [](PipelineRun& run) { run.transfers.back().arrival -= 0.25; }},
      {"busy", [](PipelineRun& run) { run.busy[1] += 1; }},
      {"makespan", [](PipelineRun& run) { run.makespan += 1; }},
      {"bubbles", [](PipelineRun& run) { run.bubble_fraction += 1e-6; }},
      {"activations", [](PipelineRun& run) { run.peaks[0].activations -= 1; }},
      {"gradients", [](PipelineRun& run) { run.peaks[1].gradients += 1; }},
      {"together", [](PipelineRun& run) { run.peaks[1].together -= 1; }},
  };
  for (const auto& [name, mutate] : mutations) {
    PipelineRun bad = good;
    mutate(bad);
    EXPECT_NE(PipelineCheck(pipeline, bad).fault(), "") << name;
  }
}

TEST(PipelineCheck, FindsAnyOperationThatStartsTooEarly) {
  const Pipeline pipeline = with_transfers();
  const PipelineRun good = run_policy(pipeline, "ff");
  ASSERT_EQ(PipelineCheck(pipeline, good).fault(), "");
  for (std::size_t i = 0; i < good.timeline.size(); ++i) {
    PipelineRun bad = good;
    bad.timeline[i].start -= 0.25;
    bad.timeline[i].end -= 0.25;
    EXPECT_NE(PipelineCheck(pipeline, bad).fault(), "") << to_string(good.timeline[i].op);
  }
}

TEST(PipelineCheck, TellsRankedPoliciesApart) {
  const Pipeline pipeline = equal_stages(2, 2, 3);
  EXPECT_EQ(ranking_fault(pipeline, run_policy(pipeline, "eager_fow"), "eager_fow"), "");
  EXPECT_NE(ranking_fault(pipeline, run_policy(pipeline, "eager_fow"), "eager_ofw"), "");
  EXPECT_NE(ranking_fault(pipeline, run_policy(pipeline, "eager_ofw"), "eager_fow"), "");
  EXPECT_NE(ranking_fault(pipeline, run_policy(pipeline, "eager_ofw"), "ff"), "");
  EXPECT_NE(ranking_fault(pipeline, run_policy(pipeline, "gpipe"), "ff"), "");
  PipelineRun late = run_policy(pipeline, "gpipe");
  EXPECT_EQ(order_fault(pipeline, late), "");
  late.timeline.back().start += 0.25;
  EXPECT_NE(order_fault(pipeline, late), "");
}

}  // namespace
}  // namespace upsweep
