#pragma once

#include <string>

#include "upsweep/report/validation_report.hpp"

namespace upsweep {

/// True for a chain of one link: no schedule has an op then, and no gradient but the loss gradient.
[[nodiscard]] bool has_one_link(const ValidationReport& report);

/// True where gradients were compared: by a schedule with an op, or by back-propagation over the graph.
[[nodiscard]] bool compared_gradients(const ValidationReport& report);

/// Back-propagation over the graph: seconds, counts and verdict; its figures null where it was skipped, all of it null
/// where no schedule ran.
[[nodiscard]] Json graph_run_json(const Validation& validation);

/// The same as lines for people; empty without it.
[[nodiscard]] std::string graph_run_text(const ValidationReport& report);

/// What the schedules of a chain of one link prove, or do not.
[[nodiscard]] std::string one_link_text(const ValidationReport& report, const std::string& what);

}  // namespace upsweep
