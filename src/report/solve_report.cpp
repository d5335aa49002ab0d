#include "upsweep/report/solve_report.hpp"

#include <fmt/format.h>

#include <cmath>

namespace upsweep {
namespace {

/// a / b, or null where that says nothing.
Json ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? Json() : Json(static_cast<double>(a) / static_cast<double>(b));
}

Json system_json(const SolveReport& report) {
  Json blocks = Json::array();
  std::uint64_t nnz = 0;
  for (std::size_t k = 0; k < report.shape.blocks.size(); ++k) {
    const BlockShape& block = report.shape.blocks[k];
    nnz += block.link_nnz;
    blocks.push_back({{"operator", block_name(report, k)},
                      {"size", block.size},
                      {"link_nnz", block.link_nnz},
                      {"scaling_nnz", block.scaling_nnz},
                      {"flops", report.shape.flops(k)}});
  }
  return {{"form", report.form == SystemForm::unit ? "unit" : "scaled"},
          {"couplings", report.shape.couplings()},
          {"unknowns", report.shape.unknowns()},
          {"link_nnz", nnz},
          {"flops", report.shape.flops()},
          {"blocks", std::move(blocks)}};
}

Json point_json(const IterationPoint& point) {
  const auto usable = usable_blocks(point);
  return {{"iteration", point.iteration},
          {"residual", point.residual},
          {"residual_max", point.residual_max},
          {"error", point.error},
          {"first_error", point.first_error},
          {"usable_blocks", usable ? Json(*usable) : Json()},
          {"block_errors", point.block_errors.empty() ? Json() : Json(point.block_errors)}};
}

/// What a method's line in CSV has.
Json summary_json(const SolveReport& report, const SolveRun& run) {
  const SolveRun& direct = report.runs.front();
  const bool done = run.converged();
  const IterationPoint* last = run.history.empty() ? nullptr : &run.history.back();
  const std::optional<std::size_t> usable = usable_from(run);
  return {{"name", run.name},
          {"group", run.setting.group},
          {"omega", run.setting.method == SolveMethod::richardson ? Json(run.omega) : Json()},
          {"converged", done},
          {"failed", done ? Json() : Json(run.failed)},
          {"iterations", run.iterations},
          {"bound", run.bound ? Json(*run.bound) : Json()},
          {"products", done ? Json(run.products) : Json()},
          {"residual", last == nullptr ? Json() : Json(last->residual)},
          {"error", last == nullptr ? Json() : Json(last->error)},
          {"first_error", last == nullptr ? Json() : Json(last->first_error)},
          {"usable_from", usable ? Json(*usable) : Json()},
          {"flops_per_iteration", run.cost.flops()},
          {"flops", done ? Json(run.flops) : Json()},
          {"flops_to_substitution", done ? ratio(run.flops, direct.flops) : Json()},
          {"makespan_per_iteration", run.cost.makespan},
          {"makespan", done ? Json(run.makespan) : Json()},
          {"makespan_to_substitution", done ? ratio(run.makespan, direct.makespan) : Json()},
          {"vectors", run.cost.vectors},
          {"vector_bytes", run.cost.vector_bytes}};
}

/// JSON has no infinite numbers, CSV has: a diverging iteration's errors, say.
std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  const bool is_finite = !value.is_number_float() || std::isfinite(value.get<double>());
  return is_finite ? value.dump() : fmt::format("{}", value.get<double>());
}

Json run_json(const SolveReport& report, const SolveRun& run) {
  Json object = summary_json(report, run);
  object["verdict"] = verdict_sentence(report, run);
  object["history"] = Json::array();
  for (const IterationPoint& point : run.history) object["history"].push_back(point_json(point));
  return object;
}

Json forward_json(const SolveReport& report) {
  if (!report.forward) return {};
  const ForwardPart& part = *report.forward;
  Json sweeps = Json::array();
  for (std::size_t s = 1; s <= part.history.errors.size(); ++s) {
    sweeps.push_back(
        {{"sweep", s}, {"error", part.history.output_error(s)}, {"operator_errors", part.history.errors[s - 1]}});
  }
  return {{"start", part.start},
          {"needed", part.history.needed ? Json(*part.history.needed) : Json()},
          {"bound", part.history.until_exact.back()},
          {"until_exact", part.history.until_exact},
          {"flops_per_sweep", part.cost.flops},
          {"plain_flops", part.cost.plain_flops},
          {"evaluations_per_sweep", part.cost.evaluations},
          {"divisions_per_sweep", part.cost.divisions},
          {"sweeps", std::move(sweeps)}};
}

Json formulas_json(const SolveReport& report) {
  if (!report.formulas) return {};
  Json rows = Json::array();
  for (const FormulaRow& row : *report.formulas) {
    rows.push_back({{"equation", row.equation},
                    {"what", row.what},
                    {"unit", row.unit},
                    {"formula", row.formula},
                    {"exact", row.exact},
                    {"difference", row.difference()}});
  }
  return rows;
}

Json verdicts_json(const SolveReport& report) {
  Json verdicts = Json::array();
  for (const ConditionVerdict& verdict : report.verdicts) {
    verdicts.push_back({{"condition", verdict.condition},
                        {"method", verdict.method.empty() ? Json() : Json(verdict.method)},
                        {"meaning", verdict.meaning},
                        {"left", verdict.left},
                        {"right", verdict.right},
                        {"holds", verdict.holds}});
  }
  return verdicts;
}

}  // namespace

std::string block_name(const SolveReport& report, std::size_t block) {
  const std::size_t link = report.shape.blocks[block].activation - 1;
  return report.network.operators()[report.network.links()[link]].name;
}

Json to_json(const SolveReport& report) {
  Json methods = Json::array();
  for (const SolveRun& run : report.runs) methods.push_back(run_json(report, run));
  return {{"model", report.model_name},
          {"pattern", report.pattern},
          {"input", report.input},
          {"warm_start", report.warm_start ? Json(*report.warm_start) : Json()},
          {"loss", report.loss},
          {"value_bytes", report.value_bytes},
          {"tolerance", report.tolerance},
          {"workers", report.workers},
          {"batch", report.batch},
          {"system", system_json(report)},
          {"methods", std::move(methods)},
          {"forward", forward_json(report)},
          {"formulas", formulas_json(report)},
          {"verdicts", verdicts_json(report)}};
}

std::string to_csv(const SolveReport& report) {
  std::string csv;
  for (const SolveRun& run : report.runs) {
    std::vector<std::string> heads;
    std::vector<std::string> cells;
    const Json summary = summary_json(report, run);
    for (const auto& [key, value] : summary.items()) {
      heads.push_back(key);
      cells.push_back(csv_cell(value));
    }
    if (csv.empty()) csv += csv_line(heads);
    csv += csv_line(cells);
  }
  return csv;
}

}  // namespace upsweep
