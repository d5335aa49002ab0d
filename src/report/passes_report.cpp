#include "upsweep/report/passes_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "recurrent_model_json.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

constexpr double kMostDrift = 1.15;

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::optional<double> predicted_seconds(const PassesReport& report, std::size_t i) {
  return report.predictions[i] ? std::optional(report.predictions[i]->times.total()) : std::nullopt;
}

/// predicted / measured - 1, or nothing.
std::optional<double> error_of(const PassesReport& report, std::size_t i) {
  const std::optional<double> predicted = predicted_seconds(report, i);
  const double measured = report.validation.passes[i].times.total();
  if (!predicted || !report.validation.passes[i].ran() || !(measured > 0)) return std::nullopt;
  return *predicted / measured - 1;
}

Json times_json(const ScanTimes& times) {
  return {{"jacobians_s", times.jacobians}, {"up_s", times.up}, {"middle_s", times.middle}, {"down_s", times.down}};
}

Json flops_json(const ScanFlops& flops) {
  return {{"jacobians", flops.jacobians},
          {"up", flops.up},
          {"middle", flops.middle},
          {"down", flops.down},
          {"total", flops.total()}};
}

template <class Comparison>
Json comparison_json(const Comparison& comparison) {
  const auto finite = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  return {{"elements", comparison.elements},
          {"unbounded", comparison.unbounded},
          {"worst_share_of_bound", finite(comparison.worst_share)},
          {"worst_relative_error", finite(comparison.worst_relative)},
          {"mismatch", comparison.mismatch ? Json(*comparison.mismatch) : Json()}};
}

Json pass_json(const PassesReport& report, std::size_t i) {
  const PassOutcome& pass = report.validation.passes[i];
  Json object = {{"method", to_string(pass.request.method)},
                 {"backend", pass.request.backend},
                 {"failed", pass.ran() ? Json() : Json(pass.failure)},
                 {"predicted_s", optional_json(predicted_seconds(report, i))}};
  if (const auto& predicted = report.predictions[i]) {
    object["predicted"] = times_json(predicted->times);
    object["bound"] = {{"jacobians", to_string(predicted->bounds.jacobians)},
                       {"up", to_string(predicted->bounds.up)},
                       {"middle", to_string(predicted->bounds.middle)},
                       {"down", to_string(predicted->bounds.down)}};
  }
  if (!pass.ran()) return object;
  object["measured_s"] = pass.times.total();
  object["measured"] = times_json(pass.times);
  object["error"] = optional_json(error_of(report, i));
  object["fastest_s"] = pass.fastest_seconds;
  object["repetitions"] = pass.repetitions;
  object["ratio_to_baseline"] = optional_json(ratio_to_baseline(report, i));
  object["iteration_ratio"] = optional_json(iteration_ratio(report, i));
  object["flops"] = flops_json(pass.flops);
  object["bytes"] = pass.bytes;
  object["plan_s"] = pass.plan_seconds;
  object["all_hidden_gradients"] = pass.is_whole;
  object["hidden_gradients"] = comparison_json(pass.hidden);
  object["parameter_gradients"] = pass.is_whole ? comparison_json(pass.parameters) : Json();
  object["notes"] = pass.notes;
  return object;
}

Json outer_json(const OuterOutcome& outer) {
  Json object = {{"backend", outer.backend}, {"failed", outer.ran() ? Json() : Json(outer.failure)}};
  if (!outer.ran()) return object;
  const double share = outer.states.worst_share;
  object["forward_s"] = outer.forward_s;
  object["parameters_s"] = optional_json(outer.parameters_s);
  object["states"] = {{"elements", outer.states.elements},
                      {"unbounded", outer.states.unbounded},
                      {"worst_share_of_bound", std::isfinite(share) ? Json(share) : Json()},
                      {"mismatch", outer.states.mismatch ? Json(*outer.states.mismatch) : Json()}};
  object["notes"] = outer.notes;
  return object;
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string result_text(const PassOutcome& pass) {
  if (!pass.ran()) return "not run";
  if (pass.mismatch()) return "MISMATCH";
  if (pass.hidden.unbounded + pass.parameters.unbounded > 0) return "unproven";
  return pass.is_whole ? "right" : "g_0 right";
}

std::string phase_text(double seconds) { return seconds > 0 ? short_seconds(seconds) : "-"; }

void add_row(const PassesReport& report, std::size_t i, bool names_backend, TextTable& table) {
  const PassOutcome& pass = report.validation.passes[i];
  const std::string name = to_string(pass.request.method);
  std::vector<std::string> cells = {names_backend ? fmt::format("{} {}", pass.request.backend, name) : name,
                                    result_text(pass)};
  const auto predicted = predicted_seconds(report, i);
  if (!pass.ran()) {
    cells.insert(cells.end(),
                 {"-", "-", "-", "-", "-", "-", "-", predicted ? short_seconds(*predicted) : "-", "-", "-", "-", "-"});
    table.row(std::move(cells));
    return;
  }
  const auto error = error_of(report, i);
  const auto ratio = ratio_to_baseline(report, i);
  const double seconds = pass.times.total();
  cells.insert(cells.end(),
               {pass.mismatch() ? "-" : share_text(std::max(pass.hidden.worst_share, pass.parameters.worst_share)),
                short_count(static_cast<double>(pass.flops.total())), phase_text(pass.times.jacobians),
                phase_text(pass.times.up), phase_text(pass.times.middle), phase_text(pass.times.down),
                short_seconds(seconds), predicted ? short_seconds(*predicted) : "-",
                error ? fmt::format("{:+.1f} %", 100 * *error) : "-", ratio ? short_ratio(*ratio) : "-",
                fmt::format("{:.2f}", static_cast<double>(pass.flops.total()) / seconds / 1e9),
                short_bytes(static_cast<double>(pass.bytes))});
  table.row(std::move(cells));
}

std::string passes_text(const PassesReport& report) {
  const auto& passes = report.validation.passes;
  const bool names_backend = std::any_of(
      passes.begin(), passes.end(), [&](const PassOutcome& pass) { return pass.request.backend != report.backend; });
  TextTable table({{"pass", Align::left},
                   {"result", Align::left},
                   {"of bound"},
                   {"FLOPs"},
                   {"Jacobians"},
                   {"up"},
                   {"middle"},
                   {"down"},
                   {"measured"},
                   {"predicted"},
                   {"error"},
                   {"to first"},
                   {"GFLOP/s"},
                   {"memory"}});
  for (std::size_t i = 0; i < passes.size(); ++i) add_row(report, i, names_backend, table);
  return table.text();
}

/// "up arithmetic, down memory".
std::string bounds_text(const PassPrediction& prediction) {
  const std::vector<std::pair<const char*, TimeBound>> phases = {{"Jacobians", prediction.bounds.jacobians},
                                                                 {"up", prediction.bounds.up},
                                                                 {"middle", prediction.bounds.middle},
                                                                 {"down", prediction.bounds.down}};
  std::string text;
  for (const auto& [phase, bound] : phases) {
    if (bound == TimeBound::nothing) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", phase, to_string(bound));
  }
  return text;
}

bool changed_speed(const PassesReport& report) {
  const auto changed = [](const std::optional<double>& drift) {
    return drift && (*drift > kMostDrift || *drift < 1 / kMostDrift);
  };
  return changed(report.validation.drift) || changed(report.rates_drift);
}

/// The fastest of the passes that are right and scans, or of those that are none.
std::optional<std::size_t> fastest(const std::vector<PassOutcome>& passes, bool scans) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (!passes[i].ran() || passes[i].mismatch() || is_scan(passes[i].request.method) != scans) continue;
    if (!best || passes[i].times.total() < passes[*best].times.total()) best = i;
  }
  return best;
}

/// A sentence for each backend that ran forward passes and parameter gradients.
std::string outer_text(const PassesReport& report) {
  std::string text;
  for (const OuterOutcome& one : report.validation.outer) {
    if (!one.ran()) {
      text += fmt::format("The forward pass was not run on {}: {}\n", one.backend, one.failure);
      continue;
    }
    const bool is_here = &one == &report.validation.outer.front();
    text += fmt::format("{}{}, parameter gradients {}",
                        is_here ? std::string("Forward pass ") : fmt::format("On {}: forward pass ", one.backend),
                        short_seconds(one.forward_s), one.parameters_s ? short_seconds(*one.parameters_s) : "-");
    text += is_here ? fmt::format(", gradients in double precision with bounds {}; ",
                                  short_seconds(report.validation.oracle_s))
                    : std::string(", without head and transfers; ");
    text += one.states.mismatch
                ? std::string("a state is wrong.\n")
                : fmt::format("states are within {} of the bound of a step.\n", share_text(one.states.worst_share));
    if (one.states.unbounded > 0) {
      text += fmt::format("{}: {} states have no finite bound and are only known to be finite\n", one.backend,
                          one.states.unbounded);
    }
    for (const std::string& note : one.notes) text += fmt::format("{}: {}\n", one.backend, note);
    if (const auto mismatch = one.mismatch()) text += fmt::format("MISMATCH: {}\n", *mismatch);
  }
  return text;
}

}  // namespace

std::optional<double> ratio_to_baseline(const PassesReport& report, std::size_t i) {
  const auto& passes = report.validation.passes;
  if (!passes.front().ran() || !passes[i].ran() || !(passes.front().times.total() > 0)) return std::nullopt;
  return passes[i].times.total() / passes.front().times.total();
}

std::optional<double> iteration_ratio(const PassesReport& report, std::size_t i) {
  const auto& passes = report.validation.passes;
  const OuterOutcome* const outer = report.validation.outer_of(report.backend);
  if (outer == nullptr || !outer->parameters_s || !passes.front().ran() || !passes[i].ran()) return std::nullopt;
  const double other = outer->forward_s + *outer->parameters_s;
  return (other + passes[i].times.total()) / (other + passes.front().times.total());
}

Verdict passes_verdict(const PassesReport& report) {
  const auto& passes = report.validation.passes;
  Verdict verdict;
  verdict.same = kMostDrift - 1;
  verdict.is_decided = !changed_speed(report);
  const auto wrong = std::ranges::count_if(passes, [](const PassOutcome& pass) { return !!pass.mismatch(); });
  if (wrong > 0)
    verdict.sentences.push_back(fmt::format("{} of {} passes gave WRONG gradients.", wrong, passes.size()));
  const std::optional<std::size_t> scan = fastest(passes, true);
  const std::optional<std::size_t> plain = fastest(passes, false);
  if (!plain) {
    verdict.sentences.push_back("No pass that is no scan ran and was right: there is nothing to compare with.");
    return verdict;
  }
  const double plain_s = passes[*plain].times.total();
  const std::string name = to_string(passes[*plain].request.method);
  verdict.baselines = {{"sparse-bp", plain_s, true}};
  const std::string on = fmt::format("On {} ({}), {}", report.device.device, workers_text(report.workers),
                                     sequences_text(report.model.batch));
  if (!scan) {
    verdict.is_decided = false;
    verdict.sentences.push_back(
        fmt::format("{}: the fastest is {} with {}; no scan ran and was right.", on, name, short_seconds(plain_s)));
    return verdict;
  }
  Baseline& baseline = verdict.baselines.front();
  baseline.best_scan = to_string(passes[*scan].request.method);
  baseline.scan_score = passes[*scan].times.total();
  const double ratio = baseline.scan_score / plain_s;
  const std::string standing = !verdict.is_decided ? "nothing follows, as this machine changed its speed"
                               : standing_of(ratio, verdict.same) == Standing::gains_nothing
                                   ? "too close to call on a shared machine"
                                   : pays_text(ratio, verdict.same);
  std::string text = fmt::format(
      "{}: {} takes {} of the time of {}, the fastest that is no scan ({} against {}): {}; "
      "it does {} of its FLOPs",
      on, baseline.best_scan, short_ratio(ratio), name, short_seconds(baseline.scan_score), short_seconds(plain_s),
      standing,
      short_ratio(static_cast<double>(passes[*scan].flops.total()) /
                  static_cast<double>(passes[*plain].flops.total())));
  if (report.predictions[*scan] && report.predictions[*plain]) {
    const double predicted = *predicted_seconds(report, *scan) / *predicted_seconds(report, *plain);
    text +=
        fmt::format(" (predicted: {} of the time, {:+.1f} %)", short_ratio(predicted), 100 * (predicted / ratio - 1));
  }
  verdict.sentences.push_back(text + ".");
  if (verdict.pays() == Pays::yes) {
    // What is planned once, beyond what the pass that is no scan plans.
    const double planned = passes[*scan].plan_seconds - passes[*plain].plan_seconds;
    verdict.payback = Payback{baseline.best_scan, plain_s - baseline.scan_score, std::max(0.0, planned)};
    verdict.sentences.push_back(
        payback_text(*verdict.payback, fmt::format("what planning takes more than that of {}", name)));
  }
  if (const auto& predicted = report.predictions[*scan])
    verdict.sentences.push_back(fmt::format("What bounds it, by the prediction: {}.", bounds_text(*predicted)));
  if (const auto whole = iteration_ratio(report, *scan)) {
    verdict.sentences.push_back(fmt::format("A whole iteration (forward, backward, parameters) takes {} of one by {}.",
                                            short_ratio(*whole), to_string(passes.front().request.method)));
  }
  return verdict;
}

Json to_json(const PassesReport& report) {
  const PassesValidation& validation = report.validation;
  Json passes = Json::array();
  Json outer = Json::array();
  bool all_right = true;
  bool all_ran = true;
  for (const OuterOutcome& one : validation.outer) {
    outer.push_back(outer_json(one));
    all_right = all_right && !one.mismatch();
    all_ran = all_ran && (one.ran() || one.backend != report.backend);  // cuda's beside cudnn is an extra
  }
  for (std::size_t i = 0; i < validation.passes.size(); ++i) {
    passes.push_back(pass_json(report, i));
    all_right = all_right && !validation.passes[i].mismatch();
    all_ran = all_ran && validation.passes[i].ran();
  }
  return {
      {"model", recurrent_model_json(report.model)},
      {"backend", report.backend},
      {"device", report.device.device},
      {"driver", report.device.driver},
      {"workers", report.workers},
      {"sequences", report.sequences},
      {"loss", validation.loss},
      {"forward_s", validation.outer.front().forward_s},
      {"predicted_forward_s", report.predictions.front() ? Json(report.predictions.front()->forward_s) : Json()},
      {"parameters_s", optional_json(validation.outer.front().parameters_s)},
      {"predicted_parameters_s", report.predictions.front() ? Json(report.predictions.front()->parameters_s) : Json()},
      {"outer", outer},
      {"oracle_s", validation.oracle_s},
      {"drift", optional_json(validation.drift)},
      {"rates_drift", optional_json(report.rates_drift)},
      {"largest_gradient",
       {{"last_state", validation.gradient_last},
        {"first_state", validation.gradient_first},
        {"normal_states", validation.live_states}}},
      {"baseline", to_string(validation.passes.front().request.method)},
      {"passes", passes},
      {"payback", payback_json(passes_verdict(report).payback)},
      {"valid", all_ran || !all_right ? Json(all_right) : Json()}};
}

std::string to_csv(const PassesReport& report) {
  std::string text = csv_line({"method", "backend", "failed", "mismatch", "worst_share_of_bound", "flops", "bytes",
                               "jacobians_s", "up_s", "middle_s", "down_s", "measured_s", "fastest_s", "repetitions",
                               "predicted_s", "error", "ratio_to_baseline"});
  for (std::size_t i = 0; i < report.validation.passes.size(); ++i) {
    const PassOutcome& pass = report.validation.passes[i];
    const auto number = [](const std::optional<double>& x) { return x ? fmt::format("{}", *x) : std::string(); };
    const auto measured = [&](auto x) { return pass.ran() ? fmt::format("{}", x) : std::string(); };
    text += csv_line({to_string(pass.request.method), pass.request.backend, pass.failure, pass.mismatch().value_or(""),
                      measured(std::max(pass.hidden.worst_share, pass.parameters.worst_share)),
                      measured(pass.flops.total()), measured(pass.bytes), measured(pass.times.jacobians),
                      measured(pass.times.up), measured(pass.times.middle), measured(pass.times.down),
                      measured(pass.times.total()), measured(pass.fastest_seconds), measured(pass.repetitions),
                      number(predicted_seconds(report, i)), number(error_of(report, i)),
                      number(ratio_to_baseline(report, i))});
  }
  return text;
}

std::string to_text(const PassesReport& report) {
  const RecurrentModel& model = report.model;
  const PassesValidation& validation = report.validation;
  std::string text =
      fmt::format("{}: {} of {} hidden elements, {} steps, {} sequence{}, {}\non {}: {}, {} worker{}; {}\n\n",
                  model.name, to_string(model.shape.kind), model.shape.hidden, model.steps, model.batch,
                  model.batch == 1 ? "" : "s", model.value_bytes == 8 ? "fp64" : "fp32", report.backend,
                  report.device.device, report.workers, report.workers == 1 ? "" : "s", report.sequences);
  text += passes_text(report);
  text += "\n";
  for (const PassOutcome& pass : validation.passes) {
    if (!pass.ran()) text += fmt::format("{} was not run: {}\n", to_string(pass.request.method), pass.failure);
    for (const std::string& note : pass.notes) text += fmt::format("{}: {}\n", to_string(pass.request.method), note);
    if (const std::size_t unbounded = pass.hidden.unbounded + pass.parameters.unbounded; unbounded > 0) {
      text += fmt::format("{}: {} gradients have no finite bound and are only known to be finite\n",
                          to_string(pass.request.method), unbounded);
    }
    if (const auto mismatch = pass.mismatch()) text += fmt::format("MISMATCH: {}\n", *mismatch);
  }
  if (changed_speed(report)) {
    text += fmt::format(
        "This machine changed its speed meanwhile: {} takes {} of its time when it runs again at the end, "
        "a step of its rates {}. Ratios and errors above are off by as much; run it again.\n",
        to_string(validation.passes.front().request.method), validation.drift ? short_ratio(*validation.drift) : "-",
        report.rates_drift ? short_ratio(*report.rates_drift) : "-");
  }
  text += outer_text(report);
  text += fmt::format("Loss {:.6g}; the largest gradient is {:.3g} at h_{}, {:.3g} at h_0.\n", validation.loss,
                      validation.gradient_last, model.steps, validation.gradient_first);
  if (validation.live_states <= model.steps) {
    text += fmt::format(
        "It is a normal number of {} at {} of {} states; at the others gradients have vanished, and agree "
        "whatever computes them.\n",
        model.value_bytes == 8 ? "fp64" : "fp32", validation.live_states, model.steps + 1);
  }
  return text;
}

}  // namespace upsweep
