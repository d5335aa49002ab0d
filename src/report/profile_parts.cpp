#include "profile_parts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "upsweep/document/estimate_mark.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/profile/estimate.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

Value quotient(std::uint64_t flops, std::uint64_t of) {
  return of == 0 ? Value() : Value(static_cast<double>(flops) / static_cast<double>(of));
}

Json totals_json(const Totals& totals, std::uint64_t inputs) {
  return {{"ops", totals.ops},
          {"flops", Value::mean(totals.flops, inputs).json()},
          {"critical_path_flops",
           {{"level", Value::mean(totals.critical_path_level, inputs).json()},
            {"dag", Value::mean(totals.critical_path_dag, inputs).json()}}}};
}

Json makespan_json(const std::optional<Makespan>& makespan, std::uint64_t inputs) {
  if (!makespan) return {};
  return {{"unit", makespan->unit}, {"flops", Value::mean(makespan->flops, inputs).json()}};
}

Json seconds_json(const ProfileCounts::Seconds& seconds) {
  return {{"machine", seconds.machine},
          {"seconds", {{"level", seconds.level}, {"dag", seconds.dag ? Json(*seconds.dag) : Json()}}},
          {"build_seconds", seconds.build ? Json(*seconds.build) : Json()}};
}

Table totals_table(const ProfileCounts& counts) {
  std::vector<std::vector<Value>> rows;
  const auto mean = [&](std::uint64_t sum) {
    return marked_unless(counts.compared.last().is_exact(), Value::mean(sum, counts.inputs));
  };
  for (const auto& [sum, name] :
       {std::pair{&counts.all, "all, as the paper executes"}, std::pair{&counts.live, "live, without dead ops"}}) {
    rows.push_back({name, sum->ops, mean(sum->flops), quotient(sum->flops, counts.linear_flops),
                    mean(sum->critical_path_level), mean(sum->critical_path_dag)});
  }
  return {"",
          {{"", "", Unit::text},
           {"", "ops", Unit::exact},
           {"", "FLOPs", Unit::exact},
           {"", "of plain BP's", Unit::ratio},
           {"", "critical path, level rule", Unit::exact},
           {"", "critical path, dag", Unit::exact}},
          std::move(rows)};
}

Table pram_table(const ProfileCounts& counts) {
  const PramProfile& pram = counts.pram();
  const PramProfile& plain = counts.compared.linear().pram;
  std::vector<std::vector<Value>> rows;
  const auto row = [&](const std::string& executor, Value steps, std::uint64_t flops, std::uint64_t of_plain) {
    rows.push_back({executor, std::move(steps),
                    marked_unless(counts.compared.last().is_exact(), Value::mean(flops, counts.inputs)),
                    quotient(of_plain, flops)});
  };
  for (const auto execution : {Execution::level, Execution::dag}) {
    const std::optional<Makespan> makespan = pram.makespan(execution);
    const std::optional<Makespan> of_plain = plain.makespan(execution);
    if (makespan && of_plain) row(to_string(execution), makespan->unit, makespan->flops, of_plain->flops);
  }
  row("level, ops that workers share", {}, pram.shared_flops, plain.shared_flops);
  return {"",
          {{"", "executor", Unit::text},
           {"", "steps", Unit::exact},
           {"", "makespan, FLOPs", Unit::exact},
           {"", "vs plain BP", Unit::speedup}},
          std::move(rows)};
}

/// PRAM complexities in a line.
std::string pram_text(const ProfileCounts& counts) {
  const PramProfile& pram = counts.pram();
  const std::uint64_t batch = counts.compared.options.batch;
  return fmt::format(
      "PRAM with {}{}: step complexity {}, work complexity {}, per-step complexity {} FLOPs, peak live memory {}\n",
      workers_text(pram.workers), batch == 1 ? "" : fmt::format(", a batch of {}", batch), pram.steps, pram.work,
      short_count(pram.per_step_flops, counts.inputs), short_bytes(pram.peak_live_bytes, counts.inputs));
}

Json counts_json(const ProfileCounts& counts) {
  const auto mean = [&](std::uint64_t sum) { return Value::mean(sum, counts.inputs).json(); };
  const PramProfile& pram = counts.pram();
  return {
      {"batch", counts.compared.options.batch},
      {"schedule",
       {{"name", counts.schedule},
        {"requested", counts.requested},
        {"depth", json_of(counts.depth)},
        {"length", counts.length},
        {"levels", counts.levels}}},
      {"totals", {{"all", totals_json(counts.all, counts.inputs)}, {"live", totals_json(counts.live, counts.inputs)}}},
      {"baseline", baseline_json(counts.baseline_flops ? mean(*counts.baseline_flops) : Json(), counts.dense)},
      {"linear",
       {{"flops", mean(counts.linear_flops)}, {"makespan_shared", mean(counts.compared.linear().pram.shared_flops)}}},
      {"makespan_shared", mean(pram.shared_flops)},
      {"bound_shared", mean(pram.shared_bound_flops)},
      {"chain_build", {{"values", mean(counts.build_values)}, {"bytes", mean(counts.build_bytes)}}},
      {"time", counts.seconds ? seconds_json(*counts.seconds) : Json()},
      {"pram",
       {{"workers", pram.workers},
        {"steps", pram.steps},
        {"work", pram.work},
        {"per_step_flops", mean(pram.per_step_flops)},
        {"makespan",
         {{"level", makespan_json(pram.level, counts.inputs)}, {"dag", makespan_json(pram.dag, counts.inputs)}}},
        {"peak_live_bytes", mean(pram.peak_live_bytes)}}}};
}

}  // namespace

Json baseline_json(Json flops, const std::optional<DenseBackprop>& dense) {
  return {{"flops", std::move(flops)},
          {"seconds", dense ? Json(dense->gradients_s) : Json()},
          {"weight_gradient_seconds", dense ? Json(dense->weight_gradients_s) : Json()},
          {"kernels", dense ? Json(dense->kernels) : Json()}};
}

Json counting_json(const NetworkProfile* network) {
  if (network == nullptr) return {};
  return {{"by", network->counted_by()}, {"rows", network->pattern_rows}, {"classes", network->pattern_classes}};
}

std::string counting_text(const NetworkProfile* network) {
  if (network == nullptr) return "";
  if (network->pattern_classes == network->pattern_rows)
    return fmt::format("Counted by rows: all {} of the Jacobians.\n", network->pattern_rows);
  return fmt::format("Counted by classes of rows that are shifts of each other: {} for the {} rows of the Jacobians.\n",
                     network->pattern_classes, network->pattern_rows);
}

std::string estimates_text(const SearchResult& result) {
  std::string text;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& c = result.at(i);
    if (c.is_exact()) continue;
    text += fmt::format("Estimated (~) from samples of rows: {}, FLOPs of all ops {} to {} (95 %, +-{:.2g} %).\n",
                        c.schedule, short_count(c.flops_interval->low), short_count(c.flops_interval->high),
                        100 * half_width(*c.flops_interval));
  }
  return text;
}

std::vector<Field<const LevelProfile*>> level_fields(std::uint64_t inputs, bool is_exact) {
  using Item = const LevelProfile*;
  const auto mean = [=](std::string name, std::optional<std::string> head, std::uint64_t LevelProfile::*sum) {
    return Field<Item>(std::move(name), std::move(head), Unit::count,
                       [=](Item level) { return marked_unless(is_exact, Value::mean(level->*sum, inputs)); });
  };
  return {{"phase", "phase", Unit::text, [](Item level) { return to_string(level->phase); }},
          {"ops", "ops", Unit::exact, &LevelProfile::ops},
          mean("flops_sum", "FLOPs, sum", &LevelProfile::flops_sum),
          mean("flops_max", "FLOPs, largest op", &LevelProfile::flops_max),
          mean("span_max", {}, &LevelProfile::span_max)};
}

std::string schedule_text(const ProfileCounts& counts) {
  return fmt::format("Schedule {} over {} elements: {} ops in {} levels\n", counts.schedule, counts.length,
                     counts.all.ops, counts.levels);
}

Document counts_document(const ProfileCounts& counts, const std::string& plain, const std::string& build) {
  std::string text =
      fmt::format("\nPlain BP {}: {} FLOPs.", plain, Value::mean(counts.linear_flops, counts.inputs).exact());
  if (counts.baseline_flops)
    text += fmt::format(" Dense BP (baseline): {} FLOPs.", Value::mean(*counts.baseline_flops, counts.inputs).exact());
  text += fmt::format("\nBuilding the chain writes {} Jacobian values ({}) per iteration and input{}.\n\n",
                      Value::mean(counts.build_values, counts.inputs).exact(),
                      short_bytes(counts.build_bytes, counts.inputs), build);
  Document document;
  return std::move(document.facts([counts] { return counts_json(counts); })
                       .show(totals_table(counts))
                       .say(text + pram_text(counts))
                       .show(pram_table(counts)));
}

std::string seconds_text(const ProfileCounts& counts) {
  if (!counts.seconds) return "";
  const ProfileCounts::Seconds& seconds = *counts.seconds;
  std::string text = fmt::format("Predicted on {} ({}): {} with barriers (level)", seconds.machine,
                                 workers_text(counts.pram().workers), short_seconds(seconds.level));
  if (seconds.dag) text += fmt::format(", {} without (dag)", short_seconds(*seconds.dag));
  if (seconds.build) text += fmt::format("; building the chain takes {} more", short_seconds(*seconds.build));
  if (counts.dense) text += fmt::format("; dense BP takes {}", short_seconds(counts.dense->gradients_s));
  return text + ".\n";
}

}  // namespace upsweep
