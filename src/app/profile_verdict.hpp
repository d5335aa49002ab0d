#pragma once

#include <optional>

#include "upsweep/app/profile.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// What the profile of one schedule concludes: the schedule beside plain back-propagation, as a search of the two
/// would. Of a network; `machine` may be null.
[[nodiscard]] Verdict verdict_of(const Model& model, PatternKind pattern, const CountedNetworkProfile& found,
                                 const Machine* machine);

/// By which execution a chain that closed forms count is compared: seconds are those of levels.
[[nodiscard]] Execution execution_of(const CountedChainProfile& found, const Machine* machine);

/// Of a synthetic chain or a recurrent model that closed forms count; `linear_s`: seconds of plain back-propagation on
/// `machine`, where there is one.
[[nodiscard]] Verdict verdict_of(const AnyModel& model, const CountedChainProfile& found, const Machine* machine,
                                 std::optional<double> linear_s);

/// Of a pass of a recurrent model predicted on the machine of `outcome`.
[[nodiscard]] Verdict verdict_of(const ProfileOutcome& outcome, const PassShape& shape, const BackwardMethod& method);

}  // namespace upsweep
