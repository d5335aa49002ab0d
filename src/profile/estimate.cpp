#include "upsweep/profile/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace upsweep {

Interval jackknife_interval(double whole, std::span<const double> without) {
  constexpr double kStudent = 2.0395134464;  // 31 degrees of freedom
  static_assert(kSampleGroups == 32);
  if (without.size() != kSampleGroups)
    throw std::invalid_argument(fmt::format("{} groups, accepted are {}", without.size(), kSampleGroups));
  constexpr auto kGroups = static_cast<double>(kSampleGroups);
  const double mean = std::accumulate(without.begin(), without.end(), 0.) / kGroups;
  double squares = 0;
  for (const double value : without) squares += (value - mean) * (value - mean);
  const double half = kStudent * std::sqrt((kGroups - 1) / kGroups * squares);
  return {std::max(0., whole - half), whole + half};
}

std::optional<Interval> interval_of(const ScheduleProfile& profile,
                                    const std::function<double(const ScheduleProfile&)>& figure) {
  if (profile.without.empty()) return std::nullopt;
  std::vector<double> without;
  for (const ScheduleProfile& other : profile.without) without.push_back(figure(other));
  return jackknife_interval(figure(profile), without);
}

std::optional<Interval> op_interval(const ScheduleProfile& profile, std::size_t id, std::uint64_t OpProfile::*count) {
  if (profile.ops[id].is_exact) return std::nullopt;
  return interval_of(profile, [&](const ScheduleProfile& mine) {
    return static_cast<double>(mine.ops[id].*count) / static_cast<double>(mine.inputs);
  });
}

double half_width(const Interval& interval) {
  const double middle = (interval.high + interval.low) / 2;
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : 0;
}

}  // namespace upsweep
