#include "graph_run_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

bool ran(const Validation& validation) { return validation.graph && validation.graph->skipped.empty(); }

/// Seconds with writing and forming Jacobians over the same of the fastest schedule; nothing without an op.
std::optional<double> ratio_to_scan(const ValidationReport& report) {
  const Validation& validation = report.validation;
  if (!validation.measured_best || has_one_link(report)) return std::nullopt;
  const double scan = validation.schedules[*validation.measured_best].measurement.seconds + validation.measured_build_s;
  if (!(scan > 0)) return std::nullopt;
  return (validation.graph->run.seconds + validation.graph->run.build_seconds) / scan;
}

}  // namespace

bool has_one_link(const ValidationReport& report) {
  return !report.profiles.empty() && report.profiles.front().schedule.combines.empty();
}

bool compared_gradients(const ValidationReport& report) {
  return ran(report.validation) || (!has_one_link(report) && report.validation.any_ran());
}

Json graph_run_json(const Validation& validation) {
  if (!validation.graph) return {};
  const GraphValidation& graph = *validation.graph;
  const auto figure = [&](const auto& value) { return graph.skipped.empty() ? Json(value) : Json(); };
  return {{"skipped", graph.skipped.empty() ? Json() : Json(graph.skipped)},
          {"measured_s", figure(graph.run.seconds)},
          {"build_s", figure(graph.run.build_seconds)},
          {"repetitions", figure(graph.run.repetitions)},
          {"threads", figure(graph.run.threads)},
          {"levels", figure(graph.run.levels)},
          {"flops", figure(graph.run.flops)},
          {"input_flops", figure(graph.run.input_flops)},
          {"mismatch", graph.mismatch ? Json(graph.mismatch->what) : Json()},
          {"worst_share_of_bound", figure(graph.values.worst_share)}};
}

std::string graph_run_text(const ValidationReport& report) {
  if (!report.validation.graph) return "";
  const GraphValidation& graph = *report.validation.graph;
  if (!graph.skipped.empty()) return fmt::format("Plain BP over the graph is skipped: {}.\n", graph.skipped);
  const GraphRun& run = graph.run;
  std::string text = fmt::format(
      "Plain BP over the graph on this processor, {} level{} on {} thread{}: {}, {} (and {} for its Jacobians",
      run.levels, run.levels == 1 ? "" : "s", run.threads, run.threads == 1 ? "" : "s",
      graph.mismatch ? std::string("MISMATCH")
                     : fmt::format("right, {:.1f} % of its bound", 100 * graph.values.worst_share),
      short_seconds(run.seconds), short_seconds(run.build_seconds));
  if (const std::optional<double> ratio = ratio_to_scan(report)) {
    text += fmt::format(": together {}, which leaves out the gradients inside them",
                        speed_text(*ratio, "the fastest scan with forming the blocks"));
  }
  text += ").\n";
  if (graph.mismatch) text += fmt::format("MISMATCH: {}.\n", graph.mismatch->what);
  return text;
}

std::string one_link_text(const ValidationReport& report, const std::string& what) {
  if (ran(report.validation)) {
    return fmt::format(
        "{} without an op: the chain has one link, so that nothing but the loss gradient was compared; the gradient of "
        "the input is that of plain BP over the graph.",
        what);
  }
  return fmt::format("{} without an op: the chain has one link, so that nothing but the loss gradient was compared.",
                     what);
}

}  // namespace upsweep
