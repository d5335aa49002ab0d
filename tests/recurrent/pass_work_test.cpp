#include "upsweep/recurrent/pass_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/random.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/recurrent/device_model.hpp"

namespace upsweep::pass_work_test {
namespace {

BackwardMethod by_levels(std::uint32_t depth) { return {BackwardKind::levels, depth, {}}; }
BackwardMethod by_blocks(std::size_t blocks, double first = 1, bool stored = false) {
  return {BackwardKind::blocked, 0, {blocks, first, stored}};
}

PassShape pass_of(CellKind kind, std::size_t hidden, std::size_t steps, bool is_fused = true) {
  return {{kind, Nonlinearity::tanh, 3, hidden, 10}, steps, 1, is_fused};
}

std::uint64_t sum_of_levels(const SharedWork& work) {
  std::uint64_t flops = 0;
  for (const SharedLevel& level : work.levels) flops += level.times * level.flops;
  return flops;
}

TEST(PassWork, HasTheLevelsOfAPassByHand) {
  // An RNN of 4 over 5 steps in three blocks of 2, 2 and 1: while the first walks, the second becomes a product.
  const SharedWork work = shared_work(pass_of(CellKind::rnn, 4, 5), by_blocks(3));
  const std::vector<SharedLevel> expected = {
      {1, 32 + 32, 3},        // 16 multiply-adds, sums of 4; forming 16 of one term
      {1, 32 + 32 + 128, 4},  // then forming the next and the product of both
      {1, 32, 3},             // the vector times that
      {1, 32 + 32, 3},        // inside the second block, and the third
  };
  ASSERT_EQ(work.levels.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(work.levels[i].times, expected[i].times) << i;
    EXPECT_EQ(work.levels[i].flops, expected[i].flops) << i;
    EXPECT_EQ(work.levels[i].span, expected[i].span) << i;
  }
  EXPECT_EQ(work.span_path, 3 * 4U) << "two steps, the product, and the third block";
  // On 10 workers: 7, 20, 4 and 7 FLOPs.
  EXPECT_EQ(shared_makespan(work, 10), 38U);
}

TEST(PassWork, FormsAllJacobiansBeforeTheLevelsOfAScan) {
  const PassShape gru = pass_of(CellKind::gru, 8, 20);
  const SharedWork pass = shared_work(gru, by_levels(2));
  const SharedWork scan = shared_work(profile_homogeneous(fused_chain(8, 20), 2, 4), Scope::all);
  EXPECT_EQ(pass.levels.front().flops, 20U * 2 * 3 * 64);
  EXPECT_EQ(pass.levels.front().span, 3U) << "a multiplication and a sum of three gates";
  for (const std::uint64_t workers : {1U, 16U, 1000000U}) {
    const std::uint64_t formed = std::max<std::uint64_t>((20U * 2 * 3 * 64 + workers - 1) / workers, 3);
    EXPECT_EQ(shared_makespan(pass, workers), formed + shared_makespan(scan, workers)) << workers;
  }
  EXPECT_EQ(pass.span_path, 3 + scan.span_path);
  // Of two elements a step nothing is formed.
  const SharedWork unfused = shared_work(pass_of(CellKind::rnn, 8, 20, false), by_levels(2));
  EXPECT_EQ(unfused.flops, shared_work(profile_homogeneous(unfused_chain(8, 20), 2, 4), Scope::all).flops);
}

class RandomPassWork : public testing::SeededTest {};

TEST_F(RandomPassWork, DoesTheFlopsOfTheTimedPassAndNeverGetsSlower) {
  const Machine machine = load_machine(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/pram-unit.yaml"));
  for (int trial = 0; trial < 200; ++trial) {
    const CellKind kind = between(0, 1) == 0 ? CellKind::rnn : CellKind::gru;
    const PassShape shape = pass_of(kind, between(1, 40), between(1, 300));
    const BackwardMethod method =
        trial % 3 == 0   ? BackwardMethod{}
        : trial % 3 == 1 ? by_levels(static_cast<std::uint32_t>(between(0, 9)))
                         : by_blocks(between(1, 40), 1 + static_cast<double>(between(0, 3)), between(0, 1) == 1);
    SCOPED_TRACE(to_string(method) + " of " + std::to_string(shape.cell.hidden) + " over " +
                 std::to_string(shape.steps));
    const SharedWork work = shared_work(shape, method);
    EXPECT_EQ(work.flops, sum_of_levels(work));
    const DevicePrediction timed = predict_on_device(machine, shape, method, 4);
    EXPECT_EQ(work.flops, timed.jacobians.flops + timed.up.flops + timed.middle.flops + timed.down.flops);
    EXPECT_EQ(shared_makespan(work, 1), work.flops) << "a worker is busy all the time";
    std::uint64_t fewer = shared_makespan(work, 1);
    for (std::uint64_t workers = 2; workers < (std::uint64_t{1} << 30U); workers *= 3) {
      const std::uint64_t now = shared_makespan(work, workers);
      EXPECT_LE(now, fewer);
      EXPECT_GE(now, shared_bound(work, workers));
      fewer = now;
    }
  }
}

}  // namespace
}  // namespace upsweep::pass_work_test
