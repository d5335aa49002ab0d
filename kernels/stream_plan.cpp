#include "stream_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace upsweep::kernels {
namespace {

/// Whatever it computes, a combine costs about as much as this many multiplications: its launch.
constexpr double kLaunchProducts = 100000;

void plan_by_level(const Schedule& schedule, std::span<const std::uint64_t> costs, StreamPlan& plan) {
  std::stable_sort(plan.order.begin(), plan.order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t level_a = schedule.combines[a].level;
    const std::uint32_t level_b = schedule.combines[b].level;
    return level_a != level_b ? level_a < level_b : costs[a] > costs[b];
  });
  std::uint32_t position = 0;
  for (std::size_t i = 0; i < plan.order.size(); ++i) {
    const bool new_level =
        i > 0 && schedule.combines[plan.order[i]].level != schedule.combines[plan.order[i - 1]].level;
    if (new_level) position = 0;
    plan.stream[plan.order[i]] = position++ % plan.streams;
  }
}

void plan_by_readiness(const Schedule& schedule, std::span<const std::uint64_t> costs, StreamPlan& plan) {
  std::vector<double> ready(schedule.values(), 0);  // when a value is there
  std::vector<double> free_at(plan.streams, 0);
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const Combine& combine = schedule.combines[id];
    const double start = std::max(ready[combine.earlier], ready[combine.later]);
    const auto best = std::min_element(free_at.begin(), free_at.end(),
                                       [&](double a, double b) { return std::max(a, start) < std::max(b, start); });
    plan.stream[id] = static_cast<std::uint32_t>(best - free_at.begin());
    *best = std::max(*best, start) + static_cast<double>(costs[id]) + kLaunchProducts;
    ready[schedule.value_of(id)] = *best;
  }
}

}  // namespace

StreamPlan plan_streams(const Schedule& schedule, std::span<const std::uint64_t> costs, std::size_t workers,
                        Execution execution) {
  if (costs.size() != schedule.combines.size()) {
    throw std::invalid_argument(
        fmt::format("{} costs for {} combines, expected one for each", costs.size(), schedule.combines.size()));
  }
  StreamPlan plan;
  const std::size_t most = std::max<std::size_t>(1, costs.size());
  plan.streams = static_cast<std::uint32_t>(std::clamp<std::size_t>(workers, 1, most));
  plan.order.resize(costs.size());
  std::iota(plan.order.begin(), plan.order.end(), 0U);
  plan.stream.resize(costs.size());
  if (execution == Execution::level) {
    plan.streams = static_cast<std::uint32_t>(
        std::min<std::size_t>(plan.streams, std::max<std::size_t>(1, widest_level(schedule))));
    plan_by_level(schedule, costs, plan);
  } else {
    plan_by_readiness(schedule, costs, plan);
  }
  return plan;
}

}  // namespace upsweep::kernels
