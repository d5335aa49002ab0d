#include "upsweep/report/recurrent_search_report.hpp"

#include <fmt/format.h>

namespace upsweep {
namespace {

using Align = TextTable::Align;

std::string ratio_text(double value, double reference) { return reference > 0 ? short_ratio(value / reference) : "-"; }

/// Of plain back-propagation, whose simulation never gives up.
double linear_score(const HomogeneousSearchResult& result) { return *result.linear().score; }

bool scan_pays(const HomogeneousSearchResult& result) {
  return result.best && *result.best > 0 && *result.candidates[*result.best].score < linear_score(result);
}

Json candidate_json(const RecurrentSearchReport& report, const HomogeneousCandidate& c) {
  const HomogeneousSearchResult& result = report.result;
  const auto baseline = recurrent_baseline_flops(report.model);
  const auto ratio = [](const std::optional<double>& score, double reference) {
    return score && reference > 0 ? Json(*score / reference) : Json();
  };
  const bool is_level = result.options.execution == Execution::level;
  const Json makespan = is_level ? Json(c.pram.level.flops) : c.pram.dag ? Json(c.pram.dag->flops) : Json();
  const Json same_scheme = c.same_scheme.empty() ? Json() : Json(c.same_scheme);
  return {{"schedule", c.schedule},
          {"depth", c.depth ? Json(*c.depth) : Json()},
          {"feasible", c.feasible},
          {"reason", c.feasible ? Json() : Json(c.reason)},
          {"score", c.score ? Json(static_cast<std::uint64_t>(*c.score)) : Json()},
          {"levels", c.levels},
          {"ops", c.totals.ops},
          {"flops", c.totals.flops},
          {"critical_path_flops", {{"level", c.totals.critical_path_level}, {"dag", c.totals.critical_path_dag}}},
          {"steps", c.pram.steps},
          {"makespan", makespan},
          {"peak_live_bytes", c.pram.peak_live_bytes},
          {"ratio_to_linear", ratio(c.score, linear_score(result))},
          {"ratio_to_baseline", ratio(c.score, baseline ? static_cast<double>(*baseline) : 0)},
          {"same_as", c.same_as ? Json(*c.same_as) : same_scheme}};
}

Json overtaking_json(const std::optional<Overtaking>& overtaking) {
  if (!overtaking) return {};
  return {{"workers", overtaking->workers},
          {"depth", overtaking->depth},
          {"scan_flops", overtaking->scan_flops},
          {"linear_flops", overtaking->linear_flops}};
}

std::string note_of(const HomogeneousSearchResult& result, std::size_t i) {
  const HomogeneousCandidate& c = result.at(i);
  if (!c.feasible) return fmt::format("does not fit: {}", c.reason);
  if (c.same_as) return fmt::format("= depth {}", *c.same_as);
  if (!c.same_scheme.empty()) return fmt::format("= {}", c.same_scheme);
  if (result.best_scheme == i && !result.schemes.empty()) return "<- best of all";
  return result.best == i ? "<- best" : "";
}

std::string candidates_text(const HomogeneousSearchResult& result) {
  TextTable table({{result.schemes.empty() ? "depth" : "depth or scheme"},
                   {"levels"},
                   {"ops"},
                   {"FLOPs"},
                   {"path,dag"},
                   {"span,level"},
                   {"span,dag"},
                   {"memory"},
                   {"to plain"},
                   {"", Align::left}});
  for (std::size_t i = 0; i < result.size(); ++i) {
    const HomogeneousCandidate& c = result.at(i);
    const auto count = [](std::uint64_t number) { return short_count(static_cast<double>(number)); };
    table.row({c.depth ? fmt::format("{}", *c.depth) : c.schedule, count(c.levels), count(c.totals.ops),
               count(c.totals.flops), count(c.totals.critical_path_dag), count(c.pram.level.flops),
               c.pram.dag ? count(c.pram.dag->flops) : "?", short_bytes(static_cast<double>(c.pram.peak_live_bytes)),
               c.score ? ratio_text(*c.score, linear_score(result)) : "?", note_of(result, i)});
  }
  return table.text();
}

/// The best depth, and from how many workers on there is one that wins.
std::string verdict_text(const RecurrentSearchReport& report) {
  const HomogeneousSearchResult& result = report.result;
  std::string text = "No best depth: none fits, or a simulation gave up.\n";
  if (result.best) {
    const HomogeneousCandidate& best = result.candidates[*result.best];
    text = scan_pays(result) ? fmt::format("The scan pays: depth {} takes {} of plain BP.\n", *best.depth,
                                           ratio_text(*best.score, linear_score(result)))
                             : "The scan does not pay here: no depth beats plain BP.\n";
  }
  text += report.overtaking
              ? fmt::format("It overtakes plain BP from {} worker{} on (depth {}).\n", report.overtaking->workers,
                            report.overtaking->workers == 1 ? "" : "s", report.overtaking->depth)
              : "With no number of workers does a hybrid scan overtake plain BP.\n";
  return text;
}

/// The best of depths and schemes, what it wins, and what the best depth has instead.
std::string best_scheme_text(const RecurrentSearchReport& report) {
  const HomogeneousSearchResult& result = report.result;
  if (report.lacks_schemes()) {
    return fmt::format("Other schemes than hybrids have no closed forms and are searched up to T = {}.\n",
                       *report.scheme_steps);
  }
  if (result.schemes.empty()) return "";
  if (!result.best_scheme) return "No best scheme: none fits, or a simulation gave up.\n";
  const HomogeneousCandidate& best = result.at(*result.best_scheme);
  const std::string ratio = ratio_text(*best.score, linear_score(result));
  if (best.depth) {
    return fmt::format("No other scheme does better than depth {} ({}), {} of plain BP.\n", *best.depth, best.schedule,
                       ratio);
  }
  std::string text = fmt::format("Best of all: {} with {:.0f}, {} of plain BP", best.schedule, *best.score, ratio);
  if (result.best) {
    const HomogeneousCandidate& depth = result.candidates[*result.best];
    text += fmt::format("; the best depth is {} with {:.0f}", *depth.depth, *depth.score);
    if (*best.score > 0) text += fmt::format(", {:.4g} % more", 100 * (*depth.score / *best.score - 1));
  }
  return text + ".\n";
}

}  // namespace

Json to_json(const RecurrentSearchReport& report) {
  const HomogeneousSearchResult& result = report.result;
  const auto baseline = recurrent_baseline_flops(report.model);
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  const auto chosen = [&](const std::optional<std::size_t>& i) {
    return i ? candidate_json(report, result.at(*i)) : Json();
  };
  Json candidates = Json::array();
  for (const HomogeneousCandidate& c : result.candidates) candidates.push_back(candidate_json(report, c));
  Json schemes = Json::array();
  for (const HomogeneousCandidate& c : result.schemes) schemes.push_back(candidate_json(report, c));
  const bool lacks_schemes = report.lacks_schemes();
  return {{"model", report.model.name},
          {"objective", to_string(result.options.objective)},
          {"execution", to_string(result.options.execution)},
          {"scope", result.options.scope == Scope::all ? "all" : "live"},
          {"workers", result.workers},
          {"memory_limit", optional(result.options.memory_limit)},
          {"candidates", std::move(candidates)},
          {"best", chosen(result.best)},
          {"margin", optional(result.margin)},
          {"schemes", lacks_schemes ? Json() : std::move(schemes)},
          {"best_scheme", lacks_schemes ? Json() : chosen(result.best_scheme)},
          {"scheme_margin", lacks_schemes ? Json() : optional(result.scheme_margin)},
          {"scheme_steps_limit", optional(report.scheme_steps)},
          {"scan_pays", scan_pays(result)},
          {"overtaking", overtaking_json(report.overtaking)},
          {"linear", {{"flops", result.reference.linear_flops}}},
          {"baseline", {{"flops", optional(baseline)}}}};
}

std::string to_csv(const RecurrentSearchReport& report) {
  std::string csv = csv_line({"depth", "schedule", "feasible", "score", "levels", "ops", "flops", "steps",
                              "makespan_level_flops", "makespan_dag_flops", "peak_live_bytes"});
  for (std::size_t i = 0; i < report.result.size(); ++i) {
    const HomogeneousCandidate& c = report.result.at(i);
    csv += csv_line(
        {c.depth ? fmt::format("{}", *c.depth) : "", c.schedule, c.feasible ? "true" : "false",
         c.score ? fmt::format("{:.0f}", *c.score) : "", fmt::format("{}", c.levels), fmt::format("{}", c.totals.ops),
         fmt::format("{}", c.totals.flops), fmt::format("{}", c.pram.steps), fmt::format("{}", c.pram.level.flops),
         c.pram.dag ? fmt::format("{}", c.pram.dag->flops) : "", fmt::format("{}", c.pram.peak_live_bytes)});
  }
  return csv;
}

std::string to_text(const RecurrentSearchReport& report) {
  const HomogeneousSearchResult& result = report.result;
  std::string text = fmt::format("{}, {} worker{}\n\n{}\n", recurrent_model_text(report.model), result.workers,
                                 result.workers == 1 ? "" : "s", candidates_text(result));
  text += fmt::format(
      "span: makespan in FLOPs on the workers; to plain: {} ({} execution) against plain "
      "back-propagation through time. Figures are those of one sequence.\n\n",
      to_string(result.options.objective), to_string(result.options.execution));
  return text + verdict_text(report) + best_scheme_text(report);
}

}  // namespace upsweep
