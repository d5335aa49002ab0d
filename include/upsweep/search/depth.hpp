#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/profile/profile.hpp"
#include "upsweep/search/candidate.hpp"
#include "upsweep/search/counted_schedule.hpp"

namespace upsweep {

/// All depths that a search compares: 0 .. max_depth(length).
[[nodiscard]] std::vector<Schedule> depth_candidates(std::size_t length);

/// All other schemes that a search compares with them: those of scheme_names().
[[nodiscard]] std::vector<Schedule> scheme_candidates(std::size_t length, std::size_t workers);

/// FLOPs of the objective of a counted candidate, a sum over the inputs; nothing where the simulation gave up.
[[nodiscard]] std::optional<std::uint64_t> score_flops(const Candidate& candidate, const SearchOptions& options);

/// One schedule on `workers` workers, whatever options.workers says; same_as and same_scheme stay empty. Without a
/// makespan under its execution it has no score; with a machine it has its seconds, as far as they are predicted.
/// `linear`: plain back-propagation; null: the schedule is that. One with as many ops is it under another name: an op
/// for each result leaves none that multiplies Jacobians.
///
/// Throws CountOverflow.
[[nodiscard]] Candidate score_schedule(const CountedSchedule& schedule, const SearchOptions& options,
                                       std::uint64_t workers, const Candidate* linear);

/// Scores schedules of which the first is plain back-propagation on `workers` workers: those with a depth become
/// candidates, the others schemes. `uncounted`: schedules that are missing; what is known of them says whether they
/// might be better. Throws CountOverflow.
[[nodiscard]] SearchResult compare_schedules(std::span<const std::unique_ptr<CountedSchedule>> schedules,
                                             const SearchOptions& options, std::uint64_t workers,
                                             std::span<const UncountedSchedule> uncounted = {});

/// Scores the profiles of depth_candidates(), in that order, and of other schemes after them, and picks the best depth
/// and the best of all; ties go to the smaller depth, then to the first scheme. With a machine it says what binds them.
///
/// A candidate is infeasible, with the reason, when one product or the peak of live bytes exceeds the memory limit
/// (both as means over the inputs). `uncounted`: as of compare_schedules(). Throws std::invalid_argument without a
/// depth, CountOverflow.
[[nodiscard]] SearchResult search_depth(const std::vector<ScheduleProfile>& profiles, const SearchOptions& options,
                                        const std::vector<UncountedSchedule>& uncounted = {});

/// What score_schedule() gives is no smaller than this, sums over the inputs in FLOPs, for every profile whose ops have
/// at least the FLOPs and spans of `least`: the larger of the critical path and an equal share of the work. `shared`:
/// the same of PramProfile::shared_flops.
struct ScoreBound {
  std::uint64_t score = 0;
  std::uint64_t shared = 0;
};
[[nodiscard]] ScoreBound score_bound(const ScheduleProfile& least, const SearchOptions& options, std::uint64_t workers);

}  // namespace upsweep
