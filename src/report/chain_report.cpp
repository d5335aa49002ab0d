#include "upsweep/report/chain_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

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

/// A level of a cycle of them, each as often as the run has cycles.
struct LevelRow {
  std::uint64_t first;  ///< level of the run
  std::uint64_t repeat;
  const HomogeneousLevel* level;
};

std::vector<Field<LevelRow>> level_run_fields() {
  std::vector<Field<LevelRow>> fields = {
      {"level", {}, Unit::exact, [](const LevelRow& row) { return row.first; }},
      {"repeat", "levels", Unit::exact, [](const LevelRow& row) { return row.repeat; }}};
  for (Field<const LevelProfile*>& field : level_fields(1)) {
    fields.emplace_back(field.name, field.head, field.unit,
                        [value = std::move(field.value)](const LevelRow& row) { return value(&row.level->profile); });
  }
  using H = HomogeneousLevel;
  const auto field = [](std::string name, std::optional<std::string> head, Unit unit, std::uint64_t H::*figure) {
    return Field<LevelRow>(std::move(name), std::move(head), unit,
                           [figure](const LevelRow& row) { return row.level->*figure; });
  };
  fields.push_back(field("mv_ops", {}, Unit::exact, &H::mv_ops));
  fields.push_back(field("dead_ops", {}, Unit::exact, &H::dead_ops));
  fields.push_back(field("nnz", {}, Unit::exact, &H::nnz));
  fields.push_back(field("bytes", "bytes each", Unit::bytes, &H::bytes));
  return fields;
}

Table level_runs_table(const HomogeneousProfile& profile) {
  std::vector<LevelRow> rows;
  std::uint64_t first = 0;
  for (const LevelRun& run : profile.runs) {
    for (const HomogeneousLevel& level : run.cycle) rows.push_back({first, run.levels / run.cycle.size(), &level});
    first += run.levels;
  }
  return {"", std::move(rows), level_run_fields()};
}

/// The same with a row for each run; one of several levels in turn has all of them as its `cycle`.
Json level_runs_json(const HomogeneousProfile& profile) {
  Json levels = Json::array();
  std::uint64_t first = 0;
  for (const LevelRun& run : profile.runs) {
    std::vector<LevelRow> rows;
    for (const HomogeneousLevel& level : run.cycle) rows.push_back({first, run.levels, &level});
    const Json cycle = Table("", std::move(rows), level_run_fields()).json();
    levels.push_back(cycle.front());
    if (run.cycle.size() > 1) levels.back()["cycle"] = cycle;
    first += run.levels;
  }
  return levels;
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

Document document(const ChainProfileReport& report) {
  const auto* chain = std::get_if<const ChainModel*>(&report.model);
  const ProfileCounts counts = counts_of(report);
  const std::string model = chain != nullptr ? chain_model_text(**chain)
                                             : recurrent_model_text(*std::get<const RecurrentModel*>(report.model));
  Document document;
  document
      .facts([report, chain = chain != nullptr ? *chain : nullptr] {
        return Json{{"model", chain != nullptr ? chain_model_json(*chain)
                                               : recurrent_model_json(*std::get<const RecurrentModel*>(report.model))},
                    {"exact", chain == nullptr || chain->chain.is_exact()},
                    {"pattern", "guaranteed"},
                    {"levels", level_runs_json(report.profile)}};
      })
      .say(fmt::format("{}\n{}\n", model, schedule_text(counts)))
      .show_sheet(level_runs_table(report.profile))
      .say("\n")
      .add(counts_document(counts, "(linear, same Jacobians)", ""))
      .say(seconds_text(counts))
      .say(chain != nullptr ? expectation_text(**chain) : "Figures are those of one sequence.\n");
  return document;
}

}  // namespace upsweep
