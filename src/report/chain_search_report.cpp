#include <fmt/format.h>

#include "chain_parts.hpp"
#include "homogeneous_parts.hpp"
#include "upsweep/report/chain_report.hpp"

namespace upsweep {
namespace {

/// What the columns mean, in a line.
std::string legend_text(const HomogeneousSearchResult& result) {
  if (result.options.in_seconds()) {
    return fmt::format("to plain: seconds on {} ({} execution) against plain back-propagation.\n\n",
                       result.options.machine->name, to_string(result.options.execution));
  }
  return fmt::format(
      "span: makespan in FLOPs on the workers; to plain: {} ({} execution) against plain back-propagation.\n\n",
      to_string(result.options.objective), to_string(result.options.execution));
}

std::string schemes_text(const ChainSearchReport& report) {
  if (!report.lacks_schemes()) return best_scheme_text(report.result);
  if (!report.model.chain.is_exact()) return "Other schemes than hybrids are searched for chains with exact counts.\n";
  return fmt::format("Other schemes than hybrids have no closed forms and are searched up to {} elements.\n",
                     *report.scheme_elements);
}

}  // namespace

Json to_json(const ChainSearchReport& report) {
  const HomogeneousSearchResult& result = report.result;
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  const bool lacks_schemes = report.lacks_schemes();
  Json schemes = Json::array();
  for (const HomogeneousCandidate& c : result.schemes) schemes.push_back(candidate_json(result, c, std::nullopt));
  Json object = {{"model", report.model.name}, {"exact", report.model.chain.is_exact()}};
  object["machine"] = result.options.machine != nullptr ? Json(result.options.machine->name) : Json();
  add_search(object, result, std::nullopt);
  object["schemes"] = lacks_schemes ? Json() : std::move(schemes);
  object["best_scheme"] = lacks_schemes || !result.best_scheme
                              ? Json()
                              : candidate_json(result, result.at(*result.best_scheme), std::nullopt);
  object["scheme_margin"] = lacks_schemes ? Json() : optional(result.scheme_margin);
  object["scheme_elements_limit"] = optional(report.scheme_elements);
  object["scan_pays"] = scan_pays(result);
  object["overtaking"] = overtaking_json(report.overtaking);
  object["linear"] = {{"flops", result.reference.linear_flops}};
  object["baseline"] = {{"flops", Json()}};
  return object;
}

std::string to_csv(const ChainSearchReport& report) { return candidates_csv(report.result); }

std::string to_text(const ChainSearchReport& report, const TextStyle& style) {
  const HomogeneousSearchResult& result = report.result;
  std::string text = fmt::format("{}, {} worker{}\n\n{}\n", chain_model_text(report.model), result.workers,
                                 result.workers == 1 ? "" : "s", candidates_text(result, style));
  text += legend_text(result) + best_depth_text(result);
  if (!result.options.in_seconds()) text += overtaking_text(report.overtaking);
  return text + schemes_text(report) + expectation_text(report.model);
}

}  // namespace upsweep
