#include <fmt/format.h>

#include <algorithm>

#include "sections.hpp"
#include "upsweep/document/estimate_mark.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/figure/run_figures.hpp"

namespace upsweep {
namespace {

/// Levels of a run that stand in its table one by one.
constexpr std::size_t kMostLevels = 40;

std::optional<double> quotient(double a, double b) { return b > 0 ? std::optional(a / b) : std::nullopt; }

Value with_live(double all, double live) {
  if (live == all) return all;
  return Value(all).shown(fmt::format("{} ({} live)", short_count(all), short_count(live)));
}

Markup run_facts(const RunDetails& details) {
  const StoredRun& run = details.run;
  FactList facts;
  /// A figure that follows from counts.
  const auto counted = [&](std::string_view name, Value figure, Unit unit = Unit::count) {
    facts.fact(name, marked_unless(run.is_exact, std::move(figure), unit), unit);
  };
  facts.fact("schedule",
             Value(run.requested.empty() || run.requested == run.schedule
                       ? shortened(run.schedule)
                       : fmt::format("{} (asked for: {})", shortened(run.schedule), shortened(run.requested, 60))));
  facts.fact("model", Value(run.model).linked(model_id(run)));
  facts.fact("pattern",
             Value(run.inputs == 1 ? run.pattern : fmt::format("{}, mean of {} inputs", run.pattern, run.inputs)));
  facts.fact("workers", run.workers);
  facts.fact("scan array", run.length);
  facts.fact("levels", run.levels);
  facts.fact("ops", with_live(static_cast<double>(run.ops), static_cast<double>(run.live_ops)));
  counted("FLOPs", with_live(run.flops, run.live_flops));
  if (run.flops_interval) facts.fact("FLOPs, 95 % interval", *run.flops_interval);
  if (run.makespan_dag_interval) facts.fact("makespan, dag, 95 % interval (FLOPs)", *run.makespan_dag_interval);
  facts.fact("plain back-propagation (FLOPs)", run.linear_flops);
  if (run.graph_bp_flops) facts.fact("the same over the graph (FLOPs)", run.graph_bp_flops);
  facts.fact("dense back-propagation (FLOPs)", run.baseline_flops);
  counted("critical path, level (FLOPs)", run.critical_path_level_flops);
  counted("critical path, dag (FLOPs)", run.critical_path_dag_flops);
  counted("makespan, level (FLOPs)", run.makespan_level_flops);
  counted("makespan, dag (FLOPs)", run.makespan_dag_flops);
  if (run.makespan_shared_flops) {
    counted("makespan, ops that workers share (FLOPs)", run.makespan_shared_flops);
    counted("bound of shared ops (FLOPs)", run.bound_shared_flops);
  }
  counted("speed-up over plain in FLOPs (dag)", quotient(run.linear_flops, run.makespan_dag_flops), Unit::speedup);
  facts.fact("step complexity", run.steps);
  counted("largest op (FLOPs)", run.per_step_flops);
  counted("peak live memory", run.peak_live_bytes, Unit::bytes);
  facts.fact("chain to build (values)", run.chain_build_values);
  facts.fact("chain to build", run.chain_build_bytes, Unit::bytes);
  if (run.graph_bp_makespan_level_flops) {
    facts.fact("over the graph: makespan, level (FLOPs)", run.graph_bp_makespan_level_flops);
    facts.fact("over the graph: makespan, dag (FLOPs)", run.graph_bp_makespan_dag_flops);
    facts.fact("blocks beside the scan: makespan, level (FLOPs)", run.branch_makespan_level_flops);
    facts.fact("blocks beside the scan: makespan, dag (FLOPs)", run.branch_makespan_dag_flops);
  }
  if (run.predicted_level_s) counted("predicted, level", run.predicted_level_s, Unit::seconds);
  if (run.predicted_dag_s) counted("predicted, dag", run.predicted_dag_s, Unit::seconds);
  if (run.predicted_build_s) facts.fact("predicted, building", run.predicted_build_s, Unit::seconds);
  if (!run.binding.empty()) facts.fact("limited by", Value(run.binding));
  if (details.machine) facts.fact("machine", Value(details.machine->name));
  return facts.markup();
}

Markup levels_table(const RunDetails& run) {
  if (run.levels.empty()) return {};
  HtmlTable table("Levels, in the order in which they run", {{"", "level", Unit::count},
                                                             {"", "phase", Unit::text},
                                                             {"", "ops", Unit::count},
                                                             {"", "FLOPs of all ops", Unit::count},
                                                             {"", "FLOPs of the largest op", Unit::count}});
  for (const StoredLevel& level : run.levels) {
    if (table.rows() == kMostLevels) break;
    const auto counted = [&](Value figure) { return marked_unless(run.run.is_exact, std::move(figure)); };
    table.row({level.level, Value(level.phase), level.ops, counted(level.flops_sum), counted(level.flops_max)});
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
  HtmlTable table("Measurements (median of all repetitions)", {{"", "backend", Unit::text},
                                                               {"", "device", Unit::text},
                                                               {"", "workers", Unit::count},
                                                               {"", "execution", Unit::text},
                                                               {"", "predicted", Unit::seconds},
                                                               {"", "measured", Unit::seconds},
                                                               {"", "fastest", Unit::seconds},
                                                               {"", "predicted to measured", Unit::ratio},
                                                               {"", "repetitions", Unit::count},
                                                               {"", "building", Unit::seconds},
                                                               {"", "of the rounding bound", Unit::share},
                                                               {"", "result", Unit::text}});
  for (const StoredMeasurement& m : run.measurements) {
    const auto error = m.predicted_s && m.measured_s > 0 ? quotient(*m.predicted_s, m.measured_s) : std::nullopt;
    Value result = Value("right");
    if (!m.mismatch.empty()) {
      result = Value(fmt::format("MISMATCH: {}", shortened(m.mismatch))).bad();
    }
    table.row({Value(m.backend), Value(m.device.empty() ? "-" : m.device), m.workers, Value(m.execution), m.predicted_s,
               m.measured_s, m.fastest_s, error, m.repetitions, m.measured_build_s, m.worst_share_of_bound, result});
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
  if (!run.run.is_exact) {
    out.add(
        "<p class=\"note\">~: estimated from samples of rows. Pictures of such a run do not tell what of it is "
        "exact.</p>\n");
  }
  out.add(measurements_table(run));
  if (context.shelf.is_open()) {
    context.shelf.put(op_flops_figure(run), out);
    context.shelf.put(schedule_figure(run), out);
    context.shelf.put(timeline_figure(run), out);
    context.shelf.put(fill_in_figure(run), out);
    if (const auto plain = run.run.command == "profile" ? context.store.plain_of(run.run) : std::nullopt)
      context.shelf.put(crossover_figure(run, *plain), out);
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
      .text(fmt::format("{}: {} of {}, {}", group.title(), run.command, shortened(run.model, 80),
                        shortened(run.schedule)));
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
