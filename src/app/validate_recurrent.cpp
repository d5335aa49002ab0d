#include "validate_recurrent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "calibrating.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/passes_report.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

BackwardMethod levels(std::uint32_t depth) { return {BackwardKind::levels, depth, {}}; }

BackwardMethod blocked(std::size_t blocks, double first_block) {
  return {BackwardKind::blocked, 0, BlockOptions{blocks, first_block, false}};
}

/// What is run besides the sequential baseline where `schedule` says nothing.
std::vector<BackwardMethod> default_methods(const RecurrentModel& model, const DeviceFacts& device,
                                            std::size_t workers) {
  std::vector<BackwardMethod> methods = {levels(BackwardMethod::kFullDepth)};
  if (!model.is_fused) return methods;
  if (!device.is_processor) {
    for (const std::size_t blocks : {32U, 64U, 128U}) methods.push_back(blocked(blocks, 1));
  } else {
    // A worker for each block, the first of which costs 1 / hidden of the others' for each step.
    methods.push_back(blocked(1, 1));  // sequential, another way through memory
    methods.push_back(blocked(workers + 1, static_cast<double>(model.shape.hidden)));
    methods.push_back(blocked(8 * workers, 1));
  }
  return methods;
}

std::vector<BackwardMethod> all_methods(const RecurrentModel& model, const DeviceFacts& device, std::size_t workers) {
  std::vector<BackwardMethod> methods;
  const std::size_t length = (model.is_fused ? 1 : 2) * model.steps + 1;
  for (std::uint32_t depth = 0; depth < max_depth(length); ++depth) methods.push_back(levels(depth));
  const std::vector<BackwardMethod> others = default_methods(model, device, workers);
  methods.insert(methods.end(), others.begin(), others.end());
  return methods;
}

std::vector<PassRequest> requests_of(const ValidateRequest& request, const RecurrentModel& model,
                                     const DeviceFacts& device, std::size_t workers) {
  const std::string& backend = request.backend;
  const BackwardMethod sequential;
  std::vector<PassRequest> requests = {{backend, sequential}};
  for (const BackendEntry& one : backends()) {
    if (one.baseline_of == backend && one.recurrent->availability().available)
      requests.push_back({one.name, sequential});
  }
  std::vector<BackwardMethod> methods;
  if (request.schedule) {
    methods = parse_methods(*request.schedule);
  } else if (recurrent_backend(backend).has_scans()) {
    methods = request.all_depths ? all_methods(model, device, workers) : default_methods(model, device, workers);
  }
  for (const BackwardMethod& method : methods) {
    const bool is_there =
        std::any_of(requests.begin(), requests.end(), [&](const PassRequest& one) { return one.method == method; });
    if (!is_there) requests.push_back({backend, method});
  }
  return requests;
}

/// Throws BackendError where states, gradients and the oracle do not fit into this machine, with the largest pass.
void require_memory(const RecurrentModel& model, const std::vector<PassRequest>& requests) {
  const PassShape shape{model.shape, model.steps, model.batch, model.is_fused};
  std::uint64_t needed = validation_bytes(model.shape, model.steps, model.batch, model.value_bytes);
  std::uint64_t largest = 0;
  std::string pass;
  for (const PassRequest& request : requests) {
    const RecurrentBackend& backend = recurrent_backend(request.backend);
    if (!backend.facts().is_processor || !unsupported_pass(backend, request.method, shape).empty()) continue;
    const std::uint64_t bytes = pass_bytes(backend, request.method, shape, model.value_bytes);
    if (bytes <= largest) continue;
    largest = bytes;
    pass = fmt::format(", and {} {}", to_string(request.method), short_bytes(static_cast<double>(bytes)));
  }
  const std::uint64_t there = available_memory();
  const std::uint64_t total = checked_add(needed, largest);
  if (total <= there / 10 * 9) return;  // others need some, too
  throw BackendError(fmt::format(
      "{}: states, gradients and their bounds for {} steps of {} sequences need {}{}, accepted is nine "
      "tenths of what this "
      "machine has left, {}; blocked:P stores no Jacobians, fewer `steps` or a smaller `batch` lower all of it",
      model.file, model.steps, model.batch, short_bytes(static_cast<double>(needed)), pass,
      short_bytes(static_cast<double>(there))));
}

/// Rates of what is run, and no others.
RateOptions rate_options(const std::vector<PassRequest>& requests) {
  std::vector<BackwardMethod> methods;
  for (const PassRequest& request : requests) methods.push_back(request.method);
  RateOptions options;
  options.kinds = rate_kinds(methods);
  return options;
}

template <class T>
void run_passes(const ValidateRequest& request, const std::vector<PassRequest>& requests, std::uint64_t seed,
                const Watch& watch, PassesReport& report) {
  const RecurrentModel& model = report.model;
  const SequenceBatch<T> batch = recurrent_batch<T>(model, seed);
  const PassShape shape{model.shape, model.steps, model.batch, model.is_fused};
  const BackendEntry& backend = find_backend(request.backend, Ability::recurrent);
  if (!request.no_prediction && backend.can(Ability::calibration)) {
    watch.show("measuring rates on short sequences");
    report.rates = measure_pass_rates<T>(*backend.recurrent, shape, report.workers, rate_options(requests));
  }
  PassesOptions settings;
  settings.progress = [&](const std::string& pass) { watch.show(fmt::format("running {}", pass)); };
  report.validation = validate_passes<T>(batch, model.is_fused, requests, recurrent_backend, settings);
  if (report.rates) {
    watch.show("measuring a rate again");
    RateOptions again;
    again.kinds = rate_kinds({});
    const PassRates rates = measure_pass_rates<T>(*backend.recurrent, shape, report.workers, again);
    report.rates_drift = rates.sequential_step.together.near_s / report.rates->sequential_step.together.near_s;
  }
  watch.show("");
  for (const PassRequest& pass : requests) {
    const bool is_predicted = report.rates && pass.backend == request.backend &&
                              unsupported_pass(*backend.recurrent, pass.method, shape).empty() &&
                              has_rates(*report.rates, pass.method, shape);
    report.predictions.push_back(
        is_predicted ? std::optional(predict_pass(*report.rates, pass.method, shape, report.workers)) : std::nullopt);
  }
}

void run_any(const ValidateRequest& request, const std::vector<PassRequest>& requests, std::uint64_t seed,
             const Watch& watch, PassesReport& report) {
  try {
    if (report.model.value_bytes == 8) {
      run_passes<double>(request, requests, seed, watch, report);
    } else {
      run_passes<float>(request, requests, seed, watch, report);
    }
  } catch (const NonFiniteState& error) {
    throw InputError(fmt::format("{}: {}", report.model.file, error.what()));
  } catch (const ExplodingGradient& error) {
    throw InputError(fmt::format("{}: {}", report.model.file, error.what()));
  }
}

/// The first mismatch of what ran.
std::optional<std::string> mismatch_of(const PassesValidation& validation) {
  for (const OuterOutcome& outer : validation.outer) {
    if (auto mismatch = outer.mismatch()) return mismatch;
  }
  for (const PassOutcome& pass : validation.passes) {
    if (auto mismatch = pass.mismatch()) return mismatch;
  }
  return std::nullopt;
}

/// The first that did not run, but for a baseline of another backend that nobody asked for.
std::optional<std::string> failure_of(const PassesValidation& validation, const std::string& backend) {
  for (const PassOutcome& pass : validation.passes) {
    if (!pass.ran() && pass.request.backend == backend)
      return fmt::format("{}: {}", to_string(pass.request.method), pass.failure);
  }
  for (const OuterOutcome& outer : validation.outer) {
    if (!outer.ran() && outer.backend == backend) return fmt::format("forward pass: {}", outer.failure);
  }
  return std::nullopt;
}

/// Refuses what only networks of operators have. Throws InputError.
void refuse_recurrent(const ValidateRequest& request) {
  const auto refuse = [&](bool is_given, const char* what) {
    if (is_given) throw InputError(fmt::format("{}: {} with a recurrent model", request.model, what));
  };
  if (request.pattern != PatternKind::guaranteed) {
    throw InputError(
        fmt::format("{}: `pattern` sample, accepted is guaranteed with a recurrent model, which is counted by closed "
                    "forms",
                    request.model));
  }
  refuse(request.launch.has_value(), "`launch`, accepted is none: rates are measured before the run");
  refuse(request.machine.has_value(), "`machine`, accepted is none: rates are measured before the run");
  refuse(request.all_schedules, "`all_schedules`, accepted is `all_depths`");
  refuse(request.gradient.has_value(), "`gradient`, accepted is a network of operators");
  refuse(request.force, "`force`, accepted is none: nothing is skipped");
  refuse(request.execution == Execution::dag, "`execution` dag, accepted is level");
  refuse(request.input != 0 || request.label, "`input` or `label`, accepted is `loss_seed`");
}

}  // namespace

std::vector<BackwardMethod> parse_methods(const std::string& text) {
  std::vector<BackwardMethod> methods;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    try {
      methods.push_back(parse_backward_method(name));
    } catch (const std::invalid_argument& error) {
      throw RequestError("schedule", fmt::format(": {}", error.what()));
    }
  }
  if (methods.empty()) throw RequestError("schedule", "is empty, accepted is linear, blelloch or hybrid:L");
  return methods;
}

ValidateOutcome validate_recurrent(const ValidateRequest& request, const ModelFile& file, const Caller& caller,
                                   const Watch& watch) {
  refuse_recurrent(request);
  const RecurrentBackend& backend = *require_backend(request.backend, Ability::recurrent).recurrent;
  require_available(backend.name(), backend.availability());
  const std::uint64_t seed = request.loss_seed.value_or(1);
  PassesReport report;
  report.model = load_recurrent_with(file, request.sizes, request.batch);
  report.backend = request.backend;
  report.device = backend.facts();
  report.workers = workers_of(request, report.device);
  report.sequences = report.model.sample ? std::string("the first sequences of the model's sample")
                                         : fmt::format("random sequences of seed {}", seed);
  const std::vector<PassRequest> requests = requests_of(request, report.model, report.device, report.workers);
  require_memory(report.model, requests);
  const auto store = open_store(request.db);
  if (request.all_depths && !backend.has_scans()) {
    throw RequestError("all_depths",
                       fmt::format("with `backend` {}, which has bptt only, accepted are {}", request.backend,
                                   fmt::join(backend_names(Ability::recurrent_scans), ", ")));
  }
  if (request.loss_seed && report.model.sample)
    throw RequestError("loss_seed", ", accepted is a model without sample: its sequences and labels are in files");
  const ThreadLimit limit(report.workers);
  run_any(request, requests, seed, watch, report);
  ValidateOutcome outcome{std::move(report)};
  const auto& found = std::get<PassesReport>(outcome.found);
  outcome.verdict = passes_verdict(found);
  PassRecord record = pass_record(caller, found);
  record.verdict = kept(outcome.verdict);
  if (store) outcome.not_kept = try_to_keep([&] { outcome.run_ids = {store->save(record)}; });
  outcome.mismatch = mismatch_of(found.validation);
  outcome.failure = failure_of(found.validation, request.backend);
  return outcome;
}

}  // namespace upsweep
