#include "upsweep/report/device_report.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "upsweep/report/search_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;

struct NamedPhase {
  const char* key;   ///< in JSON and CSV
  const char* text;  ///< for people
  const DevicePhase& phase;
};

std::array<NamedPhase, 7> phases_of(const DevicePrediction& p) {
  return {{{"forward", "forward", p.forward},
           {"sequential", "sequential backward", p.sequential},
           {"jacobians", "scan: Jacobians", p.jacobians},
           {"up", "scan: up", p.up},
           {"middle", "scan: middle", p.middle},
           {"down", "scan: down", p.down},
           {"parameter_gradients", "parameter gradients", p.parameter_gradients}}};
}

/// A ratio to a time that may be 0.
Json ratio_json(double ratio) { return std::isfinite(ratio) ? Json(ratio) : Json(); }

Json phase_json(const DevicePhase& phase) {
  Json parts;
  for (std::size_t i = 0; i < kBounds; ++i) parts[to_string(static_cast<Bound>(i))] = phase.parts_s[i];
  return {{"seconds", phase.seconds()},  {"bound", phase.seconds() > 0 ? Json(to_string(phase.bound())) : Json()},
          {"parts_s", std::move(parts)}, {"kernels", phase.kernels},
          {"flops", phase.flops},        {"bytes", phase.bytes}};
}

Json assumptions_json(const DeviceAssumptions& assumptions) {
  return {{"forward_kernels", assumptions.forward_kernels},
          {"backward_kernels", assumptions.backward_kernels},
          {"host_launch_s", assumptions.host_launch_s},
          {"unrolled", assumptions.unrolled},
          {"dense_diagonals", assumptions.is_diagonal_dense}};
}

Json prediction_json(const DevicePrediction& prediction) {
  Json object;
  for (const NamedPhase& named : phases_of(prediction)) object[named.key] = phase_json(named.phase);
  object["hidden_s"] = prediction.hidden_s();
  object["memory_bytes"] = prediction.memory_bytes;
  object["speedup"] = {{"backward", ratio_json(prediction.backward_speedup())},
                       {"backward_without_jacobians", ratio_json(prediction.backward_speedup_without_jacobians())},
                       {"overall", ratio_json(prediction.overall_speedup())}};
  return object;
}

std::string bound_text(const DevicePrediction& prediction) {
  const std::optional<Bound> bound = bound_of(prediction);
  return bound ? to_string(*bound) : "";
}

std::string head_text(const RecurrentModel& model, const Machine& machine) {
  return fmt::format("{}: {} of {} hidden elements, {} steps of {} sequence{}, {} Jacobian{} per step, on {}",
                     model.name, to_string(model.shape.kind), model.shape.hidden, model.steps, model.batch,
                     model.batch == 1 ? "" : "s", model.is_fused ? "one" : "two", model.is_fused ? "" : "s",
                     machine.name);
}

std::string assumptions_text(const Machine& machine, const RecurrentModel& model, const DeviceAssumptions& assumed) {
  if (machine.kind == MachineKind::pram) return "";
  std::string text = fmt::format(
      "Assumed: {} kernels per step forward and {} backward in the sequential passes, launches at least {} apart, "
      "{} loads of a thread under way",
      assumed.forward_kernels, assumed.backward_kernels, short_seconds(assumed.host_launch_s), assumed.unrolled);
  if (!model.is_fused) {
    text += assumed.is_diagonal_dense ? ", diagonals stored as full matrices" : ", diagonals stored as vectors";
  }
  return text + ".\n";
}

std::string speedup_text(double ratio) { return std::isfinite(ratio) ? fmt::format("{:.2f}x", ratio) : "-"; }

std::string overtaking_steps_text(const char* baseline, const DeviceOvertakingSearch& search) {
  if (!search.found) {
    return fmt::format("With no number of steps up to {}, where looking ended, does a scan overtake {}.",
                       search.looked_up_to, baseline);
  }
  return fmt::format("A scan first overtakes {} at {} steps ({}).", baseline, search.found->steps,
                     search.found->method);
}

Json overtaking_steps_json(const DeviceOvertakingSearch& search) {
  return search.found ? Json({{"steps", search.found->steps}, {"schedule", search.found->method}}) : Json();
}

/// The search as that of any kind of model, with what only passes on a machine have.
SearchReport search_report(const DeviceSearchReport& report) {
  const DeviceSearchResult& result = report.result;
  SearchReport search{report.model.name, "recurrent", head_text(report.model, report.machine), result};
  search.input = "sequence";
  search.plain = "the sequential pass";
  search.priced_by = report.machine.kind == MachineKind::pram ? "pram" : "kernels";
  search.linear_flops = result.linear().totals.flops / result.options.batch;
  search.more = [&result](std::size_t i, Json& candidate) {
    const DevicePrediction& prediction = result.passes[i].prediction;
    const std::string bound = bound_text(prediction);
    candidate["bound"] = bound.empty() ? Json() : Json(bound);
    candidate["ratio_to_sequential"] = ratio_json(prediction.hidden_s() / prediction.sequential.seconds());
    candidate["predicted"] = prediction_json(prediction);
  };
  return search;
}

}  // namespace

Verdict search_verdict(const DeviceSearchReport& report) {
  Verdict verdict = search_verdict(search_report(report));
  verdict.sentences.push_back(overtaking_steps_text("the sequential pass", report.overtaking));
  verdict.sentences.push_back(
      overtaking_steps_text("the sequential pass in one kernel (blocked:1)", report.overtaking_one_kernel));
  return verdict;
}

Json to_json(const DeviceProfileReport& report) {
  Json object = {{"machine", report.machine.name},
                 {"method", report.method},
                 {"assumptions", assumptions_json(report.assumptions)}};
  object.update(prediction_json(report.prediction));
  object["levels"] = Json::array();
  for (const DeviceLevel& level : report.prediction.levels) {
    object["levels"].push_back({{"phase", to_string(level.phase)},
                                {"repeat", level.levels},
                                {"products", level.products},
                                {"waves", level.waves},
                                {"seconds", level.cost.seconds()},
                                {"bound", level.cost.seconds() > 0 ? Json(to_string(level.cost.bound())) : Json()}});
  }
  return object;
}

std::string to_csv(const DeviceProfileReport& report) {
  std::string csv = csv_line({"phase", "seconds", "bound", "kernels", "flops", "bytes"});
  for (const auto& [key, text, phase] : phases_of(report.prediction)) {
    csv += csv_line({key, fmt::format("{}", phase.seconds()), phase.seconds() > 0 ? to_string(phase.bound()) : "",
                     fmt::format("{}", phase.kernels), fmt::format("{}", phase.flops), fmt::format("{}", phase.bytes)});
  }
  return csv;
}

std::string to_text(const DeviceProfileReport& report, const TextStyle& style) {
  const DevicePrediction& p = report.prediction;
  TextTable table({{"phase", Align::left}, {"time"}, {"waits for", Align::left}, {"kernels"}, {"FLOPs"}, {"bytes"}});
  for (const auto& [key, text, phase] : phases_of(p)) {
    if (phase.kernels == 0) continue;
    table.row({text, short_seconds(phase.seconds()), to_string(phase.bound()),
               short_count(static_cast<double>(phase.kernels)), short_count(static_cast<double>(phase.flops)),
               short_bytes(static_cast<double>(phase.bytes))});
  }
  return fmt::format(
      "Predicted: {}\n\n{}\nHidden gradients by {} take {}, by the sequential pass {}; memory {}.\n"
      "Speed-up {} of the backward pass ({} without forming Jacobians), {} with the forward pass.\n{}",
      head_text(report.model, report.machine), table.text(style), report.method, short_seconds(p.hidden_s()),
      short_seconds(p.sequential.seconds()), short_bytes(static_cast<double>(p.memory_bytes)),
      speedup_text(p.backward_speedup()), speedup_text(p.backward_speedup_without_jacobians()),
      speedup_text(p.overall_speedup()), assumptions_text(report.machine, report.model, report.assumptions));
}

Json to_json(const DeviceSearchReport& report) {
  Json json = to_json(search_report(report));
  json["steps"] = report.model.steps;
  json["batch"] = report.model.batch;
  json["hidden"] = report.model.shape.hidden;
  json["assumptions"] = assumptions_json(report.assumptions);
  json["overtaking_looked_for"] = true;
  json["overtaking"] = overtaking_steps_json(report.overtaking);
  json["overtaking_looked_up_to"] = report.overtaking.looked_up_to;
  json["overtaking_one_kernel"] = overtaking_steps_json(report.overtaking_one_kernel);
  json["overtaking_one_kernel_looked_up_to"] = report.overtaking_one_kernel.looked_up_to;
  json["sequential"] = phase_json(report.result.sequential().sequential);
  return json;
}

std::string to_csv(const DeviceSearchReport& report) {
  SearchReport search = search_report(report);
  search.more = [&report](std::size_t i, Json& candidate) {
    const DevicePrediction& p = report.result.passes[i].prediction;
    const std::string bound = bound_text(p);
    candidate["bound"] = bound.empty() ? Json() : Json(bound);
    for (const auto& [name, phase] : {std::pair{"jacobians_s", &p.jacobians}, std::pair{"up_s", &p.up},
                                      std::pair{"middle_s", &p.middle}, std::pair{"down_s", &p.down}}) {
      candidate[name] = phase->seconds();
    }
    candidate["backward_speedup"] = ratio_json(p.backward_speedup());
    candidate["backward_speedup_without_jacobians"] = ratio_json(p.backward_speedup_without_jacobians());
    candidate["overall_speedup"] = ratio_json(p.overall_speedup());
  };
  return to_csv(search);
}

std::string to_text(const DeviceSearchReport& report, const TextStyle& style) {
  const DeviceSearchResult& result = report.result;
  TextTable table({{"pass", Align::left},
                   {"time"},
                   {"Jacobians"},
                   {"up"},
                   {"middle"},
                   {"down"},
                   {"waits for", Align::left},
                   {"memory"},
                   {"backward"},
                   {"overall"},
                   {"", Align::left}});
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const Candidate& c = result.candidates[i];
    const DevicePrediction& p = result.passes[i].prediction;
    const std::string bound = bound_text(p);
    const auto time = [](const DevicePhase& phase) {
      return phase.kernels == 0 ? std::string("-") : short_seconds(phase.seconds());
    };
    table.row({c.schedule, short_seconds(p.hidden_s()), time(p.jacobians), time(p.up), time(p.middle), time(p.down),
               bound.empty() ? "-" : bound, short_bytes(static_cast<double>(p.memory_bytes)),
               speedup_text(p.backward_speedup()), speedup_text(p.overall_speedup()),
               !c.feasible        ? fmt::format("left out: {}", c.reason)
               : result.best == i ? "<- best"
                                  : ""},
              result.best == i ? RowMark::best : RowMark::none);
  }
  std::string text = head_text(report.model, report.machine) + "\n\n" + table.text(style) +
                     "\nPredicted times of all hidden gradients by the kernels of each pass; speed-ups to the "
                     "sequential pass, with parameter "
                     "gradients, overall with the forward pass.\n";
  return text + assumptions_text(report.machine, report.model, report.assumptions);
}

}  // namespace upsweep
