#pragma once

#include <vector>

#include "upsweep/app/search.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// Searches what is counted, and says of the rest why it is not.
[[nodiscard]] SearchResult search_counted(const Analysis& analysis, const SearchOptions& options, const Model& model,
                                          PatternKind pattern);

/// Counts all schedules that part of a second suffices for, then together those that some seconds do; of the others,
/// from the cheapest on, those that what is known of them does not rule out. What is there when the caller stops it is
/// the answer.
/// Fills the outcome's analysis and result. Throws as analyse_network(); Interrupted before the first answer.
void count_and_search(const SearchRequest& request, const SearchOptions& options, std::vector<Schedule> schedules,
                      const Watch& watch, SearchOutcome& outcome);

}  // namespace upsweep
