#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/report/explain_report.hpp"
#include "upsweep/store/stored_run.hpp"

namespace upsweep {

/// Schedules of up to so many ops are explained beside a search: in some tenths of a second.
inline constexpr std::size_t kMostExplainedOps = std::size_t{1} << 12U;

/// An explanation as it was kept.
struct StoredExplanation {
  Explanation explanation;  ///< without turns, which sentences tell
  std::vector<std::string> links;
  std::vector<std::string> sentences;
};

/// An explanation as a database keeps it: JSON.
[[nodiscard]] std::string kept_explanation(const ExplainReport& report);

/// The same back again; nothing where the text is none, as of a file that was edited.
[[nodiscard]] std::optional<StoredExplanation> read_explanation(const std::string& kept);

/// Why a stored run of a schedule is faster or slower than one of plain back-propagation over the same model, in FLOPs;
/// nothing where they are too large or do not fit together, as of older versions: for files whose searches were not
/// explained when they ran.
[[nodiscard]] std::optional<StoredExplanation> stored_explanation(const RunDetails& schedule, const RunDetails& plain);

}  // namespace upsweep
