#include "upsweep/search/explanation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/io/machine_file.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/sim/shared_ops.hpp"

namespace upsweep::explanation_test {
namespace {

Machine machine_named(const std::string& name) {
  return load_machine(read_yaml(UPSWEEP_SOURCE_DIR "/configs/machines/" + name + ".yaml"));
}

class ExplanationTest : public testing::SeededTest {
 protected:
  /// A hybrid over a random chain and, behind it, `linear`.
  std::vector<ScheduleProfile> random_pair() {
    JacobianChain chain;
    auto cols = static_cast<Index>(between(2, 40));
    chain.gradient_length = cols;
    const std::size_t links = between(3, 20);
    for (std::size_t i = 0; i < links; ++i) {
      const auto rows = static_cast<Index>(between(2, 40));
      chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(rows, cols, 0.2)));
      cols = rows;
    }
    const auto depth = static_cast<std::uint32_t>(between(1, 4));
    return profile_schedules({hybrid_schedule(chain.length(), depth), linear_schedule(chain.length())}, chain, 4);
  }
};

double seconds(const ScheduleProfile& profile, const Machine& machine) {
  return predict_time(profile, machine, 4, Execution::level, 4).seconds;
}

TEST_F(ExplanationTest, LevelsAddUpToTheMakespansThatProfilesState) {
  const Machine machine = machine_named("a100-sxm4-80gb");
  for (int round = 0; round < 50; ++round) {
    const std::vector<ScheduleProfile> pair = random_pair();
    const std::uint64_t workers = between(1, 20);
    const Explanation counted = explain(pair[0], pair[1], {workers, 1, nullptr, 4});
    ASSERT_EQ(counted.accounts.size(), 2U);
    const PramProfile pram = pram_profile(pair[0], workers);
    const PramProfile plain = pram_profile(pair[1], workers);
    EXPECT_EQ(counted.accounts[0].total, static_cast<double>(pram.level.flops));
    EXPECT_EQ(counted.accounts[0].against, static_cast<double>(plain.level.flops));
    EXPECT_EQ(counted.accounts[1].total, static_cast<double>(pram.shared_flops));
    EXPECT_EQ(counted.accounts[1].against, static_cast<double>(plain.shared_flops));
    const Explanation predicted = explain(pair[0], pair[1], {4, 1, &machine, 4});
    ASSERT_EQ(predicted.accounts.size(), 1U);
    EXPECT_DOUBLE_EQ(predicted.accounts[0].total, seconds(pair[0], machine));
    for (const Account& account : counted.accounts) {
      double sum = 0;
      for (const AccountedLevel& level : account.levels) sum += level.cost;
      EXPECT_DOUBLE_EQ(sum, account.total);
      EXPECT_EQ(account.levels.size(), pair[0].schedule.levels);
    }
  }
}

TEST_F(ExplanationTest, WorkersThatTurnItDo) {
  std::size_t turned = 0;
  for (int round = 0; round < 60; ++round) {
    const std::vector<ScheduleProfile> pair = random_pair();
    const std::uint64_t workers = between(1, 8);
    const Explanation explanation = explain(pair[0], pair[1], {workers, 1, nullptr, 4});
    for (const Account& account : explanation.accounts) {
      ASSERT_EQ(account.turns.front().of, Turn::Of::workers);
      const std::optional<double> to = account.turns.front().to;
      const auto wins = [&](std::uint64_t count) {
        const PramProfile mine = pram_profile(pair[0], count);
        const PramProfile plain = pram_profile(pair[1], count);
        return account.rule == AccountRule::whole ? mine.level.flops < plain.level.flops
                                                  : mine.shared_flops < plain.shared_flops;
      };
      if (!to) continue;
      ++turned;
      EXPECT_NE(wins(static_cast<std::uint64_t>(*to)), wins(workers));
    }
  }
  EXPECT_GT(turned, 0U);
}

TEST_F(ExplanationTest, PartsOfAMachineThatTurnItDoAndALittleLessDoesNot) {
  // A kernel per level, of which the scan has fewer: on machines from fast to so slow that small products take longer.
  Machine fused = launched(machine_named("a100-sxm4-80gb"), LaunchMode::fused);
  fused.published.clear();  // a call of a library takes longer than all of such a chain
  std::size_t turned = 0;
  for (int round = 0; round < 60; ++round) {
    const double slow = std::exp2(-static_cast<double>(between(0, 18)));
    const Machine machine = scaled(scaled(fused, Binding::arithmetic, slow), Binding::bandwidth, std::sqrt(slow));
    const std::vector<ScheduleProfile> pair = random_pair();
    const auto takes_less = [&](const Machine& on) {  // by more than sums in different orders
      return seconds(pair[0], on) < seconds(pair[1], on) * (1 - 1e-9);
    };
    const bool now = takes_less(machine);
    const Explanation explanation = explain(pair[0], pair[1], {4, 1, &machine, 4});
    for (const Turn& turn : explanation.accounts.front().turns) {
      if (turn.of == Turn::Of::products || !turn.to) continue;
      const Binding part = turn.of == Turn::Of::latency     ? Binding::latency
                           : turn.of == Turn::Of::bandwidth ? Binding::bandwidth
                                                            : Binding::arithmetic;
      const auto wins = [&](double factor) {
        return takes_less(scaled(machine, part, turn.of == Turn::Of::latency ? 1 / factor : factor));
      };
      ++turned;
      EXPECT_NE(wins(*turn.to), now) << to_string(turn.of) << " times " << *turn.to;
      EXPECT_EQ(wins(*turn.to > 1 ? *turn.to * 0.999 : *turn.to * 1.001), now) << to_string(turn.of);
    }
  }
  EXPECT_GT(turned, 50U);
}

TEST_F(ExplanationTest, ProductsAreTheMatrixProductsByWhatTheyCost) {
  const std::vector<ScheduleProfile> pair = random_pair();
  const Explanation explanation = explain(pair[0], pair[1], {2, 1, nullptr, 4});
  std::size_t matrices = 0;
  for (const OpProfile& op : pair[0].ops) matrices += op.is_mv ? 0 : 1;
  ASSERT_EQ(explanation.products.size(), matrices);
  const std::vector<ValueRange> ranges = value_ranges(pair[0].schedule);
  const auto last = static_cast<std::uint32_t>(pair[0].schedule.length - 1);
  for (std::size_t i = 0; i < explanation.products.size(); ++i) {
    const FillIn& product = explanation.products[i];
    const OpProfile& op = pair[0].ops[product.op];
    EXPECT_FALSE(op.is_mv);
    EXPECT_EQ(product.nnz, op.nnz);
    EXPECT_EQ(product.operands_nnz, op.left_nnz + op.right_nnz);
    if (i > 0) {
      EXPECT_LE(product.flops, explanation.products[i - 1].flops);
    }
    const ValueRange range = ranges[pair[0].schedule.value_of(product.op)];
    EXPECT_EQ(product.first_link + range.last, last) << "the last element is the first link";
    EXPECT_LT(product.first_link, product.last_link);
  }
}

/// Two ways through a stack, the first one a scan.
std::array<StackedProfile, 2> stacked_pair(const StackedShape& shape) {
  const StackedMethod scan{StackedKind::products_ahead, TimeScan::hybrid, 2};
  return {profile_stacked(shape, scan, 4), profile_stacked(shape, {}, 4)};
}

TEST_F(ExplanationTest, StagesOfAStackAddUpToItsMakespansAndWork) {
  for (int round = 0; round < 50; ++round) {
    const auto [scan, plain] = stacked_pair({between(1, 6), between(3, 60), between(1, 20)});
    const std::uint64_t workers = between(1, 200);
    const std::uint64_t batch = between(1, 4);
    const Explanation explanation = explain(scan, plain, {workers, batch, nullptr, 4});
    ASSERT_EQ(explanation.accounts.size(), 2U);
    EXPECT_EQ(explanation.accounts[0].total, static_cast<double>(stacked_makespan(scan, workers, batch).flops));
    EXPECT_EQ(explanation.accounts[0].against, static_cast<double>(stacked_makespan(plain, workers, batch).flops));
    EXPECT_EQ(explanation.accounts[1].total, static_cast<double>(shared_makespan(shared_work(scan), workers, batch)));
    EXPECT_EQ(explanation.accounts[1].against,
              static_cast<double>(shared_makespan(shared_work(plain), workers, batch)));
    std::uint64_t levels = 0;
    std::uint64_t ops = 0;
    std::uint64_t flops = 0;
    for (const ExplainedLevel& level : explanation.levels) {
      levels += level.repeat;
      ops += level.ops;
      flops += level.flops;
    }
    EXPECT_EQ(levels, scan.levels);
    EXPECT_EQ(ops, scan.products.matrix + scan.products.vector);
    EXPECT_EQ(flops, scan.flops + scan.addition_flops);
    EXPECT_EQ(explanation.flops, flops);
    EXPECT_EQ(explanation.blocks->products, scan.products.matrix);
  }
}

TEST_F(ExplanationTest, WhatTurnsAStackDoes) {
  std::set<Turn::Of> turned;
  for (int round = 0; round < 100; ++round) {
    const StackedShape shape{between(1, 6), between(3, 60), between(1, 6)};
    const std::uint64_t workers = between(1, 100);
    const auto [scan, plain] = stacked_pair(shape);
    for (const Account& account : explain(scan, plain, {workers, 1, nullptr, 4}).accounts) {
      const auto wins = [&](const StackedShape& other, std::uint64_t count) {
        const StackedProfile mine = profile_stacked(other, scan.method, 4);
        const StackedProfile its = profile_stacked(other, plain.method, 4);
        return account.rule == AccountRule::whole
                   ? stacked_makespan(mine, count).flops < stacked_makespan(its, count).flops
                   : shared_makespan(shared_work(mine), count) < shared_makespan(shared_work(its), count);
      };
      for (const Turn& turn : account.turns) {
        if (!turn.to) continue;
        const auto to = static_cast<std::uint64_t>(*turn.to);
        StackedShape other = shape;
        if (turn.of == Turn::Of::hidden) other.hidden = to;
        if (turn.of == Turn::Of::steps) other.steps = to;
        turned.insert(turn.of);
        EXPECT_NE(wins(other, turn.of == Turn::Of::workers ? to : workers), wins(shape, workers))
            << to_string(turn.of) << ' ' << to;
      }
    }
  }
  EXPECT_EQ(turned, (std::set{Turn::Of::workers, Turn::Of::hidden, Turn::Of::steps}));
}

TEST_F(ExplanationTest, MoreWorkersTurnWhatFewerWin) {
  const auto [scan, plain] = stacked_pair({4, 1000, 20});
  const Explanation explanation = explain(plain, scan, {16, 1, nullptr, 4});
  const Account& whole = explanation.accounts.front();
  ASSERT_LT(whole.total, whole.against) << "one with few workers";
  const std::uint64_t workers = 100'000;
  const bool loses = stacked_makespan(scan, workers).flops < stacked_makespan(plain, workers).flops;
  EXPECT_EQ(whole.turns.front().to.has_value(), loses);
}

TEST_F(ExplanationTest, PartsOfAPassAddUpToItsSecondsAndWhatTurnsItDoes) {
  const Machine machine = machine_named("v100-sxm2-32gb");
  const PassShape shape{{CellKind::rnn, Nonlinearity::tanh, 1, 20}, 1000, 16, true};
  const DeviceAssumptions assumptions = assumed_on(machine);
  const ExplainedPass plain{shape, {}, assumptions};
  std::set<Turn::Of> turned;
  for (const char* name : {"hybrid:5", "linear", "blocked:32"}) {
    const ExplainedPass scan{shape, parse_backward_method(name), assumptions};
    const Explanation explanation = explain(scan, plain, {machine.workers(), 16, &machine, 4});
    const auto seconds = [&](const ExplainedPass& pass, const Machine& on, std::size_t steps) {
      PassShape other = shape;
      other.steps = steps;
      return predict_on_device(on, other, pass.method, 4, assumptions).hidden_s();
    };
    const Account& account = explanation.accounts.front();
    EXPECT_DOUBLE_EQ(account.total, seconds(scan, machine, 1000)) << name;
    EXPECT_DOUBLE_EQ(account.against, seconds(plain, machine, 1000)) << name;
    double sum = 0;
    for (const AccountedLevel& level : account.levels) sum += level.cost;
    EXPECT_DOUBLE_EQ(sum, account.total) << name;
    for (const Turn& turn : account.turns) {
      if (!turn.to || turn.of == Turn::Of::latency) continue;
      turned.insert(turn.of);
      const std::size_t steps = turn.of == Turn::Of::steps ? static_cast<std::size_t>(*turn.to) : 1000;
      const Machine on =
          turn.of == Turn::Of::steps
              ? machine
              : scaled(machine, turn.of == Turn::Of::bandwidth ? Binding::bandwidth : Binding::arithmetic, *turn.to);
      EXPECT_NE(seconds(scan, on, steps) < seconds(plain, on, steps), account.total < account.against)
          << name << ' ' << to_string(turn.of);
    }
  }
  EXPECT_FALSE(turned.empty());
}

TEST_F(ExplanationTest, RefusesSchedulesOverDifferentChains) {
  EXPECT_THROW(static_cast<void>(
                   explain(profile_stacked({2, 3, 4}, {}, 4), profile_stacked({2, 4, 4}, {}, 4), {1, 1, nullptr, 4})),
               std::invalid_argument);
  const std::vector<ScheduleProfile> pair = random_pair();
  ScheduleProfile other = pair[1];
  ++other.schedule.length;
  EXPECT_THROW(static_cast<void>(explain(pair[0], other, {1, 1, nullptr, 4})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::explanation_test
