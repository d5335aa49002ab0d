#include "validate_recurrent.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "calibrating.hpp"
#include "output.hpp"
#include "pass_records.hpp"
#include "storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/report/passes_report.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::cli {
namespace {

BackwardMethod levels(std::uint32_t depth) { return {BackwardKind::levels, depth, {}}; }

BackwardMethod blocked(std::size_t blocks, double first_block) {
  return {BackwardKind::blocked, 0, BlockOptions{blocks, first_block, false}};
}

/// What is run besides the sequential baseline where --schedule says nothing.
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

std::vector<PassRequest> requests_of(const RecurrentValidation& options, const RecurrentModel& model,
                                     const DeviceFacts& device, std::size_t workers) {
  const BackwardMethod sequential;
  std::vector<PassRequest> requests = {{options.backend, sequential}};
  for (const BackendEntry& one : backends()) {
    if (one.baseline_of == options.backend && one.recurrent->availability().available)
      requests.push_back({one.name, sequential});
  }
  std::vector<BackwardMethod> methods;
  if (options.schedules) {
    methods = parse_methods("--schedule", *options.schedules);
  } else if (recurrent_backend(options.backend).has_scans()) {
    methods = options.all_depths ? all_methods(model, device, workers) : default_methods(model, device, workers);
  }
  for (const BackwardMethod& method : methods) {
    const bool is_there =
        std::any_of(requests.begin(), requests.end(), [&](const PassRequest& one) { return one.method == method; });
    if (!is_there) requests.push_back({options.backend, method});
  }
  return requests;
}

std::size_t workers_of(const RecurrentValidation& options, const DeviceFacts& facts) {
  if (!options.model.workers) return facts.workers;
  const std::uint64_t workers = parse_positive("--workers", *options.model.workers);
  if (workers > facts.workers) {
    throw BackendError(fmt::format("{}: --workers is {}, accepted are 1 to {} on this machine", options.backend,
                                   workers, facts.workers));
  }
  return workers;
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
  const std::uint64_t there = machine_memory();
  const std::uint64_t total = checked_add(needed, largest);
  if (total <= there / 10 * 9) return;  // others need some, too
  throw BackendError(
      fmt::format("{}: states, gradients and their bounds for {} steps of {} sequences need {}{}, accepted is nine "
                  "tenths of what this "
                  "machine has, {}; blocked:P stores no Jacobians, fewer --steps or a smaller --batch lower all of it",
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
void run(const RecurrentValidation& options, const std::vector<PassRequest>& requests, std::uint64_t seed,
         PassesReport& report) {
  const RecurrentModel& model = report.model;
  const SequenceBatch<T> batch = recurrent_batch<T>(model, seed);
  const PassShape shape{model.shape, model.steps, model.batch, model.is_fused};
  const BackendEntry& backend = find_backend(options.backend, Ability::recurrent);
  if (options.is_predicted && backend.can(Ability::calibration)) {
    show_progress("measuring rates on short sequences");
    report.rates = measure_pass_rates<T>(*backend.recurrent, shape, report.workers, rate_options(requests));
  }
  PassesOptions settings;
  settings.progress = [](const std::string& pass) { show_progress(fmt::format("running {}", pass)); };
  report.validation = validate_passes<T>(batch, model.is_fused, requests, recurrent_backend, settings);
  if (report.rates) {
    show_progress("measuring a rate again");
    RateOptions again;
    again.kinds = rate_kinds({});
    const PassRates rates = measure_pass_rates<T>(*backend.recurrent, shape, report.workers, again);
    report.rates_drift = rates.sequential_step.together.near_s / report.rates->sequential_step.together.near_s;
  }
  show_progress("");
  for (const PassRequest& request : requests) {
    const bool is_predicted = report.rates && request.backend == options.backend &&
                              unsupported_pass(*backend.recurrent, request.method, shape).empty() &&
                              has_rates(*report.rates, request.method, shape);
    report.predictions.push_back(is_predicted
                                     ? std::optional(predict_pass(*report.rates, request.method, shape, report.workers))
                                     : std::nullopt);
  }
}

void run_any(const RecurrentValidation& options, const std::vector<PassRequest>& requests, std::uint64_t seed,
             PassesReport& report) {
  try {
    if (report.model.value_bytes == 8) {
      run<double>(options, requests, seed, report);
    } else {
      run<float>(options, requests, seed, report);
    }
  } catch (const NonFiniteState& error) {
    throw InputError(fmt::format("{}: {}", report.model.file, error.what()));
  } catch (const ExplodingGradient& error) {
    throw InputError(fmt::format("{}: {}", report.model.file, error.what()));
  }
}

}  // namespace

std::vector<BackwardMethod> parse_methods(const std::string& option, const std::string& text) {
  std::vector<BackwardMethod> methods;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    try {
      methods.push_back(parse_backward_method(name));
    } catch (const std::invalid_argument& error) {
      throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
  }
  if (methods.empty()) throw UsageError(fmt::format("{} is empty, accepted is linear, blelloch or hybrid:L", option));
  return methods;
}

int validate_recurrent(const RecurrentValidation& options, const Invocation& invocation) {
  const RecurrentBackend& backend = *backend_of_option(options.backend, Ability::recurrent).recurrent;
  require_available(backend.name(), backend.availability());
  const std::uint64_t seed = options.seed == "0" ? 0 : parse_positive("--loss-seed", options.seed);
  PassesReport report;
  report.model = load_with(options.model, options.recurrent);
  report.backend = options.backend;
  report.device = backend.facts();
  report.workers = workers_of(options, report.device);
  report.sequences = report.model.sample ? std::string("the first sequences of the model's sample")
                                         : fmt::format("random sequences of seed {}", seed);
  const std::vector<PassRequest> requests = requests_of(options, report.model, report.device, report.workers);
  require_memory(report.model, requests);
  const auto store = open_store(options.model.db);
  if (options.all_depths && !backend.has_scans()) {
    throw UsageError(fmt::format("--all-depths with --backend {}, which has bptt only, accepted are {}",
                                 options.backend, fmt::join(backend_names(Ability::recurrent_scans), ", ")));
  }
  if (options.has_seed && report.model.sample)
    throw UsageError("--loss-seed, accepted is a model without sample: its sequences and labels are in files");
  const ThreadLimit limit(report.workers);
  run_any(options, requests, seed, report);
  if (store) report_stored(*options.model.db, {store->save(pass_record(invocation, report))});
  print_result(
      options.model.format, [&] { return to_json(report); }, [&] { return to_csv(report); },
      [&] { return to_text(report); });
  for (const OuterOutcome& outer : report.validation.outer) {
    if (const auto mismatch = outer.mismatch()) throw ValidationFailed(*mismatch);
  }
  for (const PassOutcome& pass : report.validation.passes) {
    if (const auto mismatch = pass.mismatch()) throw ValidationFailed(*mismatch);
  }
  for (const PassOutcome& pass : report.validation.passes) {
    const bool is_extra = pass.request.backend != options.backend;  // a baseline that nobody asked for
    if (!pass.ran() && !is_extra)
      throw BackendError(fmt::format("{}: {}", to_string(pass.request.method), pass.failure));
  }
  for (const OuterOutcome& outer : report.validation.outer) {
    if (!outer.ran() && outer.backend == options.backend)
      throw BackendError(fmt::format("forward pass: {}", outer.failure));
  }
  return 0;
}

}  // namespace upsweep::cli
