#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/profile.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/search/explanation.hpp"

namespace upsweep {

/// Say why one schedule is faster than another.
struct ExplainRequest {
  ProfileRequest profile;          ///< the schedule, and what it is counted and predicted under
  std::string against = "linear";  ///< the other schedule
};

/// What came of it. Not copied: its profile refers to the machine.
struct ExplainOutcome {
  ProfileOutcome profile;  ///< with the verdict beside plain back-propagation
  ScheduleProfile schedule;
  ScheduleProfile against;
  Explanation explanation;
  std::vector<std::string> links;  ///< names of the elements of the chain, where they have any
};

[[nodiscard]] Document document(const ExplainOutcome& outcome);

/// Throws as profile does; RequestError also for stacks of layers, recurrent models on a machine, and chains of more
/// than kMostSchemeElements elements.
[[nodiscard]] ExplainOutcome run(const ExplainRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
