#include "recurrent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "analysis.hpp"
#include "output.hpp"
#include "pass_records.hpp"
#include "stacked.hpp"
#include "storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/device_report.hpp"
#include "upsweep/report/recurrent_report.hpp"

namespace upsweep::cli {
namespace {

HomogeneousChain chain_of(const RecurrentModel& model) {
  return model.is_fused ? fused_chain(model.shape.hidden, model.steps) : unfused_chain(model.shape.hidden, model.steps);
}

PassShape pass_of(const RecurrentModel& model) { return {model.shape, model.steps, model.batch, model.is_fused}; }

std::uint64_t parse_extent(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  try {
    const std::uint64_t value = parse_positive(option, text);
    if (value >= least && value <= most) return value;
  } catch (const UsageError&) {
    // The range below says more.
  }
  throw UsageError(fmt::format("{} is '{}', accepted is an integer from {} to {}", option, text, least, most));
}

double parse_microseconds(const std::string& option, const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= 0) || !std::isfinite(value)) {
    throw UsageError(fmt::format("{} is '{}', accepted is a number of microseconds of at least 0", option, text));
  }
  return value / 1e6;
}

DeviceAssumptions assumptions_of(const RecurrentOptions& options) {
  DeviceAssumptions assumptions;
  constexpr std::uint64_t kMostKernels = 1000;
  if (options.forward_kernels) {
    assumptions.forward_kernels = parse_extent("--forward-kernels", *options.forward_kernels, 1, kMostKernels);
  }
  if (options.backward_kernels) {
    assumptions.backward_kernels = parse_extent("--backward-kernels", *options.backward_kernels, 1, kMostKernels);
  }
  if (options.host_launch_us)
    assumptions.host_launch_s = parse_microseconds("--host-launch-us", *options.host_launch_us);
  return assumptions;
}

BackwardMethod method_of(const std::string& schedule) {
  if (!is_blocked(schedule)) {
    const ScheduleRequest request = schedule_request(schedule);
    if (request.kind == ScheduleKind::hybrid) {
      return {BackwardKind::levels, static_cast<std::uint32_t>(request.parameter), {}};
    }
    throw UsageError(
        fmt::format("--schedule is '{}', accepted of a recurrent model are linear, blelloch, hybrid:L with an integer "
                    "L of at least 0 and, with --machine, blocked:P",
                    schedule));
  }
  try {
    return parse_backward_method(schedule);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--schedule: {}", error.what()));
  }
}

/// method_of() with what goes with it. Throws UsageError.
BackwardMethod method_for_profile(const std::string& schedule, const ModelOptions& model) {
  const BackwardMethod method = method_of(schedule);
  if (!is_blocked(schedule)) return method;
  if (!model.machine) {
    throw UsageError(
        fmt::format("--schedule is '{}', accepted are linear, blelloch and hybrid:L; blocked:P of a recurrent model is "
                    "predicted on a machine, accepted is with --machine",
                    schedule));
  }
  if (model.workers) {
    throw UsageError(fmt::format(
        "--workers with --schedule {}, which is predicted on the whole machine, accepted is without", schedule));
  }
  return method;
}

/// The machine of --machine. Throws InputError, also where recurrent passes cannot be predicted on it.
std::optional<Machine> load_device(const ModelOptions& options) {
  std::optional<Machine> machine = load_machine_of(options);
  if (!machine) return machine;
  const std::string reason = unfit_for_device_model(*machine);
  if (!reason.empty()) throw InputError(fmt::format("{}: {}", *options.machine, reason));
  return machine;
}

template <class Report>
void print(const std::string& format, const Report& report) {
  print_result(
      format, [&] { return to_json(report); }, [&] { return to_csv(report); }, [&] { return to_text(report); });
}

/// Stores a record where --db says so.
void keep(const ModelOptions& options, const PassRecord& record) {
  const auto store = open_store(options.db);
  if (store) report_stored(*options.db, {store->save(record)});
}

/// `count` with errors that name the model file.
template <class Count>
int counted(const ModelOptions& options, const Count& count) {
  try {
    count();
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", options.model, error.what()));
  } catch (const std::invalid_argument& error) {
    throw InputError(fmt::format("{}: {}", options.model, error.what()));
  }
  return 0;
}

void print_profile(const ModelOptions& options, const RecurrentProfileReport* counts,
                   const DeviceProfileReport* device) {
  if (device == nullptr) {
    print(options.format, *counts);
    return;
  }
  const auto json = [&] {
    Json object = counts != nullptr ? to_json(*counts) : Json{{"schedule", {{"requested", device->method}}}};
    object["predicted"] = to_json(*device);
    return object;
  };
  const auto text = [&] {
    return counts != nullptr ? fmt::format("{}\n{}", to_text(*counts), to_text(*device)) : to_text(*device);
  };
  print_result(
      options.format, json, [&] { return to_csv(*device); }, text);
}

}  // namespace

void declare_recurrent_options(CLI::App& app, RecurrentOptions& options, bool has_machine) {
  const auto add = [&app](const char* name, std::optional<std::string>& to, const char* text, const char* type) {
    app.add_option(name, to, text)->type_name(type)->group("Recurrent models");
  };
  add("--steps", options.steps, "steps instead of those of the file", "T");
  add("--batch", options.batch, "sequences instead of those of the file", "B");
  add("--hidden", options.hidden, "hidden elements instead of those of the file", "H");
  if (!has_machine) return;
  add("--forward-kernels", options.forward_kernels,
      "with --machine: kernels that a step of the forward pass is assumed to have; default 2", "K");
  add("--backward-kernels", options.backward_kernels,
      "with --machine: the same of the sequential backward pass; default 2", "K");
  add("--host-launch-us", options.host_launch_us,
      "with --machine: least time between two kernel launches in microseconds; default 0", "US");
}

void check_recurrent_options(const RecurrentOptions& options, const ModelOptions& model) {
  // As in model files.
  if (options.steps) static_cast<void>(parse_extent("--steps", *options.steps, 2, std::uint64_t{1} << 39));
  if (options.batch) static_cast<void>(parse_extent("--batch", *options.batch, 1, 1'000'000));
  if (options.hidden) static_cast<void>(parse_extent("--hidden", *options.hidden, 1, 65'536));
  static_cast<void>(assumptions_of(options));
  if (model.machine) return;
  for (const auto& [option, text] : {std::pair{"--forward-kernels", &options.forward_kernels},
                                     std::pair{"--backward-kernels", &options.backward_kernels},
                                     std::pair{"--host-launch-us", &options.host_launch_us}}) {
    if (*text) throw UsageError(fmt::format("{} is an assumption of predictions, accepted is with --machine", option));
  }
}

RecurrentModel load_with(const ModelOptions& options, const RecurrentOptions& recurrent, Layers accepted) {
  RecurrentModel model = load_recurrent(options.model, accepted);
  if (recurrent.steps) model.steps = parse_positive("--steps", *recurrent.steps);
  if (recurrent.batch) model.batch = parse_positive("--batch", *recurrent.batch);
  if (recurrent.hidden) model.shape.hidden = parse_positive("--hidden", *recurrent.hidden);
  if (recurrent.hidden && model.values)
    throw InputError(fmt::format("{}: --hidden, accepted is none: the weights stand in files", model.file));
  return model;
}

bool is_blocked(const std::string& schedule) { return schedule.starts_with("blocked:"); }

void check_profile_schedule(const std::string& schedule) {
  if (is_blocked(schedule)) {
    static_cast<void>(method_of(schedule));  // it reads more than schedule_request()
  } else {
    static_cast<void>(schedule_request(schedule));
  }
}

bool is_recurrent(const ModelOptions& model, const RecurrentOptions& options) {
  if (!is_recurrent_file(model.model)) {
    for (const auto& [option, text] :
         {std::pair{"--steps", &options.steps}, std::pair{"--batch", &options.batch},
          std::pair{"--hidden", &options.hidden}, std::pair{"--forward-kernels", &options.forward_kernels},
          std::pair{"--backward-kernels", &options.backward_kernels},
          std::pair{"--host-launch-us", &options.host_launch_us}}) {
      if (*text) {
        throw UsageError(fmt::format("{} is for recurrent models, {} has a list of operators with shapes of their own",
                                     option, model.model));
      }
    }
    return false;
  }
  const auto refuse = [&](const std::string& what) -> InputError {
    return InputError(
        fmt::format("{}: {} with a recurrent model, which is counted by closed forms", model.model, what));
  };
  if (model.pattern != "guaranteed") throw refuse("--pattern sample, accepted is guaranteed");
  return true;
}

int profile_recurrent(const ModelOptions& options, const RecurrentOptions& recurrent, const std::string& schedule,
                      const Invocation& invocation) {
  const BackwardMethod method = method_for_profile(schedule, options);
  const RecurrentModel model = load_with(options, recurrent, Layers::any);
  if (model.layers > 1) return counted(options, [&] { profile_stack(options, model, method.depth, invocation); });
  const std::optional<Machine> machine = load_device(options);
  return counted(options, [&] {
    std::optional<DevicePrediction> prediction;
    std::optional<DeviceProfileReport> device;
    const DeviceAssumptions assumptions = assumptions_of(recurrent);
    if (machine) {
      prediction = predict_on_device(*machine, pass_of(model), method, model.value_bytes, assumptions);
      device.emplace(DeviceProfileReport{model, *machine, schedule, assumptions, *prediction});
    }
    if (device) keep(options, pass_record(invocation, *device));
    if (is_blocked(schedule)) {
      print_profile(options, nullptr, &*device);
      return;
    }
    const HomogeneousChain chain = chain_of(model);
    const HomogeneousProfile profile = profile_homogeneous(chain, method.depth, model.value_bytes);
    const std::uint64_t workers =
        options.workers ? parse_positive("--workers", *options.workers) : std::max<std::uint64_t>(1, profile.widest);
    const HomogeneousPram pram = homogeneous_pram(profile, workers);
    const RecurrentProfileReport report{model, profile, pram, homogeneous_reference(chain, model.value_bytes),
                                        schedule};
    if (!device) keep(options, pass_record(invocation, report));
    print_profile(options, &report, device ? &*device : nullptr);
  });
}

int search_recurrent(const ModelOptions& options, const RecurrentOptions& recurrent, SearchOptions search,
                     bool has_execution, const Invocation& invocation) {
  const bool is_other = search.objective != Objective::time || search.scope == Scope::live || has_execution;
  if (options.machine && (is_other || options.workers)) {
    throw UsageError(
        "--objective, --execution, --live or --workers with --machine and a recurrent model, accepted is time of all "
        "ops on the whole machine");
  }
  const RecurrentModel model = load_with(options, recurrent, Layers::any);
  if (model.layers > 1)
    return counted(options, [&] { search_stack(options, model, search, has_execution, invocation); });
  const std::optional<Machine> machine = load_device(options);
  return counted(options, [&] {
    if (machine) {
      const DeviceAssumptions assumptions = assumptions_of(recurrent);
      const DeviceSearchResult result =
          search_on_device(*machine, pass_of(model), model.value_bytes, assumptions, search.memory_limit);
      const auto overtaking = [&](BackwardKind kind) {
        const BackwardMethod baseline{kind, 0, {.blocks = 1, .first_block = 1, .store_jacobians = false}};
        return overtaking_steps(*machine, pass_of(model), baseline, model.value_bytes, assumptions);
      };
      const DeviceSearchReport report{model,
                                      *machine,
                                      assumptions,
                                      result,
                                      overtaking(BackwardKind::sequential),
                                      overtaking(BackwardKind::blocked)};
      keep(options, pass_record(invocation, report));
      print(options.format, report);
      return;
    }
    const HomogeneousChain chain = chain_of(model);
    search.value_bytes = model.value_bytes;
    if (options.workers) search.workers = parse_positive("--workers", *options.workers);
    const HomogeneousSearchResult result = search_homogeneous(chain, search);
    const RecurrentSearchReport report{model, result,
                                       overtaking_workers(chain, search.execution, search.scope, chain.elements)};
    keep(options, pass_record(invocation, report));
    print(options.format, report);
  });
}

}  // namespace upsweep::cli
