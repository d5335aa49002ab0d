#include <cmath>
#include <nlohmann/json.hpp>

#include "solve_sentences.hpp"

namespace upsweep {
namespace {

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

Json solve_json(const SolveReport& report) {
  return {{"model", report.model_name},
          {"pattern", report.pattern},
          {"input", report.input},
          {"warm_start", json_of(report.warm_start)},
          {"loss", report.loss},
          {"value_bytes", report.value_bytes},
          {"tolerance", report.tolerance},
          {"workers", report.workers},
          {"batch", report.batch},
          {"system", system_json(report)},
          {"forward", forward_json(report)},
          {"formulas", formulas_json(report)},
          {"verdicts", verdicts_json(report)}};
}

Json history_json(const SolveRun& run) {
  Json history = Json::array();
  for (const IterationPoint& point : run.history) history.push_back(point_json(point));
  return history;
}

}  // namespace upsweep
