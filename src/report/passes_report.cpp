#include "upsweep/report/passes_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "passes_parts.hpp"
#include "recurrent_model_json.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

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
                 {"predicted_s", json_of(predicted_seconds(report, i))}};
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
  object["error"] = json_of(error_of(report, i));
  object["fastest_s"] = pass.fastest_seconds;
  object["repetitions"] = pass.repetitions;
  object["ratio_to_baseline"] = json_of(ratio_to_baseline(report, i));
  object["speedup_over_baseline"] = json_of(speedup_of(ratio_to_baseline(report, i)));
  object["iteration_ratio"] = json_of(iteration_ratio(report, i));
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
  object["parameters_s"] = json_of(outer.parameters_s);
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

/// A row per pass: what CSV and people have of it; JSON has objects with more.
Table passes_table(const PassesReport& report) {
  const auto& passes = report.validation.passes;
  const bool names_backend =
      std::ranges::any_of(passes, [&](const PassOutcome& pass) { return pass.request.backend != report.backend; });
  using Item = std::size_t;
  using Pass = const PassOutcome&;
  const auto field = [&passes](std::string name, std::optional<std::string> head, Unit unit,
                               std::function<Value(Pass)> value) {
    return Field<Item>(std::move(name), std::move(head), unit,
                       [&passes, value = std::move(value)](Item i) { return value(passes[i]); });
  };
  /// Of passes that ran.
  const auto of_run = [field](std::string name, std::optional<std::string> head, Unit unit,
                              std::function<Value(Pass)> value) {
    return field(std::move(name), std::move(head), unit,
                 [value = std::move(value)](Pass pass) { return pass.ran() ? value(pass) : Value(); });
  };
  const auto phase = [of_run](std::string name, std::string head, double ScanTimes::*part) {
    return of_run(std::move(name), std::move(head), Unit::seconds, [part](Pass pass) {
      const double seconds = pass.times.*part;
      return seconds > 0 ? Value(seconds) : Value(seconds).shown("-");
    });
  };
  return {
      "", numbered(passes.size()),
      std::vector<Field<Item>>{
          field("method", {}, Unit::text, [](Pass pass) { return to_string(pass.request.method); }),
          field("", "pass", Unit::text,
                [names_backend](Pass pass) {
                  const std::string name = to_string(pass.request.method);
                  return Value(names_backend ? fmt::format("{} {}", pass.request.backend, name) : name);
                }),
          field("backend", {}, Unit::text, [](Pass pass) { return pass.request.backend; }),
          field("failed", {}, Unit::text, [](Pass pass) { return pass.failure; }),
          field("", "result", Unit::text, [](Pass pass) { return result_text(pass); }),
          field("mismatch", {}, Unit::text, [](Pass pass) { return pass.mismatch(); }),
          of_run("worst_share_of_bound", "of bound", Unit::share,
                 [](Pass pass) {
                   const Value share = std::max(pass.hidden.worst_share, pass.parameters.worst_share);
                   return pass.mismatch() ? Value(share).shown("-") : share;
                 }),
          of_run("flops", "FLOPs", Unit::count, [](Pass pass) { return pass.flops.total(); }),
          phase("jacobians_s", "Jacobians", &ScanTimes::jacobians),
          phase("up_s", "up", &ScanTimes::up),
          phase("middle_s", "middle", &ScanTimes::middle),
          phase("down_s", "down", &ScanTimes::down),
          of_run("measured_s", "measured", Unit::seconds, [](Pass pass) { return pass.times.total(); }),
          of_run("fastest_s", {}, Unit::seconds, [](Pass pass) { return pass.fastest_seconds; }),
          of_run("repetitions", {}, Unit::exact, [](Pass pass) { return pass.repetitions; }),
          {"predicted_s", "predicted", Unit::seconds,
           [report = &report](Item i) { return predicted_seconds(*report, i); }},
          {"error", "error", Unit::change, [report = &report](Item i) { return error_of(*report, i); }},
          {"ratio_to_baseline", {}, Unit::ratio, [report = &report](Item i) { return ratio_to_baseline(*report, i); }},
          {"speedup_over_baseline", "vs first", Unit::speedup,
           [report = &report](Item i) { return speedup_of(ratio_to_baseline(*report, i)); }},
          of_run("", "GFLOP/s", Unit::exact,
                 [](Pass pass) {
                   return Value(
                       fmt::format("{:.2f}", static_cast<double>(pass.flops.total()) / pass.times.total() / 1e9));
                 }),
          of_run("bytes", "memory", Unit::bytes, [](Pass pass) { return pass.bytes; })}};
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

Json facts_json(const PassesReport& report) {
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
  const std::optional<PassPrediction>& predicted = report.predictions.front();
  return {{"model", recurrent_model_json(report.model)},
          {"backend", report.backend},
          {"device", report.device.device},
          {"driver", report.device.driver},
          {"workers", report.workers},
          {"sequences", report.sequences},
          {"loss", validation.loss},
          {"forward_s", validation.outer.front().forward_s},
          {"predicted_forward_s", predicted ? Json(predicted->forward_s) : Json()},
          {"parameters_s", json_of(validation.outer.front().parameters_s)},
          {"predicted_parameters_s", predicted ? Json(predicted->parameters_s) : Json()},
          {"outer", outer},
          {"oracle_s", validation.oracle_s},
          {"drift", json_of(validation.drift)},
          {"rates_drift", json_of(report.rates_drift)},
          {"largest_gradient",
           {{"last_state", validation.gradient_last},
            {"first_state", validation.gradient_first},
            {"normal_states", validation.live_states}}},
          {"baseline", to_string(validation.passes.front().request.method)},
          {"passes", passes},
          {"payback", payback_json(passes_verdict(report).payback)},
          {"valid", all_ran || !all_right ? Json(all_right) : Json()}};
}

/// What the rows have no room for.
std::string remarks_text(const PassesReport& report) {
  const RecurrentModel& model = report.model;
  const PassesValidation& validation = report.validation;
  std::string text = "\n";
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
        "This machine changed its speed meanwhile: {} takes {} its time when it runs again at the end, "
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

}  // namespace

Document document(const PassesReport& report) {
  const RecurrentModel& model = report.model;
  Document document;
  return std::move(
      document.facts([&report] { return facts_json(report); })
          .say(fmt::format("{}: {} of {} hidden elements, {} steps, {}, {}\non {}: {}, {}; {}\n\n", model.name,
                           to_string(model.shape.kind), model.shape.hidden, model.steps, sequences_text(model.batch),
                           model.value_bytes == 8 ? "fp64" : "fp32", report.backend, report.device.device,
                           workers_text(report.workers), report.sequences))
          .show_sheet(passes_table(report))
          .say(remarks_text(report)));
}

}  // namespace upsweep
