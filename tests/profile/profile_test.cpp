#include "upsweep/profile/profile.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>

#include "support/dense_oracle.hpp"
#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/execute.hpp"

namespace upsweep {
namespace {

using testing::DensePattern;
using testing::DenseProduct;
using testing::multiply_dense;
using testing::to_dense;

class ProfileTest : public testing::SeededTest {
 protected:
  JacobianChain random_chain(std::size_t links, double density) {
    JacobianChain chain;
    chain.gradient_length = between(1, 12);
    std::uint64_t size = chain.gradient_length;
    for (std::size_t i = 0; i < links; ++i) {
      const auto rows = static_cast<Index>(between(1, 12));
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(rows, static_cast<Index>(size), density)));
      size = rows;
    }
    return chain;
  }
};

/// A value of the scan with the cost of the combine that made it, all from dense definitions.
struct Counted {
  DensePattern pattern;
  std::uint64_t products = 0;
  std::uint64_t nnz = 0;
};

/// later × earlier; a vector is dense whatever the matrices say.
Counted combine_by_definition(const Counted& earlier, const Counted& later) {
  if (earlier.pattern.cols == 1 && earlier.nnz == earlier.pattern.rows && earlier.products == ~std::uint64_t{0}) {
    return {{later.pattern.rows, 1, std::vector<std::uint8_t>(later.pattern.rows, 1)},
            ~std::uint64_t{0},
            later.pattern.rows};
  }
  const DenseProduct product = multiply_dense(later.pattern, earlier.pattern);
  return {product.pattern, product.products, product.nnz};
}

std::vector<Counted> values_by_definition(const JacobianChain& chain, const Schedule& schedule) {
  constexpr std::uint64_t kVector = ~std::uint64_t{0};  // marks what derives from the gradient
  const auto length = static_cast<Index>(chain.gradient_length);
  std::vector<Counted> values = {{{length, 1, std::vector<std::uint8_t>(length, 1)}, kVector, length}};
  for (const auto& jacobian : chain.jacobians) values.push_back({to_dense(*jacobian), 0, jacobian->nnz()});
  for (const Combine& combine : schedule.combines)
    values.push_back(combine_by_definition(values[combine.earlier], values[combine.later]));
  return values;
}

TEST_F(ProfileTest, CountsEveryOpAsTheDenseDefinitionDoes) {
  for (int round = 0; round < 20; ++round) {
    const JacobianChain chain = random_chain(between(1, 20), 0.3);
    for (std::uint32_t depth = 0; depth <= max_depth(chain.length()); ++depth) {
      const ScheduleProfile profile = profile_schedules({hybrid_schedule(chain.length(), depth)}, chain, 4).front();
      const Schedule& schedule = profile.schedule;
      const std::vector<Counted> values = values_by_definition(chain, schedule);
      for (std::size_t id = 0; id < profile.ops.size(); ++id) {
        const OpProfile& op = profile.ops[id];
        const Counted& earlier = values[schedule.combines[id].earlier];
        const Counted& later = values[schedule.combines[id].later];
        const Counted& result = values[schedule.value_of(id)];
        EXPECT_EQ(op.m, later.pattern.rows);
        EXPECT_EQ(op.k, later.pattern.cols);
        EXPECT_EQ(op.n, earlier.pattern.cols);
        EXPECT_EQ(op.left_nnz, earlier.nnz);
        EXPECT_EQ(op.right_nnz, later.nnz);
        EXPECT_EQ(op.nnz, result.nnz);
        EXPECT_EQ(op.products, op.is_mv ? later.nnz : result.products);
        EXPECT_EQ(op.flops, 2 * op.products);
        EXPECT_EQ(op.bytes, op.is_mv ? 4 * op.m : 8 * op.nnz + 4 * (op.m + 1));
      }
    }
  }
}

TEST_F(ProfileTest, GivesSeveralSchedulesTheSameCountsTogetherAsAlone) {
  const JacobianChain chain = random_chain(23, 0.2);
  std::vector<Schedule> schedules;
  for (std::uint32_t depth = 0; depth <= max_depth(24); ++depth) schedules.push_back(hybrid_schedule(24, depth));
  const auto together = profile_schedules(schedules, chain, 8);
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const auto alone = profile_schedules({schedules[i]}, chain, 8).front();
    EXPECT_EQ(together[i].flops(), alone.flops());
    EXPECT_EQ(together[i].value_bytes, alone.value_bytes);
    for (std::size_t id = 0; id < alone.ops.size(); ++id) EXPECT_EQ(together[i].ops[id].nnz, alone.ops[id].nnz);
  }
}

TEST_F(ProfileTest, CountsASplitThatAnotherScheduleOfTheSameRangeDoesNotHave) {
  // ((a1 a2) a3) and (a1 (a2 a3)) have one structure and two costs.
  const JacobianChain chain = random_chain(3, 0.4);
  const auto folded = [](bool from_left) {
    Schedule schedule;
    schedule.length = 4;
    schedule.levels = 2;
    schedule.combines = {{Phase::up, 0, 0, 0, 0, from_left ? 1U : 2U, from_left ? 2U : 3U},
                         {Phase::up, 1, 0, 0, 0, from_left ? 4U : 1U, from_left ? 3U : 4U}};
    schedule.results = {kIdentity, 5, 5, 5};
    return schedule;
  };
  const auto profiles = profile_schedules({folded(true), folded(false)}, chain, 4);
  EXPECT_EQ(profiles[0].ops[1].nnz, profiles[1].ops[1].nnz);
  for (const auto& profile : profiles) {
    const std::vector<Counted> values = values_by_definition(chain, profile.schedule);
    EXPECT_EQ(profile.ops[1].products, values[5].products);
  }
}

TEST_F(ProfileTest, AddsUpOverInputs) {
  const JacobianChain a = random_chain(9, 0.3);
  JacobianChain b = a;
  b.jacobians[4] = std::make_shared<Pattern>(random_pattern(a.jacobians[4]->rows(), a.jacobians[4]->cols(), 0.8));
  const auto both = profile_schedules(
                        {blelloch_schedule(10)}, 2, [&](std::size_t i) { return i == 0 ? a : b; }, 4)
                        .front();
  const auto first = profile_schedules({blelloch_schedule(10)}, a, 4).front();
  const auto second = profile_schedules({blelloch_schedule(10)}, b, 4).front();
  EXPECT_EQ(both.inputs, 2U);
  for (std::size_t id = 0; id < both.ops.size(); ++id) {
    EXPECT_EQ(both.ops[id].flops, first.ops[id].flops + second.ops[id].flops);
    EXPECT_EQ(both.ops[id].bytes, first.ops[id].bytes + second.ops[id].bytes);
    EXPECT_EQ(both.ops[id].m, first.ops[id].m);
  }
  for (const LevelProfile& level : both.levels) EXPECT_LE(level.flops_max, level.flops_sum);
}

TEST_F(ProfileTest, LevelsAddUpToTheOps) {
  const JacobianChain chain = random_chain(21, 0.3);
  const ScheduleProfile profile = profile_schedules({hybrid_schedule(22, 2)}, chain, 4).front();
  ASSERT_EQ(profile.levels.size(), 8U);
  std::uint64_t ops = 0;
  std::uint64_t flops = 0;
  for (const LevelProfile& level : profile.levels) {
    ops += level.ops;
    flops += level.flops_sum;
  }
  const std::vector<std::uint64_t> by_op = profile.flops();
  EXPECT_EQ(ops, profile.ops.size());
  EXPECT_EQ(flops, std::accumulate(by_op.begin(), by_op.end(), std::uint64_t{0}));
}

TEST_F(ProfileTest, RefusesAScheduleOfAnotherLength) {
  EXPECT_THROW(static_cast<void>(profile_schedules({blelloch_schedule(40)}, random_chain(3, 0.5), 4)),
               std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
