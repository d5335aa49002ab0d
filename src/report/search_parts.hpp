#pragma once

#include <optional>
#include <string>

#include "upsweep/report/search_report.hpp"

// Parts of the report of a search and of its verdict.

namespace upsweep {

/// The feasible scan with the smallest score, of all depths and schemes; null without one.
[[nodiscard]] const Candidate* best_scan(const SearchResult& result);

/// a / b for people: "?" where a is not known, "-" where b is 0.
[[nodiscard]] std::string ratio_text(const std::optional<double>& a, double b);

/// Of plain back-propagation, the first candidate.
[[nodiscard]] inline double plain_score(const SearchReport& report) { return report.result.linear().score.value(); }

/// What scores are compared with in dense back-propagation: its FLOPs; 0 where unknown, and for scores in seconds.
[[nodiscard]] double baseline_score(const SearchReport& report);

}  // namespace upsweep
