#include "critical_path_formula.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace upsweep {
namespace {

/// Differences of counts may be negative, and sums of them leave 64 bits on the way.
__extension__ using SignedWide = __int128;

/// The cost of the dearest path from a combine that waits for none to one that none waits for. Costs may be negative.
SignedWide longest_by_data(const Schedule& schedule, const std::vector<SignedWide>& costs) {
  std::vector<SignedWide> until(costs.size());
  std::vector<bool> is_waited_for(costs.size());
  for (std::size_t id = 0; id < costs.size(); ++id) {
    std::optional<SignedWide> before;
    for (const ValueId operand : {schedule.combines[id].earlier, schedule.combines[id].later}) {
      if (operand < schedule.length) continue;
      const std::size_t maker = operand - schedule.length;
      is_waited_for[maker] = true;
      before = std::max(before.value_or(until[maker]), until[maker]);
    }
    until[id] = costs[id] + before.value_or(0);
  }
  std::optional<SignedWide> longest;
  for (std::size_t id = 0; id < costs.size(); ++id) {
    if (!is_waited_for[id]) longest = std::max(longest.value_or(until[id]), until[id]);
  }
  return longest.value_or(0);
}

/// The dearest combines of all levels, added up.
SignedWide longest_by_level(const Schedule& schedule, const std::vector<SignedWide>& costs) {
  std::vector<std::optional<SignedWide>> most(schedule.levels);
  for (std::size_t id = 0; id < costs.size(); ++id) {
    std::optional<SignedWide>& level = most[schedule.combines[id].level];
    level = std::max(level.value_or(costs[id]), costs[id]);
  }
  return std::accumulate(most.begin(), most.end(), SignedWide{0},
                         [](SignedWide sum, const auto& level) { return sum + level.value_or(0); });
}

}  // namespace

std::optional<PathFormula> critical_path_formula(const Schedule& schedule, Execution execution,
                                                 std::span<const ImagePolynomial> flops, ImageSize first,
                                                 std::uint64_t step, std::uint64_t most_size) {
  const auto longest = [&](const std::vector<SignedWide>& costs) {
    return execution == Execution::level ? longest_by_level(schedule, costs) : longest_by_data(schedule, costs);
  };
  std::array<std::vector<SignedWide>, 4> at;     // FLOPs at {0, 0}, {0, 1}, {1, 0}, {1, 1} steps, by combine
  std::array<std::vector<SignedWide>, 3> grows;  // by steps in width, in height, and by their product
  for (ImageSize from = first; std::max(from.height, from.width) + step <= most_size;
       from = {from.height + step, from.width + step}) {
    for (std::size_t corner = 0; corner < at.size(); ++corner) {
      at[corner].clear();
      for (const ImagePolynomial& op : flops) {
        const auto count = op.at({from.height + corner / 2 * step, from.width + corner % 2 * step});
        if (!count) return std::nullopt;
        at[corner].push_back(static_cast<SignedWide>(*count));
      }
    }
    for (auto& each : grows) each.clear();
    for (std::size_t id = 0; id < flops.size(); ++id) {
      grows[0].push_back(at[1][id] - at[0][id]);
      grows[1].push_back(at[2][id] - at[0][id]);
      grows[2].push_back(at[3][id] - at[2][id] - grows[0][id]);
    }
    const SignedWide here = longest(at[0]);
    const SignedWide there = longest(at[3]);
    if (here + longest(grows[0]) + longest(grows[1]) + longest(grows[2]) != there) continue;
    if (there > INT64_MAX) return std::nullopt;
    const auto count = [](SignedWide wide) { return static_cast<std::uint64_t>(wide); };
    const auto polynomial =
        polynomial_through({{{count(here), count(longest(at[1]))}, {count(longest(at[2])), count(there)}}}, from, step);
    if (!polynomial) return std::nullopt;
    return PathFormula{*polynomial, from};
  }
  return std::nullopt;
}

}  // namespace upsweep
