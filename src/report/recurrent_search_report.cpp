#include "upsweep/report/recurrent_search_report.hpp"

#include <fmt/format.h>

#include "homogeneous_parts.hpp"

namespace upsweep {

Json to_json(const RecurrentSearchReport& report) {
  const HomogeneousSearchResult& result = report.result;
  const auto baseline = recurrent_baseline_flops(report.model);
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  Json schemes = Json::array();
  for (const HomogeneousCandidate& c : result.schemes) schemes.push_back(candidate_json(result, c, baseline));
  const bool lacks_schemes = report.lacks_schemes();
  Json object = {{"model", report.model.name}};
  add_search(object, result, baseline);
  object["schemes"] = lacks_schemes ? Json() : std::move(schemes);
  object["best_scheme"] =
      lacks_schemes || !result.best_scheme ? Json() : candidate_json(result, result.at(*result.best_scheme), baseline);
  object["scheme_margin"] = lacks_schemes ? Json() : optional(result.scheme_margin);
  object["scheme_steps_limit"] = optional(report.scheme_steps);
  object["scan_pays"] = scan_pays(result);
  object["overtaking"] = overtaking_json(report.overtaking);
  object["linear"] = {{"flops", result.reference.linear_flops}};
  object["baseline"] = {{"flops", optional(baseline)}};
  return object;
}

std::string to_csv(const RecurrentSearchReport& report) { return candidates_csv(report.result); }

std::string to_text(const RecurrentSearchReport& report, const TextStyle& style) {
  const HomogeneousSearchResult& result = report.result;
  std::string text = fmt::format("{}, {} worker{}\n\n{}\n", recurrent_model_text(report.model), result.workers,
                                 result.workers == 1 ? "" : "s", candidates_text(result, style));
  text += fmt::format(
      "span: makespan in FLOPs on the workers; to plain: {} ({} execution) against plain "
      "back-propagation through time. Figures are those of one sequence.\n\n",
      to_string(result.options.objective), to_string(result.options.execution));
  text += best_depth_text(result) + overtaking_text(report.overtaking);
  if (!report.lacks_schemes()) return text + best_scheme_text(result);
  return text + fmt::format("Other schemes than hybrids have no closed forms and are searched up to T = {}.\n",
                            *report.scheme_steps);
}

}  // namespace upsweep
