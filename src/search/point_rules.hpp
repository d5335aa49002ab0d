#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/search/point.hpp"

namespace upsweep {

/// Schedules that a point asks for: depths first .. end - 1, then other schemes by name.
struct AskedSchedules {
  std::uint32_t first_depth = 0;
  std::uint32_t end_depth = 0;
  std::vector<std::string> schemes;
};

/// "best-of-all" has the schemes of scheme_candidates(); a schedule's name says what it becomes at this length. Throws
/// like schedules_of_point().
[[nodiscard]] AskedSchedules asked_schedules(const PointSettings& settings, std::size_t length, std::uint64_t workers);

/// "linear" or "hybrid:D".
[[nodiscard]] std::string hybrid_name(std::uint32_t depth);

/// By what the schedules of a point are scored.
struct PointRules {
  const Machine* machine = nullptr;  ///< null where scores are FLOPs
  unsigned value_bytes = 4;
  Objective objective = Objective::time;
  Execution execution = Execution::level;
  Scope scope = Scope::all;
  Ops ops = Ops::whole;
  std::uint64_t workers = 1;
  std::uint64_t batch = 1;
  std::optional<std::uint64_t> memory_limit;  ///< bytes
};

/// The rules of a point over an array of `length` elements. Throws std::invalid_argument for settings that do not go
/// together, as score_point() says.
[[nodiscard]] PointRules rules_of(const PointSettings& settings, std::size_t length, unsigned value_bytes,
                                  const Machine* machine);

/// What does not depend on the schedule of a chain. Throws CountOverflow.
[[nodiscard]] PointFigures chain_figures(const HomogeneousChain& chain, const PointRules& rules);

/// Scores a counted schedule. Throws CountOverflow; std::invalid_argument where its makespan under Execution::dag or
/// its seconds are not known.
[[nodiscard]] PointSchedule score_counted(const CountedSchedule& schedule, const PointRules& rules);

/// Fills in best, scan, refused_scan and margin from what was asked for, in the order of a search, by
/// is_smaller_score().
void choose_schedules(const std::vector<PointSchedule>& asked, PointFigures& figures);

}  // namespace upsweep
