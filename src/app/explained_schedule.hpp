#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/app/loading.hpp"
#include "upsweep/app/search.hpp"
#include "upsweep/report/explain_report.hpp"
#include "upsweep/search/explanation.hpp"
#include "upsweep/search/verdict.hpp"

// Schedules of models of all kinds as they are explained.

namespace upsweep {

/// A schedule over a chain combine by combine, a way through a stack of layers, or a pass on a machine.
using ExplainedSchedule = std::variant<ScheduleProfile, StackedProfile, ExplainedPass>;

/// explain() of two of the same kind.
[[nodiscard]] Explanation explain_compared(const ExplainedSchedule& schedule, const ExplainedSchedule& against,
                                           const ExplainedOn& on);

/// A schedule of a synthetic chain or of the steps of a recurrent model, combine by combine. Throws RequestError about
/// more than kMostSchemeElements elements.
[[nodiscard]] ScheduleProfile explicit_profile(const AnyModel& model, const std::string& schedule);

/// The passes of a recurrent model on a machine by a method.
[[nodiscard]] ExplainedPass explained_pass(const RecurrentModel& model, const BackwardMethod& method,
                                           const DeviceAssumptions& assumptions);

/// Of the elements of the chain of a network, "conv1", or "relu1 .. add3" of a block; none of other models.
[[nodiscard]] std::vector<std::string> link_names(const AnyModel& model);

[[nodiscard]] unsigned value_bytes_of(const AnyModel& model);

/// An explanation as it is shown, under the frame of a verdict, but by levels. Refers to the explanation.
[[nodiscard]] ExplainReport explain_report(const AnyModel& model, PatternKind pattern, const Verdict& verdict,
                                           const Explanation& explanation, std::vector<std::string> links);

/// Why the best scan of a search is faster or slower than plain back-propagation, as a database keeps it. Nothing
/// without a scan, by other objectives than the time of all ops, and for schedules of more than kMostExplainedOps.
[[nodiscard]] std::optional<std::string> kept_explanation(const SearchOutcome& outcome);

}  // namespace upsweep
