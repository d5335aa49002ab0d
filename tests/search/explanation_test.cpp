#include "upsweep/search/explanation.hpp"

#include <gtest/gtest.h>

#include <memory>
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
  // A kernel per level, of which the scan has fewer, and so slow that small random products take about as long as one.
  const Machine fused = launched(machine_named("a100-sxm4-80gb"), LaunchMode::fused);
  const Machine machine = scaled(scaled(fused, Binding::arithmetic, 1e-5), Binding::bandwidth, 1e-3);
  std::size_t turned = 0;
  for (int round = 0; round < 20; ++round) {
    const std::vector<ScheduleProfile> pair = random_pair();
    const bool now = seconds(pair[0], machine) < seconds(pair[1], machine);
    const Explanation explanation = explain(pair[0], pair[1], {4, 1, &machine, 4});
    for (const Turn& turn : explanation.accounts.front().turns) {
      if (turn.of == Turn::Of::products || !turn.to) continue;
      const Binding part = turn.of == Turn::Of::latency     ? Binding::latency
                           : turn.of == Turn::Of::bandwidth ? Binding::bandwidth
                                                            : Binding::arithmetic;
      const auto wins = [&](double factor) {
        const Machine other = scaled(machine, part, turn.of == Turn::Of::latency ? 1 / factor : factor);
        return seconds(pair[0], other) < seconds(pair[1], other);
      };
      ++turned;
      EXPECT_NE(wins(*turn.to), now) << to_string(turn.of) << " times " << *turn.to;
      EXPECT_EQ(wins(*turn.to > 1 ? *turn.to * 0.999 : *turn.to * 1.001), now) << to_string(turn.of);
    }
  }
  EXPECT_GT(turned, 0U);
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

TEST_F(ExplanationTest, RefusesSchedulesOverDifferentChains) {
  const std::vector<ScheduleProfile> pair = random_pair();
  ScheduleProfile other = pair[1];
  ++other.schedule.length;
  EXPECT_THROW(static_cast<void>(explain(pair[0], other, {1, 1, nullptr, 4})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::explanation_test
