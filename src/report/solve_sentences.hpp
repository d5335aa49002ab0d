#pragma once

#include <cstddef>
#include <string>

#include "upsweep/report/solve_report.hpp"

namespace upsweep {

/// What JSON has of a solution beside its methods.
[[nodiscard]] Json solve_json(const SolveReport& report);
/// What was measured after each iteration.
[[nodiscard]] Json history_json(const SolveRun& run);

/// "31 %", "0.0012 %"; "infinite" for what is not finite.
[[nodiscard]] std::string percent(double share);

/// "1 iteration", "3 iterations".
[[nodiscard]] std::string counted(std::size_t count, const char* noun);

/// What the iterations start from, and what that means for a truncated solution; empty where nothing iterated.
[[nodiscard]] std::string start_text(const SolveReport& report);

/// The verdicts: one line for each condition and right side, with the methods that it is for.
[[nodiscard]] std::string conditions_text(const SolveReport& report);

/// The iterative method with the least time beside substitution; empty where none has a solution.
[[nodiscard]] std::string outcome_text(const SolveReport& report);

}  // namespace upsweep
