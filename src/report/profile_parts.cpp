#include "profile_parts.hpp"

#include <fmt/format.h>

#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

std::string to_plain(std::uint64_t flops, std::uint64_t plain) {
  return plain == 0 ? "-" : short_ratio(static_cast<double>(flops) / static_cast<double>(plain));
}

Json totals_json(const Totals& totals, std::uint64_t inputs) {
  return {{"ops", totals.ops},
          {"flops", json_mean(totals.flops, inputs)},
          {"critical_path_flops",
           {{"level", json_mean(totals.critical_path_level, inputs)},
            {"dag", json_mean(totals.critical_path_dag, inputs)}}}};
}

Json makespan_json(const std::optional<Makespan>& makespan, std::uint64_t inputs) {
  if (!makespan) return {};
  return {{"unit", makespan->unit}, {"flops", json_mean(makespan->flops, inputs)}};
}

Json seconds_json(const ProfileCounts::Seconds& seconds) {
  return {{"machine", seconds.machine},
          {"seconds", {{"level", seconds.level}, {"dag", seconds.dag ? Json(*seconds.dag) : Json()}}},
          {"build_seconds", seconds.build ? Json(*seconds.build) : Json()}};
}

std::string totals_text(const ProfileCounts& counts, const TextStyle& style) {
  TextTable table({{"", TextTable::Align::left},
                   {"ops"},
                   {"FLOPs"},
                   {"to plain BP"},
                   {"critical path, level rule"},
                   {"critical path, dag"}});
  for (const auto& [sum, name] :
       {std::pair{&counts.all, "all, as the paper executes"}, std::pair{&counts.live, "live, without dead ops"}}) {
    table.row({name, fmt::format("{}", sum->ops), exact_mean(sum->flops, counts.inputs),
               to_plain(sum->flops, counts.linear_flops), exact_mean(sum->critical_path_level, counts.inputs),
               exact_mean(sum->critical_path_dag, counts.inputs)});
  }
  return table.text(style);
}

std::string pram_text(const ProfileCounts& counts, const TextStyle& style) {
  const PramProfile& pram = counts.pram();
  const PramProfile& plain = counts.compared.linear().pram;
  TextTable table({{"executor", TextTable::Align::left}, {"steps"}, {"makespan, FLOPs"}, {"to plain BP"}});
  for (const auto execution : {Execution::level, Execution::dag}) {
    const std::optional<Makespan> makespan = pram.makespan(execution);
    const std::optional<Makespan> of_plain = plain.makespan(execution);
    if (!makespan || !of_plain) continue;
    table.row({to_string(execution), fmt::format("{}", makespan->unit), exact_mean(makespan->flops, counts.inputs),
               to_plain(makespan->flops, of_plain->flops)});
  }
  table.row({"level, ops that workers share", "-", exact_mean(pram.shared_flops, counts.inputs),
             to_plain(pram.shared_flops, plain.shared_flops)});
  const std::uint64_t batch = counts.compared.options.batch;
  return fmt::format(
             "PRAM with {}{}: step complexity {}, work complexity {}, per-step complexity {} FLOPs, peak live memory "
             "{}\n",
             workers_text(pram.workers), batch == 1 ? "" : fmt::format(", a batch of {}", batch), pram.steps, pram.work,
             short_count(pram.per_step_flops, counts.inputs), short_bytes(pram.peak_live_bytes, counts.inputs)) +
         table.text(style);
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

std::string estimate_text(const std::string& figure, bool is_exact) {
  return is_exact ? figure : fmt::format("~{}", figure);
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

void add_counts(Json& object, const ProfileCounts& counts) {
  const auto mean = [&](std::uint64_t sum) { return json_mean(sum, counts.inputs); };
  const PramProfile& pram = counts.pram();
  object["batch"] = counts.compared.options.batch;
  object["schedule"] = {{"name", counts.schedule},
                        {"requested", counts.requested},
                        {"depth", counts.depth ? Json(*counts.depth) : Json()},
                        {"length", counts.length},
                        {"levels", counts.levels}};
  object["totals"] = {{"all", totals_json(counts.all, counts.inputs)},
                      {"live", totals_json(counts.live, counts.inputs)}};
  object["baseline"] = baseline_json(counts.baseline_flops ? mean(*counts.baseline_flops) : Json(), counts.dense);
  object["linear"] = {{"flops", mean(counts.linear_flops)},
                      {"makespan_shared", mean(counts.compared.linear().pram.shared_flops)}};
  object["makespan_shared"] = mean(pram.shared_flops);
  object["bound_shared"] = mean(pram.shared_bound_flops);
  object["chain_build"] = {{"values", mean(counts.build_values)}, {"bytes", mean(counts.build_bytes)}};
  object["time"] = counts.seconds ? seconds_json(*counts.seconds) : Json();
  object["pram"] = {
      {"workers", pram.workers},
      {"steps", pram.steps},
      {"work", pram.work},
      {"per_step_flops", mean(pram.per_step_flops)},
      {"makespan",
       {{"level", makespan_json(pram.level, counts.inputs)}, {"dag", makespan_json(pram.dag, counts.inputs)}}},
      {"peak_live_bytes", mean(pram.peak_live_bytes)}};
}

Json level_json(const LevelProfile& level, std::uint64_t inputs) {
  return {{"phase", to_string(level.phase)},
          {"ops", level.ops},
          {"flops_sum", json_mean(level.flops_sum, inputs)},
          {"flops_max", json_mean(level.flops_max, inputs)},
          {"span_max", json_mean(level.span_max, inputs)}};
}

std::string schedule_text(const ProfileCounts& counts) {
  return fmt::format("Schedule {} over {} elements: {} ops in {} levels\n", counts.schedule, counts.length,
                     counts.all.ops, counts.levels);
}

std::string counts_text(const ProfileCounts& counts, const std::string& plain, const std::string& build,
                        const TextStyle& style) {
  std::string text = fmt::format("{}\nPlain BP {}: {} FLOPs.", totals_text(counts, style), plain,
                                 exact_mean(counts.linear_flops, counts.inputs));
  if (counts.baseline_flops)
    text += fmt::format(" Dense BP (baseline): {} FLOPs.", exact_mean(*counts.baseline_flops, counts.inputs));
  return text + fmt::format("\nBuilding the chain writes {} Jacobian values ({}) per iteration and input{}.\n\n{}",
                            exact_mean(counts.build_values, counts.inputs),
                            short_bytes(counts.build_bytes, counts.inputs), build, pram_text(counts, style));
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
