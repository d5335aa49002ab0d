#include "upsweep/app/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

#include "calibrating.hpp"
#include "outputs.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/pattern_pictures.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/measuring.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/io/npy.hpp"
#include "upsweep/io/own_file.hpp"
#include "upsweep/jacobian/forward.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/product_order.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/sim/peak_memory.hpp"
#include "upsweep/validate/direct_backprop.hpp"
#include "validate_recurrent.hpp"
#include "validation_records.hpp"

namespace upsweep {

std::size_t workers_of(const ValidateRequest& request, const DeviceFacts& facts) {
  const std::size_t workers = request.workers.value_or(facts.workers);
  if (workers > facts.workers) {
    throw BackendError(fmt::format("{}: `workers` is {}, accepted are 1 to {} on this machine", request.backend,
                                   workers, facts.workers));
  }
  return workers;
}

namespace {

/// The model with one input, the chosen one.
Model load_at_input(const ValidateRequest& request, const ModelFile& file) {
  Model model = countable_network(file.load(request.pattern == PatternKind::sample ? Numbers::needed : Numbers::run),
                                  "validate beside recurrent models");
  require_sample_inputs(model, "validate");
  const std::size_t input = request.input;
  const SampleInputs& all = *model.sample;
  if (input >= all.count) {
    throw InputError(fmt::format("{}: `input` is {}, accepted are 0 to {}, the inputs of its sample", model.file, input,
                                 all.count - 1));
  }
  const std::span<const double> x = all.at(input);
  model.sample = SampleInputs{1, all.length, {x.begin(), x.end()}};
  return model;
}

/// All that is decided before anything is executed.
struct Setting {
  std::unique_ptr<Backend> backend;
  std::size_t workers = 1;
  std::optional<Machine> machine;
};

void check_launch(const BackendEntry& entry, const ValidateRequest& request) {
  try {
    if (request.launch) require_launch(entry, *request.launch);
  } catch (const std::invalid_argument& error) {
    throw InputError(error.what());
  }
}

/// The machine as the backend runs on it. Throws InputError.
Machine run_by(const BackendEntry& entry, const ValidateRequest& request, Machine machine) {
  try {
    return as_run_by(entry, std::move(machine), request.launch.has_value());
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", request.machine.value(), error.what()));
  }
}

/// Says whose times are predicted where they are not those of the backend that runs.
void say_whose_times(const Machine& machine, const BackendEntry& entry, const Watch& watch) {
  const Provenance& from = machine.provenance;
  if (from.origin != "calibration" || from.backend == entry.name) return;
  watch.say(fmt::format("predicted are times of the backend {}, on which {} was calibrated; {} runs", from.backend,
                        machine.name, entry.name));
}

Setting prepare(const ValidateRequest& request, const BackendEntry& entry, const Watch& watch) {
  check_launch(entry, request);
  Setting setting;
  setting.backend = available_backend(request.backend);
  setting.workers = workers_of(request, setting.backend->facts());
  setting.machine = load_machine_of(request.machine, {}, request.library);
  if (setting.machine) {
    setting.machine = run_by(entry, request, *std::move(setting.machine));
    say_whose_times(*setting.machine, entry, watch);
  }
  if (setting.machine && setting.machine->workers() < setting.workers) {
    throw InputError(fmt::format("{}: it has {} workers, accepted is a machine with at least the {} of this run",
                                 *request.machine, setting.machine->workers(), setting.workers));
  }
  return setting;
}

void check_label(const Model& model, const LossGradient& loss) {
  const std::uint64_t outputs = elements(model.network.operators().back().out_shape);
  if (!loss.label || *loss.label < outputs) return;
  throw InputError(fmt::format("{}: `label` is {}, accepted are 0 to {}: the network has {} outputs", model.file,
                               *loss.label, outputs - 1, outputs));
}

/// As backends run where nobody says.
Execution execution_of(const ValidateRequest& request) { return request.execution.value_or(Execution::level); }

/// The schedule, before the model says which kind of it goes with it. Throws RequestError where both do not know it.
void check_schedule(const std::string& text) {
  if (is_order_name(text)) static_cast<void>(schedule_request(text));  // says what is wrong with it
  try {
    static_cast<void>(parse_schedule(text));
    return;
  } catch (const std::invalid_argument&) {
    // Perhaps those of a recurrent model.
  }
  try {
    static_cast<void>(parse_methods(text));
  } catch (const RequestError& error) {
    throw RequestError("schedule", fmt::format("{}; of a network of operators {}", error.what(), accepted_schedules()));
  }
}

std::vector<Schedule> schedules_of(const ValidateRequest& request, std::size_t length, std::size_t workers,
                                   const Watch& watch) {
  if (!request.all_depths && !request.all_schedules) {
    return {schedule_over(schedule_request(request.schedule.value_or("blelloch")), length, watch)};
  }
  std::vector<Schedule> schedules = depth_candidates(length);
  if (!request.all_schedules) return schedules;
  for (Schedule& scheme : scheme_candidates(length, workers)) schedules.push_back(std::move(scheme));
  return schedules;
}

/// How often something is measured: so many times, and so long together.
constexpr std::size_t kRuns = 3;
constexpr double kMinSeconds = 0.2;

/// Why a schedule cannot run beside the Jacobians of all links within `room` bytes, naming the link that takes most;
/// empty where it can. `peak`: bytes of the schedule's live values. Forming the largest block's Jacobian counts, too.
std::string no_room(const Network& network, const NetworkProfile& counts, std::uint64_t peak, std::uint64_t room) {
  std::uint64_t bytes = peak;
  std::uint64_t formation = 0;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < counts.links.size(); ++i) {
    add_to(bytes, counts.links[i].bytes);
    formation = std::max(formation, counts.links[i].formation.peak_bytes);
    if (counts.links[i].bytes > counts.links[largest].bytes) largest = i;
  }
  add_to(bytes, formation);
  if (bytes <= room) return "";
  return fmt::format(
      "about {} of Jacobians and values, {} of them for the link that ends at '{}', there are {}: "
      "smaller inputs help, more memory, or a schedule that forms less",
      memory_text(bytes), memory_text(counts.links[largest].bytes), network.operators()[network.links()[largest]].name,
      memory_text(room));
}

/// Why a backend cannot run a schedule here; empty where nothing speaks against it. `machine`: null where none is
/// known.
std::string why_not(const BackendEntry& entry, const Network& network, const NetworkProfile& counts,
                    const ScheduleProfile& profile, const Machine* machine, std::uint64_t room) {
  const std::uint64_t peak = peak_live_bytes(profile.schedule, profile.value_bytes, in_scope(profile, Scope::all));
  const std::string reason = cannot_run_reason(entry, largest_counts(profile, Scope::all), peak, machine);
  return reason.empty() ? no_room(network, counts, peak, room) : reason;
}

/// Whether it is worth calibrating the machine.
bool any_to_run(const BackendEntry& entry, const Network& network, const Analysis& analysis,
                const ValidateRequest& request) {
  return std::any_of(analysis.schedules.begin(), analysis.schedules.end(),
                     [&, room = memory_left()](const ScheduleProfile& profile) {
                       return (request.force || too_large(profile, execution_of(request)).empty()) &&
                              why_not(entry, network, analysis.network, profile, nullptr, room).empty();
                     });
}

/// Runs all schedules; the weights of the model go into it.
Validation run_all(const Backend& backend, const BackendEntry& entry, const ValidateRequest& request,
                   const Watch& watch, NetworkValidation& found) {
  ValidationOptions options;
  options.run.workers = found.workers;
  options.run.execution = execution_of(request);
  options.run.repetitions = kRuns;
  options.run.min_seconds = kMinSeconds;
  options.run.memory_limit = backend.facts().memory_bytes;
  options.machine = found.machine ? &*found.machine : nullptr;
  options.force = request.force;
  options.cannot_run = [&, room = memory_left()](const ScheduleProfile& profile) {
    return why_not(entry, found.model.network, found.analysis.network, profile, options.machine, room);
  };
  options.progress = [&](const std::string& schedule) { watch.show(fmt::format("running {}", schedule)); };
  Model& model = found.model;
  NetworkAtInput at{model.network, std::move(model.weights), model.sample->at(0), request.pattern,
                    found.loss,    model.value_bytes};
  Validation result = model.at_operators(
      [&] { return validate(backend, std::move(at), found.analysis.network, found.analysis.schedules, options); });
  watch.show("");
  return result;
}

/// Dense back-propagation, repeated as schedules are.
void run_dense(const Watch& watch, NetworkValidation& found) {
  const Model& model = found.model;
  watch.show("running dense back-propagation");
  const Repetitions repetitions{kRuns, kMinSeconds};
  found.dense = model.value_bytes == 8 ? run_dense_backprop<double>(model.network, found.workers, repetitions)
                                       : run_dense_backprop<float>(model.network, found.workers, repetitions);
  watch.show("");
  if (!found.machine) return;
  const std::optional<DenseRates> rates = dense_rates(*found.machine, found.workers, model.value_bytes);
  if (rates) found.predicted_dense = dense_backprop(model.network, found.analysis.network, *rates, 1);
}

/// Writes the gradient of the network's input, by direct back-propagation.
void write_gradient(const Model& model, const LossGradient& loss, const std::string& file) {
  const std::vector<double> gradient = model.at_operators([&] {
    const auto inputs = link_inputs(model.network, model.weights, model.sample->at(0));
    return direct_backprop(model.network, model.weights, inputs, loss.at(inputs.back())).gradient.front();
  });
  write_npy(file, model.network.input(), gradient);
}

/// Keeps what ran and, of a model that is new there, pictures of its patterns.
std::vector<std::int64_t> store_network(RunStore& store, const ValidateRequest& request, const ModelFile& file,
                                        const ValidateOutcome& outcome, const Caller& caller, const Watch& watch) {
  const auto& found = std::get<NetworkValidation>(outcome.found);
  RunContext context = run_context(caller, "validate", request.pattern, found.model, found.analysis.network);
  context.verdict = kept(outcome.verdict);
  std::vector<std::int64_t> ids =
      save_validation(store, std::move(context), found.analysis, found.validation, found.report());
  // Those of the sample are of its first input.
  const bool has_first_input = request.input == 0 || request.pattern == PatternKind::guaranteed;
  if (ids.empty() || !has_first_input) return ids;
  if (store.reader().has_pictures(found.model.content_hash, to_string(request.pattern))) return ids;
  // The weights went into the runs.
  save_pictures(store, load_at_input(request, file), request.pattern, watch);
  return ids;
}

ValidateOutcome validate_network(const ValidateRequest& request, const ModelFile& file, const Caller& caller,
                                 const Watch& watch) {
  if (request.batch.value_or(1) > 1) {
    throw RequestError("batch", fmt::format("is {} with a network of operators, which runs one `input`, accepted is 1",
                                            *request.batch));
  }
  if (request.no_prediction) {
    throw RequestError("no_prediction", ", accepted is a recurrent model; with `machine` nothing is calibrated");
  }
  const BackendEntry& entry = require_backend(request.backend, Ability::networks);
  static_cast<void>(schedule_request(request.schedule.value_or("blelloch")));
  Setting setting = prepare(request, entry, watch);

  Model model = load_at_input(request, file);
  const LossGradient loss{request.label, request.loss_seed.value_or(1)};
  check_label(model, loss);
  const auto store = open_store(request.db);
  if (request.gradient) write_gradient(model, loss, *request.gradient);
  std::vector<Schedule> schedules = schedules_of(request, model.network.links().size() + 1, setting.workers, watch);
  const bool is_default = !request.schedule && !request.all_depths && !request.all_schedules;
  Analysis analysis = is_default ? analyse_default(model, request.pattern, std::move(schedules), watch)
                                 : analyse_network(model, request.pattern, std::move(schedules), watch);
  if (!setting.machine && entry.can(Ability::calibration) && any_to_run(entry, model.network, analysis, request))
    setting.machine = calibrate_now(*setting.backend, setting.workers, model.value_bytes, caller, watch);
  NetworkValidation found{std::move(model), std::move(analysis)};
  found.machine = setting.machine;
  found.backend = request.backend;
  found.device = setting.backend->facts();
  found.workers = setting.workers;
  found.pattern = request.pattern;
  found.execution = execution_of(request);
  found.input = request.input;
  found.loss = loss;
  found.validation = run_all(*setting.backend, entry, request, watch, found);
  if (entry.can(Ability::dense_backprop) && found.validation.any_ran()) run_dense(watch, found);
  ValidateOutcome outcome{std::move(found)};
  const auto& made = std::get<NetworkValidation>(outcome.found);
  outcome.verdict = validation_verdict(made.report());
  if (store) {
    outcome.not_kept =
        try_to_keep([&] { outcome.run_ids = store_network(*store, request, file, outcome, caller, watch); });
  }
  if (const auto mismatch = made.validation.first_mismatch()) outcome.mismatch = mismatch->what;
  if (const std::string failure = made.validation.first_failure(); !failure.empty()) outcome.failure = failure;
  return outcome;
}

}  // namespace

Document document(const ValidateOutcome& outcome) {
  const auto* passes = std::get_if<PassesReport>(&outcome.found);
  Document document = passes != nullptr ? upsweep::document(*passes)
                                        : upsweep::document(std::get<NetworkValidation>(outcome.found).report());
  add_verdict(document, outcome.verdict);
  return document;
}

ValidationReport NetworkValidation::report() const {
  return {model.name,
          analysis.schedules,
          validation,
          machine ? &*machine : nullptr,
          to_string(pattern),
          backend,
          device,
          workers,
          to_string(execution),
          input,
          to_string(loss),
          model.value_bytes,
          model.network.has_blocks(),
          dense ? &*dense : nullptr,
          predicted_dense ? std::optional(predicted_dense->gradients_s) : std::nullopt};
}

ValidateOutcome run(const ValidateRequest& request, const Caller& caller, const Watch& watch) {
  if (request.setup_s) throw RequestError("setup", "is measured here, accepted is without");
  FrameRequest frame = static_cast<const FrameRequest&>(request);
  frame.launch.reset();  // which asks for a backend, with a machine file or without
  check_frame(frame);
  if (request.gradient && !request.gradient->ends_with(".npy"))
    throw RequestError("gradient", fmt::format("is '{}', accepted is a name that ends with .npy", *request.gradient));
  if (request.schedule && (request.all_depths || request.all_schedules))
    throw RequestError("schedule", "with `all_depths` or `all_schedules`, accepted is one of them");
  if (request.schedule) check_schedule(*request.schedule);  // before any file is opened
  check_sizes(request.sizes);
  if (request.gradient) {
    std::vector<NamedFile> read = arrays_of("model", request.model);
    read.insert(read.begin(),
                {{"model", request.model}, {"machine", request.machine.value_or("")}, {"db", request.db.value_or("")}});
    check_output({"gradient", *request.gradient, kGradientMark}, read, request.force);
  }
  const ModelFile file(request.model, request.onnx);
  require_recurrent_settings(file, request.model, request.sizes);
  if (!file.holds<RecurrentModel>()) return validate_network(request, file, caller, watch);
  return validate_recurrent(request, file, caller, watch);
}

}  // namespace upsweep
