#pragma once

#include <string>
#include <vector>

#include "upsweep/profile/profile.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/search/candidate.hpp"

// What the backends cannot run of a search of a network, known before anything runs.

namespace upsweep {

/// `feasible_on` of the candidates, whose profiles are `schedules`: by backend the reason, or null. Refers to both.
[[nodiscard]] std::vector<CandidateField> feasible_on_fields(const std::vector<ScheduleProfile>& schedules,
                                                             const SearchResult& result);

/// A line for each backend that some schedules cannot run on, with the reason of the first; `schedules` by candidate.
[[nodiscard]] std::string cannot_run_text(const std::vector<ScheduleProfile>& schedules, const SearchResult& result);

/// The same of the last candidate, that of a profile, as one object.
[[nodiscard]] Json feasible_on_json(const std::vector<ScheduleProfile>& schedules, const SearchResult& result);

/// What of the memory of backends their answers leave out, since it is not known beforehand: by backend.
[[nodiscard]] Json feasible_on_leaves_out_json();

}  // namespace upsweep
