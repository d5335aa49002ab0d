#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "analysis.hpp"
#include "calibrating.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pattern_pictures.hpp"
#include "storing.hpp"
#include "terminal.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/scan/request.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/validate/validate.hpp"
#include "validate_recurrent.hpp"
#include "validation_records.hpp"

namespace upsweep::cli {
namespace {

struct ValidateOptions {
  ModelOptions model;
  RecurrentOptions recurrent;
  std::string backend = "cpu";
  std::string schedule = "blelloch";
  bool all_depths = false;
  bool all_schedules = false;
  std::string execution = "level";
  std::string input = "0";
  std::optional<std::string> label;
  std::string loss_seed = "1";
  bool force = false;
  bool no_prediction = false;
  bool has_schedule = false;  ///< --schedule was given
  bool has_seed = false;      ///< --loss-seed was given
};

std::size_t parse_whole(const std::string& option, const std::string& text) {
  if (text == "0") return 0;
  if (text.starts_with('-'))
    throw UsageError(fmt::format("{} is '{}', accepted is an integer from 0 on", option, text));
  return static_cast<std::size_t>(parse_positive(option, text));
}

LossGradient loss_of(const ValidateOptions& options) {
  LossGradient loss;
  if (options.label) loss.label = parse_whole("--label", *options.label);
  loss.seed = parse_whole("--loss-seed", options.loss_seed);
  return loss;
}

std::string loss_text(const LossGradient& loss) {
  return loss.label ? fmt::format("softmax cross-entropy of label {}", *loss.label)
                    : fmt::format("standard normal loss gradient of seed {}", loss.seed);
}

/// The model with one input, the chosen one.
Model load_at_input(const ValidateOptions& options, std::size_t input) {
  Model model =
      load(options.model, pattern_kind(options.model) == PatternKind::sample ? Numbers::needed : Numbers::run);
  const SampleInputs& all = *model.sample;
  if (input >= all.count) {
    throw InputError(fmt::format("{}: --input is {}, accepted are 0 to {}, the inputs of its sample", model.file, input,
                                 all.count - 1));
  }
  const std::span<const double> x = all.at(input);
  model.sample = SampleInputs{1, all.length, {x.begin(), x.end()}};
  return model;
}

/// All that a run of the command decides before it executes anything.
struct Setting {
  std::unique_ptr<Backend> backend;
  std::size_t workers = 1;
  std::optional<Machine> machine;
};

Setting prepare(const ValidateOptions& options) {
  Setting setting;
  setting.backend = make_backend(options.backend);
  require_available(options.backend, setting.backend->availability());
  setting.workers = setting.backend->facts().workers;
  if (options.model.workers) {
    const std::uint64_t most = setting.workers;
    setting.workers = parse_positive("--workers", *options.model.workers);
    if (setting.workers > most) {
      throw BackendError(fmt::format("{}: --workers is {}, accepted are 1 to {} on this machine", options.backend,
                                     setting.workers, most));
    }
  }
  setting.machine = load_machine_of(options.model);
  if (setting.machine && setting.machine->workers() < setting.workers) {
    throw InputError(fmt::format("{}: it has {} workers, accepted is a machine with at least the {} of this run",
                                 *options.model.machine, setting.machine->workers(), setting.workers));
  }
  return setting;
}

void check_label(const Model& model, const LossGradient& loss) {
  const std::uint64_t outputs = elements(model.network.operators().back().out_shape);
  if (!loss.label || *loss.label < outputs) return;
  throw InputError(fmt::format("{}: --label is {}, accepted are 0 to {}: the network has {} outputs", model.file,
                               *loss.label, outputs - 1, outputs));
}

bool any_to_run(const Analysis& analysis, const ValidateOptions& options) {
  return options.force || std::any_of(analysis.schedules.begin(), analysis.schedules.end(), [&](const auto& profile) {
           return too_large(profile, execution_kind(options.execution)).empty();
         });
}

/// --schedule, before the model says which kind of it goes with it. Throws UsageError where both do not know it.
void check_schedule(const std::string& text) {
  try {
    static_cast<void>(parse_schedule(text));
    return;
  } catch (const std::invalid_argument&) {
    // Perhaps those of a recurrent model.
  }
  try {
    static_cast<void>(parse_methods("--schedule", text));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}; of a network of operators {}", error.what(), accepted_schedules()));
  }
}

std::vector<Schedule> schedules_of(const ValidateOptions& options, std::size_t length, std::size_t workers) {
  if (!options.all_depths && !options.all_schedules) return {make_schedule(parse_schedule(options.schedule), length)};
  std::vector<Schedule> schedules = depth_candidates(length);
  if (!options.all_schedules) return schedules;
  for (Schedule& scheme : scheme_candidates(length, workers)) schedules.push_back(std::move(scheme));
  return schedules;
}

Validation run_all(Model& model, const Setting& setting, const ValidateOptions& options, const LossGradient& loss,
                   const Analysis& analysis) {
  ValidationOptions validation;
  validation.run.workers = setting.workers;
  validation.run.execution = execution_kind(options.execution);
  validation.run.repetitions = 3;
  validation.run.min_seconds = 0.2;
  validation.run.memory_limit = setting.backend->facts().memory_bytes;
  validation.machine = setting.machine ? &*setting.machine : nullptr;
  validation.force = options.force;
  validation.progress = [&](const std::string& schedule) { show_progress(fmt::format("running {}", schedule)); };
  const NetworkAtInput at{model.network, model.weights,    model.sample->at(0), pattern_kind(options.model),
                          loss,          model.value_bytes};
  try {
    Validation result = validate(*setting.backend, at, analysis.network, analysis.schedules, validation);
    show_progress("");
    return result;
  } catch (const OperatorError& error) {
    throw model.located(error);
  }
}

/// Refuses options that only networks of operators have.
int run_recurrent(const ValidateOptions& options, const Invocation& invocation) {
  const auto refuse = [&](const std::string& what) {
    return InputError(fmt::format("{}: {} with a recurrent model", options.model.model, what));
  };
  if (options.model.machine) throw refuse("--machine, accepted is none: rates are measured before the run");
  if (options.all_schedules) throw refuse("--all-schedules, accepted is --all-depths");
  if (options.force) throw refuse("--force, accepted is none: nothing is skipped");
  if (options.execution != "level") throw refuse("--execution dag, accepted is level");
  if (options.input != "0" || options.label) throw refuse("--input or --label, accepted is --loss-seed");
  return validate_recurrent({options.model, options.recurrent, options.backend,
                             options.has_schedule ? std::optional(options.schedule) : std::nullopt, options.all_depths,
                             options.loss_seed, options.has_seed, !options.no_prediction},
                            invocation);
}

int run_validate(const ValidateOptions& options, const Invocation& invocation) {
  check_model_options(options.model);
  check_schedule(options.schedule);  // before any file is opened
  const std::size_t input = parse_whole("--input", options.input);
  const LossGradient loss = loss_of(options);
  check_recurrent_options(options.recurrent, options.model);
  if (is_recurrent(options.model, options.recurrent)) return run_recurrent(options, invocation);
  if (options.no_prediction)
    throw UsageError("--no-prediction, accepted is a recurrent model; with --machine nothing is calibrated");
  const BackendEntry& backend = backend_of_option(options.backend, Ability::networks);
  static_cast<void>(schedule_request(options.schedule));
  Setting setting = prepare(options);

  Model model = load_at_input(options, input);
  check_label(model, loss);
  const auto store = open_store(options.model.db);
  const std::size_t length = model.network.links().size() + 1;
  std::vector<Schedule> schedules = schedules_of(options, length, setting.workers);
  const Analysis analysis = analyse_with_progress(model, pattern_kind(options.model), std::move(schedules));
  if (!setting.machine && backend.can(Ability::calibration) && any_to_run(analysis, options)) {
    setting.machine = calibrate_now(*setting.backend, setting.workers, model.value_bytes, invocation.tool_version);
  }
  const Validation validation = run_all(model, setting, options, loss, analysis);

  const ValidationReport report{model.name,
                                analysis.schedules,
                                validation,
                                setting.machine ? &*setting.machine : nullptr,
                                options.model.pattern,
                                options.backend,
                                setting.backend->facts(),
                                setting.workers,
                                options.execution,
                                input,
                                loss_text(loss),
                                model.value_bytes,
                                model.network.has_blocks()};
  bool is_stored = false;
  if (store) {
    is_stored = save_validation(*store, run_context(invocation, "validate", options.model, model, analysis.network),
                                analysis, validation, report, *options.model.db);
  }
  print_result(
      options.model.format, [&] { return to_json(report); }, [&] { return to_csv(report); },
      [&] { return to_text(report, terminal_style()); });
  // Those of the sample are of its first input.
  const bool has_first_input = input == 0 || pattern_kind(options.model) == PatternKind::guaranteed;
  if (is_stored && has_first_input) save_pictures(*store, model, pattern_kind(options.model));
  if (const auto mismatch = validation.first_mismatch()) throw ValidationFailed(mismatch->what);
  if (const std::string failure = validation.first_failure(); !failure.empty()) throw BackendError(failure);
  return 0;
}

std::vector<std::string> all_backends() {
  std::vector<std::string> names;
  for (const BackendEntry& one : backends()) names.push_back(one.name);
  return names;
}

}  // namespace

Command declare_validate(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "validate", "Run schedules for real; prove gradients and counts right; predicted beside measured time");
  auto options = std::make_shared<ValidateOptions>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent, false);
  app->add_option("--backend", options->backend, "what runs the schedule")
      ->check(CLI::IsMember(all_backends()))
      ->capture_default_str();
  CLI::Option* schedule = app->add_option("--schedule", options->schedule,
                                          "linear (or substitution), blelloch, hybrid:L cut after L levels, "
                                          "kogge-stone, sklansky, brent-kung, recursive-doubling, cyclic-reduction or "
                                          "blocked:P; of a recurrent model linear, blelloch, hybrid:L, blocked:P[:F] "
                                          "and bptt, several separated by commas; "
                                          "its default is blelloch and three blocked ones")
                              ->capture_default_str();
  CLI::Option* depths = app->add_flag("--all-depths", options->all_depths, "every hybrid depth")->excludes(schedule);
  app->add_flag("--all-schedules", options->all_schedules, "every hybrid depth and every other scheme, as in search")
      ->excludes(schedule)
      ->excludes(depths);
  app->add_option("--execution", options->execution, "with barriers between levels, or as soon as operands are there")
      ->check(CLI::IsMember({"level", "dag"}))
      ->capture_default_str();
  app->add_option("--input", options->input, "which input of the model's sample, from 0")
      ->type_name("I")
      ->capture_default_str();
  CLI::Option* label =
      app->add_option("--label", options->label, "loss gradient of softmax cross-entropy for this class, from 0")
          ->type_name("K");
  CLI::Option* seed = app->add_option("--loss-seed", options->loss_seed, "seed of the standard normal loss gradient")
                          ->type_name("S")
                          ->capture_default_str()
                          ->excludes(label);
  app->add_flag("--no-prediction", options->no_prediction, "run at once, without measuring rates to predict from")
      ->group("Recurrent models");
  app->add_flag("--force", options->force, "run what exceeds 2e10 FLOPs or 8 GiB of live values, too");
  return {app, [options, schedule, seed, &invocation] {
            options->has_schedule = schedule->count() > 0;
            options->has_seed = seed->count() > 0;
            return run_validate(*options, invocation);
          }};
}

}  // namespace upsweep::cli
