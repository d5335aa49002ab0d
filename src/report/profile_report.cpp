#include "upsweep/report/profile_report.hpp"

#include <fmt/format.h>

#include "graph_report.hpp"
#include "profile_parts.hpp"
#include "upsweep/sim/graph_backprop.hpp"
#include "upsweep/sim/predict.hpp"

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
          {"bytes", mean(op.bytes)},
          {"span", mean(op.span)}};
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

Json levels_json(const ScheduleProfile& profile) {
  Json levels = Json::array();
  for (const LevelProfile& level : profile.levels) {
    levels.push_back({{"level", levels.size()}});
    levels.back().update(level_json(level, profile.inputs));
  }
  return levels;
}

ProfileCounts counts_of(const ProfileReport& report) {
  const ScheduleProfile& profile = report.profile;
  const NetworkProfile& network = report.network_profile;
  ProfileCounts counts{.schedule = profile.schedule.name,
                       .requested = report.requested,
                       .depth = profile.schedule.hybrid_depth(),
                       .length = profile.schedule.length,
                       .levels = profile.schedule.levels,
                       .inputs = profile.inputs,
                       .all = totals(profile, Scope::all),
                       .live = totals(profile, Scope::live),
                       .baseline_flops = network.baseline_flops,
                       .linear_flops = network.linear_flops,
                       .build_values = network.build_values,
                       .build_bytes = network.build_bytes,
                       .compared = report.compared};
  if (report.times) {
    const ProfileTimes& times = *report.times;
    counts.seconds = {times.machine->name, times.level.seconds, times.dag_s, times.build_s};
    counts.dense = times.dense;
  }
  return counts;
}

/// What the blocks' Jacobians cost beside it; empty without.
std::string formation_text(const NetworkProfile& network) {
  if (network.formation_flops == 0) return "";
  return fmt::format(" and forms the Jacobians of blocks first, {} FLOPs",
                     short_count(network.formation_flops, network.inputs));
}

}  // namespace

ProfileTimes profile_times(const SearchResult& compared, const ScheduleProfile& profile, const NetworkProfile& counted,
                           const Network& network) {
  const SearchOptions& options = compared.options;
  const Machine& machine = *options.machine;
  ProfileTimes times{
      &machine, batched_time(profile, machine, compared.workers, options.value_bytes, options.scope, options.batch),
      compared.last().dag_s, predict_build_seconds(counted, machine, compared.workers, options.value_bytes)};
  if (times.build_s) *times.build_s *= static_cast<double>(options.batch);
  if (const std::optional<DenseRates> rates = dense_rates(machine, compared.workers, options.value_bytes))
    times.dense = dense_backprop(network, counted, *rates, options.batch);
  return times;
}

namespace {

/// Of the profile's machine; nothing without one.
std::optional<GraphScores> graph_seconds_of(const ProfileReport& report) {
  const SearchOptions& options = report.compared.options;
  if (!options.in_seconds()) return std::nullopt;
  return graph_scores(report.network, report.network_profile, options, report.compared.workers);
}

}  // namespace

Json to_json(const ProfileReport& report) {
  const ScheduleProfile& profile = report.profile;
  const NetworkProfile& network = report.network_profile;
  const std::uint64_t inputs = profile.inputs;
  Json operators = Json::array();
  for (std::size_t o = 0; o < network.operators.size(); ++o) operators.push_back(operator_json(report, o));
  Json ops = Json::array();
  for (std::size_t id = 0; id < profile.ops.size(); ++id) ops.push_back(op_json(profile, id));
  const GraphComparison graph =
      compare_with_graph(report.network, network, report.compared.workers, report.compared.options.batch);
  Json json = {
      {"model", {{"name", report.model_name}, {"input", report.network.input()}, {"operators", std::move(operators)}}},
      {"pattern", report.pattern},
      {"inputs", inputs},
      {"counting", counting_json(&network)},
      {"ops", std::move(ops)},
      {"levels", levels_json(profile)},
      {"links", links_json(report.network, network)},
      {"graph_bp", work_json(graph.backprop, inputs)},
      {"inside_blocks", work_json(graph.inner, inputs)},
      {"ratio_to_graph_bp", ratios_json(report.compared.last().pram, graph)}};
  add_counts(json, counts_of(report));
  json["chain_build"]["formation_flops"] = json_mean(network.formation_flops, inputs);
  json["chain_build"]["formation"] = work_json(graph.formation, inputs);
  add_graph_seconds(graph_seconds_of(report), json["graph_bp"], json["chain_build"]["formation"],
                    json["inside_blocks"]);
  if (report.times) json["time"]["level_seconds"] = report.times->level.level_seconds;
  return json;
}

std::string to_csv(const ProfileReport& report) {
  std::string csv = csv_line({"id", "phase", "level", "left", "right", "target", "kind", "dead", "m", "k", "n",
                              "left_nnz", "right_nnz", "nnz", "products", "flops", "bytes", "span"});
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
  text += counting_text(&network) + '\n';
  const ProfileCounts counts = counts_of(report);
  text += fmt::format("{}\n{}\n{}\n{}", schedule_text(counts), ops_text(profile, style), levels_text(profile, style),
                      counts_text(counts,
                                  report.network.has_blocks() ? "over the chain (linear, blocks' Jacobians given)"
                                                              : "(linear, same sparse Jacobians)",
                                  formation_text(network), style));
  const GraphComparison graph =
      compare_with_graph(report.network, network, report.compared.workers, report.compared.options.batch);
  const std::string comparison = graph_text(report.network, report.compared.last().pram, graph, inputs, style);
  if (!comparison.empty()) text += '\n' + comparison + graph_seconds_text(graph_seconds_of(report));
  return text + (report.times ? '\n' + seconds_text(counts) : "");
}

}  // namespace upsweep
