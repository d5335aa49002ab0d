#include "upsweep/report/search_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "graph_report.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

/// a / b, or null where b is 0.
Json ratio(double a, double b) { return b == 0 ? Json() : Json(a / b); }

std::string search_ratio_text(double a, double b) { return b == 0 ? "-" : short_ratio(a / b); }

/// What scores are compared with in dense back-propagation: its FLOPs, or nothing for scores in seconds.
double baseline_score(const SearchReport& report) {
  if (report.result.options.in_seconds()) return 0;
  return static_cast<double>(report.network_profile.baseline_flops) /
         static_cast<double>(report.network_profile.inputs);
}

/// The depth or, of another scheme, the name of the first schedule with the same figures.
Json same_json(const Candidate& candidate) {
  if (candidate.same_as) return *candidate.same_as;
  return candidate.same_scheme.empty() ? Json() : Json(candidate.same_scheme);
}

/// A score without a fraction where it has none.
Json score_json(double score) {
  const bool whole = score == std::floor(score) && score < 0x1p63;
  return whole ? Json(static_cast<std::uint64_t>(score)) : Json(score);
}

std::string score_text(const SearchResult& result, double score) {
  if (result.options.in_seconds()) return short_seconds(score);
  return score == std::floor(score) ? fmt::format("{:.0f}", score) : fmt::format("{}", score);
}

Json candidate_json(const SearchReport& report, std::size_t i) {
  const SearchResult& result = report.result;
  const Candidate& candidate = result.at(i);
  const auto mean = [&](std::uint64_t sum) { return json_mean(sum, result.inputs); };
  Json object = {
      {"schedule", candidate.schedule},
      {"depth", candidate.depth ? Json(*candidate.depth) : Json()},
      {"feasible", candidate.feasible},
      {"reason", candidate.feasible ? Json() : Json(candidate.reason)},
      {"score", result.options.in_seconds() ? Json(candidate.score) : score_json(candidate.score)},
      {"levels", candidate.levels},
      {"ops", candidate.totals.ops},
      {"flops", mean(candidate.totals.flops)},
      {"critical_path_flops",
       {{"level", mean(candidate.totals.critical_path_level)}, {"dag", mean(candidate.totals.critical_path_dag)}}},
      {"steps", candidate.pram.steps},
      {"makespan", mean(candidate.pram.makespan(result.options.execution).flops)},
      {"makespans", {{"level", mean(candidate.pram.level.flops)}, {"dag", mean(candidate.pram.dag.flops)}}},
      {"peak_live_bytes", mean(candidate.pram.peak_live_bytes)},
      {"ratio_to_linear", ratio(candidate.score, result.linear().score)},
      {"ratio_to_baseline", ratio(candidate.score, baseline_score(report))},
      {"same_as", same_json(candidate)}};
  if (candidate.level_time) {
    object["seconds"] = {{"level", candidate.level_time->seconds}, {"dag", candidate.dag_time->seconds}};
  }
  if (!report.bindings.empty())
    object["binding"] = report.bindings.at(i) ? Json(to_string(*report.bindings.at(i))) : Json();
  return object;
}

Json candidates_linear_score(const SearchResult& result) {
  const double score = result.linear().score;
  return result.options.in_seconds() ? Json(score) : score_json(score);
}

std::string score_name(const SearchOptions& options) {
  const std::string rule = to_string(options.execution);
  switch (options.objective) {
    case Objective::time:
      if (options.in_seconds()) return fmt::format("predicted time ({} execution)", rule);
      return fmt::format("makespan in FLOPs ({} execution)", rule);
    case Objective::critical_flops:
      return fmt::format("critical path in FLOPs ({} rule)", rule);
    case Objective::work_flops:
      break;
  }
  return options.scope == Scope::all ? "FLOPs of all ops" : "FLOPs of live ops";
}

std::string note_of(const SearchResult& result, std::size_t i) {
  const Candidate& c = result.at(i);
  if (!c.feasible) return "does not fit";
  if (c.same_as) return fmt::format("= depth {}", *c.same_as);
  if (!c.same_scheme.empty()) return "= " + c.same_scheme;
  if (result.best_scheme == i && !result.schemes.empty()) return "<- best of all";
  return result.best == i ? "<- best" : "";
}

std::string candidates_text(const SearchReport& report, const TextStyle& style) {
  const SearchResult& result = report.result;
  const char* head = result.schemes.empty() ? "depth" : "depth or scheme";
  std::vector<TextTable::Column> columns = {{head},       {"levels"},   {"ops"},          {"FLOPs"},    {"path,level"},
                                            {"path,dag"}, {"steps"},    {"span,level"},   {"span,dag"}, {"memory"},
                                            {"to plain"}, {"to dense"}, {"", Align::left}};
  const bool timed = result.options.machine != nullptr;
  if (timed) columns.insert(columns.begin() + 9, {{"time,level"}, {"time,dag"}});
  TextTable table(columns);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    const auto count = [&](std::uint64_t sum) { return short_count(sum, result.inputs); };
    std::vector<std::string> cells = {c.depth ? fmt::format("{}", *c.depth) : c.schedule,
                                      fmt::format("{}", c.levels),
                                      fmt::format("{}", c.totals.ops),
                                      count(c.totals.flops),
                                      count(c.totals.critical_path_level),
                                      count(c.totals.critical_path_dag),
                                      fmt::format("{}", c.pram.steps),
                                      count(c.pram.level.flops),
                                      count(c.pram.dag.flops),
                                      short_bytes(c.pram.peak_live_bytes, result.inputs),
                                      search_ratio_text(c.score, result.linear().score),
                                      search_ratio_text(c.score, baseline_score(report)),
                                      note_of(result, i)};
    if (timed) {
      cells.insert(cells.begin() + 9, {short_seconds(c.level_time->seconds), short_seconds(c.dag_time->seconds)});
    }
    table.row(std::move(cells), i == result.best || i == result.best_scheme ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

/// The feasible candidate with other figures than the best that comes next, if any.
const Candidate* next_different(const SearchResult& result) {
  const Candidate& best = result.candidates[*result.best];
  const Candidate* next = nullptr;
  for (const Candidate& c : result.candidates) {
    if (!c.feasible || c.depth == best.depth || c.same_as == best.depth) continue;
    if (next == nullptr || c.score < next->score) next = &c;
  }
  return next;
}

/// "; latency binds", of a candidate on a machine.
std::string binding_text(const SearchReport& report, std::size_t i) {
  if (report.bindings.empty() || !report.bindings.at(i)) return "";
  return fmt::format("; {}", binds_text(to_string(*report.bindings.at(i))));
}

std::string verdict_text(const SearchReport& report) {
  const SearchResult& result = report.result;
  if (!result.best) return "No depth fits into the memory limit.\n";
  const Candidate& best = result.candidates[*result.best];
  std::string text = fmt::format("Best: depth {} ({}) with the smallest {}, {}.", *best.depth, best.schedule,
                                 score_name(result.options), score_text(result, best.score));
  const Candidate* next = next_different(result);
  if (next != nullptr && best.score > 0) {
    const double more = next->score / best.score - 1;
    text += fmt::format(" Next is depth {} with {:.4g} % more.", *next->depth, 100 * more);
  }
  const Candidate* cheaper = nullptr;  // than the best, but too large
  for (const Candidate& c : result.candidates) {
    if (!c.feasible && c.score < best.score && (cheaper == nullptr || c.score < cheaper->score)) cheaper = &c;
  }
  if (cheaper != nullptr) {
    text += fmt::format(" Depth {} would need {} of plain BP, but does not fit into the memory limit.", *cheaper->depth,
                        search_ratio_text(cheaper->score, result.linear().score));
  }
  const bool has_blocks = report.network != nullptr && report.network->has_blocks();
  if (best.score < result.linear().score) {
    text += fmt::format("\n{}he scan pays: {} of plain BP",
                        has_blocks ? "Over the chain, Jacobians of blocks given, t" : "T",
                        search_ratio_text(best.score, result.linear().score));
    if (!result.options.in_seconds()) {
      text += fmt::format(", {} of dense BP", search_ratio_text(best.score, baseline_score(report)));
    }
    text += binding_text(report, *result.best) + ".\n";
  } else {
    const bool scheme_pays = result.best_scheme && result.at(*result.best_scheme).score < result.linear().score;
    text += fmt::format("\n{}o depth {}beats plain BP.\n", scheme_pays ? "N" : "The scan does not pay here: n",
                        cheaper == nullptr ? "" : "that fits ");
  }
  return text;
}

/// The best of depths and schemes, what it wins, and what the best depth has instead.
std::string best_scheme_text(const SearchReport& report) {
  const SearchResult& result = report.result;
  if (result.schemes.empty()) return "";
  if (!result.best_scheme) return "No other scheme fits either.\n";
  const Candidate& best = result.at(*result.best_scheme);
  const double plain = result.linear().score;
  const std::string ratio = plain == 0 ? "" : fmt::format(", {} of plain BP", search_ratio_text(best.score, plain));
  if (best.depth) {
    return fmt::format("No other scheme does better than depth {} ({}){}.\n", *best.depth, best.schedule, ratio);
  }
  std::string text = fmt::format("Best of all: {} with {}{}{}", best.schedule, score_text(result, best.score), ratio,
                                 binding_text(report, *result.best_scheme));
  if (result.best) {
    const Candidate& depth = result.candidates[*result.best];
    text += fmt::format("; the best depth is {} with {}", *depth.depth, score_text(result, depth.score));
    if (best.score > 0) text += fmt::format(", {:.4g} % more", 100 * (depth.score / best.score - 1));
  }
  return text + ".\n";
}

/// The best of all beside back-propagation over the graph, which chain figures leave out; empty without blocks.
std::string graph_comparison_text(const SearchReport& report, const TextStyle& style) {
  const SearchResult& result = report.result;
  if (report.network == nullptr || !report.network->has_blocks() || !result.best_scheme) return "";
  const Candidate& best = result.at(*result.best_scheme);
  const GraphComparison graph = compare_with_graph(*report.network, report.network_profile, result.workers);
  return fmt::format(
             "\nPlain BP above is that over the chain, Jacobians of blocks given. In FLOPs, with {} for the scan:\n",
             best.schedule) +
         graph_text(*report.network, best.pram, graph, result.inputs, style);
}

/// The same as fields of the result.
void add_graph_comparison(const SearchReport& report, Json& json) {
  const SearchResult& result = report.result;
  if (report.network == nullptr || !report.network->has_blocks()) return;
  const GraphComparison graph = compare_with_graph(*report.network, report.network_profile, result.workers);
  json["graph_bp"] = work_json(graph.backprop, result.inputs);
  json["formation"] = work_json(graph.formation, result.inputs);
  json["inside_blocks"] = work_json(graph.inner, result.inputs);
  json["best_scheme_ratio_to_graph_bp"] =
      result.best_scheme ? ratios_json(result.at(*result.best_scheme).pram, graph) : Json();
}

}  // namespace

Json to_json(const SearchReport& report) {
  const SearchResult& result = report.result;
  Json candidates = Json::array();
  Json schemes = Json::array();
  for (std::size_t i = 0; i < result.size(); ++i) {
    (i < result.candidates.size() ? candidates : schemes).push_back(candidate_json(report, i));
  }
  const Json best = result.best ? candidates[*result.best] : Json();
  const Json best_scheme = result.best_scheme ? candidate_json(report, *result.best_scheme) : Json();
  const bool pays = result.best && result.candidates[*result.best].depth > 0 &&
                    result.candidates[*result.best].score < result.linear().score;
  Json json = {{"model", report.model_name},
               {"pattern", report.pattern},
               {"inputs", result.inputs},
               {"objective", to_string(result.options.objective)},
               {"execution", to_string(result.options.execution)},
               {"scope", result.options.scope == Scope::all ? "all" : "live"},
               {"workers", result.workers},
               {"machine", result.options.machine ? Json(result.options.machine->name) : Json()},
               {"memory_limit", result.options.memory_limit ? Json(*result.options.memory_limit) : Json()},
               {"candidates", std::move(candidates)},
               {"best", best},
               {"margin", result.margin ? Json(*result.margin) : Json()},
               {"schemes", std::move(schemes)},
               {"best_scheme", best_scheme},
               {"scheme_margin", result.scheme_margin ? Json(*result.scheme_margin) : Json()},
               {"scan_pays", pays},
               {"linear",
                {{"flops", json_mean(report.network_profile.linear_flops, result.inputs)},
                 {"score", candidates_linear_score(result)}}},
               {"baseline", {{"flops", json_mean(report.network_profile.baseline_flops, result.inputs)}}}};
  add_graph_comparison(report, json);
  return json;
}

std::string to_csv(const SearchReport& report) {
  std::string csv;
  for (std::size_t i = 0; i < report.result.size(); ++i) {
    const Json object = candidate_json(report, i).flatten();
    std::vector<std::string> heads;
    std::vector<std::string> cells;
    for (const auto& [key, value] : object.items()) {
      std::string head = key.substr(1);  // flatten() writes "/critical_path_flops/level"
      for (char& c : head) c = c == '/' ? '_' : c;
      heads.push_back(head);
      cells.push_back(value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump());
    }
    if (i == 0) csv += csv_line(heads);
    csv += csv_line(cells);
  }
  return csv;
}

std::string to_text(const SearchReport& report, const TextStyle& style) {
  const SearchResult& result = report.result;
  std::string text =
      fmt::format("{}: {} pattern{}, {} worker{}, {}{}\n\n", report.model_name, report.pattern,
                  result.inputs == 1 ? "" : fmt::format(" (means over {} inputs)", result.inputs), result.workers,
                  result.workers == 1 ? "" : "s", result.options.scope == Scope::all ? "all ops" : "live ops only",
                  result.options.memory_limit
                      ? fmt::format(", at most {}", short_bytes(static_cast<double>(*result.options.memory_limit)))
                      : "");
  text += candidates_text(report, style) + '\n';
  text += fmt::format(
      "FLOPs of {} ops; path: critical path; span: makespan on the workers; memory: peak of live values.\n"
      "to plain, to dense: {} against plain BP ({} FLOPs, same sparse Jacobians) and dense BP ({}).\n\n",
      result.options.scope == Scope::all ? "all" : "live", score_name(result.options),
      exact_mean(report.network_profile.linear_flops, result.inputs),
      exact_mean(report.network_profile.baseline_flops, result.inputs));
  if (result.options.machine != nullptr) {
    text += fmt::format("time: predicted for one iteration on {}, without building the chain.\n\n",
                        result.options.machine->name);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (c.feasible) continue;
    text += fmt::format("{} does not fit: {}.\n", c.depth ? fmt::format("Depth {}", *c.depth) : c.schedule, c.reason);
  }
  return text + verdict_text(report) + best_scheme_text(report) + graph_comparison_text(report, style);
}

}  // namespace upsweep
