#include "upsweep/report/profile_report.hpp"

#include <fmt/format.h>

#include "graph_report.hpp"
#include "upsweep/sim/graph_backprop.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

constexpr std::size_t kMostOpsInText = 100;

/// 1 - nnz / (rows · cols) of the mean.
double sparsity(const OperatorProfile& op, std::uint64_t inputs) {
  const double entries = static_cast<double>(op.rows) * static_cast<double>(op.cols);
  return 1 - static_cast<double>(op.nnz) / static_cast<double>(inputs) / entries;
}

Json operator_json(const ProfileReport& report, std::size_t o) {
  const Operator& op = report.network.operators()[o];
  const OperatorProfile& mine = report.network_profile.operators[o];
  const std::uint64_t inputs = report.network_profile.inputs;
  Json jacobian;
  if (!is_view(op.kind) && !is_join(op.kind)) {
    jacobian = {{"rows", mine.rows},
                {"cols", mine.cols},
                {"nnz", json_mean(mine.nnz, inputs)},
                {"sparsity", sparsity(mine, inputs)},
                {"bytes", json_mean(mine.bytes, inputs)}};
  }
  Json json = {{"index", o + 1},
               {"name", op.name},
               {"kind", kind_name(op.kind)},
               {"in_shape", op.in_shape},
               {"out_shape", op.out_shape},
               {"jacobian", jacobian},
               {"baseline_flops", json_mean(mine.baseline_flops, inputs)}};
  if (report.network.has_blocks()) json["inputs"] = inputs_json(report.network, o);
  return json;
}

Json op_json(const ScheduleProfile& profile, std::size_t id) {
  const OpProfile& op = profile.ops[id];
  const Combine& combine = profile.schedule.combines[id];
  const auto mean = [&](std::uint64_t sum) { return json_mean(sum, profile.inputs); };
  return {{"id", id},
          {"phase", to_string(combine.phase)},
          {"level", combine.level},
          {"left", combine.left},
          {"right", combine.right},
          {"target", combine.target},
          {"kind", op.is_mv ? "mv" : "mm"},
          {"dead", op.dead},
          {"m", op.m},
          {"k", op.k},
          {"n", op.n},
          {"left_nnz", mean(op.left_nnz)},
          {"right_nnz", mean(op.right_nnz)},
          {"nnz", mean(op.nnz)},
          {"products", mean(op.products)},
          {"flops", mean(op.flops)},
          {"bytes", mean(op.bytes)}};
}

Json totals_json(const Totals& totals, std::uint64_t inputs) {
  return {{"ops", totals.ops},
          {"flops", json_mean(totals.flops, inputs)},
          {"critical_path_flops",
           {{"level", json_mean(totals.critical_path_level, inputs)},
            {"dag", json_mean(totals.critical_path_dag, inputs)}}}};
}

Json makespan_json(const Makespan& makespan, std::uint64_t inputs) {
  return {{"unit", makespan.unit}, {"flops", json_mean(makespan.flops, inputs)}};
}

std::string operators_text(const ProfileReport& report, const TextStyle& style) {
  TextTable table({{"#"},
                   {"operator", Align::left},
                   {"kind", Align::left},
                   {"output", Align::left},
                   {"Jacobian^T", Align::right},
                   {"nnz"},
                   {"sparsity"},
                   {"bytes"},
                   {"dense BP FLOPs"}});
  const std::uint64_t inputs = report.network_profile.inputs;
  for (std::size_t o = 0; o < report.network.operators().size(); ++o) {
    const Operator& op = report.network.operators()[o];
    const OperatorProfile& mine = report.network_profile.operators[o];
    const bool hands_on = is_view(op.kind) || is_join(op.kind);
    table.row({fmt::format("{}", o + 1), op.name, kind_name(op.kind), to_string(op.out_shape),
               hands_on ? (is_view(op.kind) ? "view" : "join") : fmt::format("{} x {}", mine.rows, mine.cols),
               hands_on ? "" : exact_mean(mine.nnz, inputs),
               hands_on ? "" : fmt::format("{:.6f}", sparsity(mine, inputs)),
               hands_on ? "" : short_bytes(mine.bytes, inputs), short_count(mine.baseline_flops, inputs)});
  }
  return table.text(style);
}

std::string position_text(std::int64_t position) {
  return position == Combine::kReduction ? "red" : fmt::format("a[{}]", position);
}

std::string ops_text(const ScheduleProfile& profile, const TextStyle& style) {
  if (profile.ops.size() > kMostOpsInText) return fmt::format("{} ops: --format csv lists them.\n", profile.ops.size());
  TextTable table({{"op"},
                   {"level"},
                   {"phase", Align::left},
                   {"combine", Align::left},
                   {"kind", Align::left},
                   {"m x k x n"},
                   {"nnz"},
                   {"FLOPs"},
                   {"bytes"},
                   {"", Align::left}});
  for (std::size_t id = 0; id < profile.ops.size(); ++id) {
    const OpProfile& op = profile.ops[id];
    const Combine& combine = profile.schedule.combines[id];
    table.row({fmt::format("{}", id), fmt::format("{}", combine.level), to_string(combine.phase),
               fmt::format("{} <- {} o {}", position_text(combine.target), position_text(combine.left),
                           position_text(combine.right)),
               op.is_mv ? "mv" : "mm", fmt::format("{} x {} x {}", op.m, op.k, op.n),
               exact_mean(op.nnz, profile.inputs), short_count(op.flops, profile.inputs),
               short_bytes(op.bytes, profile.inputs), op.dead ? "dead" : ""});
  }
  return table.text(style);
}

std::string levels_text(const ScheduleProfile& profile, const TextStyle& style) {
  TextTable table({{"level"}, {"phase", Align::left}, {"ops"}, {"FLOPs, sum"}, {"FLOPs, largest op"}});
  for (std::size_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    table.row({fmt::format("{}", level), to_string(mine.phase), fmt::format("{}", mine.ops),
               short_count(mine.flops_sum, profile.inputs), short_count(mine.flops_max, profile.inputs)});
  }
  return table.text(style);
}

std::string totals_text(const ScheduleProfile& profile, const TextStyle& style) {
  TextTable table({{"", Align::left}, {"ops"}, {"FLOPs"}, {"critical path, level rule"}, {"critical path, dag"}});
  for (const auto& [scope, name] :
       {std::pair{Scope::all, "all, as the paper executes"}, std::pair{Scope::live, "live, without dead ops"}}) {
    const Totals sum = totals(profile, scope);
    table.row({name, fmt::format("{}", sum.ops), exact_mean(sum.flops, profile.inputs),
               exact_mean(sum.critical_path_level, profile.inputs), exact_mean(sum.critical_path_dag, profile.inputs)});
  }
  return table.text(style);
}

std::string pram_text(const ProfileReport& report, const TextStyle& style) {
  const PramProfile& pram = report.pram;
  const std::uint64_t inputs = report.profile.inputs;
  TextTable table({{"executor", Align::left}, {"steps"}, {"makespan, FLOPs"}, {"to plain BP"}});
  for (const auto& [name, makespan] : {std::pair{"level", &pram.level}, std::pair{"dag", &*pram.dag}}) {
    const auto linear = static_cast<double>(report.network_profile.linear_flops);
    table.row({name, fmt::format("{}", makespan->unit), exact_mean(makespan->flops, inputs),
               linear == 0 ? "-" : short_ratio(static_cast<double>(makespan->flops) / linear)});
  }
  return fmt::format(
             "PRAM with {} worker{}: step complexity {}, work complexity {}, per-step complexity {} FLOPs, peak live "
             "memory {}\n",
             pram.workers, pram.workers == 1 ? "" : "s", pram.steps, pram.work,
             short_count(pram.per_step_flops, inputs), short_bytes(pram.peak_live_bytes, inputs)) +
         table.text(style);
}

Json times_json(const ProfileTimes& times) {
  return {{"machine", times.machine->name},
          {"seconds", {{"level", times.level.seconds}, {"dag", times.dag.seconds}}},
          {"level_seconds", times.level.level_seconds},
          {"build_seconds", times.build_s ? Json(*times.build_s) : Json()}};
}

std::string times_text(const ProfileTimes& times, std::size_t workers) {
  std::string text = fmt::format("Predicted on {} ({} worker{}): {} with barriers (level), {} without (dag)",
                                 times.machine->name, workers, workers == 1 ? "" : "s",
                                 short_seconds(times.level.seconds), short_seconds(times.dag.seconds));
  if (times.build_s) text += fmt::format("; building the chain takes {} more", short_seconds(*times.build_s));
  return text + ".\n";
}

Json levels_json(const ScheduleProfile& profile) {
  Json levels = Json::array();
  for (std::size_t level = 0; level < profile.levels.size(); ++level) {
    const LevelProfile& mine = profile.levels[level];
    levels.push_back({{"level", level},
                      {"phase", to_string(mine.phase)},
                      {"ops", mine.ops},
                      {"flops_sum", json_mean(mine.flops_sum, profile.inputs)},
                      {"flops_max", json_mean(mine.flops_max, profile.inputs)}});
  }
  return levels;
}

/// What the blocks' Jacobians cost beside it; empty without.
std::string formation_text(const NetworkProfile& network) {
  if (network.formation_flops == 0) return "";
  return fmt::format(" and forms the Jacobians of blocks first, {} FLOPs",
                     short_count(network.formation_flops, network.inputs));
}

}  // namespace

ProfileTimes profile_times(const Machine& machine, const ScheduleProfile& profile, const NetworkProfile& network,
                           std::size_t workers, unsigned value_bytes) {
  return {&machine, predict_time(profile, machine, workers, Execution::level, value_bytes),
          predict_time(profile, machine, workers, Execution::dag, value_bytes),
          predict_build_seconds(network, machine, workers, value_bytes)};
}

Json to_json(const ProfileReport& report) {
  const ScheduleProfile& profile = report.profile;
  const NetworkProfile& network = report.network_profile;
  const std::uint64_t inputs = profile.inputs;
  Json operators = Json::array();
  for (std::size_t o = 0; o < network.operators.size(); ++o) operators.push_back(operator_json(report, o));
  Json ops = Json::array();
  for (std::size_t id = 0; id < profile.ops.size(); ++id) ops.push_back(op_json(profile, id));
  const PramProfile& pram = report.pram;
  const GraphComparison graph = compare_with_graph(report.network, network, pram.workers);
  return {
      {"model", {{"name", report.model_name}, {"input", report.network.input()}, {"operators", std::move(operators)}}},
      {"pattern", report.pattern},
      {"inputs", inputs},
      {"schedule",
       {{"name", profile.schedule.name},
        {"requested", report.requested},
        {"depth", profile.schedule.hybrid_depth() ? Json(*profile.schedule.hybrid_depth()) : Json()},
        {"length", profile.schedule.length},
        {"levels", profile.schedule.levels}}},
      {"ops", std::move(ops)},
      {"levels", levels_json(profile)},
      {"totals",
       {{"all", totals_json(totals(profile, Scope::all), inputs)},
        {"live", totals_json(totals(profile, Scope::live), inputs)}}},
      {"baseline", {{"flops", json_mean(network.baseline_flops, inputs)}}},
      {"linear", {{"flops", json_mean(network.linear_flops, inputs)}}},
      {"chain_build",
       {{"values", json_mean(network.build_values, inputs)},
        {"bytes", json_mean(network.build_bytes, inputs)},
        {"formation_flops", json_mean(network.formation_flops, inputs)},
        {"formation", work_json(graph.formation, inputs)}}},
      {"links", links_json(report.network, network)},
      {"graph_bp", work_json(graph.backprop, inputs)},
      {"inside_blocks", work_json(graph.inner, inputs)},
      {"ratio_to_graph_bp", ratios_json(pram, graph)},
      {"time", report.times ? times_json(*report.times) : Json()},
      {"pram",
       {{"workers", pram.workers},
        {"steps", pram.steps},
        {"work", pram.work},
        {"per_step_flops", json_mean(pram.per_step_flops, inputs)},
        {"makespan", {{"level", makespan_json(pram.level, inputs)}, {"dag", makespan_json(*pram.dag, inputs)}}},
        {"peak_live_bytes", json_mean(pram.peak_live_bytes, inputs)}}}};
}

std::string to_csv(const ProfileReport& report) {
  std::string csv = csv_line({"id", "phase", "level", "left", "right", "target", "kind", "dead", "m", "k", "n",
                              "left_nnz", "right_nnz", "nnz", "products", "flops", "bytes"});
  for (std::size_t id = 0; id < report.profile.ops.size(); ++id) {
    std::vector<std::string> cells;
    for (const auto& value : op_json(report.profile, id)) {
      cells.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    csv += csv_line(cells);
  }
  return csv;
}

std::string to_text(const ProfileReport& report, const TextStyle& style) {
  const ScheduleProfile& profile = report.profile;
  const NetworkProfile& network = report.network_profile;
  const std::uint64_t inputs = profile.inputs;
  std::string text = fmt::format(
      "{}: {} operators, {} pattern{}\n\n{}\n", report.model_name, report.network.operators().size(), report.pattern,
      inputs == 1 ? "" : fmt::format(", means over {} inputs", inputs), operators_text(report, style));
  const std::string links = links_text(report.network, network, style);
  if (!links.empty()) text += links + '\n';
  text += fmt::format("Schedule {} over {} elements: {} ops in {} levels\n\n{}\n{}\n{}\n", profile.schedule.name,
                      profile.schedule.length, profile.ops.size(), profile.schedule.levels, ops_text(profile, style),
                      levels_text(profile, style), totals_text(profile, style));
  text += fmt::format(
      "Plain BP {}: {} FLOPs. Dense BP (baseline): {} FLOPs.\nBuilding the chain writes {} Jacobian values ({}) per "
      "iteration and input{}.\n\n",
      report.network.has_blocks() ? "over the chain (linear, blocks' Jacobians given)"
                                  : "(linear, same sparse Jacobians)",
      exact_mean(network.linear_flops, inputs), exact_mean(network.baseline_flops, inputs),
      exact_mean(network.build_values, inputs), short_bytes(network.build_bytes, inputs), formation_text(network));
  text += pram_text(report, style);
  const GraphComparison graph = compare_with_graph(report.network, network, report.pram.workers);
  const std::string comparison = graph_text(report.network, report.pram, graph, inputs, style);
  if (!comparison.empty()) text += '\n' + comparison;
  if (report.times) text += '\n' + times_text(*report.times, report.pram.workers);
  return text;
}

}  // namespace upsweep
