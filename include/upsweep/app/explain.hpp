#pragma once

#include <optional>
#include <string>
#include <vector>

#include "upsweep/app/profile.hpp"
#include "upsweep/document/document.hpp"
#include "upsweep/search/explanation.hpp"

namespace upsweep {

/// Say why one schedule is faster than another.
struct ExplainRequest {
  /// The schedule, and what it is counted and predicted under. Of a stack of layers it may be the name of a way
  /// through it, else the best of the ways that scan time so is meant. Where its schedule is the default, the scan
  /// that a search under the same settings names is explained: of networks among all schemes, else among hybrids or
  /// the passes of a machine.
  ProfileRequest profile;
  /// The other schedule, likewise. Without it: plain back-propagation, and beside that itself the best scan of a
  /// search under the same settings.
  std::optional<std::string> against = std::nullopt;
};

/// What came of it. Not copied: its profile refers to the machine.
struct ExplainOutcome {
  ProfileOutcome profile;  ///< with the verdict of the schedule, or of the other one, beside plain back-propagation
  Explanation explanation;
  std::vector<std::string> links;   ///< names of the elements of the chain, where they have any
  bool is_found_by_search = false;  ///< its schedule: no other was asked for
};

[[nodiscard]] Document document(const ExplainOutcome& outcome);

/// Throws as profile does; RequestError also for chains of more than kMostSchemeElements elements, and where
/// plain back-propagation has no scan beside it.
[[nodiscard]] ExplainOutcome run(const ExplainRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
