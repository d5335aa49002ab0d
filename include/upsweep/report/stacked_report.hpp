#pragma once

#include <optional>
#include <string>

#include "upsweep/document/document.hpp"
#include "upsweep/io/recurrent_file.hpp"
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

/// A search of the ways; people see the notable ones of many. JSON has one object per way under `methods`, too, `best`
/// of them or null, and what the ways have in common.
///
/// `levels` and `ops` of a way are those of products, additions stand apart; `critical_path_flops` and `makespan.flops`
/// cover both. `levels_detail`, of a profile, lists stages: a level of products and the levels that add them.
[[nodiscard]] Document document(const StackedReport& report);
/// As search_verdict() of a search of any kind of model, with the fewest workers with which a scan wins.
[[nodiscard]] Verdict search_verdict(const StackedReport& report);

}  // namespace upsweep
