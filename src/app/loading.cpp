#include "upsweep/app/loading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <stdexcept>
#include <utility>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/uncounted_text.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/product_order.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

/// The machine of `file` with kernels started so, and that library. Throws InputError where it cannot.
Machine with_launch(const std::string& file, Machine machine, std::optional<LaunchMode> launch,
                    const std::optional<std::string>& library) {
  try {
    if (library) machine = with_library(std::move(machine), *library);
    return launch ? launched(std::move(machine), *launch) : machine;
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", file, error.what()));
  }
}

}  // namespace

AnyModel load_model(const ModelFile& file, Numbers numbers, const Watch& watch) {
  watch.show("reading the model");
  AnyModel model = file.load(numbers);
  watch.show("");
  return model;
}

Model countable_network(AnyModel any, const std::string& command, PatternForm form) {
  Model model = require_network(std::move(any), command);
  model.at_operators([&] { require_pattern_memory(model.network, model.weights, memory_left(), form); });
  return model;
}

Model load_countable_network(const std::string& file, Numbers numbers, const std::string& command, PatternForm form) {
  return countable_network(load_model(file, numbers), command, form);
}

void require_sample_inputs(const Model& model, const std::string& command) {
  if (!model.sample || !model.sample->is_drawn()) return;
  throw InputError(
      fmt::format("{}: its sample has densities, by which patterns are drawn without numbers; accepted by "
                  "{} are inputs or count alone",
                  model.file, command));
}

Numbers numbers_for(PatternKind pattern) {
  return pattern == PatternKind::sample ? Numbers::needed : Numbers::structure;
}

namespace {

/// Says what is counted, once that has taken a while, and not too often.
class CountProgress {
 public:
  explicit CountProgress(const Watch& watch) : watch_(watch) {}

  void input(std::size_t done, std::size_t inputs) {
    if (done == inputs) return watch_.show("");
    what_ = inputs == 1 ? "counting products" : fmt::format("counting products, input {} of {}", done + 1, inputs);
    watch_.show(what_);
  }
  void product(std::size_t number, std::size_t products) {
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < std::chrono::milliseconds(200)) return;
    shown_ = now;
    watch_.show(fmt::format("{}: {} of {}", what_, number, products));
  }

 private:
  const Watch& watch_;
  std::string what_;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

}  // namespace

std::optional<EstimateSettings> CountingRequest::estimates() const {
  if (!estimate) return std::nullopt;
  return EstimateSettings{*estimate, std::max(kMostPairs, most_pairs()), estimate_seed};
}

NetworkView view_of(const Model& model) {
  return {model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes};
}

Analysis analyse_network(const Model& model, PatternKind pattern, std::vector<Schedule> schedules, const Watch& watch,
                         std::optional<std::uint64_t> most_pairs, const std::optional<EstimateSettings>& estimate) {
  CountProgress shown(watch);
  CountLimits limits;
  limits.estimate = estimate;
  limits.pairs = most_pairs.value_or(WorkMeter::kNoLimit);
  limits.stop = watch.stop;
  limits.progress = [&](std::size_t number, std::size_t products) { shown.product(number, products); };
  try {
    Analysis analysis = model.at_operators([&] {
      return analyse(
          view_of(model), pattern, std::move(schedules),
          [&](std::size_t done, std::size_t inputs) { shown.input(done, inputs); }, PatternForm::classes, &limits);
    });
    if (!most_pairs && !analysis.uncounted.empty()) throw uncounted_error(model, pattern, analysis.uncounted.front());
    return analysis;
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", model.file, error.what()));
  } catch (const std::length_error& error) {
    throw InputError(fmt::format("{}: {}", model.file, error.what()));
  }
}

void check_counting(const ModelFile& file, const CountingRequest& counting) {
  if (counting.estimate && !(*counting.estimate > 0 && *counting.estimate <= 1)) {
    throw RequestError("estimate", fmt::format("is {}, accepted is a share above 0 % and at most 100 %: half the width "
                                               "of an interval",
                                               *counting.estimate));
  }
  if (!file.holds<RecurrentModel>() && !file.holds<ChainModel>()) return;
  for (const auto& [field, is_given] : {std::pair{"count_limit", counting.count_limit.has_value()},
                                        std::pair{"count_memory", counting.count_memory.has_value()},
                                        std::pair{"estimate", counting.estimate.has_value()}}) {
    if (is_given) throw RequestError(field, "with a model that closed forms count, accepted is a network of operators");
  }
}

std::string why_uncounted(const Model& model, PatternKind pattern, const UncountedSchedule& uncounted) {
  return uncounted_text(view_of(model), pattern, uncounted);
}

InputError uncounted_error(const Model& model, PatternKind pattern, const UncountedSchedule& uncounted) {
  return model.located(
      OperatorError(first_operator(model.network, uncounted.refused),
                    fmt::format("{}; accepted are {}", why_uncounted(model, pattern, uncounted),
                                uncounted.is_memory
                                    ? "schedules that form less (linear, hybrid:1, ...) and more memory"
                                    : "schedules that form less (linear, hybrid:1, ...) and a larger `count_limit`")));
}

Analysis analyse_default(const Model& model, PatternKind pattern, std::vector<Schedule> schedules, const Watch& watch,
                         std::uint64_t most_pairs) {
  const std::uint64_t most = std::min(kQuickPairs, most_pairs);
  Analysis analysis = analyse_network(model, pattern, schedules, watch, most);
  if (analysis.uncounted.empty()) return analysis;
  const std::string why = why_uncounted(model, pattern, analysis.uncounted.front());
  // Deeper ones form all that shallower ones do, and linear nothing.
  analysis = analyse_network(model, pattern, depth_candidates(schedules.front().length), watch, most);
  std::vector<ScheduleProfile> kept = {analysis.schedules.back()};
  if (schedules.size() > 1) kept.push_back(analysis.schedules.front());
  analysis.schedules = std::move(kept);
  analysis.uncounted.clear();
  watch.say(fmt::format("{}; {} is taken, another with `schedule`", why, analysis.schedules.front().schedule.name));
  return analysis;
}

ScheduleRequest schedule_request(const std::string& text) {
  try {
    return parse_schedule(text);
  } catch (const std::invalid_argument& error) {
    if (is_order_name(text)) throw RequestError("schedule", fmt::format("is wrong: {}", error.what()));
    throw RequestError("schedule", fmt::format("is '{}'{}", text, accepted_schedules(text)));
  }
}

Schedule schedule_over(const ScheduleRequest& request, std::size_t length, const Watch& watch) {
  try {
    Schedule schedule = make_schedule(request, length);
    say_became(request, schedule.name, length, watch);
    return schedule;
  } catch (const std::invalid_argument& error) {
    throw RequestError("schedule", fmt::format("does not fit: {}", error.what()));
  }
}

void say_became(const ScheduleRequest& request, const std::string& name, std::size_t length, const Watch& watch) {
  if (const std::string text = became_text(request, name, length); !text.empty()) watch.say(text);
}

std::uint32_t depth_over(const ScheduleRequest& request, std::size_t length, const Watch& watch) {
  const std::uint64_t depth = std::min<std::uint64_t>(request.parameter, max_depth(length));
  say_became(request, scheme_name(*request.scheme, depth), length, watch);
  return static_cast<std::uint32_t>(depth);
}

void check_launch(std::optional<LaunchMode> launch, bool has_machine) {
  if (!launch || has_machine) return;
  throw RequestError("launch", "is how kernels of a gpu are started, accepted is with `machine`");
}

std::optional<Machine> load_machine_of(const std::optional<std::string>& file, std::optional<LaunchMode> launch,
                                       const std::optional<std::string>& library) {
  check_launch(launch, file.has_value());
  if (!file) return std::nullopt;
  return with_launch(*file, named_machine(*file), launch, library);
}

void check_sizes(const RecurrentSizes& sizes) {
  const auto check = [](const char* field, const std::optional<std::uint64_t>& size, std::uint64_t least,
                        std::uint64_t most) {
    if (!size || (*size >= least && *size <= most)) return;
    throw RequestError(field, fmt::format("is '{}', accepted is an integer from {} to {}", *size, least, most));
  };
  check("steps", sizes.steps, 2, RecurrentSizes::kMostSteps);
  check("hidden", sizes.hidden, 1, RecurrentSizes::kMostHidden);
}

void check_assumptions(const DeviceSettings& settings, bool has_machine) {
  for (const auto& [field, kernels] : {std::pair{"forward_kernels", &settings.forward_kernels},
                                       std::pair{"backward_kernels", &settings.backward_kernels}}) {
    if (*kernels && (**kernels < 1 || **kernels > DeviceSettings::kMostKernels)) {
      throw RequestError(
          field, fmt::format("is '{}', accepted is an integer from 1 to {}", **kernels, DeviceSettings::kMostKernels));
    }
    if (*kernels && !has_machine)
      throw RequestError(field, "is an assumption of predictions, accepted is with `machine`");
  }
  if (!settings.host_launch_us) return;
  if (!(*settings.host_launch_us >= 0)) {
    throw RequestError("host_launch_us", fmt::format("is '{}', accepted is a number of microseconds of at least 0",
                                                     *settings.host_launch_us));
  }
  if (!has_machine) throw RequestError("host_launch_us", "is an assumption of predictions, accepted is with `machine`");
}

void require_recurrent_settings(const ModelFile& file, const std::string& name, const RecurrentSizes& sizes,
                                const DeviceSettings& assumptions) {
  if (file.holds<RecurrentModel>()) return;
  for (const auto& [field, is_given] :
       {std::pair{"steps", sizes.steps.has_value()}, std::pair{"hidden", sizes.hidden.has_value()},
        std::pair{"forward_kernels", assumptions.forward_kernels.has_value()},
        std::pair{"backward_kernels", assumptions.backward_kernels.has_value()},
        std::pair{"host_launch_us", assumptions.host_launch_us.has_value()}}) {
    if (!is_given) continue;
    throw RequestError(field,
                       file.holds<Model>()
                           ? fmt::format("is for recurrent models, {} has a list of operators with shapes of "
                                         "their own",
                                         name)
                           : fmt::format("is for recurrent models, {} is {} with sizes of its own", name, file.what()));
  }
}

Device load_device(const std::string& file, std::optional<LaunchMode> launch, const DeviceSettings& settings,
                   const std::optional<std::string>& library) {
  Machine machine = named_machine(file);
  const std::string reason = unfit_for_device_model(machine);
  if (!reason.empty()) throw InputError(fmt::format("{}: {}", file, reason));
  if (settings.host_launch_us) {
    for (Rates& rates : machine.rates) rates.host_launch_s = *settings.host_launch_us / 1e6;
  }
  machine = with_launch(file, std::move(machine), launch, library);
  DeviceAssumptions assumptions = assumed_on(machine);
  assumptions.forward_kernels = settings.forward_kernels.value_or(assumptions.forward_kernels);
  assumptions.backward_kernels = settings.backward_kernels.value_or(assumptions.backward_kernels);
  if (settings.host_launch_us) assumptions.host_launch_s = *settings.host_launch_us / 1e6;
  return {std::move(machine), assumptions};
}

std::uint64_t workers_on(const Machine* machine, const std::optional<std::string>& file,
                         const std::optional<std::uint64_t>& asked, std::uint64_t widest) {
  const std::uint64_t most = machine == nullptr ? std::numeric_limits<std::uint64_t>::max() : machine->workers();
  if (!asked) return std::clamp<std::uint64_t>(widest, 1, most);
  if (*asked > most) {
    throw InputError(fmt::format("{}: it has {} workers, `workers` is {}, accepted is at most that many",
                                 file.value_or(machine->name), most, *asked));
  }
  return *asked;
}

void require_no_machine(const RecurrentModel& model, const std::optional<std::string>& machine) {
  if (!machine) return;
  throw InputError(fmt::format(
      "{}: `machine` with a stack of layers, accepted is none: stacks are counted in FLOPs, not predicted in seconds",
      model.file));
}

void require_countable(const ModelFile& file, const std::string& name, PatternKind pattern, const RecurrentSizes& sizes,
                       const DeviceSettings& assumptions) {
  if (file.holds<LayersModel>()) {
    throw InputError(
        fmt::format("{}: {}, which has no Jacobians, accepted are networks of operators, recurrent models "
                    "and synthetic chains",
                    name, file.what()));
  }
  require_recurrent_settings(file, name, sizes, assumptions);
  if (pattern == PatternKind::guaranteed || file.holds<Model>()) return;
  if (file.holds<RecurrentModel>()) {
    throw InputError(
        fmt::format("{}: `pattern` sample, accepted is guaranteed with a recurrent model, which is counted "
                    "by closed forms",
                    name));
  }
  throw InputError(
      fmt::format("{}: `pattern` sample with a synthetic chain, which has no inputs, accepted is guaranteed", name));
}

RecurrentModel load_recurrent_with(const ModelFile& file, const RecurrentSizes& sizes,
                                   const std::optional<std::uint64_t>& batch, Layers accepted) {
  RecurrentModel model = load_recurrent(file.document(), accepted);
  model.steps = sizes.steps.value_or(model.steps);
  model.batch = batch.value_or(model.batch);
  model.shape.hidden = sizes.hidden.value_or(model.shape.hidden);
  if (sizes.hidden && model.values)
    throw InputError(fmt::format("{}: `hidden`, accepted is none: the weights stand in files", model.file));
  return model;
}

}  // namespace upsweep
