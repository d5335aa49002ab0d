#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "support/random.hpp"
#include "upsweep/training/multi_region.hpp"
#include "upsweep/training/study.hpp"

// Multi-region scheduling of random steps: what holds for any of them.

namespace upsweep {
namespace {

using enum StepOpKind;

class RandomRegions : public testing::SeededTest {
 protected:
  double number(std::uint64_t least, std::uint64_t most) { return static_cast<double>(between(least, most)); }

  MultiRegion random_step() {
    MultiRegion step;
    const std::size_t layers = between(1, 9);
    std::vector<StepOp> stream;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      step.forward.push_back(number(1, 9));
      step.output_gradient.push_back(layer == 0 ? 0 : number(1, 9));
      step.weight_gradient.push_back(number(1, 9));
      step.hold.push_back(number(0, 5));
      if (layer > 0) stream.insert(stream.begin(), {output_gradient, layer, 0});
    }
    stream.push_back({weight_gradient, 0, 0});
    for (std::uint32_t layer = 0; layer < layers; ++layer) stream.push_back({forward, layer, 0});
    for (const StepOp& op : stream) {
      if (step.main_stream.empty() || chance(0.35)) step.main_stream.emplace_back();
      step.main_stream.back().push_back(op);
    }
    step.co_run.resize(layers);
    step.speedup_percent.resize(layers);
    for (std::size_t layer = 1; layer < layers; ++layer) {
      for (std::size_t region = 0; region < step.regions(); ++region) {
        step.co_run[layer].push_back(step.weight_gradient[layer] + number(0, 4));
        step.speedup_percent[layer].push_back(number(0, 30));
      }
    }
    step.base_memory = 10;
    step.memory_limit = number(11, 30);
    return step;
  }
};

/// What an execution on two streams takes, each operation as early as the rules let it; by operation.
std::map<std::string, double> ends_by_definition(const MultiRegion& step, const RegionSchedule& schedule) {
  std::map<std::string, double> end;  // grows until nothing changes
  for (bool changed = true; changed;) {
    changed = false;
    double main = 0, sub = 0;
    const auto set = [&](const StepOp& op, double time) {
      changed = changed || end[to_string(op)] != time;
      end[to_string(op)] = time;
    };
    for (std::size_t region = 0; region < step.regions(); ++region) {
      std::optional<double> region_start;
      for (const StepOp& op : step.main_stream[region]) {
        if (op.kind == forward && op.layer > 0)
          main = std::max(main, end[to_string(StepOp{weight_gradient, op.layer, 0})]);
        region_start = region_start.value_or(main);
        main += step.cost(op);
        set(op, main);
      }
      for (const std::size_t layer : schedule.kernels[region]) {
        const double gradient = layer + 1 == step.layers() ? 0 : end[fmt::format("O{}.0", layer + 2)];
        sub = std::max({sub, *region_start, gradient}) + schedule.length[layer];
        set({weight_gradient, static_cast<std::uint32_t>(layer), 0}, sub);
      }
    }
  }
  return end;
}

/// Algorithm 1 with the choices of section 6, looking at everything again and again.
class RegionsByDefinition {
 public:
  RegionsByDefinition(const MultiRegion& step, std::size_t pre_regions) : step_(step), now_(step.regions(), 0) {
    double time = 0;
    std::size_t last_backward = 0;
    available_.assign(step.layers(), 0);
    deadline_.assign(step.layers(), 0);
    for (const std::vector<StepOp>& region : step.main_stream) {
      start_.push_back(time);
      if (region[0].kind != forward) last_backward = start_.size() - 1;
      for (const StepOp& op : region) {
        if (op.kind == forward) deadline_[op.layer] = time;
        time += step.cost(op);
        if (op.kind == output_gradient) available_[op.layer - 1] = time;
      }
      end_.push_back(time);
    }
    for (std::size_t layer = 1; layer < step.layers(); ++layer) left_.insert(layer);
    for (std::size_t region = 0; region < step.regions(); ++region) open_.insert(region);
    kernels.resize(step.regions());
    begin.assign(step.layers(), 0);
    for (std::size_t region = 0; region < pre_regions; ++region) {
      while (at(region) < end_[region] && (place_earliest(region) || move(region))) continue;
      open_.erase(region);
    }
    while (!open_.empty() && !left_.empty()) {
      if (place_fastest()) continue;
      const std::size_t region = *std::ranges::min_element(open_, {}, [&](std::size_t r) { return at(r); });
      if (!move(region)) open_.erase(region);
    }
    while (!left_.empty()) place(*left_.rbegin(), last_backward);
  }

  std::vector<std::vector<std::size_t>> kernels;
  std::vector<double> begin;

 private:
  [[nodiscard]] double at(std::size_t region) const { return start_[region] + now_[region]; }
  [[nodiscard]] bool is_in_time(std::size_t layer, std::size_t region, double time) const {
    return available_[layer] <= time && time + step_.co_run[layer][region] <= deadline_[layer];
  }

  void place(std::size_t layer, std::size_t region) {
    kernels[region].push_back(layer);
    begin[layer] = at(region);
    now_[region] += step_.co_run[layer][region];
    left_.erase(layer);
    if (at(region) >= end_[region]) open_.erase(region);
  }

  bool place_fastest() {
    using Choice = std::tuple<double, long, std::size_t>;  // the largest wins
    std::optional<Choice> best;
    for (const std::size_t region : open_) {
      for (const std::size_t layer : left_) {
        if (!is_in_time(layer, region, at(region))) continue;
        const Choice choice{step_.speedup_percent[layer][region], -static_cast<long>(region), layer};
        best = std::max(best.value_or(choice), choice);
      }
    }
    if (best) place(std::get<2>(*best), static_cast<std::size_t>(-std::get<1>(*best)));
    return best.has_value();
  }

  bool place_earliest(std::size_t region) {
    std::optional<std::size_t> first;
    for (const std::size_t layer : left_) {  // ascending: the last of equals is the larger layer
      const bool is_earlier = !first || available_[layer] <= available_[*first];
      if (is_in_time(layer, region, at(region)) && is_earlier) first = layer;
    }
    if (first) place(*first, region);
    return first.has_value();
  }

  bool move(std::size_t region) {
    double next = end_[region];
    for (const std::size_t layer : left_) {
      const double time = available_[layer];
      if (time > at(region) && time < next && is_in_time(layer, region, time)) next = time;
    }
    const bool moves = next < end_[region];
    if (moves) now_[region] = next - start_[region];
    return moves;
  }

  const MultiRegion& step_;
  std::vector<double> now_, start_, end_, available_, deadline_;
  std::set<std::size_t> left_, open_;
};

TEST_F(RandomRegions, AreScheduledAsAlgorithmOneSays) {
  for (int round = 0; round < 500; ++round) {
    const MultiRegion step = random_step();
    for (std::size_t pre_regions = 0; pre_regions <= region_times(step).backward_regions; ++pre_regions) {
      const RegionSchedule got = schedule_regions(step, pre_regions);
      const RegionsByDefinition want(step, pre_regions);
      EXPECT_EQ(got.kernels, want.kernels) << "round " << round << ", " << pre_regions << " filled first";
      EXPECT_EQ(got.begin, want.begin) << "round " << round << ", " << pre_regions << " filled first";
    }
  }
}

TEST_F(RandomRegions, EveryKernelIsPlacedOnceAndKeepsItsDeadlineUnlessItOverflows) {
  for (int round = 0; round < 300; ++round) {
    const MultiRegion step = random_step();
    const RegionTimes times = region_times(step);
    for (std::size_t pre_regions = 0; pre_regions <= times.backward_regions; ++pre_regions) {
      const RegionSchedule schedule = schedule_regions(step, pre_regions);
      std::vector<int> placed(step.layers(), 0);
      double estimate = 0;
      for (std::size_t region = 0; region < step.regions(); ++region) {
        auto clock = static_cast<double>(times.start[region]);
        for (const std::size_t layer : schedule.kernels[region]) {
          ++placed.at(layer);
          EXPECT_GE(schedule.begin[layer], clock) << "round " << round;
          EXPECT_EQ(schedule.length[layer], step.co_run[layer][region]);
          clock = schedule.begin[layer] + schedule.length[layer];
          if (std::ranges::find(schedule.overflow, layer) != schedule.overflow.end()) continue;
          EXPECT_GE(schedule.begin[layer], static_cast<double>(times.available[layer])) << "round " << round;
          EXPECT_LE(clock, static_cast<double>(times.deadline[layer])) << "round " << round;
        }
        estimate += std::max(static_cast<double>(times.main[region]), schedule.now[region]);
      }
      EXPECT_EQ(schedule.estimate, estimate);
      placed[0] = 1;
      EXPECT_THAT(placed, ::testing::Each(1)) << "round " << round;
      EXPECT_TRUE(std::ranges::is_sorted(schedule.overflow, std::greater<>()));
    }
  }
}

TEST_F(RandomRegions, ExecutionFollowsTheRulesAndIsNeverShorterThanTheMainStream) {
  for (int round = 0; round < 300; ++round) {
    const MultiRegion step = random_step();
    const RegionSchedule schedule = schedule_regions(step, 0);
    const RegionRun run = execute_regions(step, schedule);
    const std::map<std::string, double> want = ends_by_definition(step, schedule);
    ASSERT_EQ(run.timeline.size(), want.size());
    double main = 0;
    for (const StepEntry& entry : run.timeline) {
      EXPECT_EQ(entry.end, want.at(to_string(entry.op))) << to_string(entry.op) << ", round " << round;
      if (entry.device == 0) main += entry.end - entry.start;
    }
    EXPECT_GE(run.makespan, main);
    EXPECT_EQ(run.main_end, want.at(fmt::format("F{}.0", step.layers())));
    EXPECT_EQ(run.makespan, std::max(run.main_end, run.sub_end));
  }
}

TEST_F(RandomRegions, FallbackIsTheFirstAttemptThatFits) {
  for (int round = 0; round < 200; ++round) {
    const MultiRegion step = random_step();
    const RegionFallback fallback = schedule_regions_in_memory(step);
    ASSERT_EQ(fallback.peaks.size(), fallback.pre_regions + 1);
    for (std::size_t attempt = 0; attempt <= fallback.pre_regions; ++attempt) {
      EXPECT_EQ(fallback.peaks[attempt], schedule_regions(step, attempt).peak_memory);
      EXPECT_EQ(fallback.peaks[attempt] < step.memory_limit, fallback.fits && attempt == fallback.pre_regions);
    }
    EXPECT_TRUE(fallback.fits || fallback.pre_regions == region_times(step).backward_regions);
  }
}

TEST_F(RandomRegions, NoScheduleBeatsTheOptimumWhereCoRunningTakesNoLonger) {
  for (int round = 0; round < 20; ++round) {
    const MultiRegionAnswers answers = evaluate(MultiRegionStudy{random_step()}, OptimumSearch{.is_wanted = true});
    ASSERT_TRUE(answers.optimum.has_value());
    EXPECT_TRUE(answers.optimum->is_proven);
    EXPECT_LE(answers.optimum->makespan, answers.algorithm1_run.makespan) << "round " << round;
    EXPECT_LE(answers.optimum->makespan, answers.with_memory_run.makespan) << "round " << round;
    EXPECT_LE(answers.optimum->makespan, answers.one_stream_makespan) << "round " << round;
  }
}

}  // namespace
}  // namespace upsweep
