#include "upsweep/report/profile_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "graph_report.hpp"
#include "profile_parts.hpp"
#include "upsweep/document/estimate_mark.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/profile/estimate.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/sim/graph_backprop.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostOpsInText = 100;

/// 1 - nnz / (rows · cols) of the mean.
double sparsity(const OperatorProfile& op, std::uint64_t inputs) {
  const double entries = static_cast<double>(op.rows) * static_cast<double>(op.cols);
  return 1 - static_cast<double>(op.nnz) / static_cast<double>(inputs) / entries;
}

std::string position_text(std::int64_t position) {
  return position == Combine::kReduction ? "red" : fmt::format("a[{}]", position);
}

Value jacobian_value(const Operator& op, const OperatorProfile& mine, std::uint64_t inputs) {
  if (is_view(op.kind) || is_join(op.kind)) return Value().shown(is_view(op.kind) ? "view" : "join");
  return Value::object({{"rows", mine.rows},
                        {"cols", mine.cols},
                        {"nnz", Value::mean(mine.nnz, inputs).json()},
                        {"sparsity", sparsity(mine, inputs)},
                        {"bytes", Value::mean(mine.bytes, inputs).json()}})
      .shown(fmt::format("{} x {}", mine.rows, mine.cols));
}

Table operators_table(const ProfileReport& report) {
  const Network& network = report.network;
  const NetworkProfile& counted = report.network_profile;
  const std::uint64_t inputs = counted.inputs;
  using Op = const Operator&;
  using Mine = const OperatorProfile&;
  const auto field = [&](std::string name, std::optional<std::string> head, Unit unit,
                         std::function<Value(Op, Mine)> value) {
    return Field<std::size_t>(std::move(name), std::move(head), unit, [&, value = std::move(value)](std::size_t o) {
      return value(network.operators()[o], counted.operators[o]);
    });
  };
  /// Beside the object of the Jacobian, of which views and joins have none.
  const auto of_jacobian = [field](std::string head, Unit unit, std::function<Value(Mine)> value) {
    return field("", std::move(head), unit, [value = std::move(value)](Op op, Mine mine) {
      return is_view(op.kind) || is_join(op.kind) ? Value().shown("") : value(mine);
    });
  };
  std::vector<Field<std::size_t>> fields = {
      {"index", "#", Unit::exact, [](std::size_t o) { return o + 1; }},
      field("name", "operator", Unit::text, [](Op op, Mine) { return op.name; }),
      field("kind", "kind", Unit::text, [](Op op, Mine) { return kind_name(op.kind); }),
      field("in_shape", {}, Unit::object, [](Op op, Mine) { return Value::object(op.in_shape); }),
      field("out_shape", {}, Unit::object, [](Op op, Mine) { return Value::object(op.out_shape); }),
      field("", "output", Unit::text, [](Op op, Mine) { return to_string(op.out_shape); }),
      field("jacobian", "Jacobian^T", Unit::object, [=](Op op, Mine mine) { return jacobian_value(op, mine, inputs); }),
      of_jacobian("nnz", Unit::exact, [=](Mine mine) { return Value::mean(mine.nnz, inputs); }),
      of_jacobian("sparsity", Unit::exact, [=](Mine mine) { return fmt::format("{:.6f}", sparsity(mine, inputs)); }),
      of_jacobian("bytes", Unit::bytes, [=](Mine mine) { return Value::mean(mine.bytes, inputs); }),
      field("baseline_flops", "dense BP FLOPs", Unit::count,
            [=](Op, Mine mine) { return Value::mean(mine.baseline_flops, inputs); })};
  if (network.has_blocks()) {
    fields.emplace_back("inputs", std::nullopt, Unit::object,
                        [&network](std::size_t o) { return Value::object(inputs_json(network, o)); });
  }
  return {"model/operators", numbered(network.operators().size()), std::move(fields)};
}

Table ops_table(const ScheduleProfile& profile) {
  using Op = const OpProfile&;
  using Step = const Combine&;
  const auto field = [&profile](std::string name, std::optional<std::string> head, Unit unit,
                                std::function<Value(Op, Step)> value) {
    return Field<std::size_t>(std::move(name), std::move(head), unit,
                              [&profile, value = std::move(value)](std::size_t id) {
                                return value(profile.ops[id], profile.schedule.combines[id]);
                              });
  };
  const auto mean = [&](std::string name, std::optional<std::string> head, Unit unit, std::uint64_t OpProfile::*sum) {
    return field(std::move(name), std::move(head), unit,
                 [sum, inputs = profile.inputs](Op op, Step) { return Value::mean(op.*sum, inputs); });
  };
  /// People see marked what is an estimate.
  const auto counted = [&](std::string name, std::string head, Unit unit, std::uint64_t OpProfile::*sum) {
    return field(std::move(name), std::move(head), unit, [sum, unit, inputs = profile.inputs](Op op, Step) {
      return marked_unless(op.is_exact, Value::mean(op.*sum, inputs), unit);
    });
  };
  const auto interval = [&](std::string name, std::uint64_t OpProfile::*count) {
    return Field<std::size_t>(std::move(name), std::nullopt, Unit::interval,
                              [&profile, count](std::size_t id) { return op_interval(profile, id, count); });
  };
  Table table("ops", numbered(profile.ops.size()),
              std::vector<Field<std::size_t>>{
                  {"id", "op", Unit::exact, [](std::size_t id) { return id; }},
                  field("phase", "phase", Unit::text, [](Op, Step step) { return to_string(step.phase); }),
                  field("level", "level", Unit::exact, [](Op, Step step) { return step.level; }),
                  field("left", {}, Unit::exact, [](Op, Step step) { return step.left; }),
                  field("right", {}, Unit::exact, [](Op, Step step) { return step.right; }),
                  field("target", {}, Unit::exact, [](Op, Step step) { return step.target; }),
                  field("", "combine", Unit::text,
                        [](Op, Step step) {
                          return Value(fmt::format("{} <- {} o {}", position_text(step.target),
                                                   position_text(step.left), position_text(step.right)));
                        }),
                  field("kind", "kind", Unit::text, [](Op op, Step) { return Value(op.is_mv ? "mv" : "mm"); }),
                  field("dead", {}, Unit::text, [](Op op, Step) { return op.dead; }),
                  field("", "m x k x n", Unit::exact,
                        [](Op op, Step) { return fmt::format("{} x {} x {}", op.m, op.k, op.n); }),
                  field("m", {}, Unit::exact, [](Op op, Step) { return op.m; }),
                  field("k", {}, Unit::exact, [](Op op, Step) { return op.k; }),
                  field("n", {}, Unit::exact, [](Op op, Step) { return op.n; }),
                  mean("left_nnz", {}, Unit::exact, &OpProfile::left_nnz),
                  mean("right_nnz", {}, Unit::exact, &OpProfile::right_nnz),
                  counted("nnz", "nnz", Unit::exact, &OpProfile::nnz),
                  mean("products", {}, Unit::exact, &OpProfile::products),
                  counted("flops", "FLOPs", Unit::count, &OpProfile::flops),
                  counted("bytes", "bytes", Unit::bytes, &OpProfile::bytes),
                  mean("span", {}, Unit::exact, &OpProfile::span),
                  field("exact", {}, Unit::text, [](Op op, Step) { return Value(op.is_exact); }),
                  interval("interval", &OpProfile::flops),
                  interval("nnz_interval", &OpProfile::nnz),
                  field("", "", Unit::text, [](Op op, Step) { return Value(op.dead ? "dead" : ""); })});
  return std::move(table).at_most(kMostOpsInText,
                                  fmt::format("{} ops: --format csv lists them.\n", profile.ops.size()));
}

Table levels_table(const ScheduleProfile& profile) {
  std::vector<Field<std::size_t>> fields = {{"level", "level", Unit::exact, [](std::size_t level) { return level; }}};
  for (Field<const LevelProfile*>& field : level_fields(profile.inputs, profile.without.empty())) {
    fields.emplace_back(
        field.name, field.head, field.unit,
        [&profile, value = std::move(field.value)](std::size_t level) { return value(&profile.levels[level]); });
  }
  return {"levels", numbered(profile.levels.size()), std::move(fields)};
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
      compared.last().dag_s, predict_build_seconds(network, counted, machine, compared.workers, options.value_bytes)};
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

Document document(const ProfileReport& report) {
  const ScheduleProfile& profile = report.profile;
  const NetworkProfile& network = report.network_profile;
  const std::uint64_t inputs = profile.inputs;
  const ProfileCounts counts = counts_of(report);
  const bool has_blocks = report.network.has_blocks();
  const GraphComparison graph =
      compare_with_graph(report.network, network, report.compared.workers, report.compared.options.batch);
  Document document;
  document
      .facts([report, graph, inputs] {
        const NetworkProfile& counted = report.network_profile;
        Json json = {{"model", {{"name", report.model_name}, {"input", report.network.input()}}},
                     {"pattern", report.pattern},
                     {"inputs", inputs},
                     {"counting", counting_json(&counted)},
                     {"graph_bp", work_json(graph.backprop, inputs)},
                     {"inside_blocks", work_json(graph.inner, inputs)},
                     {"ratio_to_graph_bp", ratios_json(report.compared.last().pram, graph)},
                     {"chain_build",
                      {{"formation_flops", Value::mean(counted.formation_flops, inputs).json()},
                       {"formation", work_json(graph.formation, inputs)}}}};
        add_graph_seconds(graph_seconds_of(report), json["graph_bp"], json["chain_build"]["formation"],
                          json["inside_blocks"]);
        const Candidate& mine = report.compared.last();
        json["estimate"] = nullptr;
        if (!mine.is_exact()) {
          json["estimate"] = {{"flops_interval", interval_json(mine.flops_interval)},
                              {"score_interval", interval_json(mine.score_interval)},
                              {"shared_interval", interval_json(mine.shared_interval)}};
        }
        if (report.times) json["time"]["level_seconds"] = report.times->level.level_seconds;
        return json;
      })
      .say(fmt::format("{}: {} operators, {} pattern{}\n\n", report.model_name, report.network.operators().size(),
                       report.pattern, inputs == 1 ? "" : fmt::format(", means over {} inputs", inputs)))
      .show(operators_table(report))
      .say("\n");
  if (has_blocks) {
    document.show(links_table(report.network, network)).say("\n");
  } else {
    document.list(links_table(report.network, network));
  }
  document
      .say(fmt::format("{}{}\n{}\n", counting_text(&network), estimates_text(report.compared), schedule_text(counts)))
      .show_sheet(ops_table(profile))
      .say("\n")
      .show(levels_table(profile))
      .say("\n")
      .add(counts_document(
          counts, has_blocks ? "over the chain (linear, blocks' Jacobians given)" : "(linear, same sparse Jacobians)",
          formation_text(network)));
  if (has_blocks) {
    document.say("\n")
        .add(graph_document(report.network, report.compared.last().pram, graph, inputs))
        .say(graph_seconds_text(graph_seconds_of(report)));
  }
  return std::move(document.say(report.times ? '\n' + seconds_text(counts) : "").say(report.remarks));
}

}  // namespace upsweep
