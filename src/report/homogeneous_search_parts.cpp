#include <fmt/format.h>

#include "homogeneous_parts.hpp"

namespace upsweep {
namespace {

std::string chain_ratio_text(double value, double reference) { return reference > 0 ? short_ratio(value / reference) : "-"; }

/// Of plain back-propagation, whose simulation never gives up.
double linear_score(const HomogeneousSearchResult& result) { return *result.linear().score; }

/// Counts are whole numbers, seconds are not.
Json score_json(const HomogeneousSearchResult& result, double score) {
  return result.options.in_seconds() ? Json(score) : Json(static_cast<std::uint64_t>(score));
}

std::string chain_score_text(const HomogeneousSearchResult& result, double score) {
  return result.options.in_seconds() ? short_seconds(score) : fmt::format("{:.0f}", score);
}

std::string exact_score(const HomogeneousSearchResult& result, double score) {
  return result.options.in_seconds() ? fmt::format("{}", score) : fmt::format("{:.0f}", score);
}

std::string chain_note_of(const HomogeneousSearchResult& result, std::size_t i) {
  const HomogeneousCandidate& c = result.at(i);
  if (!c.feasible) return fmt::format("does not fit: {}", c.reason);
  if (c.same_as) return fmt::format("= depth {}", *c.same_as);
  if (!c.same_scheme.empty()) return fmt::format("= {}", c.same_scheme);
  if (result.best_scheme == i && !result.schemes.empty()) return "<- best of all";
  return result.best == i ? "<- best" : "";
}

}  // namespace

bool scan_pays(const HomogeneousSearchResult& result) {
  return result.best && *result.best > 0 && *result.candidates[*result.best].score < linear_score(result);
}

Json candidate_json(const HomogeneousSearchResult& result, const HomogeneousCandidate& c,
                    const std::optional<std::uint64_t>& baseline) {
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
          {"score", c.score ? score_json(result, *c.score) : Json()},
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

void add_search(Json& object, const HomogeneousSearchResult& result, const std::optional<std::uint64_t>& baseline) {
  const auto optional = [](const auto& value) { return value ? Json(*value) : Json(); };
  object["objective"] = to_string(result.options.objective);
  object["execution"] = to_string(result.options.execution);
  object["scope"] = result.options.scope == Scope::all ? "all" : "live";
  object["workers"] = result.workers;
  object["memory_limit"] = optional(result.options.memory_limit);
  object["candidates"] = Json::array();
  for (const HomogeneousCandidate& c : result.candidates)
    object["candidates"].push_back(candidate_json(result, c, baseline));
  object["best"] = result.best ? candidate_json(result, result.at(*result.best), baseline) : Json();
  object["margin"] = optional(result.margin);
}

Json overtaking_json(const std::optional<Overtaking>& overtaking) {
  if (!overtaking) return {};
  return {{"workers", overtaking->workers},
          {"depth", overtaking->depth},
          {"scan_flops", overtaking->scan_flops},
          {"linear_flops", overtaking->linear_flops}};
}

std::string candidates_csv(const HomogeneousSearchResult& result) {
  std::string csv = csv_line({"depth", "schedule", "feasible", "score", "levels", "ops", "flops", "steps",
                              "makespan_level_flops", "makespan_dag_flops", "peak_live_bytes"});
  for (std::size_t i = 0; i < result.size(); ++i) {
    const HomogeneousCandidate& c = result.at(i);
    csv += csv_line(
        {c.depth ? fmt::format("{}", *c.depth) : "", c.schedule, c.feasible ? "true" : "false",
         c.score ? exact_score(result, *c.score) : "", fmt::format("{}", c.levels), fmt::format("{}", c.totals.ops),
         fmt::format("{}", c.totals.flops), fmt::format("{}", c.pram.steps), fmt::format("{}", c.pram.level.flops),
         c.pram.dag ? fmt::format("{}", c.pram.dag->flops) : "", fmt::format("{}", c.pram.peak_live_bytes)});
  }
  return csv;
}

std::string candidates_text(const HomogeneousSearchResult& result, const TextStyle& style) {
  const bool is_timed = result.options.in_seconds();
  std::vector<TextTable::Column> columns = {{result.schemes.empty() ? "depth" : "depth or scheme"},
                                            {"levels"},
                                            {"ops"},
                                            {"FLOPs"},
                                            {"path,dag"},
                                            {"span,level"},
                                            {"span,dag"},
                                            {"memory"},
                                            {"to plain"},
                                            {"", TextTable::Align::left}};
  if (is_timed) columns.insert(columns.end() - 2, {"time,level"});
  TextTable table(columns);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const HomogeneousCandidate& c = result.at(i);
    const auto count = [](std::uint64_t number) { return short_count(static_cast<double>(number)); };
    std::vector<std::string> cells = {c.depth ? fmt::format("{}", *c.depth) : c.schedule,
                                      count(c.levels),
                                      count(c.totals.ops),
                                      count(c.totals.flops),
                                      count(c.totals.critical_path_dag),
                                      count(c.pram.level.flops),
                                      c.pram.dag ? count(c.pram.dag->flops) : "?",
                                      short_bytes(static_cast<double>(c.pram.peak_live_bytes)),
                                      c.score ? chain_ratio_text(*c.score, linear_score(result)) : "?",
                                      chain_note_of(result, i)};
    if (is_timed) cells.insert(cells.end() - 2, c.score ? short_seconds(*c.score) : "?");
    table.row(std::move(cells), i == result.best || i == result.best_scheme ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

std::string best_depth_text(const HomogeneousSearchResult& result) {
  if (!result.best) return "No best depth: none fits, or a simulation gave up.\n";
  const HomogeneousCandidate& best = result.candidates[*result.best];
  return scan_pays(result) ? fmt::format("The scan pays: depth {} takes {} of plain BP.\n", *best.depth,
                                         chain_ratio_text(*best.score, linear_score(result)))
                           : "The scan does not pay here: no depth beats plain BP.\n";
}

std::string overtaking_text(const std::optional<Overtaking>& overtaking) {
  return overtaking ? fmt::format("It overtakes plain BP from {} worker{} on (depth {}).\n", overtaking->workers,
                                  overtaking->workers == 1 ? "" : "s", overtaking->depth)
                    : "With no number of workers does a hybrid scan overtake plain BP.\n";
}

std::string best_scheme_text(const HomogeneousSearchResult& result) {
  if (result.schemes.empty()) return "";
  if (!result.best_scheme) return "No best scheme: none fits, or a simulation gave up.\n";
  const HomogeneousCandidate& best = result.at(*result.best_scheme);
  const std::string ratio = chain_ratio_text(*best.score, linear_score(result));
  if (best.depth) {
    return fmt::format("No other scheme does better than depth {} ({}), {} of plain BP.\n", *best.depth, best.schedule,
                       ratio);
  }
  std::string text =
      fmt::format("Best of all: {} with {}, {} of plain BP", best.schedule, chain_score_text(result, *best.score), ratio);
  if (result.best) {
    const HomogeneousCandidate& depth = result.candidates[*result.best];
    text += fmt::format("; the best depth is {} with {}", *depth.depth, chain_score_text(result, *depth.score));
    if (*best.score > 0) text += fmt::format(", {:.4g} % more", 100 * (*depth.score / *best.score - 1));
  }
  return text + ".\n";
}

}  // namespace upsweep
