#include "upsweep/report/search_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "graph_report.hpp"
#include "profile_parts.hpp"
#include "search_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/search/verdict.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

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

/// The best scan beside back-propagation over the graph, which chain figures leave out; empty without blocks.
Document graph_comparison(const SearchReport& report) {
  const SearchResult& result = report.result;
  Document document;
  if (!has_blocks(report) || !result.best_scheme) return document;
  const Candidate* scan = best_scan(result);
  const Candidate& best = scan != nullptr ? *scan : result.at(*result.best_scheme);
  const GraphComparison graph =
      compare_with_graph(*report.network, *report.network_profile, result.workers, result.options.batch);
  document.say(fmt::format(
      "\nPlain BP above is that over the chain, Jacobians of blocks given. In FLOPs, with {} for the scan:\n",
      best.schedule));
  return std::move(document.add(graph_document(*report.network, best.pram, graph, result.inputs))
                       .say(graph_seconds_text(result.options.in_seconds() ? graph_scores_of(report) : std::nullopt)));
}

/// The same as fields of the result.
void add_graph_comparison(const SearchReport& report, Json& json) {
  const SearchResult& result = report.result;
  if (!has_blocks(report)) return;
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
  return fmt::format(" and dense BP ({})",
                     Value::mean(of_batch(report, *report.baseline_flops), report.result.inputs).exact());
}

Json overtaking_json(const SearchReport& report) {
  if (!report.overtaking) return {};
  return {{"workers", report.overtaking->workers},
          {"depth", report.overtaking->depth},
          {"scan_flops", report.overtaking->scan_flops},
          {"linear_flops", report.overtaking->linear_flops}};
}

/// What was searched: the first lines.
std::string head_text(const SearchReport& report) {
  const SearchOptions& options = report.result.options;
  return fmt::format(
      "{}, {}{}, {}{}\n\n", report.head, workers_text(report.result.workers),
      options.batch == 1 ? "" : ", " + batch_text(options.batch, report.input),
      options.scope == Scope::all ? "all ops" : "live ops only",
      options.memory_limit ? fmt::format(", at most {}", short_bytes(static_cast<double>(*options.memory_limit))) : "");
}

/// What the columns of the table are.
std::string columns_text(const SearchReport& report) {
  const SearchOptions& options = report.result.options;
  std::string text = fmt::format(
      "\nFLOPs of {} ops; path: critical path; span: makespan on the workers (shared: they share "
      "ops, else each op is one worker's); memory: peak of live values.\n"
      "vs plain{}: speed-up by {} over {} ({} FLOPs, same sparse Jacobians){}.\n\n",
      options.scope == Scope::all ? "all" : "live", report.baseline_flops ? ", vs dense" : "", score_name(options),
      report.plain, Value::mean(of_batch(report, report.linear_flops), report.result.inputs).exact(),
      dense_base_text(report));
  if (options.machine == nullptr) return text;
  const std::string library = library_name(options.machine);
  const std::string rates =
      library.empty()
          ? "rates, bandwidth and latencies (roofline)"
          : fmt::format("published rates of {} for sparse products, and bandwidth and latencies (roofline)", library);
  return text + fmt::format("time: predicted for one iteration on {} by its {}, without building the chain.\n\n",
                            options.machine->name,
                            report.priced_by == "pram" ? "costs of ops and levels (pram)" : rates);
}

/// The best order that was found, how far it may be from the least, and its name, with nothing behind it that could be
/// taken for a part; empty where none was looked for or fits.
std::string optimal_text(const SearchResult& result) {
  const auto found = std::ranges::find_if(result.schemes, [](const Candidate& c) { return !c.order.empty(); });
  if (found == result.schemes.end() || !found->feasible || found->totals.ops == 0) return "";
  const std::string by = score_name(result.options);
  std::string text = fmt::format("Of {} no bound is known; the best order that was found", by);
  if (found->gap() == 0.) {
    text = fmt::format("By {} no schedule is better than {}", by, found->schedule);
  } else if (found->gap()) {
    text = fmt::format("By {} {} takes at most {:.3g} % more than the least there can be, which is no less than {}", by,
                       found->schedule, 100 * *found->gap(), short_count(*found->lower_bound));
  }
  return fmt::format("{}; its name is\n{}\n", text, found->order);
}

/// Why candidates do not fit, how was counted, and what was not.
std::string remarks_text(const SearchReport& report) {
  const SearchResult& result = report.result;
  std::string text;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (c.feasible) continue;
    text += fmt::format("{} does not fit: {}.\n", c.depth ? fmt::format("Depth {}", *c.depth) : c.schedule, c.reason);
  }
  text +=
      optimal_text(result) + counting_text(report.network_profile) + estimates_text(result) + uncounted_lines(result);
  if (!report.no_schemes.empty()) text += report.no_schemes + '\n';
  return text + report.remarks;
}

bool is_all_exact(const SearchResult& result) {
  return std::ranges::all_of(numbered(result.size()), [&](std::size_t i) { return result.at(i).is_exact(); });
}

Json facts_json(const SearchReport& report) {
  const SearchResult& result = report.result;
  const SearchOptions& options = result.options;
  const Json linear_score = score_value(result, plain_score(report)).json();
  Json json = {
      {"model", report.model},
      {"kind", report.kind},
      {"pattern", report.pattern},
      {"exact", report.is_exact && is_all_exact(result)},
      {"counting", counting_json(report.network_profile)},
      {"inputs", result.inputs},
      {"objective", to_string(options.objective)},
      {"execution", to_string(options.execution)},
      {"scope", options.scope == Scope::all ? "all" : "live"},
      {"workers", result.workers},
      {"batch", options.batch},
      {"machine", options.machine ? Json(options.machine->name) : Json()},
      {"launch", launch_json(options.machine)},
      {"priced_by", report.priced_by},
      {"memory_limit", json_of(options.memory_limit)},
      {"best_is_proven", is_best_proven(result)},
      {"margin", json_of(result.margin)},
      {"scheme_margin", report.no_schemes.empty() ? json_of(result.scheme_margin) : Json()},
      {"scan_pays", scan_pays(result)},
      {"overtaking_looked_for", report.has_overtaking},
      {"overtaking", overtaking_json(report)},
      {"linear",
       {{"flops", Value::mean(of_batch(report, report.linear_flops), result.inputs).json()}, {"score", linear_score}}},
      {"baseline",
       baseline_json(
           report.baseline_flops ? Value::mean(of_batch(report, *report.baseline_flops), result.inputs).json() : Json(),
           dense_of(report))}};
  add_graph_comparison(report, json);
  return json;
}

}  // namespace

bool scan_pays(const SearchResult& result) {
  if (!result.best) return false;
  const Candidate& best = result.candidates[*result.best];
  const double plain = *result.linear().score;
  return best.is_scan() && plain > 0 && standing_of(*best.score / plain) == Standing::pays;
}

Document search_figures(const SearchReport& report) {
  const SearchResult& result = report.result;
  const auto one = [report](std::optional<std::size_t> place) {
    return place ? candidates_table(report, {{&report.result.at(*place), nullptr, *place}}).object(0) : Json();
  };
  std::vector<CandidateRow> counted = candidate_rows(result, true);
  std::ranges::copy(candidate_rows(result, false), std::back_inserter(counted));
  std::stable_partition(counted.begin(), counted.end(), [](const CandidateRow& row) { return row.counted != nullptr; });
  Document document;
  document.facts([report] { return facts_json(report); })
      .facts([=, &result, has_schemes = report.no_schemes.empty()] {
        return Json{{"best", one(result.best)}, {"best_scheme", has_schemes ? one(result.best_scheme) : Json()}};
      })
      .list(candidates_table(report, candidate_rows(result, true), "candidates"));
  if (report.no_schemes.empty()) {
    document.list(candidates_table(report, candidate_rows(result, false), "schemes"));
  } else {
    document.facts([] { return Json{{"schemes", nullptr}}; });
  }
  return std::move(document.sheet(candidates_table(report, counted)));
}

Document document(const SearchReport& report) {
  std::vector<CandidateRow> rows = candidate_rows(report.result, true);
  std::ranges::copy(candidate_rows(report.result, false), std::back_inserter(rows));
  std::erase_if(rows, [](const CandidateRow& row) { return row.counted == nullptr; });
  return search_figures(report)
      .say(head_text(report))
      .show(candidates_table(report, rows))
      .say(columns_text(report) + remarks_text(report))
      .add(graph_comparison(report));
}

}  // namespace upsweep
