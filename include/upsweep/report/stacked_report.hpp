#pragma once

#include <optional>
#include <string>

#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/stacked_search.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

/// Ways through a stack of recurrent layers, compared.
struct StackedReport {
  const RecurrentModel& model;
  const StackedSearchResult& result;
  std::optional<StackedOvertaking> overtaking;  ///< fewest workers with which a scan beats the wavefront
  bool is_profile = false;                      ///< the object of `profile`: the model and the levels at length
};

/// One object per way under `methods`, `best` of them or null, and what the ways have in common.
///
/// `levels` and `ops` of a way are those of products, additions stand apart; `critical_path_flops` and `makespan.flops`
/// cover both. `levels_detail`, of a profile, lists stages: a level of products and the levels that add them.
[[nodiscard]] Json to_json(const StackedReport& report);
/// The ways.
[[nodiscard]] std::string to_csv(const StackedReport& report);
/// A table of the ways, or of the notable ones of many.
[[nodiscard]] std::string to_text(const StackedReport& report, const TextStyle& style = {});
/// As search_verdict() of a search of any kind of model, with the fewest workers with which a scan wins.
[[nodiscard]] Verdict search_verdict(const StackedReport& report);

}  // namespace upsweep
