#include "upsweep/report/device_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "upsweep/document/numbers.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

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
std::optional<double> finite(double ratio) { return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt; }

/// For people in the words of other machines.
Value bound_value(Bound bound) { return Value(to_string(bound)).shown(resource_text(bound)); }

Value bound_value(const DevicePhase& phase) { return phase.seconds() > 0 ? bound_value(phase.bound()) : Value(); }

Json phase_json(const DevicePhase& phase) {
  Json parts;
  for (std::size_t i = 0; i < kBounds; ++i) parts[to_string(static_cast<Bound>(i))] = phase.parts_s[i];
  return {{"seconds", phase.seconds()},  {"bound", bound_value(phase).json()},
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
  object["speedup"] = {{"backward", json_of(finite(prediction.backward_speedup()))},
                       {"backward_without_jacobians", json_of(finite(prediction.backward_speedup_without_jacobians()))},
                       {"overall", json_of(finite(prediction.overall_speedup()))}};
  return object;
}

Value bound_value(const DevicePrediction& prediction) {
  const std::optional<Bound> bound = bound_of(prediction);
  return bound ? bound_value(*bound) : Value();
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
  const auto field = [&result](std::string name, Unit unit, std::function<Value(const DevicePrediction&)> value) {
    return CandidateField(std::move(name), {}, unit, [&result, value = std::move(value)](const CandidateRow& row) {
      return value(result.passes[row.place].prediction);
    });
  };
  using P = const DevicePrediction&;
  search.more = {
      field("bound", Unit::text, [](P p) { return bound_value(p); }),
      field("jacobians_s", Unit::seconds, [](P p) { return p.jacobians.seconds(); }),
      field("up_s", Unit::seconds, [](P p) { return p.up.seconds(); }),
      field("middle_s", Unit::seconds, [](P p) { return p.middle.seconds(); }),
      field("down_s", Unit::seconds, [](P p) { return p.down.seconds(); }),
      field("backward_speedup", Unit::speedup, [](P p) { return finite(p.backward_speedup()); }),
      field("backward_speedup_without_jacobians", Unit::speedup,
            [](P p) { return finite(p.backward_speedup_without_jacobians()); }),
      field("overall_speedup", Unit::speedup, [](P p) { return finite(p.overall_speedup()); }),
      field("ratio_to_sequential", Unit::ratio, [](P p) { return finite(p.hidden_s() / p.sequential.seconds()); }),
      field("predicted", Unit::object, [](P p) { return Value::object(prediction_json(p)); })};
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

Document document(const DeviceProfileReport& report) {
  const DevicePrediction& p = report.prediction;
  const std::array<NamedPhase, 7> phases = phases_of(p);
  std::vector<Field<NamedPhase>> fields = {
      {"phase", {}, Unit::text, [](const NamedPhase& named) { return named.key; }},
      {"", "phase", Unit::text, [](const NamedPhase& named) { return named.text; }},
      {"seconds", "time", Unit::seconds, [](const NamedPhase& named) { return named.phase.seconds(); }},
      {"bound", "binds", Unit::text, [](const NamedPhase& named) { return bound_value(named.phase); }},
      {"kernels", "kernels", Unit::count, [](const NamedPhase& named) { return named.phase.kernels; }},
      {"flops", "FLOPs", Unit::count, [](const NamedPhase& named) { return named.phase.flops; }},
      {"bytes", "bytes", Unit::bytes, [](const NamedPhase& named) { return named.phase.bytes; }}};
  std::vector<NamedPhase> all(phases.begin(), phases.end());
  std::vector<NamedPhase> some;
  std::ranges::copy_if(all, std::back_inserter(some), [](const NamedPhase& named) { return named.phase.kernels > 0; });
  Document document;
  document
      .facts([report] {
        Json object = {{"machine", report.machine.name},
                       {"method", report.method},
                       {"assumptions", assumptions_json(report.assumptions)}};
        object.update(prediction_json(report.prediction));
        return object;
      })
      .list({"levels", each_of(p.levels),
             std::vector<Field<const DeviceLevel*>>{
                 {"phase", {}, Unit::text, [](auto level) { return to_string(level->phase); }},
                 {"repeat", {}, Unit::whole, [](auto level) { return level->levels; }},
                 {"products", {}, Unit::whole, [](auto level) { return level->products; }},
                 {"waves", {}, Unit::whole, [](auto level) { return level->waves; }},
                 {"seconds", {}, Unit::seconds, [](auto level) { return level->cost.seconds(); }},
                 {"bound", {}, Unit::text, [](auto level) { return bound_value(level->cost); }}}})
      .sheet({"", std::move(all), fields})
      .say(fmt::format("Predicted: {}\n\n", head_text(report.model, report.machine)))
      .show({"", std::move(some), fields})
      .say(fmt::format("\nHidden gradients by {} take {}, by the sequential pass {}; memory {}.\n"
                       "Speed-up {} of the backward pass ({} without forming Jacobians), {} with the forward pass.\n{}",
                       report.method, short_seconds(p.hidden_s()), short_seconds(p.sequential.seconds()),
                       short_bytes(static_cast<double>(p.memory_bytes)), speedup_text(p.backward_speedup()),
                       speedup_text(p.backward_speedup_without_jacobians()), speedup_text(p.overall_speedup()),
                       assumptions_text(report.machine, report.model, report.assumptions)));
  return document;
}

Document document(const DeviceSearchReport& report) {
  const DeviceSearchResult& result = report.result;
  const auto field = [&result](std::string head, Unit unit, std::function<Value(const DevicePrediction&)> value) {
    return Field<std::size_t>("", std::move(head), unit, [&result, value = std::move(value)](std::size_t i) {
      return value(result.passes[i].prediction);
    });
  };
  const auto time = [](const DevicePhase& phase) { return phase.kernels == 0 ? Value() : Value(phase.seconds()); };
  using P = const DevicePrediction&;
  std::vector<Field<std::size_t>> columns = {
      {"", "pass", Unit::text, [&](std::size_t i) { return result.candidates[i].schedule; }},
      field("time", Unit::seconds, [](P p) { return p.hidden_s(); }),
      field("Jacobians", Unit::seconds, [time](P p) { return time(p.jacobians); }),
      field("up", Unit::seconds, [time](P p) { return time(p.up); }),
      field("middle", Unit::seconds, [time](P p) { return time(p.middle); }),
      field("down", Unit::seconds, [time](P p) { return time(p.down); }),
      field("binds", Unit::text, [](P p) { return bound_value(p); }),
      field("memory", Unit::bytes, [](P p) { return p.memory_bytes; }),
      field("backward", Unit::exact, [](P p) { return speedup_text(p.backward_speedup()); }),
      field("overall", Unit::exact, [](P p) { return speedup_text(p.overall_speedup()); })};
  const bool has_shared = result.linear().has_shared;
  if (has_shared) {
    columns.emplace_back("", "span,shared", Unit::count, [&result](std::size_t i) {
      const Candidate& c = result.candidates[i];
      return c.has_shared ? Value(c.pram.shared_flops) : Value();
    });
  }
  columns.emplace_back("", "", Unit::text, [&result](std::size_t i) {
    const Candidate& c = result.candidates[i];
    if (!c.feasible) return Value(fmt::format("left out: {}", c.reason));
    return Value(result.best == i ? "<- best" : "");
  });
  Table table("", numbered(result.candidates.size()), std::move(columns));
  return search_figures(search_report(report))
      .facts([report] {
        return Json{{"steps", report.model.steps},
                    {"batch", report.model.batch},
                    {"hidden", report.model.shape.hidden},
                    {"assumptions", assumptions_json(report.assumptions)},
                    {"overtaking_looked_for", true},
                    {"overtaking", overtaking_steps_json(report.overtaking)},
                    {"overtaking_looked_up_to", report.overtaking.looked_up_to},
                    {"overtaking_one_kernel", overtaking_steps_json(report.overtaking_one_kernel)},
                    {"overtaking_one_kernel_looked_up_to", report.overtaking_one_kernel.looked_up_to},
                    {"sequential", phase_json(report.result.sequential().sequential)}};
      })
      .say(head_text(report.model, report.machine) + "\n\n")
      .show(std::move(table).marks([&result](std::size_t i) { return result.best == i; }))
      .say(
          "\nPredicted times of all hidden gradients by the kernels of each pass; speed-ups to the sequential pass, "
          "with "
          "parameter gradients, overall with the forward pass.\n" +
          std::string(has_shared ? "span,shared: makespan in FLOPs where workers share each op.\n" : "") +
          assumptions_text(report.machine, report.model, report.assumptions));
}

}  // namespace upsweep
