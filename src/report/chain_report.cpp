#include "upsweep/report/chain_report.hpp"

#include <fmt/format.h>

#include "profile_parts.hpp"
#include "recurrent_model_json.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

const char* kind_text(ElementKind kind) {
  switch (kind) {
    case ElementKind::dense:
      return "dense";
    case ElementKind::diagonal:
      return "diagonal";
    case ElementKind::banded:
      return "banded";
    case ElementKind::uniform:
      return "uniform";
  }
  return "";
}

std::string kinds_text(const HomogeneousChain& chain) {
  std::string text;
  for (const ElementKind kind : chain.kinds) text += fmt::format("{}{}", text.empty() ? "" : " and ", kind_text(kind));
  return text;
}

std::string structure_text(const HomogeneousChain& chain) {
  switch (chain.kinds.front()) {
    case ElementKind::banded:
      return fmt::format(", {} off the diagonal at most", chain.half_bandwidth);
    case ElementKind::uniform:
      return fmt::format(", {:.4g} of the entries at random", chain.density);
    default:
      return "";
  }
}

Json chain_model_json(const ChainModel& model) {
  const HomogeneousChain& chain = model.chain;
  const ElementKind kind = chain.kinds.front();
  return {{"name", model.name},
          {"chain",
           {{"kind", kinds_text(chain)},
            {"length", chain.elements},
            {"size", chain.size},
            {"half_bandwidth", kind == ElementKind::banded ? Json(chain.half_bandwidth) : Json()},
            {"density", kind == ElementKind::uniform ? Json(chain.density) : Json()}}},
          {"value_bytes", model.value_bytes}};
}

ProfileCounts counts_of(const ChainProfileReport& report) {
  const HomogeneousProfile& profile = report.profile;
  ProfileCounts counts{.schedule = profile.schedule,
                       .requested = report.requested,
                       .depth = profile.depth,
                       .length = profile.chain.length(),
                       .levels = profile.levels,
                       .all = totals(profile, Scope::all),
                       .live = totals(profile, Scope::live),
                       .linear_flops = report.reference.linear_flops,
                       .build_values = report.reference.build_values,
                       .build_bytes = report.reference.build_bytes,
                       .compared = report.compared};
  if (const auto* model = std::get_if<const RecurrentModel*>(&report.model))
    counts.baseline_flops = recurrent_baseline_flops(**model);
  if (const Machine* machine = report.compared.options.machine)
    counts.seconds = {machine->name, report.compared.last().level_s.value(), report.compared.last().dag_s, {}};
  return counts;
}

Json homogeneous_level_json(const HomogeneousLevel& level) {
  Json object = level_json(level.profile, 1);
  object.update({{"mv_ops", level.mv_ops}, {"dead_ops", level.dead_ops}, {"nnz", level.nnz}, {"bytes", level.bytes}});
  return object;
}

Json level_runs_json(const HomogeneousProfile& profile) {
  Json levels = Json::array();
  std::uint64_t first = 0;
  for (const LevelRun& run : profile.runs) {
    Json object = {{"level", first}, {"repeat", run.levels}};
    object.update(homogeneous_level_json(run.cycle.front()));
    if (run.cycle.size() > 1) {
      object["cycle"] = Json::array();
      for (const HomogeneousLevel& level : run.cycle) object["cycle"].push_back(homogeneous_level_json(level));
    }
    levels.push_back(std::move(object));
    first += run.levels;
  }
  return levels;
}

std::string level_runs_text(const HomogeneousProfile& profile, const TextStyle& style) {
  TextTable table(
      {{"levels"}, {"phase", TextTable::Align::left}, {"ops each"}, {"FLOPs each"}, {"largest op"}, {"bytes each"}});
  for (const LevelRun& run : profile.runs) {
    for (const HomogeneousLevel& level : run.cycle) {
      table.row({fmt::format("{}", run.levels / run.cycle.size()), to_string(level.profile.phase),
                 fmt::format("{}", level.profile.ops), short_count(level.profile.flops_sum, 1),
                 short_count(level.profile.flops_max, 1), short_bytes(level.bytes, 1)});
    }
  }
  return table.text(style);
}

}  // namespace

std::string chain_model_text(const ChainModel& model) {
  const HomogeneousChain& chain = model.chain;
  return fmt::format("{}: chain of {} {} Jacobian{} of {} x {}{}", model.name, chain.elements, kinds_text(chain),
                     chain.elements == 1 ? "" : "s", chain.size, chain.size, structure_text(chain));
}

std::string expectation_text(const ChainModel& model) {
  if (model.chain.is_exact()) return "";
  return "Expected counts, not exact ones: entries are random.\n"
         "Paths and makespans are of ops that take their expected FLOPs, mostly below the mean over random chains.\n";
}

std::string recurrent_model_text(const RecurrentModel& model) {
  return fmt::format("{}: {} of {} hidden elements, {} steps, {} Jacobian{} per step", model.name,
                     to_string(model.shape.kind), model.shape.hidden, model.steps, model.is_fused ? "one" : "two",
                     model.is_fused ? "" : "s");
}

std::optional<std::uint64_t> recurrent_baseline_flops(const RecurrentModel& model) {
  if (model.shape.kind != CellKind::rnn) return std::nullopt;
  const std::uint64_t h = model.shape.hidden;
  return checked_add(checked_mul(model.steps - 1, checked_mul(2, checked_mul(h, h))),
                     checked_mul(model.steps, checked_mul(2, h)));
}

Json to_json(const ChainProfileReport& report) {
  const auto* chain = std::get_if<const ChainModel*>(&report.model);
  Json object = {{"model", chain != nullptr ? chain_model_json(**chain)
                                            : recurrent_model_json(*std::get<const RecurrentModel*>(report.model))},
                 {"exact", chain == nullptr || (*chain)->chain.is_exact()},
                 {"pattern", "guaranteed"},
                 {"levels", level_runs_json(report.profile)}};
  add_counts(object, counts_of(report));
  return object;
}

std::string to_csv(const ChainProfileReport& report) {
  std::string csv =
      csv_line({"level", "repeat", "phase", "ops", "mv_ops", "dead_ops", "flops_sum", "flops_max", "span_max"});
  std::uint64_t first = 0;
  for (const LevelRun& run : report.profile.runs) {
    for (const HomogeneousLevel& level : run.cycle) {
      csv += csv_line({fmt::format("{}", first), fmt::format("{}", run.levels / run.cycle.size()),
                       to_string(level.profile.phase), fmt::format("{}", level.profile.ops),
                       fmt::format("{}", level.mv_ops), fmt::format("{}", level.dead_ops),
                       fmt::format("{}", level.profile.flops_sum), fmt::format("{}", level.profile.flops_max),
                       fmt::format("{}", level.profile.span_max)});
    }
    first += run.levels;
  }
  return csv;
}

std::string to_text(const ChainProfileReport& report, const TextStyle& style) {
  const auto* chain = std::get_if<const ChainModel*>(&report.model);
  const ProfileCounts counts = counts_of(report);
  const std::string model = chain != nullptr ? chain_model_text(**chain)
                                             : recurrent_model_text(*std::get<const RecurrentModel*>(report.model));
  return fmt::format("{}\n{}\n{}\n{}{}{}", model, schedule_text(counts), level_runs_text(report.profile, style),
                     counts_text(counts, "(linear, same Jacobians)", "", style), seconds_text(counts),
                     chain != nullptr ? expectation_text(**chain) : "Figures are those of one sequence.\n");
}

}  // namespace upsweep
