#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "candidates.hpp"
#include "sections.hpp"
#include "upsweep/document/estimate_mark.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"
#include "upsweep/figure/stored_figures.hpp"
#include "upsweep/search/candidate.hpp"

namespace upsweep {
namespace {

/// Whether two candidates have the same figures: what one schedule's name hides of another's.
bool has_same_figures(const StoredRun& a, const StoredRun& b) {
  const auto figures = [](const StoredRun& run) {
    return std::tuple(run.score, run.ops, run.flops, run.critical_path_level_flops, run.critical_path_dag_flops,
                      run.makespan_level_flops, run.makespan_dag_flops, run.peak_live_bytes);
  };
  return figures(a) == figures(b);
}

/// What a candidate's row says at its end.
std::string remark(const RunGroup& group, const StoredRun& run, const StoredRun* best) {
  if (run.feasible == false) return "does not fit";
  if (best != nullptr && run.id == best->id) return "best";
  const auto same = std::find_if(group.runs.begin(), group.runs.end(),
                                 [&](const StoredRun& other) { return has_same_figures(other, run); });
  if (same->id != run.id) return fmt::format("= {}", shortened(same->schedule));
  return group.search->best_depth.has_value() && run.depth == group.search->best_depth ? "best depth" : "";
}

Markup candidates_table(const RunGroup& group, const StoredRun* best, const StoredRun* plain,
                        const std::vector<Markup>& bodies) {
  const bool is_timed = group.machine.has_value();
  // What it comes to stands first: the rest of a wide table is out of sight on a phone.
  std::vector<Column> columns = {{"", "schedule", Unit::text},
                                 {"", "vs plain", Unit::speedup},
                                 {"", "remark", Unit::text},
                                 {"", "levels", Unit::count},
                                 {"", "ops", Unit::count},
                                 {"", "FLOPs", Unit::count},
                                 {"", "critical path (FLOPs)", Unit::count},
                                 {"", "makespan, level (FLOPs)", Unit::count},
                                 {"", "makespan, dag (FLOPs)", Unit::count},
                                 {"", "makespan, shared ops (FLOPs)", Unit::count},
                                 {"", "memory", Unit::bytes}};
  if (is_timed) {
    columns.insert(columns.begin() + 10, {{"", "predicted, level", Unit::seconds},
                                          {"", "predicted, dag", Unit::seconds},
                                          {"", "limited by", Unit::text}});
  }
  const double plain_score = plain != nullptr ? plain->score.value_or(0) : 0;
  HtmlTable table("Candidates", columns);
  for (std::size_t i = 0; i < group.runs.size(); ++i) {
    const StoredRun& run = group.runs[i];
    const bool has_body = i < bodies.size() && !bodies[i].empty();
    const double path =
        group.search->execution == "level" ? run.critical_path_level_flops : run.critical_path_dag_flops;
    const auto speedup =
        run.score && *run.score > 0 && plain_score > 0 ? std::optional(plain_score / *run.score) : std::nullopt;
    const auto counted = [&](Value figure, Unit unit = Unit::count) {
      return marked_unless(run.is_exact, std::move(figure), unit);
    };
    std::vector<Value> cells = {has_body ? Value(shortened(run.schedule)).linked(fmt::format("run-{}", run.id))
                                         : Value(shortened(run.schedule)),
                                counted(speedup, Unit::speedup),
                                Value(remark(group, run, best)),
                                run.levels,
                                run.ops,
                                counted(run.flops),
                                counted(path),
                                counted(run.makespan_level_flops),
                                counted(run.makespan_dag_flops),
                                counted(run.makespan_shared_flops),
                                counted(run.peak_live_bytes, Unit::bytes)};
    if (is_timed) {
      cells.insert(cells.begin() + 10,
                   {counted(run.predicted_level_s, Unit::seconds), counted(run.predicted_dag_s, Unit::seconds),
                    Value(run.binding.empty() ? "-" : run.binding)});
    }
    table.row(cells, best != nullptr && run.id == best->id);
  }
  return table.markup();
}

/// How far candidates are known whose counts are estimates.
Markup estimates(const RunGroup& group) {
  Markup list;
  for (const StoredRun& run : group.runs) {
    if (!run.flops_interval) continue;
    list.element("li", fmt::format("~: {} is estimated from samples of rows, FLOPs of all ops {} (95 %)",
                                   shortened(run.schedule), Value(*run.flops_interval).text(Unit::interval)));
  }
  return list.empty() ? list : Markup("<ul class=\"note\">\n").add(list).add("</ul>\n");
}

/// Why candidates do not fit.
Markup reasons(const RunGroup& group) {
  constexpr std::size_t kMost = 20;
  Markup list;
  std::size_t count = 0;
  for (const StoredRun& run : group.runs) {
    if (run.feasible != false || count++ >= kMost) continue;
    list.element("li", fmt::format("{} does not fit: {}", shortened(run.schedule), shortened(run.reason))).add("\n");
  }
  if (count > kMost) list.element("li", fmt::format("{} more do not fit", count - kMost)).add("\n");
  return list.empty() ? list : Markup("<ul class=\"note\">\n").add(list).add("</ul>\n");
}

std::string settings_text_of(const RunGroup& group) {
  const StoredSearch& search = *group.search;
  std::string text =
      fmt::format("{}. Objective: {}, {} execution, {} ops, {} worker{}", shown_time(group.runs[0].created_utc),
                  search.objective, search.execution, search.scope, search.workers, search.workers == 1 ? "" : "s");
  if (search.memory_limit) text += ", memory limit " + short_bytes(static_cast<double>(*search.memory_limit));
  if (group.machine) text += fmt::format(". Machine: {}", machine_text_of(*group.machine));
  return text + ".";
}

}  // namespace

Markup candidate_body(const SectionContext& context, const RunGroup& group, std::size_t candidate) {
  const auto details = context.store.details(group.runs[candidate].id);
  return details ? run_body(context, *details) : Markup();
}

Markup search_reasons(const SectionContext& context, const RunGroup& group) {
  if (const auto kept = context.store.explanation_of(group.runs.front().id))
    return reasons_markup(read_explanation(*kept));
  // Files of older versions have no reasons, but what those of a search in FLOPs follow from.
  const bool is_in_seconds = group.machine && group.machine->kind != "pram";
  if (is_in_seconds || group.search->objective != to_string(Objective::time) || group.search->scope != "all") return {};
  const StoredRun* plain = plain_of(group.runs);
  const StoredRun* scan = nullptr;
  for (const StoredRun& run : group.runs) {
    if (is_plain(run) || !run.feasible.value_or(false) || !run.score) continue;
    if (scan == nullptr || *run.score < *scan->score) scan = &run;
  }
  if (plain == nullptr || scan == nullptr) return {};
  const auto mine = context.store.details(scan->id);
  const auto against = context.store.details(plain->id);
  return mine && against ? reasons_markup(stored_explanation(*mine, *against)) : Markup();
}

Markup search_figures(const SectionContext& context, const RunGroup& group) {
  Markup out;
  if (context.shelf.is_open()) {
    context.shelf.put(depth_figure(*group.search, group.runs, group.machine ? group.machine->name : ""), out);
    context.shelf.put(crossover_figure(details_of_command(context.store, group.runs.front().command_id)), out);
  }
  return out.add(left_out_note(context, "run", group.runs.front().id));
}

Markup search_section(const RunGroup& group, const SearchParts& parts) {
  const std::vector<Markup>& bodies = parts.bodies;
  const StoredRun* best = best_of(*group.search, group.runs);
  const StoredRun* plain = plain_of(group.runs);
  Markup out("<section");
  out.attribute("id", group.id())
      .add("><h3>")
      .text(fmt::format("{}, {} ({})", group.title(), shortened(group.runs.front().model, 80),
                        group.runs.front().pattern));
  out.add("</h3>\n<p class=\"about\">").text(settings_text_of(group)).add("</p>\n");
  out.add(verdict_markup(group.verdict))
      .add(parts.why)
      .add(candidates_table(group, best, plain, bodies))
      .add(estimates(group))
      .add(reasons(group))
      .add(parts.figures);
  bool all_shown = true;
  for (std::size_t i = 0; i < group.runs.size(); ++i) {
    if (i >= bodies.size() || bodies[i].empty()) {
      all_shown = false;
      continue;
    }
    const StoredRun& run = group.runs[i];
    out.add("<details").attribute("id", fmt::format("run-{}", run.id)).add("><summary>Run ");
    out.text(fmt::format("{}: ", run.id)).element("b", shortened(run.schedule));
    if (best != nullptr && run.id == best->id) out.add(" <span class=\"best-mark\">best</span>");
    out.add("</summary>\n").add(bodies[i]).add("</details>\n");
  }
  if (!all_shown) {
    out.add("<p class=\"note\">Candidates without a part of their own would make this page too large: ");
    out.add("<code>upsweep report --run ID --out FILE.html</code></p>\n");
  }
  return out.add("</section>\n");
}

}  // namespace upsweep
