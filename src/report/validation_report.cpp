#include "upsweep/report/validation_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "graph_run_report.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/scheme.hpp"

namespace upsweep {
namespace {

/// predicted / measured - 1, or nothing.
std::optional<double> error_of(const std::optional<double>& predicted, double measured) {
  if (!predicted || !(measured > 0)) return std::nullopt;
  return *predicted / measured - 1;
}

std::optional<double> predicted_seconds(const ScheduleValidation& one) {
  return one.prediction ? std::optional(one.prediction->seconds) : std::nullopt;
}

std::optional<double> predicted_level(const ScheduleValidation& one, std::size_t level) {
  if (!one.prediction || level >= one.prediction->level_seconds.size()) return std::nullopt;
  return one.prediction->level_seconds[level];
}

Json figures_json(const ErrorFigures& figures) {
  if (figures.points == 0) {
    return {{"points", 0}, {"mean", nullptr}, {"median", nullptr}, {"p90", nullptr}, {"max", nullptr}};
  }
  return {{"points", figures.points},
          {"mean", figures.mean},
          {"median", figures.median},
          {"p90", figures.p90},
          {"max", figures.max}};
}

/// A level of a schedule that ran.
struct LevelRow {
  const ScheduleProfile* profile;
  const ScheduleValidation* one;
  std::size_t level;
};

std::vector<LevelRow> level_rows(const ScheduleProfile& profile, const ScheduleValidation& one) {
  std::vector<LevelRow> rows;
  for (std::size_t level = 0; level < one.measurement.level_seconds.size(); ++level)
    rows.push_back({&profile, &one, level});
  return rows;
}

std::vector<Field<LevelRow>> level_row_fields() {
  using Item = const LevelRow&;
  const auto of = [](Item row) -> const LevelProfile& { return row.profile->levels[row.level]; };
  const auto measured = [](Item row) { return row.one->measurement.level_seconds[row.level]; };
  const auto predicted = [](Item row) { return predicted_level(*row.one, row.level); };
  return {{"level", "level", Unit::exact, &LevelRow::level},
          {"phase", "phase", Unit::text, [of](Item row) { return to_string(of(row).phase); }},
          {"ops", "ops", Unit::exact, [of](Item row) { return of(row).ops; }},
          {"flops_sum", "FLOPs", Unit::count, [of](Item row) { return of(row).flops_sum; }},
          {"predicted_s", "predicted", Unit::seconds, [=](Item row) { return predicted(row); }},
          {"measured_s", "measured", Unit::seconds, [=](Item row) { return measured(row); }},
          {"error", "error", Unit::change, [=](Item row) { return error_of(predicted(row), measured(row)); }}};
}

/// Levels of all schedules, by schedule.
Table all_levels_table(const ValidationReport& report) {
  std::vector<LevelRow> rows;
  for (std::size_t i = 0; i < report.profiles.size(); ++i)
    std::ranges::copy(level_rows(report.profiles[i], report.validation.schedules[i]), std::back_inserter(rows));
  std::vector<Field<LevelRow>> fields = level_row_fields();
  fields.insert(fields.begin(),
                {"schedule", {}, Unit::text, [](const LevelRow& row) { return row.profile->schedule.name; }});
  return {"", std::move(rows), std::move(fields)};
}

Json ops_json(const ScheduleValidation& one) {
  Json ops = Json::array();
  for (std::size_t id = 0; id < one.measurement.ops.size(); ++id) {
    const OpMeasurement& op = one.measurement.ops[id];
    ops.push_back({{"id", id},
                   {"nnz", op.nnz},
                   {"products", op.products},
                   {"flops", 2 * op.products},
                   {"predicted_alone_s", one.prediction ? Json(one.prediction->ops[id].alone_s) : Json()},
                   {"measured_busy_s", op.seconds}});
  }
  return ops;
}

Json schedule_json(const ScheduleProfile& profile, const ScheduleValidation& one) {
  Json object = {{"schedule", profile.schedule.name},
                 {"depth", profile.schedule.hybrid_depth() ? Json(*profile.schedule.hybrid_depth()) : Json()},
                 {"flops", totals(profile, Scope::all).flops},
                 {"skipped", one.skipped.empty() ? Json() : Json(one.skipped)},
                 {"failed", one.failed.empty() ? Json() : Json(one.failed)},
                 {"predicted_s", json_of(predicted_seconds(one))}};
  if (!one.ran()) return object;
  const Measurement& measured = one.measurement;
  object["measured_s"] = measured.seconds;
  object["error"] = json_of(error_of(predicted_seconds(one), measured.seconds));
  object["fastest_s"] = measured.fastest_seconds;
  object["repetitions"] = measured.repetitions;
  object["plan"] = {{"seconds", measured.plan_seconds}, {"bytes", measured.plan_bytes}};
  object["value_bytes"] = measured.value_bytes;
  object["workspace_bytes"] = measured.workspace_bytes;
  object["mismatch"] = one.mismatch ? Json(one.mismatch->what) : Json();
  object["mismatch_op"] = one.mismatch && one.mismatch->op ? Json(*one.mismatch->op) : Json();
  object["values"] = {{"elements", one.values.elements},
                      {"worst_share_of_bound", one.values.worst_share},
                      {"worst_relative_error", one.values.worst_relative},
                      {"loosest_relative_bound", one.values.loosest_bound}};
  object["levels"] = Table("", level_rows(profile, one), level_row_fields()).json();
  object["ops"] = ops_json(one);
  object["notes"] = measured.notes;
  return object;
}

Json best_json(const ValidationReport& report, const std::optional<std::size_t>& position) {
  return position ? Json(report.profiles[*position].schedule.name) : Json();
}

std::string status_text(const ScheduleValidation& one) {
  if (!one.failed.empty()) return "failed";
  if (!one.ran()) return "skipped";
  return one.mismatch ? "MISMATCH" : "right";
}

Table schedules_table(const ValidationReport& report) {
  std::vector<std::vector<Value>> rows;
  std::vector<bool> is_fastest;
  for (std::size_t i = 0; i < report.profiles.size(); ++i) {
    const ScheduleValidation& one = report.validation.schedules[i];
    const bool ran = one.ran();
    const auto if_ran = [ran](auto value) { return ran ? Value(value) : Value(); };
    const bool is_alone = report.profiles.size() == 1;
    is_fastest.push_back(!is_alone && report.validation.measured_best == i);
    std::string note = is_fastest.back() ? "<- fastest" : "";
    if (!is_alone && report.validation.predicted_best == i)
      note += note.empty() ? "<- predicted fastest" : " and predicted so";
    rows.push_back({report.profiles[i].schedule.name, totals(report.profiles[i], Scope::all).flops, status_text(one),
                    one.mismatch ? Value() : if_ran(one.values.worst_share), predicted_seconds(one),
                    if_ran(one.measurement.seconds),
                    ran ? Value(error_of(predicted_seconds(one), one.measurement.seconds)) : Value(),
                    if_ran(one.measurement.plan_bytes), note});
  }
  const std::vector<Column> columns = {{"", "schedule", Unit::text},
                                       {"", "FLOPs"},
                                       {"", "result", Unit::text},
                                       {"", "of bound", Unit::share},
                                       {"", "predicted", Unit::seconds},
                                       {"", "measured", Unit::seconds},
                                       {"", "error", Unit::change},
                                       {"", "plan", Unit::bytes},
                                       {"", "", Unit::text}};
  return Table("", columns, std::move(rows)).marks([is_fastest](std::size_t i) { return is_fastest[i]; });
}

std::string figures_text(const char* what, const ErrorFigures& figures) {
  return fmt::format(
      "Error of {} ({} point{}): mean {:.1f} %, median {:.1f} %, 90th percentile {:.1f} %, largest {:.1f} %.", what,
      figures.points, figures.points == 1 ? "" : "s", 100 * figures.mean, 100 * figures.median, 100 * figures.p90,
      100 * figures.max);
}

/// How far predictions are off, a sentence each.
std::vector<std::string> agreement_sentences(const ValidationReport& report) {
  const Validation& validation = report.validation;
  if (report.machine == nullptr)
    return {"Times are not predicted: no machine file. 'upsweep calibrate' writes one for --machine."};
  if (validation.end_to_end.points == 0) return {};
  std::vector<std::string> sentences;
  const Provenance& from = report.machine->provenance;
  if (from.backend != report.backend) {
    sentences.push_back(fmt::format(
        "Note: {} is {}, not a calibration of backend {}: its errors say nothing about the model.",
        short_text(report.machine->name, 120),
        from.backend.empty() ? "a " + from.origin : "calibrated for backend " + from.backend, report.backend));
  }
  sentences.push_back(figures_text("end-to-end times", validation.end_to_end));
  if (validation.levels.points > 0) sentences.push_back(figures_text("level times", validation.levels));
  if (validation.rank_agreement) {
    sentences.push_back(
        fmt::format("Rank agreement over the schedules (Spearman): {:.3f}.", *validation.rank_agreement));
  }
  if (validation.regret_of_choice && validation.schedules.size() > 1) {
    sentences.push_back(fmt::format("The predicted choice, {}, costs {:.1f} % more than the fastest, {}.",
                                    report.profiles[*validation.predicted_best].schedule.name,
                                    100 * *validation.regret_of_choice,
                                    report.profiles[*validation.measured_best].schedule.name));
  }
  return sentences;
}

std::string agreement_text(const ValidationReport& report) {
  std::string text;
  for (const std::string& sentence : agreement_sentences(report)) text += sentence + '\n';
  return text;
}

std::string build_text(const ValidationReport& report) {
  const Validation& validation = report.validation;
  if (!validation.any_ran()) return "";
  if (has_one_link(report)) return "No Jacobian is built for the schedules: none needs that of the first link.\n";
  std::string text = fmt::format("Building the chain{}: {} measured",
                                 report.forms_blocks ? ", Jacobians of blocks formed by products" : "",
                                 short_seconds(validation.measured_build_s));
  if (validation.predicted_build_s) text += fmt::format(", {} predicted", short_seconds(*validation.predicted_build_s));
  return text + "; not in the times above.\n";
}

/// Whether dense back-propagation ran beside the schedules.
bool has_dense(const ValidationReport& report) { return report.dense != nullptr && report.dense->skipped.empty(); }

Json dense_json(const ValidationReport& report) {
  if (report.dense == nullptr) return {};
  const DenseRun& dense = *report.dense;
  const auto figure = [&](const auto& value) { return has_dense(report) ? Json(value) : Json(); };
  const double both = dense.gradients_s + dense.weight_gradients_s;
  return {{"skipped", dense.skipped.empty() ? Json() : Json(dense.skipped)},
          {"library", "OpenBLAS"},
          {"measured_s", figure(dense.gradients_s)},
          {"predicted_s", json_of(report.predicted_dense_s)},
          {"error", has_dense(report) ? json_of(error_of(report.predicted_dense_s, dense.gradients_s)) : Json()},
          {"weight_gradients_s", figure(dense.weight_gradients_s)},
          {"weight_gradients_share", figure(both > 0 ? dense.weight_gradients_s / both : 0)},
          {"kernels", figure(dense.kernels)},
          {"kernel_s", figure(dense.kernel_s)},
          {"threads", figure(dense.threads)},
          {"repetitions", figure(dense.repetitions)}};
}

std::string dense_text(const ValidationReport& report) {
  if (report.dense == nullptr) return "";
  const DenseRun& dense = *report.dense;
  if (!dense.skipped.empty()) return fmt::format("Dense BP is not measured: {}.\n", dense.skipped);
  std::string text = fmt::format("Dense BP on this processor, {} kernel{} by OpenBLAS on {} thread{}: {} measured",
                                 dense.kernels, dense.kernels == 1 ? "" : "s", dense.threads,
                                 dense.threads == 1 ? "" : "s", short_seconds(dense.gradients_s));
  if (report.predicted_dense_s) {
    text += fmt::format(", {} predicted ({})", short_seconds(*report.predicted_dense_s),
                        Value(error_of(report.predicted_dense_s, dense.gradients_s)).text(Unit::change));
  }
  const double both = dense.gradients_s + dense.weight_gradients_s;
  if (dense.weight_gradients_s > 0) {
    text += fmt::format("; gradients of the weights take {} more, {:.3g} % of its backward pass",
                        short_seconds(dense.weight_gradients_s), 100 * dense.weight_gradients_s / both);
  }
  return text + ".\n";
}

/// Mismatches, skipped schedules and notes, a line each.
std::string remarks_text(const ValidationReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.profiles.size(); ++i) {
    const ScheduleValidation& one = report.validation.schedules[i];
    const std::string& name = report.profiles[i].schedule.name;
    if (!one.skipped.empty()) text += fmt::format("{} is skipped: {}.\n", name, one.skipped);
    if (!one.failed.empty()) text += fmt::format("{} failed: {}.\n", name, one.failed);
    if (one.mismatch) text += fmt::format("MISMATCH: {}.\n", one.mismatch->what);
    for (const std::string& note : one.measurement.notes) text += fmt::format("{}: {}.\n", name, note);
  }
  return text;
}

/// The pay-back of the verdict, whose set-up is planning.
Json measured_payback_json(const ValidationReport& report) {
  Json json = payback_json(validation_verdict(report).payback);
  if (!json.is_null()) json["planning_s"] = json["setup_s"];
  return json;
}

Json facts_json(const ValidationReport& report) {
  const Validation& validation = report.validation;
  Json schedules = Json::array();
  for (std::size_t i = 0; i < report.profiles.size(); ++i) {
    schedules.push_back(schedule_json(report.profiles[i], validation.schedules[i]));
  }
  Json json = {
      {"model", report.model_name},
      {"pattern", report.pattern},
      {"input", report.input},
      {"loss", report.loss},
      {"dtype", report.value_bytes == 8 ? "fp64" : "fp32"},
      {"backend", report.backend},
      {"device", report.device.device},
      {"driver", report.device.driver},
      {"workers", report.workers},
      {"execution", report.execution},
      {"machine", report.machine == nullptr ? Json() : Json(report.machine->name)},
      {"launch", launch_json(report.machine)},
      {"schedules", std::move(schedules)},
      {"chain_build",
       {{"predicted_s", json_of(validation.predicted_build_s)},
        {"measured_s", validation.any_ran() ? Json(validation.measured_build_s) : Json()}}},
      {"errors", {{"end_to_end", figures_json(validation.end_to_end)}, {"levels", figures_json(validation.levels)}}},
      {"rank_agreement", json_of(validation.rank_agreement)},
      {"regret", json_of(validation.regret_of_choice)},
      {"predicted_best", best_json(report, validation.predicted_best)},
      {"measured_best", best_json(report, validation.measured_best)},
      {"payback", measured_payback_json(report)},
      {"valid", compared_gradients(report) ? Json(!validation.first_mismatch().has_value()) : Json()}};
  json["dense_bp"] = dense_json(report);
  if (report.forms_blocks) json["graph_bp"] = graph_run_json(validation);
  return json;
}

}  // namespace

Document document(const ValidationReport& report) {
  Document document;
  document.facts([report] { return facts_json(report); })
      .say(fmt::format("{}: {} pattern at input {}, {}, {}\nbackend {} on {} ({}), {}, {} execution{}\n\n",
                       report.model_name, report.pattern, report.input, report.value_bytes == 8 ? "fp64" : "fp32",
                       report.loss, report.backend, report.device.device, report.device.driver,
                       workers_text(report.workers), report.execution,
                       report.machine == nullptr ? "" : ", predicted by " + report.machine->name))
      .sheet(all_levels_table(report))
      .show(schedules_table(report))
      .say("\n");
  for (std::size_t i = 0; i < report.profiles.size(); ++i) {
    std::vector<LevelRow> rows = level_rows(report.profiles[i], report.validation.schedules[i]);
    if (rows.empty()) continue;
    document.say(fmt::format("Levels of {}\n\n", report.profiles[i].schedule.name))
        .show({"", std::move(rows), level_row_fields()})
        .say("\n");
  }
  return std::move(document.say(remarks_text(report) + graph_run_text(report) + dense_text(report) +
                                build_text(report) + agreement_text(report)));
}

}  // namespace upsweep
