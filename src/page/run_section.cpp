#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

/// Levels of a run that stand in its table one by one.
constexpr std::size_t kMostLevels = 40;

std::optional<double> quotient(double a, double b) { return b > 0 ? std::optional(a / b) : std::nullopt; }

HtmlCell with_live(double all, double live) {
  HtmlCell cell = count_cell(all);
  if (live != all) cell.content.add(" (").add(count_cell(live).content).add(" live)");
  return cell;
}

Markup run_facts(const RunDetails& details) {
  const StoredRun& run = details.run;
  FactList facts;
  facts.fact("schedule",
             text_cell(run.requested.empty() || run.requested == run.schedule
                           ? run.schedule
                           : fmt::format("{} (asked for: {})", run.schedule, shortened(run.requested, 60))));
  facts.fact("model", link_cell(run.model, model_id(run)));
  facts.fact("pattern",
             text_cell(run.inputs == 1 ? run.pattern : fmt::format("{}, mean of {} inputs", run.pattern, run.inputs)));
  facts.fact("workers", count_cell(static_cast<double>(run.workers)));
  facts.fact("scan array", count_cell(static_cast<double>(run.length)));
  facts.fact("levels", count_cell(static_cast<double>(run.levels)));
  facts.fact("ops", with_live(static_cast<double>(run.ops), static_cast<double>(run.live_ops)));
  facts.fact("FLOPs", with_live(run.flops, run.live_flops));
  facts.fact("plain back-propagation (FLOPs)", count_cell(run.linear_flops));
  if (run.graph_bp_flops) facts.fact("the same over the graph (FLOPs)", count_cell(run.graph_bp_flops));
  facts.fact("dense back-propagation (FLOPs)", count_cell(run.baseline_flops));
  facts.fact("critical path, level (FLOPs)", count_cell(run.critical_path_level_flops));
  facts.fact("critical path, dag (FLOPs)", count_cell(run.critical_path_dag_flops));
  facts.fact("makespan, level (FLOPs)", count_cell(run.makespan_level_flops));
  facts.fact("makespan, dag (FLOPs)", count_cell(run.makespan_dag_flops));
  if (run.makespan_shared_flops) {
    facts.fact("makespan, ops that workers share (FLOPs)", count_cell(run.makespan_shared_flops));
    facts.fact("bound of shared ops (FLOPs)", count_cell(run.bound_shared_flops));
  }
  facts.fact("makespan to plain (dag)", ratio_cell(quotient(run.makespan_dag_flops, run.linear_flops)));
  facts.fact("step complexity", count_cell(static_cast<double>(run.steps)));
  facts.fact("largest op (FLOPs)", count_cell(run.per_step_flops));
  facts.fact("peak live memory (bytes)", bytes_cell(run.peak_live_bytes));
  facts.fact("chain to build (values)", count_cell(run.chain_build_values));
  facts.fact("chain to build (bytes)", bytes_cell(run.chain_build_bytes));
  if (run.graph_bp_makespan_level_flops) {
    facts.fact("over the graph: makespan, level (FLOPs)", count_cell(run.graph_bp_makespan_level_flops));
    facts.fact("over the graph: makespan, dag (FLOPs)", count_cell(run.graph_bp_makespan_dag_flops));
    facts.fact("blocks beside the scan: makespan, level (FLOPs)", count_cell(run.branch_makespan_level_flops));
    facts.fact("blocks beside the scan: makespan, dag (FLOPs)", count_cell(run.branch_makespan_dag_flops));
  }
  if (run.predicted_level_s) facts.fact("predicted, level (seconds)", seconds_cell(run.predicted_level_s));
  if (run.predicted_dag_s) facts.fact("predicted, dag (seconds)", seconds_cell(run.predicted_dag_s));
  if (run.predicted_build_s) facts.fact("predicted, building (seconds)", seconds_cell(run.predicted_build_s));
  if (!run.binding.empty()) facts.fact("limited by", text_cell(run.binding));
  if (details.machine) facts.fact("machine", text_cell(details.machine->name));
  return facts.markup();
}

Markup levels_table(const RunDetails& run) {
  if (run.levels.empty()) return {};
  HtmlTable table("Levels, in the order in which they run",
                  {{"level"}, {"phase", false}, {"ops"}, {"FLOPs of all ops"}, {"FLOPs of the largest op"}});
  for (const StoredLevel& level : run.levels) {
    if (table.rows() == kMostLevels) break;
    table.row({count_cell(level.level), text_cell(level.phase), count_cell(static_cast<double>(level.ops)),
               count_cell(level.flops_sum), count_cell(level.flops_max)});
  }
  Markup out("<details><summary>Levels");
  out.text(fmt::format(" ({})", run.levels.size())).add("</summary>\n").add(table.markup());
  if (run.levels.size() > kMostLevels) {
    out.add("<p class=\"note\">").text(fmt::format("The first {} of {} levels.", kMostLevels, run.levels.size()));
    out.add("</p>\n");
  }
  return out.add("</details>\n");
}

Markup measurements_table(const RunDetails& run) {
  if (run.measurements.empty()) return {};
  HtmlTable table("Measurements (median of all repetitions)", {{"backend", false},
                                                               {"device", false},
                                                               {"workers"},
                                                               {"execution", false},
                                                               {"predicted (seconds)"},
                                                               {"measured (seconds)"},
                                                               {"fastest (seconds)"},
                                                               {"predicted to measured"},
                                                               {"repetitions"},
                                                               {"building (seconds)"},
                                                               {"of the rounding bound"},
                                                               {"result", false}});
  for (const StoredMeasurement& m : run.measurements) {
    const auto error = m.predicted_s && m.measured_s > 0 ? quotient(*m.predicted_s, m.measured_s) : std::nullopt;
    HtmlCell result = text_cell("right");
    if (!m.mismatch.empty()) {
      result = {Markup("<span class=\"bad\">").text(fmt::format("MISMATCH: {}", shortened(m.mismatch))).add("</span>"),
                {}};
    }
    table.row({text_cell(m.backend), text_cell(m.device.empty() ? "-" : m.device),
               count_cell(static_cast<double>(m.workers)), text_cell(m.execution), seconds_cell(m.predicted_s),
               seconds_cell(m.measured_s), seconds_cell(m.fastest_s), ratio_cell(error),
               count_cell(static_cast<double>(m.repetitions)), seconds_cell(m.measured_build_s),
               percent_cell(m.worst_share_of_bound), result});
  }
  Markup out = table.markup();
  for (const StoredMeasurement& m : run.measurements) {
    if (!m.notes.empty()) out.add("<p class=\"note\">").text(shortened(m.notes, 400)).add("</p>\n");
  }
  return out;
}

}  // namespace

Markup left_out_note(const SectionContext& context, const std::string& what, std::int64_t id) {
  const std::size_t count = context.shelf.take_left_out();
  if (count == 0 && !context.shelf.is_full()) return {};
  const std::string command = context.is_alone ? fmt::format("upsweep plot KIND --{} {} --out FIGURE.svg", what, id)
                                               : fmt::format("upsweep report --{} {} --out FILE.html", what, id);
  Markup out("<p class=\"note\">");
  out.text(count == 0 ? "Its pictures" : count == 1 ? "1 picture" : fmt::format("{} pictures", count));
  out.add(" would make this page too large: ");
  return out.element("code", command).add("</p>\n");
}

Markup run_body(const SectionContext& context, const RunDetails& run) {
  Markup out = run_facts(run);
  out.add(measurements_table(run));
  if (context.shelf.is_open()) {
    context.shelf.put(op_flops_figure(run), out);
    context.shelf.put(schedule_figure(run), out);
    context.shelf.put(timeline_figure(run), out);
    context.shelf.put(fill_in_figure(run), out);
    context.shelf.put(predicted_figure(run), out);
    context.shelf.put(residuals_figure(run), out);
  }
  out.add(left_out_note(context, "run", run.run.id));
  return out.add(levels_table(run));
}

Markup single_section(const SectionContext& context, const RunGroup& group) {
  const StoredRun& run = group.runs.front();
  const auto details = context.store.details(run.id);
  Markup out("<section");
  out.attribute("id", group.id())
      .add("><h3>")
      .text(fmt::format("{}: {} of {}, {}", group.title(), run.command, shortened(run.model, 80), run.schedule));
  std::string about = shown_time(run.created_utc);
  if (run.search) {
    about += fmt::format(". One of {} candidates of search {}; the page of the whole database has all of them",
                         context.store.runs_of(run.command_id).size(), *run.search);
  }
  out.add("</h3>\n<p class=\"about\">").text(about).add("</p>\n").add(verdict_markup(group.verdict));
  if (details) out.add(run_body(context, *details));
  return out.add("</section>\n");
}

}  // namespace upsweep
