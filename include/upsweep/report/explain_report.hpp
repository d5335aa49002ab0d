#pragma once

#include <string>
#include <vector>

#include "upsweep/profile/profile.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/explanation.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// Why one schedule is faster than another, as it is shown; refers to values that live elsewhere.
struct ExplainReport {
  std::string model;  ///< its name
  std::string kind;   ///< as SearchReport::kind
  std::string pattern;
  VerdictFrame frame;  ///< level execution
  const Explanation& explanation;
  const ScheduleProfile& schedule;
  const ScheduleProfile& against;
  const Verdict& verdict;          ///< of the schedule beside plain back-propagation
  std::vector<std::string> links;  ///< names of the elements of the chain, from the input on; empty: they have none
};

/// The object that `explain --format json` prints; see docs/explaining.md.
[[nodiscard]] Json to_json(const ExplainReport& report);
/// The levels, with the columns of each account.
[[nodiscard]] std::string to_csv(const ExplainReport& report);
[[nodiscard]] std::string to_text(const ExplainReport& report, const TextStyle& style = {});

/// From the whole to the op, a sentence each.
[[nodiscard]] std::vector<std::string> explanation_sentences(const ExplainReport& report);

}  // namespace upsweep
