#include "upsweep/app/pass_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "upsweep/app/storing.hpp"
#include "upsweep/search/counted_schedule.hpp"
#include "upsweep/sim/homogeneous.hpp"

namespace upsweep {
namespace {

PassSeconds seconds_of(const ScanTimes& times) { return {times.jacobians, times.up, times.middle, times.down}; }

/// The fastest pass that ran, if any.
std::optional<std::size_t> fastest(const std::vector<PassOutcome>& passes) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (passes[i].ran() && (!best || passes[i].times.total() < passes[*best].times.total())) best = i;
  }
  return best;
}

PassRow row_of(const PassesReport& report, std::size_t i, bool is_best) {
  const PassOutcome& pass = report.validation.passes[i];
  PassRow row{to_string(pass.request.method), pass.request.backend};
  row.best = is_best;
  if (report.predictions[i]) row.predicted = seconds_of(report.predictions[i]->times);
  if (!pass.ran()) {
    row.failure = pass.failure;
    return row;
  }
  row.mismatch = pass.mismatch();
  row.flops = static_cast<double>(pass.flops.total());
  row.bytes = static_cast<double>(pass.bytes);
  row.measured = seconds_of(pass.times);
  row.worst_share = std::max(pass.hidden.worst_share, pass.parameters.worst_share);
  return row;
}

/// Predictions on a machine, baseline and scan alike.
PassRow row_of(const std::string& method, const DevicePrediction& prediction) {
  PassRow row{method};
  row.predicted = PassSeconds{prediction.jacobians.seconds(), prediction.up.seconds(), prediction.middle.seconds(),
                              prediction.down.seconds()};
  row.flops = static_cast<double>(prediction.jacobians.flops) + static_cast<double>(prediction.up.flops) +
              static_cast<double>(prediction.middle.flops) + static_cast<double>(prediction.down.flops);
  row.bytes = static_cast<double>(prediction.memory_bytes);
  return row;
}

PassRow sequential_row(const DevicePrediction& prediction) {
  PassRow row{to_string(BackwardMethod{})};
  row.predicted = PassSeconds{0, 0, 0, prediction.sequential.seconds()};
  row.flops = static_cast<double>(prediction.sequential.flops);
  return row;
}

void add_machine(const Machine& machine, const DevicePrediction& prediction, PassRecord& record) {
  record.machine = machine.name;
  record.workers = machine.workers();
  record.forward_s = prediction.forward.seconds();
  record.parameters_s = prediction.parameter_gradients.seconds();
}

PassRow row_of(const std::string& method, const Totals& totals, const PramProfile& pram, Execution execution) {
  PassRow row{method};
  row.flops = static_cast<double>(totals.flops);
  row.bytes = static_cast<double>(pram.peak_live_bytes);
  row.critical_path_flops = static_cast<double>(totals.critical_path(execution));
  if (execution == Execution::level) {
    row.makespan_flops = static_cast<double>(pram.level.flops);
  } else if (pram.dag) {
    row.makespan_flops = static_cast<double>(pram.dag->flops);
  }
  return row;
}

/// "rnn tanh", "rnn relu" or "gru".
std::string network_text(const CellShape& shape) {
  return shape.kind == CellKind::gru ? to_string(shape.kind)
                                     : fmt::format("{} {}", to_string(shape.kind), to_string(shape.nonlinearity));
}

PassRecord common_record(const Caller& invocation, const std::string& command) {
  PassRecord record;
  record.tool_version = invocation.tool_version;
  record.command = command;
  record.parameters = arguments_json(invocation);
  return record;
}

}  // namespace

SearchRecord search_record(const SearchResult& result) {
  SearchRecord record{to_string(result.options.objective),
                      to_string(result.options.execution),
                      result.options.scope == Scope::all ? "all" : "live",
                      result.workers,
                      result.options.memory_limit,
                      std::nullopt,
                      result.margin,
                      std::nullopt,
                      result.scheme_margin};
  if (result.best) record.best_depth = result.candidates[*result.best].depth;
  if (result.best_scheme && !result.schemes.empty())
    record.best_schedule = result.at(*result.best_scheme).schedule_name();
  return record;
}

PassRecord pass_record(const Caller& invocation, const std::string& command, const RecurrentModel& model) {
  PassRecord record = common_record(invocation, command);
  record.model = model.name;
  record.model_file = model.file;
  record.content_hash = model.content_hash;
  record.network = network_text(model.shape);
  record.hidden = model.shape.hidden;
  record.steps = model.steps;
  record.batch = model.batch;
  record.is_fused = model.is_fused;
  record.value_bytes = model.value_bytes;
  return record;
}

PassRecord pass_record(const Caller& invocation, const PassesReport& report) {
  PassRecord record = pass_record(invocation, "validate", report.model);
  record.device = report.device.device;
  record.driver = report.device.driver;
  record.workers = report.workers;
  if (const OuterOutcome* const outer = report.validation.outer_of(report.backend)) {
    record.forward_s = outer->forward_s;
    record.parameters_s = outer->parameters_s;
  }
  const std::optional<std::size_t> best = fastest(report.validation.passes);
  for (std::size_t i = 0; i < report.validation.passes.size(); ++i)
    record.passes.push_back(row_of(report, i, best == i));
  return record;
}

PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const HomogeneousProfile& profile,
                       const SearchResult& compared) {
  PassRecord record = pass_record(invocation, "profile", model);
  record.workers = compared.workers;
  record.search = search_record(compared);
  record.passes = {row_of(profile.schedule, totals(profile, Scope::all), compared.last().pram, Execution::dag)};
  return record;
}

PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const Machine& machine,
                       const std::string& method, const DevicePrediction& prediction) {
  PassRecord record = pass_record(invocation, "profile", model);
  add_machine(machine, prediction, record);
  record.passes = {sequential_row(prediction), row_of(method, prediction)};
  record.passes.back().best = true;  // the one that was asked for
  return record;
}

PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const SearchResult& result) {
  PassRecord record = pass_record(invocation, "search", model);
  record.workers = result.workers;
  record.search = search_record(result);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& candidate = result.at(i);
    PassRow row = row_of(candidate.schedule, candidate.totals, candidate.pram, result.options.execution);
    row.best = result.best_scheme == i;
    if (!candidate.feasible) row.failure = candidate.reason;
    record.passes.push_back(std::move(row));
  }
  return record;
}

PassRecord pass_record(const Caller& invocation, const RecurrentModel& model, const Machine& machine,
                       const DeviceSearchResult& result) {
  PassRecord record = pass_record(invocation, "search", model);
  add_machine(machine, result.sequential(), record);
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const Candidate& candidate = result.candidates[i];
    PassRow row = row_of(candidate.schedule, result.passes[i].prediction);
    row.best = result.best == i;
    if (!candidate.feasible) row.failure = candidate.reason;
    record.passes.push_back(std::move(row));
  }
  return record;
}

PassRecord pass_record(const Caller& invocation, const std::string& command, const RecurrentModel& model,
                       const StackedSearchResult& result) {
  PassRecord record = pass_record(invocation, command, model);
  record.network = fmt::format("{}, {} layers", record.network, model.layers);
  record.workers = result.workers;
  record.search = search_record(result);
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const Candidate& candidate = result.candidates[i];
    const StackedProfile& profile = result.profiles[i];
    PassRow row{candidate.schedule};
    row.best = result.best == i;
    if (!candidate.feasible) row.failure = candidate.reason;
    row.flops = static_cast<double>(profile.flops);
    row.bytes = static_cast<double>(profile.memory_bytes);
    row.critical_path_flops = static_cast<double>(profile.critical_path_flops);
    row.makespan_flops = static_cast<double>(candidate.pram.level.flops);
    record.passes.push_back(std::move(row));
  }
  return record;
}

namespace {

/// A curve as it is kept: its seconds are means over its iterations.
PassRow row_of(const TrainReport& report, std::size_t i) {
  const TrainResult& result = report.result;
  const LossCurve& curve = result.curves[i];
  PassRow row{curve.backward, report.spec.backend};
  row.failure = curve.failure;
  if (result.differences[i]) row.loss_difference = result.differences[i]->largest;
  if (curve.loss.empty()) return row;
  const auto iterations = static_cast<double>(curve.loss.size());
  // Without phases the whole pass counts as `down`, as a sequential one does.
  ScanTimes times;
  times.down = curve.seconds.backward;
  if (i < result.pass_seconds.size()) times = result.pass_seconds[i];
  row.measured = PassSeconds{times.jacobians / iterations, times.up / iterations, times.middle / iterations,
                             times.down / iterations};
  return row;
}

}  // namespace

PassRecord pass_record(const Caller& invocation, const TrainReport& report) {
  PassRecord record = common_record(invocation, "train");
  record.model = report.model;
  record.model_file = report.spec.model_file;
  record.content_hash = fmt::format("{}{}", report.spec.content_hash, report.model_hash);
  record.network = report.shape ? network_text(report.shape->cell) : std::string("operators");
  if (report.shape) {
    record.hidden = report.shape->cell.hidden;
    record.is_fused = report.shape->is_fused;
  }
  record.steps = report.steps;
  record.batch = report.batch;
  record.value_bytes = report.value_bytes;
  record.device = report.device;
  record.driver = report.driver;
  record.workers = report.workers;
  const TrainResult& result = report.result;
  for (std::size_t i = 0; i < result.curves.size(); ++i) {
    record.passes.push_back(row_of(report, i));
    const LossCurve& curve = result.curves[i];
    for (std::size_t k = 0; k < curve.loss.size(); ++k) {
      record.losses.push_back({static_cast<std::uint32_t>(i), k, curve.loss[k], curve.accuracy[k]});
    }
  }
  const auto fastest = std::ranges::min_element(record.passes, {}, [](const PassRow& row) {
    return row.measured && !row.failure ? row.measured->total() : std::numeric_limits<double>::infinity();
  });
  if (fastest != record.passes.end() && fastest->measured) fastest->best = true;
  if (!result.curves.empty() && !result.curves.front().loss.empty()) {
    const auto iterations = static_cast<double>(result.curves.front().loss.size());
    record.forward_s = result.curves.front().seconds.forward / iterations;
    record.parameters_s = result.curves.front().seconds.parameters / iterations;
  }
  return record;
}

}  // namespace upsweep
