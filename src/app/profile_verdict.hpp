#pragma once

#include "upsweep/app/profile.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// What the profile of one schedule concludes: the schedule beside plain back-propagation, as a search of the two
/// would. Of a network.
[[nodiscard]] Verdict verdict_of(const Model& model, PatternKind pattern, const CountedNetworkProfile& found);

/// Of a synthetic chain or a recurrent model that closed forms count.
[[nodiscard]] Verdict verdict_of(const AnyModel& model, const CountedChainProfile& found);

/// Of passes of a recurrent model predicted on the machine of `outcome`.
[[nodiscard]] Verdict verdict_of(const ProfileOutcome& outcome, const DeviceSearchResult& passes);

}  // namespace upsweep
