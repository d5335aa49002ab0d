#include "homogeneous_parts.hpp"

#include <fmt/format.h>

namespace upsweep {
namespace {

using Align = TextTable::Align;

Json totals_json(const HomogeneousTotals& totals) {
  return {{"ops", totals.ops},
          {"flops", totals.flops},
          {"critical_path_flops", {{"level", totals.critical_path_level}, {"dag", totals.critical_path_dag}}}};
}

Json dag_json(const std::optional<Makespan>& dag) {
  return dag ? Json({{"unit", dag->unit}, {"flops", dag->flops}}) : Json();
}

Json level_json(const HomogeneousLevel& level) {
  return {{"phase", to_string(level.profile.phase)},
          {"ops", level.profile.ops},
          {"mv_ops", level.mv_ops},
          {"dead_ops", level.dead_ops},
          {"flops_sum", level.profile.flops_sum},
          {"flops_max", level.profile.flops_max},
          {"nnz", level.nnz},
          {"bytes", level.bytes}};
}

Json levels_json(const HomogeneousProfile& profile) {
  Json levels = Json::array();
  std::uint64_t first = 0;
  for (const LevelRun& run : profile.runs) {
    Json object = {{"level", first}, {"repeat", run.levels}};
    object.update(level_json(run.cycle.front()));
    if (run.cycle.size() > 1) {
      object["cycle"] = Json::array();
      for (const HomogeneousLevel& level : run.cycle) object["cycle"].push_back(level_json(level));
    }
    levels.push_back(std::move(object));
    first += run.levels;
  }
  return levels;
}

std::string ratio_text(double value, double reference) { return reference > 0 ? short_ratio(value / reference) : "-"; }

}  // namespace

void add_counts(Json& object, const ClosedFormCounts& counted, const std::optional<std::uint64_t>& baseline) {
  const HomogeneousProfile& profile = counted.profile;
  const PramProfile& pram = counted.pram;
  object["schedule"] = {{"name", profile.schedule},
                        {"requested", counted.requested},
                        {"depth", profile.depth},
                        {"length", profile.chain.length()},
                        {"levels", profile.levels}};
  object["levels"] = levels_json(profile);
  object["totals"] = {{"all", totals_json(profile.all)}, {"live", totals_json(profile.live)}};
  object["baseline"] = {{"flops", baseline ? Json(*baseline) : Json()}};
  object["linear"] = {{"flops", counted.reference.linear_flops}};
  object["chain_build"] = {{"values", counted.reference.build_values}, {"bytes", counted.reference.build_bytes}};
  object["pram"] = {
      {"workers", pram.workers},
      {"steps", pram.steps},
      {"work", pram.work},
      {"per_step_flops", pram.per_step_flops},
      {"makespan", {{"level", {{"unit", pram.level.unit}, {"flops", pram.level.flops}}}, {"dag", dag_json(pram.dag)}}},
      {"peak_live_bytes", pram.peak_live_bytes}};
}

std::string levels_csv(const HomogeneousProfile& profile) {
  std::string csv = csv_line({"level", "repeat", "phase", "ops", "mv_ops", "dead_ops", "flops_sum", "flops_max"});
  std::uint64_t first = 0;
  for (const LevelRun& run : profile.runs) {
    for (const HomogeneousLevel& level : run.cycle) {
      csv += csv_line({fmt::format("{}", first), fmt::format("{}", run.levels / run.cycle.size()),
                       to_string(level.profile.phase), fmt::format("{}", level.profile.ops),
                       fmt::format("{}", level.mv_ops), fmt::format("{}", level.dead_ops),
                       fmt::format("{}", level.profile.flops_sum), fmt::format("{}", level.profile.flops_max)});
    }
    first += run.levels;
  }
  return csv;
}

std::string levels_text(const HomogeneousProfile& profile, const TextStyle& style) {
  TextTable table({{"levels"}, {"phase", Align::left}, {"ops each"}, {"FLOPs each"}, {"largest op"}, {"bytes each"}});
  for (const LevelRun& run : profile.runs) {
    for (const HomogeneousLevel& level : run.cycle) {
      table.row({fmt::format("{}", run.levels / run.cycle.size()), to_string(level.profile.phase),
                 fmt::format("{}", level.profile.ops), short_count(static_cast<double>(level.profile.flops_sum)),
                 short_count(static_cast<double>(level.profile.flops_max)),
                 short_bytes(static_cast<double>(level.bytes))});
    }
  }
  return table.text(style);
}

std::string figures_text(const ClosedFormCounts& counted) {
  const HomogeneousProfile& profile = counted.profile;
  const PramProfile& pram = counted.pram;
  const auto linear = static_cast<double>(counted.reference.linear_flops);
  std::string text = fmt::format(
      "FLOPs {} ({} of plain BP), critical path {} (level) and {} (dag), peak of live values {}.\n",
      short_count(static_cast<double>(profile.all.flops)), ratio_text(static_cast<double>(profile.all.flops), linear),
      short_count(static_cast<double>(profile.all.critical_path_level)),
      short_count(static_cast<double>(profile.all.critical_path_dag)),
      short_bytes(static_cast<double>(profile.all.peak_live_bytes)));
  text += fmt::format("On {} worker{}: {} steps, makespan in FLOPs {} (level)", pram.workers,
                      pram.workers == 1 ? "" : "s", pram.steps, short_count(static_cast<double>(pram.level.flops)));
  if (pram.dag) {
    text += fmt::format(", {} (dag): {} of plain BP", short_count(static_cast<double>(pram.dag->flops)),
                        ratio_text(static_cast<double>(pram.dag->flops), linear));
  }
  return text + ".\n";
}

}  // namespace upsweep
