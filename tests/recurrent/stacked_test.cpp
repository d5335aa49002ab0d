#include "upsweep/recurrent/stacked.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <random>
#include <stdexcept>

#include "recurrent/stacked_run.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/stacked_steps.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

using testing::Blocks;
using testing::carry_out;
using testing::explicit_plan;
using testing::gradients_of;
using testing::Plan;
using testing::PlanLevel;
using testing::random_blocks;
using testing::Residue;
using testing::RunCounts;
using testing::substituted;

/// Calls use(shape, method) for every way of all small stacks; their hidden elements go round 1..4.
template <class Use>
void for_small_stacks(Use use) {
  std::uint64_t hidden = 0;
  for (std::uint64_t layers = 1; layers <= 4; ++layers) {
    for (const std::uint64_t steps : {1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 16, 17}) {
      for (const StackedMethod& method : stacked_methods({layers, steps, 1})) {
        hidden = hidden % 4 + 1;
        const StackedShape shape{layers, steps, hidden};
        SCOPED_TRACE(::testing::Message() << to_string(method) << ", " << layers << " layers, " << steps << " steps, "
                                          << hidden << " hidden elements");
        use(shape, method);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

Blocks<Residue> residues(const Plan& plan, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  return random_blocks<Residue>(plan, [&] { return Residue{random() % Residue::kPrime}; });
}

TEST(Stacked, EveryWayGivesTheGradientsOfBackPropagationExactly) {
  std::uint64_t seed = 1;
  for_small_stacks([&](StackedShape shape, const StackedMethod& method) {
    const std::uint64_t most = shape.steps <= 5 ? 4 : shape.hidden;  // all sizes of the shorter stacks
    for (shape.hidden = shape.steps <= 5 ? 1 : most; shape.hidden <= most; ++shape.hidden) {
      const Plan plan = explicit_plan(shape, method);
      const Blocks<Residue> given = residues(plan, ++seed);
      RunCounts counts;
      EXPECT_TRUE(gradients_of(plan, carry_out(plan, given, counts)) == substituted(plan, given)) << "seed " << seed;
      const StackedProfile profile = profile_stacked(shape, method, 4);
      EXPECT_EQ(profile.flops, 2 * counts.multiply_adds) << "multiply-adds that were really done";
      EXPECT_EQ(profile.addition_flops, counts.additions);
    }
  });
}

TEST(Stacked, EveryWayGivesTheGradientsWithinTheRoundingBound) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> draw(-1, 1);
  for_small_stacks([&](const StackedShape& shape, const StackedMethod& method) {
    if (shape.steps % 4 != 1) return;
    const Plan plan = explicit_plan(shape, method);
    const auto given = random_blocks<double>(plan, [&] { return draw(random); });
    Blocks<double> sizes = given;
    for (auto& block : sizes) {
      for (double& entry : block) entry = std::abs(entry);
    }
    const Blocks<double> want = substituted(plan, given);
    const Blocks<double> size = substituted(plan, sizes);
    RunCounts counts;
    const Blocks<double> got = gradients_of(plan, carry_out(plan, given, counts));
    const auto operations = static_cast<double>(2 * (shape.layers + shape.steps) * (shape.hidden + 2));
    const double bound = operations * std::numeric_limits<double>::epsilon();
    for (std::size_t cell = 0; cell < want.size(); ++cell) {
      for (std::size_t e = 0; e < shape.hidden; ++e)
        EXPECT_LE(std::abs(got[cell][e] - want[cell][e]), bound * size[cell][e]) << "seed 3";
    }
  });
}

TEST(Stacked, ThoseComparisonsCanFail) {
  const StackedShape shape{3, 9, 3};
  Plan plan = explicit_plan(shape, {StackedKind::layers_then_time, TimeScan::kogge_stone, 0});
  const Blocks<Residue> given = residues(plan, 1);
  RunCounts counts;
  const Blocks<Residue> want = substituted(plan, given);
  EXPECT_TRUE(gradients_of(plan, carry_out(plan, given, counts)) == want);
  Plan commuted = plan;
  const auto is_of_matrices = [&](const testing::PlanOp& op) { return !plan.is_vector[op.b]; };
  const auto op = std::ranges::find_if(commuted.levels.front().ops, is_of_matrices);
  ASSERT_NE(op, commuted.levels.front().ops.end());
  std::swap(op->a, op->b);
  EXPECT_FALSE(gradients_of(plan, carry_out(commuted, given, counts)) == want) << "matrices do not commute";
  std::swap(plan.levels[0], plan.levels[1]);
  EXPECT_THROW((void)carry_out(plan, given, counts), std::logic_error) << "levels depend on each other";
}

StackedOps ops_of(const Plan& plan, const PlanLevel& level) {
  StackedOps ops;
  for (const testing::PlanOp& op : level.ops) ++(plan.is_vector[op.b] ? ops.vector : ops.matrix);
  return ops;
}

std::uint64_t cost(const PlanLevel& level, bool is_vector, std::uint64_t hidden) {
  return (level.adds ? hidden : 2 * hidden * hidden) * (is_vector ? 1 : hidden);
}

/// One operation after the other, matrices first, on the worker that becomes free first.
std::uint64_t listed_time(const StackedOps& ops, std::uint64_t matrix_cost, std::uint64_t vector_cost,
                          std::uint64_t workers) {
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> free_at;
  for (std::uint64_t w = 0; w < workers; ++w) free_at.push(0);
  std::uint64_t end = 0;
  for (std::uint64_t op = 0; op < ops.matrix + ops.vector; ++op) {
    const std::uint64_t done = free_at.top() + (op < ops.matrix ? matrix_cost : vector_cost);
    free_at.pop();
    free_at.push(done);
    end = std::max(end, done);
  }
  return end;
}

Makespan listed_makespan(const Plan& plan, std::uint64_t workers) {
  Makespan sum;
  for (const PlanLevel& level : plan.levels) {
    const StackedOps ops = ops_of(plan, level);
    sum.flops += listed_time(ops, cost(level, false, plan.shape.hidden), cost(level, true, plan.shape.hidden), workers);
    if (!level.adds) sum.unit += listed_time(ops, 1, 1, workers);
  }
  return sum;
}

/// Blocks, gradients, transitions above the diagonal, and products whose operands are read again.
std::uint64_t kept_values(const Plan& plan, const StackedMethod& method) {
  const StackedShape& shape = plan.shape;
  std::uint64_t blocks = 0;
  for (std::uint64_t i = 1; i <= shape.layers; ++i) {
    for (std::uint64_t s = 1; s <= shape.steps; ++s) {
      blocks += (i < shape.layers ? 1U : 0U) + (s < shape.steps ? 1U : 0U);
      if (method.kind == StackedKind::layers_then_time && s < shape.steps) blocks += shape.layers - i;
    }
  }
  for (const PlanLevel& level : plan.levels) {
    if (method.kind == StackedKind::products_ahead && !level.adds) blocks += ops_of(plan, level).matrix;
  }
  return blocks * shape.hidden * shape.hidden + plan.cells() * shape.hidden;
}

TEST(Stacked, ClosedFormsEqualTheListsOfOperations) {
  for_small_stacks([](const StackedShape& shape, const StackedMethod& method) {
    const Plan plan = explicit_plan(shape, method);
    const StackedProfile profile = profile_stacked(shape, method, 8);
    std::uint64_t levels = 0;
    std::uint64_t largest = 0;
    StackedProfile want;
    for (const PlanLevel& level : plan.levels) {
      const StackedOps ops = ops_of(plan, level);
      StackedOps& sum = level.adds ? want.additions : want.products;
      sum.matrix += ops.matrix;
      sum.vector += ops.vector;
      if (!level.adds)
        largest = std::max(largest, ops.matrix * shape.hidden * shape.hidden + ops.vector * shape.hidden);
      levels += level.adds ? 0 : 1;
      const std::uint64_t most = cost(level, ops.matrix == 0, shape.hidden);
      want.critical_path_flops += most;
      want.widest = std::max(want.widest, ops.matrix + ops.vector);
      if (!level.adds) want.per_step_flops = std::max(want.per_step_flops, most);
    }
    EXPECT_EQ(profile.levels, levels);
    EXPECT_EQ(profile.addition_levels, plan.levels.size() - levels);
    EXPECT_EQ(profile.products, want.products);
    EXPECT_EQ(profile.additions, want.additions);
    EXPECT_EQ(profile.critical_path_flops, want.critical_path_flops);
    EXPECT_EQ(profile.per_step_flops, want.per_step_flops);
    EXPECT_EQ(profile.widest, want.widest);
    EXPECT_EQ(profile.memory_bytes, 8 * (kept_values(plan, method) + largest));
    for (const std::uint64_t workers : {1, 3, 40})
      EXPECT_EQ(stacked_makespan(profile, workers), listed_makespan(plan, workers)) << workers << " workers";
  });
}

TEST(Stacked, StagesListTheLevelsInOrderWhereNothingRepeats) {
  const StackedShape shape{3, 6, 2};
  for (const StackedKind kind : {StackedKind::wavefront, StackedKind::layers_then_time}) {
    const StackedMethod method{kind, TimeScan::kogge_stone, 0};
    const Plan plan = explicit_plan(shape, method);
    std::size_t next = 0;
    for (const StackedStage& stage : profile_stacked(shape, method, 4).stages) {
      for (std::uint64_t r = 0; r < stage.repeat; ++r) {
        EXPECT_EQ(stage.products, ops_of(plan, plan.levels.at(next++)));
        for (const StackedOps& additions : stage.additions) EXPECT_EQ(additions, ops_of(plan, plan.levels.at(next++)));
      }
    }
    EXPECT_EQ(next, plan.levels.size());
  }
}

TEST(Stacked, OneLayerIsTheScanOverTime) {
  for (const std::uint64_t steps : {2, 3, 8, 21, 1000}) {
    for (std::uint32_t depth = 0; depth <= max_depth(steps + 1); ++depth) {
      const HomogeneousProfile scan = profile_homogeneous(fused_chain(5, steps), depth, 4);
      for (const StackedKind kind : {StackedKind::layers_then_time, StackedKind::layer_by_layer}) {
        const StackedProfile stack = profile_stacked({1, steps, 5}, {kind, TimeScan::hybrid, depth}, 4);
        EXPECT_EQ(stack.products.matrix + stack.products.vector, scan.live.ops);
        EXPECT_EQ(stack.flops, scan.live.flops);
        EXPECT_EQ(stack.critical_path_flops, scan.live.critical_path_level);
      }
    }
    const StackedProfile wavefront = profile_stacked({1, steps, 5}, {}, 4);
    EXPECT_EQ(wavefront.flops, homogeneous_reference(fused_chain(5, steps), 4).linear_flops) << "plain BPTT";
    EXPECT_EQ(wavefront.additions, StackedOps{});
  }
}

TEST(Stacked, FiguresOfTwoLayersAndThreeStepsByHand) {
  // Cells (2, 3) given; (1, 3), (2, 2) one product each; (1, 2) two; (2, 1) one; (1, 1) two.
  const StackedProfile wavefront = profile_stacked({2, 3, 10}, {}, 4);
  EXPECT_EQ(wavefront.levels, 3U);
  EXPECT_EQ(wavefront.flops, 7U * 200);
  EXPECT_EQ(wavefront.additions, (StackedOps{0, 2}));
  EXPECT_EQ(wavefront.critical_path_flops, 3U * 200 + 2 * 10);
  EXPECT_EQ(wavefront.memory_bytes, 4U * (7 * 100 + 6 * 10 + 3 * 10));
  EXPECT_EQ(stacked_makespan(wavefront, 2), (Makespan{1 + 2 + 1, 4 * 200 + 2 * 10}));
  // One block P Q per transition and P g(2, 3); then M g of both transitions, one after the other, 3 blocks each.
  const StackedProfile layers = profile_stacked({2, 3, 10}, {StackedKind::layers_then_time, TimeScan::hybrid, 0}, 4);
  EXPECT_EQ(layers.levels, 3U);
  EXPECT_EQ(layers.products, (StackedOps{2, 1 + 2 * 3}));
  EXPECT_EQ(layers.additions, (StackedOps{0, 2}));
  EXPECT_EQ(layers.flops, 2U * 2000 + 7 * 200);
  EXPECT_EQ(layers.critical_path_flops, 2000U + 2 * (200 + 10));
  EXPECT_EQ(layers.memory_bytes, 4U * (7 * 100 + 2 * 100 + 6 * 10 + 2 * 100 + 10));
}

TEST(Stacked, StepsAreThoseOfTheFormulas) {
  for_small_stacks([](const StackedShape& shape, const StackedMethod& method) {
    const StackedProfile profile = profile_stacked(shape, method, 4);
    const StackedSteps steps = predicted_steps(shape, profile.method);
    if (profile.method.depth == 0) {
      EXPECT_EQ(profile.levels, steps.levels);
      EXPECT_EQ(profile.addition_levels, steps.addition_levels);
    }
    EXPECT_LE(profile.levels, steps.levels);
    EXPECT_LE(profile.addition_levels, steps.addition_levels);
  });
  const StackedProfile profile =
      profile_stacked({64, 100'000'000, 20}, {StackedKind::layers_then_time, TimeScan::kogge_stone, 0}, 4);
  EXPECT_EQ(profile.levels, 6U + 27U) << "lg k + lg T";
  EXPECT_EQ(profile.addition_levels, 6U * 27U) << "lg k · lg T";
}

TEST(Stacked, CountsAnyNumberOfSteps) {
  const StackedShape shape{4, 100'000'000, 20};
  const StackedProfile wavefront = profile_stacked(shape, {}, 4);
  EXPECT_EQ(wavefront.levels, 100'000'002U);
  EXPECT_EQ(wavefront.flops, (3 * shape.steps + 4 * (shape.steps - 1)) * 800);
  EXPECT_EQ(stacked_makespan(wavefront, 8).flops, wavefront.critical_path_flops);
  for (const StackedMethod& method : stacked_methods(shape)) {
    const StackedProfile profile = profile_stacked(shape, method, 4);
    const std::uint64_t all = profile.flops + profile.addition_flops;
    EXPECT_EQ(stacked_makespan(profile, 1).flops, all) << to_string(method);
    EXPECT_EQ(stacked_makespan(profile, profile.widest).flops, profile.critical_path_flops) << to_string(method);
    EXPECT_GE(stacked_makespan(profile, 1000).flops, all / 1000) << to_string(method);
  }
}

TEST(Stacked, RefusesWhatIsOutOfRange) {
  EXPECT_THROW((void)profile_stacked({0, 2, 2}, {}, 4), std::invalid_argument);
  EXPECT_THROW((void)profile_stacked({kMostLayers + 1, 2, 2}, {}, 4), std::invalid_argument);
  EXPECT_THROW((void)profile_stacked({2, 0, 2}, {}, 4), std::invalid_argument);
  EXPECT_THROW((void)profile_stacked({2, 2, 0}, {}, 4), std::invalid_argument);
  EXPECT_THROW((void)profile_stacked({2, 2, 2}, {}, 2), std::invalid_argument);
  EXPECT_THROW((void)stacked_makespan(profile_stacked({2, 2, 2}, {}, 4), 0), std::invalid_argument);
  const StackedMethod scan{StackedKind::layers_then_time, TimeScan::kogge_stone, 0};
  EXPECT_THROW((void)profile_stacked({1024, std::uint64_t{1} << 39U, 65'536}, scan, 4), CountOverflow);
  EXPECT_THROW((void)profile_stacked({2, 2, std::uint64_t{1} << 33U}, {}, 4), CountOverflow);
}

}  // namespace
}  // namespace upsweep
