#include "graph_report.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

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

  [[nodiscard]] double alone() const { return scan; }
  [[nodiscard]] double with_formation() const { return scan + formation; }
  [[nodiscard]] double complete() const { return scan + formation + inner; }
};

std::string name_of(const Network& network, std::size_t position) {
  return position == kNetworkInput ? kInputName : network.operators()[position].name;
}

/// What forming the Jacobian of a block costs.
Json formation_json(const FormationProfile& formation, std::uint64_t inputs) {
  return {{"products", Value::mean(formation.products, inputs).json()},
          {"product_flops", Value::mean(formation.product_flops, inputs).json()},
          {"additions", Value::mean(formation.additions, inputs).json()},
          {"addition_flops", Value::mean(formation.addition_flops, inputs).json()},
          {"peak_bytes", formation.peak_bytes}};
}

/// No activation but the output lies on all paths.
bool has_no_cut(const Network& network) { return network.links().size() == 1 && network.link(0).is_block; }

}  // namespace

Json inputs_json(const Network& network, std::size_t o) {
  Json names = Json::array();
  for (const std::size_t input : network.inputs_of(o)) names.push_back(name_of(network, input));
  return names;
}

Table links_table(const Network& network, const NetworkProfile& profile) {
  using Link = const ChainLink&;
  using Mine = const LinkProfile&;
  const auto field = [&](std::string name, std::optional<std::string> head, Unit unit,
                         std::function<Value(Link, Mine)> value) {
    return Field<std::size_t>(std::move(name), std::move(head), unit, [&, value = std::move(value)](std::size_t i) {
      return value(network.link(i), profile.links[i]);
    });
  };
  const std::uint64_t inputs = profile.inputs;
  /// Beside the object of the formation, of which operators have none.
  const auto of_block = [field](std::string head, Unit unit, std::uint64_t FormationProfile::*sum,
                                std::uint64_t divisor) {
    return field("", std::move(head), unit, [=](Link link, Mine mine) {
      return link.is_block ? Value::mean(mine.formation.*sum, divisor) : Value().shown("");
    });
  };
  return {"links", numbered(profile.links.size()),
          std::vector<Field<std::size_t>>{
              {"index", "link", Unit::exact, [](std::size_t i) { return i + 1; }},
              field("kind", "kind", Unit::text,
                    [](Link link, Mine) { return Value(link.is_block ? "block" : "operator"); }),
              field("input", {}, Unit::text, [&](Link link, Mine) { return name_of(network, link.input); }),
              field("", "ends at", Unit::text, [&](Link link, Mine) { return name_of(network, link.output()); }),
              field("operators", "operators", Unit::object,
                    [&](Link link, Mine) {
                      Json names = Json::array();
                      for (const std::size_t o : link.operators) {
                        if (link.is_block || o == link.output()) names.push_back(name_of(network, o));
                      }
                      return Value::object(names).shown(fmt::format("{}", link.is_block ? link.operators.size() : 1));
                    }),
              field("rows", {}, Unit::exact, [](Link, Mine mine) { return mine.rows; }),
              field("cols", {}, Unit::exact, [](Link, Mine mine) { return mine.cols; }),
              field("", "Jacobian^T", Unit::exact,
                    [](Link, Mine mine) { return fmt::format("{} x {}", mine.rows, mine.cols); }),
              field("nnz", "nnz", Unit::exact, [inputs](Link, Mine mine) { return Value::mean(mine.nnz, inputs); }),
              field("bytes", {}, Unit::bytes, [inputs](Link, Mine mine) { return Value::mean(mine.bytes, inputs); }),
              field("formation", {}, Unit::object,
                    [inputs](Link link, Mine mine) {
                      return link.is_block ? Value::object(formation_json(mine.formation, inputs)) : Value();
                    }),
              of_block("formation: product FLOPs", Unit::count, &FormationProfile::product_flops, inputs),
              of_block("additions", Unit::count, &FormationProfile::addition_flops, inputs),
              of_block("peak bytes, fp64", Unit::bytes, &FormationProfile::peak_bytes, 1)}};
}

Json work_json(const GraphWork& work, std::uint64_t inputs) {
  Json makespan;
  for (const auto& [execution, name] : kExecutions) {
    makespan[name] = nullptr;
    if (const std::optional<Makespan> mine = work.makespan(execution))
      makespan[name] = {{"unit", mine->unit}, {"flops", Value::mean(mine->flops, inputs).json()}};
  }
  return {{"tasks", work.tasks},
          {"flops", Value::mean(work.flops, inputs).json()},
          {"steps", work.steps},
          {"critical_path_flops",
           {{"level", Value::mean(work.critical_path_level, inputs).json()},
            {"dag", Value::mean(work.critical_path_dag, inputs).json()}}},
          {"makespan", std::move(makespan)}};
}

Json ratios_json(const PramProfile& scan, const GraphComparison& comparison) {
  Json ratios;
  for (const auto& [execution, name] : kExecutions) {
    const Makespans mine(scan, comparison, execution);
    ratios[name] = nullptr;
    if (mine.graph == 0) continue;
    ratios[name] = {{"scan", mine.alone() / mine.graph},
                    {"with_formation", mine.with_formation() / mine.graph},
                    {"with_formation_and_inner", mine.complete() / mine.graph}};
  }
  return ratios;
}

Document graph_document(const Network& network, const PramProfile& scan, const GraphComparison& comparison,
                        std::uint64_t inputs) {
  Document document;
  if (!network.has_blocks()) return document;
  const GraphWork& graph = comparison.backprop;
  document.say(fmt::format(
      "Plain BP over the graph, operator by operator: {} FLOPs in {} topological level{}, critical path {} FLOPs; on "
      "{} worker{} {} FLOPs level by level{}.\n",
      Value::mean(graph.flops, inputs).exact(), graph.steps, graph.steps == 1 ? "" : "s",
      Value::mean(graph.critical_path_dag, inputs).exact(), scan.workers, scan.workers == 1 ? "" : "s",
      Value::mean(graph.level.flops, inputs).exact(),
      graph.dag ? fmt::format(", {} without barriers", Value::mean(graph.dag->flops, inputs).exact()) : ""));
  if (has_no_cut(network)) return document;  // the verdict says so
  using Item = std::vector<Value>;
  const auto mean = [inputs](std::uint64_t sum) { return Value::mean(sum, inputs); };
  const auto span = [mean](const std::optional<Makespan>& makespan) {
    return (makespan ? mean(makespan->flops) : Value()).otherwise("?");
  };
  const auto work = [&](const char* name, const GraphWork& mine) {
    return Item{name, mean(mine.flops), mean(mine.level.flops), span(mine.dag)};
  };
  const auto speedup = [&](const char* name, double (Makespans::*of)() const) {
    const auto value = [&](Execution execution) {
      const Makespans mine(scan, comparison, execution);
      const double scans = (mine.*of)();
      return (mine.graph == 0 || scans == 0 ? Value() : Value(mine.graph / scans)).in(Unit::speedup);
    };
    return Item{name, Value().shown(""), value(Execution::level), value(Execution::dag)};
  };
  std::vector<Item> rows = {work("forming the blocks' Jacobians", comparison.formation),
                            {"the scan", Value().shown(""), mean(scan.level.flops), span(scan.dag)},
                            work("gradients inside blocks, after it", comparison.inner),
                            work("plain BP over the graph", graph),
                            speedup("speed-up of the scan over it", &Makespans::alone),
                            speedup("  with formation", &Makespans::with_formation),
                            speedup("  with formation and gradients inside", &Makespans::complete)};
  const std::vector<Column> columns = {
      {"", "", Unit::text}, {"", "FLOPs"}, {"", "makespan, level"}, {"", "makespan, dag"}};
  return std::move(
      document.show({"", columns, std::move(rows)})
          .say("The scan alone takes the blocks' Jacobians as given and stops at the ends of blocks; they depend on "
               "weights and activations,\nso that every iteration forms them first. The last line is the whole of what "
               "BP over the graph does: above 1x the scan pays off.\n"));
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
