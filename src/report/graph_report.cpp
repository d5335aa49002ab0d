#include "graph_report.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

constexpr std::array kExecutions = {std::pair{Execution::level, "level"}, std::pair{Execution::dag, "dag"}};

/// Makespans of an executor, in FLOPs; all 0 where they are not known, of batches without barriers.
struct Makespans {
  double scan = 0;
  double formation = 0;
  double inner = 0;
  double graph = 0;

  Makespans(const PramProfile& profile, const GraphComparison& comparison, Execution execution) {
    if (!profile.makespan(execution) || !comparison.backprop.makespan(execution)) return;
    scan = static_cast<double>(profile.makespan(execution)->flops);
    formation = static_cast<double>(comparison.formation.makespan(execution)->flops);
    inner = static_cast<double>(comparison.inner.makespan(execution)->flops);
    graph = static_cast<double>(comparison.backprop.makespan(execution)->flops);
  }

  [[nodiscard]] double alone() const { return scan / graph; }
  [[nodiscard]] double with_formation() const { return (scan + formation) / graph; }
  [[nodiscard]] double complete() const { return (scan + formation + inner) / graph; }
};

std::string name_of(const Network& network, std::size_t position) {
  return position == kNetworkInput ? kInputName : network.operators()[position].name;
}

std::string short_ratio_or_none(double graph, double ratio) { return graph == 0 ? "-" : short_ratio(ratio); }

/// No activation but the output lies on all paths.
bool has_no_cut(const Network& network) { return network.links().size() == 1 && network.link(0).is_block; }

}  // namespace

Json inputs_json(const Network& network, std::size_t o) {
  Json names = Json::array();
  for (const std::size_t input : network.inputs_of(o)) names.push_back(name_of(network, input));
  return names;
}

Json links_json(const Network& network, const NetworkProfile& profile) {
  Json links = Json::array();
  for (std::size_t i = 0; i < profile.links.size(); ++i) {
    const ChainLink& link = network.link(i);
    const LinkProfile& mine = profile.links[i];
    const FormationProfile& formation = mine.formation;
    Json names = Json::array();
    for (const std::size_t o : link.operators) {
      if (link.is_block || o == link.output()) names.push_back(name_of(network, o));
    }
    Json cost;
    if (link.is_block) {
      cost = {{"products", json_mean(formation.products, profile.inputs)},
              {"product_flops", json_mean(formation.product_flops, profile.inputs)},
              {"additions", json_mean(formation.additions, profile.inputs)},
              {"addition_flops", json_mean(formation.addition_flops, profile.inputs)},
              {"peak_bytes", formation.peak_bytes}};
    }
    links.push_back({{"index", i + 1},
                     {"kind", link.is_block ? "block" : "operator"},
                     {"input", name_of(network, link.input)},
                     {"operators", std::move(names)},
                     {"rows", mine.rows},
                     {"cols", mine.cols},
                     {"nnz", json_mean(mine.nnz, profile.inputs)},
                     {"bytes", json_mean(mine.bytes, profile.inputs)},
                     {"formation", std::move(cost)}});
  }
  return links;
}

Json work_json(const GraphWork& work, std::uint64_t inputs) {
  Json makespan;
  for (const auto& [execution, name] : kExecutions) {
    makespan[name] = nullptr;
    if (const std::optional<Makespan> mine = work.makespan(execution))
      makespan[name] = {{"unit", mine->unit}, {"flops", json_mean(mine->flops, inputs)}};
  }
  return {
      {"tasks", work.tasks},
      {"flops", json_mean(work.flops, inputs)},
      {"steps", work.steps},
      {"critical_path_flops",
       {{"level", json_mean(work.critical_path_level, inputs)}, {"dag", json_mean(work.critical_path_dag, inputs)}}},
      {"makespan", std::move(makespan)}};
}

Json ratios_json(const PramProfile& scan, const GraphComparison& comparison) {
  Json ratios;
  for (const auto& [execution, name] : kExecutions) {
    const Makespans mine(scan, comparison, execution);
    ratios[name] = nullptr;
    if (mine.graph == 0) continue;
    ratios[name] = {{"scan", mine.alone()},
                    {"with_formation", mine.with_formation()},
                    {"with_formation_and_inner", mine.complete()}};
  }
  return ratios;
}

std::string links_text(const Network& network, const NetworkProfile& profile, const TextStyle& style) {
  if (!network.has_blocks()) return "";
  TextTable table({{"link"},
                   {"kind", Align::left},
                   {"ends at", Align::left},
                   {"operators"},
                   {"Jacobian^T", Align::right},
                   {"nnz"},
                   {"formation: product FLOPs"},
                   {"additions"},
                   {"peak bytes, fp64"}});
  for (std::size_t i = 0; i < profile.links.size(); ++i) {
    const ChainLink& link = network.link(i);
    const LinkProfile& mine = profile.links[i];
    const auto of_block = [&](std::string text) { return link.is_block ? std::move(text) : std::string(); };
    table.row({fmt::format("{}", i + 1), link.is_block ? "block" : "operator", name_of(network, link.output()),
               fmt::format("{}", link.is_block ? link.operators.size() : 1),
               fmt::format("{} x {}", mine.rows, mine.cols), exact_mean(mine.nnz, profile.inputs),
               of_block(short_count(mine.formation.product_flops, profile.inputs)),
               of_block(short_count(mine.formation.addition_flops, profile.inputs)),
               of_block(short_bytes(mine.formation.peak_bytes, 1))});
  }
  return table.text(style);
}

std::string graph_text(const Network& network, const PramProfile& scan, const GraphComparison& comparison,
                       std::uint64_t inputs, const TextStyle& style) {
  if (!network.has_blocks()) return "";
  const GraphWork& graph = comparison.backprop;
  std::string text = fmt::format(
      "Plain BP over the graph, operator by operator: {} FLOPs in {} topological level{}, critical path {} FLOPs; on "
      "{} worker{} {} FLOPs level by level{}.\n",
      exact_mean(graph.flops, inputs), graph.steps, graph.steps == 1 ? "" : "s",
      exact_mean(graph.critical_path_dag, inputs), scan.workers, scan.workers == 1 ? "" : "s",
      exact_mean(graph.level.flops, inputs),
      graph.dag ? fmt::format(", {} without barriers", exact_mean(graph.dag->flops, inputs)) : "");
  if (has_no_cut(network)) return text;  // the verdict says so
  TextTable table({{"", Align::left}, {"FLOPs"}, {"makespan, level"}, {"makespan, dag"}});
  const Makespans level(scan, comparison, Execution::level);
  const Makespans dag(scan, comparison, Execution::dag);
  const auto work = [&](const char* name, const GraphWork& mine) {
    table.row({name, short_count(mine.flops, inputs), short_count(mine.level.flops, inputs),
               mine.dag ? short_count(mine.dag->flops, inputs) : "?"});
  };
  const auto ratio = [&](const char* name, double of_level, double of_dag) {
    table.row({name, "", short_ratio_or_none(level.graph, of_level), short_ratio_or_none(dag.graph, of_dag)});
  };
  work("forming the blocks' Jacobians", comparison.formation);
  table.row(
      {"the scan", "", short_count(scan.level.flops, inputs), scan.dag ? short_count(scan.dag->flops, inputs) : "?"});
  work("gradients inside blocks, after it", comparison.inner);
  work("plain BP over the graph", graph);
  ratio("scan / BP over the graph", level.alone(), dag.alone());
  ratio("  with formation", level.with_formation(), dag.with_formation());
  ratio("  with formation and gradients inside", level.complete(), dag.complete());
  return text + table.text(style) +
         "The scan alone takes the blocks' Jacobians as given and stops at the ends of blocks; they depend on weights "
         "and activations,\nso that every iteration forms them first. The last line is the whole of what BP over the "
         "graph does: below 1 the scan pays off.\n";
}

void add_graph_seconds(const std::optional<GraphScores>& seconds, Json& graph_bp, Json& formation, Json& inside) {
  graph_bp["seconds"] = seconds ? Json(seconds->backprop) : Json();
  formation["seconds"] = seconds ? Json(seconds->formation) : Json();
  inside["seconds"] = seconds ? Json(seconds->inner) : Json();
}

std::string graph_seconds_text(const std::optional<GraphScores>& seconds) {
  if (!seconds) return "";
  return fmt::format(
      "On the machine plain BP over the graph takes {}, forming the blocks' Jacobians {}, and the gradients inside "
      "blocks {}.\n",
      short_seconds(seconds->backprop), short_seconds(seconds->formation), short_seconds(seconds->inner));
}

}  // namespace upsweep
