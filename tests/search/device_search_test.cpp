#include "upsweep/search/device_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "upsweep/base/checked.hpp"
#include "upsweep/io/machine_file.hpp"

namespace upsweep::device_search_test {
namespace {

using ::testing::HasSubstr;

BackwardMethod by_blocks(std::size_t blocks) { return {BackwardKind::blocked, 0, {blocks, 1, false}}; }

PassShape rnn(std::size_t hidden, std::size_t steps, std::size_t batch, bool is_fused = true) {
  return {{CellKind::rnn, Nonlinearity::tanh, 1, hidden, 10}, steps, batch, is_fused};
}

Machine preset(const std::string& name) {
  return load_machine(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/configs/machines/" + name + ".yaml"));
}

TEST(DeviceSearch, RanksEveryDepthAndBlocksBesideTheSequentialPass) {
  const Machine machine = preset("rtx-2080-ti");
  const DeviceSearchResult result = search_on_device(machine, rnn(20, 1000, 16), 4, {}, std::nullopt);
  ASSERT_EQ(result.candidates.size(), 1U + 10U + 10U);
  EXPECT_EQ(result.linear().schedule, "bptt");
  EXPECT_EQ(result.candidates[10].schedule, "hybrid:9");
  EXPECT_EQ(result.candidates[11].schedule, "blocked:1");
  EXPECT_EQ(result.candidates.back().schedule, "blocked:512");
  ASSERT_TRUE(result.best);
  for (const Candidate& c : result.candidates) EXPECT_GE(*c.score, *result.candidates[*result.best].score);
  EXPECT_GE(*result.margin, 0);
  const DeviceSearchResult tight = search_on_device(machine, rnn(20, 1000, 16), 4, {}, 4 << 20);
  EXPECT_FALSE(tight.candidates[5].feasible);
  EXPECT_THAT(tight.candidates[5].reason, HasSubstr("bytes exceed 4194304"));
  EXPECT_TRUE(tight.candidates[11].feasible);
}

TEST(DeviceSearch, FindsTheStepsFromWhichAScanWins) {
  const Machine machine = preset("rtx-2070");
  const BackwardMethod one_kernel = by_blocks(1);
  const DeviceOvertakingSearch search = overtaking_steps(machine, rnn(20, 2, 16), one_kernel, 4, {});
  const std::optional<DeviceOvertaking>& found = search.found;
  ASSERT_TRUE(found);
  EXPECT_EQ(search.looked_up_to, found->steps);
  EXPECT_TRUE(is_scan(parse_backward_method(found->method)));
  const auto best_scan = [&](std::size_t steps) {
    double best = std::numeric_limits<double>::max();
    for (const PredictedPass& pass : search_on_device(machine, rnn(20, steps, 16), 4, {}, std::nullopt).passes) {
      if (is_scan(pass.method)) best = std::min(best, pass.prediction.hidden_s());
    }
    return best;
  };
  const auto baseline = [&](std::size_t steps) {
    return predict_on_device(machine, rnn(20, steps, 16), one_kernel, 4).hidden_s();
  };
  EXPECT_LT(best_scan(found->steps), baseline(found->steps));
  EXPECT_GE(best_scan(found->steps - 1), baseline(found->steps - 1));
  // With a batch that fills the device there is nothing to gain.
  const DeviceOvertakingSearch none{std::nullopt, kMostOvertakingSteps};
  EXPECT_EQ(overtaking_steps(machine, rnn(20, 2, 4096), one_kernel, 4, {}), none);
}

TEST(DeviceSearch, LooksForOvertakingStepsAsFarAsCountsGo) {
  const Machine machine = preset("rtx-2070");
  const DeviceOvertakingSearch search = overtaking_steps(machine, rnn(1024, 2, 4096), {}, 4, {});
  EXPECT_FALSE(search.found);
  EXPECT_EQ(search.looked_up_to, std::size_t{1} << 20);
  const auto all_at = [&](std::size_t steps) {
    return search_on_device(machine, rnn(1024, steps, 4096), 4, {}, std::nullopt);
  };
  EXPECT_NO_THROW(static_cast<void>(all_at(search.looked_up_to)));
  EXPECT_THROW(static_cast<void>(all_at(2 * search.looked_up_to)), CountOverflow);
  // Nothing to look at.
  EXPECT_THROW(static_cast<void>(overtaking_steps(machine, rnn(std::size_t{1} << 31, 2, 1), {}, 4, {})), CountOverflow);
}

TEST(DeviceSearch, OfUnfusedStepsChoosesNoBlocks) {
  const Machine machine = preset("rtx-2070");
  const DeviceSearchResult result = search_on_device(machine, rnn(20, 1000, 16, false), 4, {}, std::nullopt);
  ASSERT_EQ(result.candidates.size(), 1U + 11U + 1U);
  const Candidate& last = result.candidates.back();
  EXPECT_EQ(last.schedule, "blocked:1");
  EXPECT_FALSE(last.feasible);
  EXPECT_EQ(last.reason, "a baseline only: blocked:1 has no unfused steps");
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.passes[*result.best].method.kind, BackwardKind::levels);
  EXPECT_LT(*last.score, *result.candidates[*result.best].score) << "it is no choice";
  EXPECT_EQ(*last.score, predict_on_device(machine, rnn(20, 1000, 16), by_blocks(1), 4).hidden_s())
      << "no Jacobians in it";
  const DeviceOvertakingSearch search = overtaking_steps(machine, rnn(20, 2, 16, false), {}, 4, {});
  ASSERT_TRUE(search.found);
  EXPECT_EQ(parse_backward_method(search.found->method).kind, BackwardKind::levels);
}

TEST(BackwardMethods, AreScansWhereTheyMultiplyJacobians) {
  for (const char* text : {"hybrid:1", "blelloch", "blocked:3", "blocked:4:9"}) {
    EXPECT_TRUE(is_scan(parse_backward_method(text))) << text;
  }
  for (const char* text : {"bptt", "linear", "hybrid:0", "blocked:1", "blocked:2", "blocked:2:9"}) {
    EXPECT_FALSE(is_scan(parse_backward_method(text))) << text;
  }
}

TEST(DeviceSearch, OnAPramComparesSharedOpsAndFindsWhereAScanOvertakes) {
  Machine machine = preset("pram-unit");
  const PassShape shape = PassShape{{CellKind::gru, Nonlinearity::tanh, 3, 12, 10}, 100, 1, true};
  const auto best = [&](const DeviceSearchResult& result, bool is_plain, const auto& of) {
    auto least = std::numeric_limits<double>::infinity();
    for (const Candidate& c : result.candidates) {
      if (c.is_plain == is_plain && c.feasible) least = std::min(least, of(c));
    }
    return least;
  };
  const auto seconds = [](const Candidate& c) { return *c.score; };
  const auto shared = [](const Candidate& c) { return static_cast<double>(c.pram.shared_flops); };
  const DeviceSearchResult found = search_on_device(machine, shape, 4, {}, {});
  ASSERT_TRUE(found.overtakes && found.overtakes->whole.from && found.overtakes->shared.from);
  for (const bool is_shared : {false, true}) {
    const std::uint64_t from = *(is_shared ? found.overtakes->shared : found.overtakes->whole).from;
    ASSERT_GT(from, 1U);
    for (const std::uint64_t workers : {from - 1, from}) {
      machine.rates.back().workers = workers;
      const DeviceSearchResult there = search_on_device(machine, shape, 4, {}, {});
      const double scan = is_shared ? best(there, false, shared) : best(there, false, seconds);
      const double plain = is_shared ? best(there, true, shared) : best(there, true, seconds);
      EXPECT_EQ(scan < plain, workers == from) << workers << (is_shared ? " shared" : " whole");
    }
  }
}

}  // namespace
}  // namespace upsweep::device_search_test
