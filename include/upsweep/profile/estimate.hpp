#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "upsweep/base/interval.hpp"
#include "upsweep/profile/profile.hpp"

namespace upsweep {

/// The 95 % interval of a figure that is `whole` with all groups of sampled rows and `without[j]` without group j:
/// `whole` ± t · sqrt((G - 1) / G · Σ_j (without[j] - mean)²), G = kSampleGroups their number, t the 97.5 % quantile of
/// Student's distribution with G - 1 degrees of freedom; not below 0. Figures may be any smooth function of the counts.
/// Throws std::invalid_argument for another number of groups.
///
/// Source: the jackknife by groups, K. M. Wolter, "Introduction to Variance Estimation", 2nd edition 2007, chapter 4.
[[nodiscard]] Interval jackknife_interval(double whole, std::span<const double> without);

/// The interval of a figure of a schedule; nothing where its counts are exact.
[[nodiscard]] std::optional<Interval> interval_of(const ScheduleProfile& profile,
                                                  const std::function<double(const ScheduleProfile&)>& figure);

/// The interval of a count of an op, as a mean over the inputs; nothing where it is exact.
[[nodiscard]] std::optional<Interval> op_interval(const ScheduleProfile& profile, std::size_t id,
                                                  std::uint64_t OpProfile::*count);

/// Half the width of an interval over its middle; 0 at 0.
[[nodiscard]] double half_width(const Interval& interval);

}  // namespace upsweep
