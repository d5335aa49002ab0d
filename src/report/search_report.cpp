#include "upsweep/report/search_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "graph_report.hpp"
#include "profile_parts.hpp"
#include "search_parts.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

/// a / b, or null where one is missing or b is 0.
Json ratio_json(const std::optional<double>& a, double b) { return !a || b == 0 ? Json() : Json(*a / b); }

/// The depth or, of another scheme, the name of the first schedule with the same figures.
Json same_json(const Candidate& candidate) {
  if (candidate.same_as) return *candidate.same_as;
  return candidate.same_scheme.empty() ? Json() : Json(candidate.same_scheme);
}

/// A score without a fraction where it has none.
Json score_json(const SearchResult& result, double score) {
  const bool whole = !result.options.in_seconds() && score == std::floor(score) && score < 0x1p63;
  return whole ? Json(static_cast<std::uint64_t>(score)) : Json(score);
}

Json optional_json(const auto& value) { return value ? Json(*value) : Json(); }

/// Level execution in seconds by how kernels are started; null without a gpu.
Json launch_seconds_json(const SearchResult& result, const Candidate& c) {
  const Machine* machine = result.options.machine;
  if (machine == nullptr || machine->kind != MachineKind::gpu || !c.is_counted) return {};
  Json seconds;
  for (std::size_t i = 0; i < kLaunchModes.size(); ++i)
    seconds[to_string(kLaunchModes[i])] = optional_json(c.launch_s[i]);
  return seconds;
}

Json candidate_json(const SearchReport& report, std::size_t i) {
  const SearchResult& result = report.result;
  const Candidate& c = result.at(i);
  const auto known = [&](bool is_known, std::uint64_t sum) {
    return is_known ? json_mean(sum, result.inputs) : Json();
  };
  const auto span = [&](Execution execution) {
    const std::optional<Makespan> makespan = c.pram.makespan(execution);
    return known(c.is_counted && makespan, makespan ? makespan->flops : 0);
  };
  Json object = {{"schedule", c.schedule},
                 {"depth", optional_json(c.depth)},
                 {"feasible", c.feasible},
                 {"reason", c.feasible ? Json() : Json(c.reason)},
                 {"score", c.score ? score_json(result, *c.score) : Json()},
                 {"levels", c.is_counted ? Json(c.levels) : Json()},
                 {"ops", c.is_counted ? Json(c.totals.ops) : Json()},
                 {"flops", json_mean(c.totals.flops, result.inputs)},
                 {"critical_path_flops",
                  {{"level", known(c.is_counted, c.totals.critical_path_level)},
                   {"dag", known(c.has_dag_path, c.totals.critical_path_dag)}}},
                 {"steps", c.is_counted ? Json(c.pram.steps) : Json()},
                 {"makespan", span(result.options.execution)},
                 {"makespans", {{"level", span(Execution::level)}, {"dag", span(Execution::dag)}}},
                 {"makespan_shared", known(c.is_counted, c.pram.shared_flops)},
                 {"bound_shared", known(c.is_counted, c.pram.shared_bound_flops)},
                 {"peak_live_bytes", json_mean(c.pram.peak_live_bytes, result.inputs)},
                 {"ratio_to_linear", ratio_json(c.score, plain_score(report))},
                 {"ratio_to_baseline", ratio_json(c.score, baseline_score(report))},
                 {"same_as", same_json(c)},
                 {"seconds", {{"level", optional_json(c.level_s)}, {"dag", optional_json(c.dag_s)}}},
                 {"launch_seconds", launch_seconds_json(result, c)},
                 {"binding", c.binding ? Json(to_string(*c.binding)) : Json()},
                 {"feasible_on", Json()}};
  if (report.more) report.more(i, object);
  object["status"] = "counted";
  object["score_bound"] = Json();
  object["count_pairs"] = Json();
  return object;
}

/// The same names, null but for what is known.
Json uncounted_json(const SearchReport& report, const Uncounted& uncounted) {
  Json object = candidate_json(report, 0);
  for (auto& [key, value] : object.items()) {
    if (!value.is_object()) {
      value = Json();
      continue;
    }
    for (auto& inner : value.items()) inner.value() = Json();
  }
  object["schedule"] = uncounted.schedule;
  object["depth"] = optional_json(uncounted.depth);
  object["status"] = uncounted.loses ? "ruled-out" : "left-out";
  object["feasible"] = false;
  object["reason"] = uncounted.reason;
  object["score_bound"] = uncounted.bound ? score_json(report.result, *uncounted.bound) : Json();
  object["count_pairs"] = uncounted.pairs;
  return object;
}

/// The objects of candidates (with a depth) or of schemes: counted ones and the others, by depth.
Json candidates_json(const SearchReport& report, bool has_depth) {
  const SearchResult& result = report.result;
  std::vector<Json> objects;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if ((i < result.candidates.size()) == has_depth) objects.push_back(candidate_json(report, i));
  }
  for (const Uncounted& mine : result.uncounted) {
    if (mine.depth.has_value() == has_depth) objects.push_back(uncounted_json(report, mine));
  }
  if (has_depth && !result.uncounted.empty())
    std::ranges::stable_sort(objects, {}, [](const Json& object) { return object["depth"].get<std::uint64_t>(); });
  return Json(std::move(objects));
}

/// What was not counted, a sentence each: what is ruled out, then what is left out; empty where all was.
std::string uncounted_lines(const SearchResult& result) {
  std::string text;
  for (const bool loses : {true, false}) {
    for (const Uncounted& mine : result.uncounted) {
      if (mine.loses != loses) continue;
      const std::string bound =
          mine.bound ? fmt::format("at least {} FLOPs", short_count(*mine.bound)) : std::string("no bound is known");
      text += fmt::format("Not counted: {}. By its {} {}: {}.\n", mine.reason, score_name(result.options),
                          mine.bound ? "it takes " + bound : bound,
                          loses ? "it cannot be the best" : "whether it is better is not known");
    }
  }
  return text;
}

std::string note_of(const SearchResult& result, std::size_t i) {
  const Candidate& c = result.at(i);
  if (!c.feasible) return "does not fit";
  if (c.same_as) return fmt::format("= depth {}", *c.same_as);
  if (!c.same_scheme.empty()) return "= " + c.same_scheme;
  if (result.best_scheme == i && !result.schemes.empty()) return "<- best of all";
  return result.best == i ? "<- best" : "";
}

/// Digits up to here, then with a prefix: chains may have 10^12 levels.
std::string whole_text(std::uint64_t number) {
  return number < 1'000'000 ? fmt::format("{}", number) : short_count(static_cast<double>(number));
}

std::string candidates_text(const SearchReport& report, const TextStyle& style) {
  const SearchResult& result = report.result;
  const char* head = result.schemes.empty() ? "depth" : "depth or scheme";
  const bool has_dense = report.baseline_flops.has_value();
  const bool has_level_s = result.linear().level_s.has_value();
  const bool has_dag_s = result.linear().dag_s.has_value();
  std::vector<TextTable::Column> columns = {{head},         {"levels"},      {"ops"},    {"FLOPs"},
                                            {"path,level"}, {"path,dag"},    {"steps"},  {"span,level"},
                                            {"span,dag"},   {"span,shared"}, {"memory"}, {"to plain"}};
  if (has_dense) columns.push_back({"to dense"});
  columns.push_back({"", TextTable::Align::left});
  if (has_dag_s) columns.insert(columns.begin() + 10, {{"time,dag"}});
  if (has_level_s) columns.insert(columns.begin() + 10, {{"time,level"}});
  TextTable table(columns);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    const auto count = [&](std::uint64_t sum) { return short_count(sum, result.inputs); };
    std::vector<std::string> cells = {c.depth ? fmt::format("{}", *c.depth) : c.schedule,
                                      whole_text(c.levels),
                                      whole_text(c.totals.ops),
                                      count(c.totals.flops),
                                      count(c.totals.critical_path_level),
                                      count(c.totals.critical_path_dag),
                                      whole_text(c.pram.steps),
                                      count(c.pram.level.flops),
                                      c.pram.dag ? count(c.pram.dag->flops) : "?",
                                      count(c.pram.shared_flops),
                                      short_bytes(c.pram.peak_live_bytes, result.inputs),
                                      ratio_text(c.score, plain_score(report))};
    if (has_dense) cells.push_back(ratio_text(c.score, baseline_score(report)));
    cells.push_back(note_of(result, i));
    if (has_dag_s) cells.insert(cells.begin() + 10, c.dag_s ? short_seconds(*c.dag_s) : "?");
    if (has_level_s) cells.insert(cells.begin() + 10, short_seconds(c.level_s.value_or(0)));
    table.row(std::move(cells), i == result.best || i == result.best_scheme ? RowMark::best : RowMark::none);
  }
  return table.text(style);
}

/// The best scan beside back-propagation over the graph, which chain figures leave out; empty without blocks.
std::string graph_comparison_text(const SearchReport& report, const TextStyle& style) {
  const SearchResult& result = report.result;
  if (report.network == nullptr || !report.network->has_blocks() || !result.best_scheme) return "";
  const Candidate* scan = best_scan(result);
  const Candidate& best = scan != nullptr ? *scan : result.at(*result.best_scheme);
  const GraphComparison graph =
      compare_with_graph(*report.network, *report.network_profile, result.workers, result.options.batch);
  return fmt::format(
             "\nPlain BP above is that over the chain, Jacobians of blocks given. In FLOPs, with {} for the scan:\n",
             best.schedule) +
         graph_text(*report.network, best.pram, graph, result.inputs, style) +
         graph_seconds_text(result.options.in_seconds() ? graph_scores_of(report) : std::nullopt);
}

/// The same as fields of the result.
void add_graph_comparison(const SearchReport& report, Json& json) {
  const SearchResult& result = report.result;
  if (report.network == nullptr || !report.network->has_blocks()) return;
  const GraphComparison graph =
      compare_with_graph(*report.network, *report.network_profile, result.workers, result.options.batch);
  json["graph_bp"] = work_json(graph.backprop, result.inputs);
  json["formation"] = work_json(graph.formation, result.inputs);
  json["inside_blocks"] = work_json(graph.inner, result.inputs);
  add_graph_seconds(result.options.in_seconds() ? graph_scores_of(report) : std::nullopt, json["graph_bp"],
                    json["formation"], json["inside_blocks"]);
  json["best_scheme_ratio_to_graph_bp"] =
      result.best_scheme ? ratios_json(result.at(*result.best_scheme).pram, graph) : Json();
}

/// " and dense BP (120 FLOPs)", or its seconds where scores are seconds.
std::string dense_base_text(const SearchReport& report) {
  if (const std::optional<DenseBackprop> dense = dense_of(report))
    return fmt::format(" and dense BP ({}, {} kernels)", short_seconds(dense->gradients_s), dense->kernels);
  if (!report.baseline_flops) return "";
  return fmt::format(" and dense BP ({})", exact_mean(of_batch(report, *report.baseline_flops), report.result.inputs));
}

Json overtaking_json(const SearchReport& report) {
  if (!report.overtaking) return {};
  return {{"workers", report.overtaking->workers},
          {"depth", report.overtaking->depth},
          {"scan_flops", report.overtaking->scan_flops},
          {"linear_flops", report.overtaking->linear_flops}};
}

}  // namespace

bool scan_pays(const SearchResult& result) {
  if (!result.best) return false;
  const Candidate& best = result.candidates[*result.best];
  const double plain = *result.linear().score;
  return best.is_scan() && plain > 0 && standing_of(*best.score / plain) == Standing::pays;
}

Json to_json(const SearchReport& report) {
  const SearchResult& result = report.result;
  const bool lacks_schemes = !report.no_schemes.empty();
  Json candidates = candidates_json(report, true);
  Json schemes = candidates_json(report, false);
  const Json best = result.best ? candidate_json(report, *result.best) : Json();
  const Json best_scheme = result.best_scheme && !lacks_schemes ? candidate_json(report, *result.best_scheme) : Json();
  Json json = {{"model", report.model},
               {"kind", report.kind},
               {"pattern", report.pattern},
               {"exact", report.is_exact},
               {"counting", counting_json(report.network_profile)},
               {"inputs", result.inputs},
               {"objective", to_string(result.options.objective)},
               {"execution", to_string(result.options.execution)},
               {"scope", result.options.scope == Scope::all ? "all" : "live"},
               {"workers", result.workers},
               {"batch", result.options.batch},
               {"machine", result.options.machine ? Json(result.options.machine->name) : Json()},
               {"launch", launch_json(result.options.machine)},
               {"priced_by", report.priced_by},
               {"memory_limit", optional_json(result.options.memory_limit)},
               {"candidates", std::move(candidates)},
               {"best", best},
               {"best_is_proven", is_best_proven(result)},
               {"margin", optional_json(result.margin)},
               {"schemes", lacks_schemes ? Json() : std::move(schemes)},
               {"best_scheme", best_scheme},
               {"scheme_margin", lacks_schemes ? Json() : optional_json(result.scheme_margin)},
               {"scan_pays", scan_pays(result)},
               {"overtaking_looked_for", report.has_overtaking},
               {"overtaking", overtaking_json(report)},
               {"linear",
                {{"flops", json_mean(of_batch(report, report.linear_flops), result.inputs)},
                 {"score", score_json(result, plain_score(report))}}},
               {"baseline",
                baseline_json(
                    report.baseline_flops ? json_mean(of_batch(report, *report.baseline_flops), result.inputs) : Json(),
                    dense_of(report))}};
  add_graph_comparison(report, json);
  return json;
}

std::string to_csv(const SearchReport& report) {
  std::string csv;
  const std::size_t counted = report.result.size();
  for (std::size_t i = 0; i < counted + report.result.uncounted.size(); ++i) {
    const Json object =
        (i < counted ? candidate_json(report, i) : uncounted_json(report, report.result.uncounted[i - counted]))
            .flatten();
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
      fmt::format("{}, {}{}, {}{}\n\n", report.head, workers_text(result.workers),
                  result.options.batch == 1 ? "" : ", " + batch_text(result.options.batch, report.input),
                  result.options.scope == Scope::all ? "all ops" : "live ops only",
                  result.options.memory_limit
                      ? fmt::format(", at most {}", short_bytes(static_cast<double>(*result.options.memory_limit)))
                      : "");
  text += candidates_text(report, style) + '\n';
  text += fmt::format(
      "FLOPs of {} ops; path: critical path; span: makespan on the workers (shared: they share "
      "ops, else each op is one worker's); memory: peak of live values.\n"
      "to plain{}: {} against {} ({} FLOPs, same sparse Jacobians){}.\n\n",
      result.options.scope == Scope::all ? "all" : "live", report.baseline_flops ? ", to dense" : "",
      score_name(result.options), report.plain, exact_mean(of_batch(report, report.linear_flops), result.inputs),
      dense_base_text(report));
  if (result.options.machine != nullptr) {
    text += fmt::format(
        "time: predicted for one iteration on {} by its {}, without building the chain.\n\n",
        result.options.machine->name,
        report.priced_by == "pram" ? "costs of ops and levels (pram)" : "rates, bandwidth and latencies (roofline)");
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (c.feasible) continue;
    text += fmt::format("{} does not fit: {}.\n", c.depth ? fmt::format("Depth {}", *c.depth) : c.schedule, c.reason);
  }
  text += counting_text(report.network_profile) + uncounted_lines(result);
  if (!report.no_schemes.empty()) text += report.no_schemes + '\n';
  return text + report.remarks + graph_comparison_text(report, style);
}

}  // namespace upsweep
