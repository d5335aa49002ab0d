#include "recurrent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "analysis.hpp"
#include "output.hpp"
#include "stacked.hpp"
#include "terminal.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/device_report.hpp"
#include "upsweep/report/recurrent_search_report.hpp"

namespace upsweep::cli {
namespace {

HomogeneousChain chain_of(const RecurrentModel& model) {
  return model.is_fused ? fused_chain(model.shape.hidden, model.steps) : unfused_chain(model.shape.hidden, model.steps);
}

PassShape pass_of(const RecurrentModel& model) { return {model.shape, model.steps, model.batch, model.is_fused}; }

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

/// Stores a record where --db says so.
void keep(const ModelOptions& options, const PassRecord& record) {
  const auto store = open_store(options.db);
  if (store) report_stored(options.db, {store->save(record)});
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
    print_report(options.format, *counts);
    return;
  }
  const auto json = [&] {
    Json object = counts != nullptr ? to_json(*counts) : Json{{"schedule", {{"requested", device->method}}}};
    object["predicted"] = to_json(*device);
    return object;
  };
  const auto text = [&] {
    const TextStyle style = terminal_style();
    const std::string predicted = to_text(*device, style);
    return counts != nullptr ? fmt::format("{}\n{}", to_text(*counts, style), predicted) : predicted;
  };
  print_result(
      options.format, json, [&] { return to_csv(*device); }, text);
}

/// Refuses what a search on a machine does not have. Throws UsageError.
void check_search(const ModelOptions& options, const SearchRequest& request) {
  if (!options.machine) return;
  const SearchOptions& search = request.search;
  const bool is_other =
      search.objective != Objective::time || search.scope == Scope::live || request.has_execution || options.workers;
  if (is_other) {
    throw UsageError(
        "--objective, --execution, --live or --workers with --machine and a recurrent model, accepted is time of all "
        "ops on the whole machine");
  }
  if (request.schemes) {
    throw UsageError(
        "--schemes with --machine and a recurrent model, which predicts hybrids and blocked:P, accepted is without");
  }
}

/// `search` with --machine: passes by predicted seconds.
void search_machine(const ModelOptions& options, const Machine& machine, const RecurrentModel& model,
                    const DeviceAssumptions& assumptions, std::optional<std::uint64_t> memory_limit,
                    const Invocation& invocation) {
  const DeviceSearchResult result =
      search_on_device(machine, pass_of(model), model.value_bytes, assumptions, memory_limit);
  const auto overtaking = [&](BackwardKind kind) {
    const BackwardMethod baseline{kind, 0, {.blocks = 1, .first_block = 1, .store_jacobians = false}};
    return overtaking_steps(machine, pass_of(model), baseline, model.value_bytes, assumptions);
  };
  const DeviceSearchReport report{
      model, machine, assumptions, result, overtaking(BackwardKind::sequential), overtaking(BackwardKind::blocked)};
  keep(options, pass_record(invocation, report));
  print_report(options.format, report);
}

}  // namespace

bool is_blocked(const std::string& schedule) { return schedule.starts_with("blocked:"); }

void check_profile_schedule(const std::string& schedule) {
  if (is_blocked(schedule)) {
    try {
      static_cast<void>(parse_backward_method(schedule));
      return;
    } catch (const std::invalid_argument&) {
      throw UsageError(
          fmt::format("--schedule is '{}', accepted are blocked:P with an integer P of at least 1 and, of recurrent "
                      "models with --machine, blocked:P:F with a decimal F of at least 1",
                      schedule));
    }
  }
  static_cast<void>(schedule_request(schedule));
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
  const RecurrentModel model = load_recurrent_with(options.model, sizes_of(recurrent), Layers::any);
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

int search_recurrent(const ModelOptions& options, const RecurrentOptions& recurrent, SearchRequest request,
                     const Invocation& invocation) {
  SearchOptions& search = request.search;
  check_search(options, request);
  const RecurrentModel model = load_recurrent_with(options.model, sizes_of(recurrent), Layers::any);
  if (model.layers > 1) {
    if (request.schemes) {
      throw UsageError(
          "--schemes with a stack of layers, whose search compares ways through layers and steps, accepted is without");
    }
    return counted(options, [&] { search_stack(options, model, search, request.has_execution, invocation); });
  }
  const std::optional<Machine> machine = load_device(options);
  return counted(options, [&] {
    if (machine) {
      search_machine(options, *machine, model, assumptions_of(recurrent), search.memory_limit, invocation);
      return;
    }
    const HomogeneousChain chain = chain_of(model);
    search.value_bytes = model.value_bytes;
    if (options.workers) search.workers = parse_positive("--workers", *options.workers);
    const bool with_schemes = request.schemes != "hybrid";
    const HomogeneousSearchResult result = search_homogeneous(chain, search, with_schemes ? kMostSchemeElements : 0);
    RecurrentSearchReport report{model, result,
                                 overtaking_workers(chain, search.execution, search.scope, chain.elements)};
    if (with_schemes) report.scheme_steps = kMostSchemeElements / (chain.elements / model.steps);
    keep(options, pass_record(invocation, report));
    print_report(options.format, report);
  });
}

}  // namespace upsweep::cli
