#include "upsweep/app/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profile_verdict.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/pattern_pictures.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/report/chain_report.hpp"
#include "upsweep/report/device_report.hpp"
#include "upsweep/report/import_report.hpp"
#include "upsweep/report/stacked_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/overtaking.hpp"
#include "upsweep/search/what_binds.hpp"
#include "upsweep/sim/homogeneous_time.hpp"

namespace upsweep {
namespace {

std::unique_ptr<const Machine> machine_of(const ProfileRequest& request) {
  std::optional<Machine> machine = load_machine_of(request.machine, request.launch);
  return machine ? std::make_unique<const Machine>(*std::move(machine)) : nullptr;
}

/// A scan by blocks: of a recurrent model a pass of its own, not a schedule.
bool is_blocked(const std::string& schedule) { return schedule.starts_with("blocked:"); }

/// Checks the schedule as far as it can be before the model says what it accepts.
void check_schedule(const std::string& schedule) {
  try {
    if (is_blocked(schedule)) {
      static_cast<void>(parse_backward_method(schedule));
    } else {
      static_cast<void>(parse_schedule(schedule));
    }
  } catch (const std::invalid_argument&) {
    throw RequestError("schedule",
                       is_blocked(schedule)
                           ? fmt::format("is '{}', accepted are blocked:P with an integer P of at least 1 and, of "
                                         "recurrent models with `machine`, blocked:P:F with a decimal F of at least 1",
                                         schedule)
                           : fmt::format("is '{}', accepted are {}", schedule, accepted_schedules()));
  }
}

/// The hybrid depth of a schedule of `what`, which accepts others as `accepted` says.
std::uint32_t depth_of(const std::string& schedule, const std::string& what, const std::string& accepted) {
  const ScheduleRequest request = schedule_request(schedule);
  if (request.scheme->is_hybrid) return static_cast<std::uint32_t>(request.parameter);
  throw RequestError("schedule",
                     fmt::format("is '{}', accepted of {} are linear, blelloch{}", schedule, what, accepted));
}

/// The backward pass of a recurrent model that a schedule is.
BackwardMethod method_of(const ProfileRequest& request) {
  if (!is_blocked(request.schedule)) {
    return {BackwardKind::levels,
            depth_of(request.schedule, "a recurrent model",
                     ", hybrid:L with an integer L of at least 0 and, with `machine`, blocked:P"),
            {}};
  }
  const BackwardMethod method = parse_backward_method(request.schedule);
  if (!request.machine) {
    throw RequestError(
        "schedule",
        fmt::format("is '{}', accepted are linear, blelloch and hybrid:L; blocked:P of a recurrent model is "
                    "predicted on a machine, accepted is with `machine`",
                    request.schedule));
  }
  if (request.workers) {
    throw RequestError("workers",
                       fmt::format("with `schedule` {}, which is predicted on the whole machine, accepted is "
                                   "without",
                                   request.schedule));
  }
  return method;
}

/// What ops that workers share make of a schedule beside plain back-propagation.
template <class Found>
void add_plain(const CountedSchedule& linear, const CountedSchedule& schedule, const Machine* machine,
               Execution execution, Found& found) {
  found.linear_shared_flops = shared_makespan(linear.shared(Scope::all), found.pram.workers);
  SearchOptions options;
  options.machine = machine;
  options.execution = execution;
  OvertakingSearch overtaking(options);
  overtaking.add(linear, linear.sums(Scope::all, true).totals, true);
  overtaking.add(schedule, schedule.sums(Scope::all, true).totals, is_plain_schedule(schedule.name()));
  found.overtakes = overtaking.result();
}

void profile_network(const ProfileRequest& request, const Caller& caller, const Watch& watch, ProfileOutcome& outcome) {
  const Model& model = std::get<Model>(outcome.model);
  const Machine* machine = outcome.machine.get();
  const auto store = open_store(request.db);
  const ScheduleRequest schedule = schedule_request(request.schedule);
  const std::size_t length = model.network.links().size() + 1;
  std::vector<Schedule> schedules = {make_schedule(schedule, length)};
  schedules.push_back(make_schedule(schedule_request("linear"), length));
  CountedNetworkProfile found{analyse_network(model, request.pattern, std::move(schedules), watch), {}};
  const ScheduleProfile& profile = found.analysis.schedules.front();
  const std::uint64_t workers = workers_on(machine, request.machine, request.workers, widest_level(profile.schedule));
  found.pram = pram_profile(profile, workers);
  add_plain(*counted(found.analysis.schedules.back(), model.value_bytes), *counted(profile, model.value_bytes), machine,
            default_execution(machine), found);
  if (machine != nullptr) {
    found.times = profile_times(*machine, profile, found.analysis.network, model.network, workers, model.value_bytes);
    found.linear_s =
        predict_time(found.analysis.schedules.back(), *machine, workers, default_execution(machine), model.value_bytes)
            .seconds;
  }
  outcome.verdict = verdict_of(model, request.pattern, found, machine);
  if (store) {
    RunContext context = run_context(caller, "profile", request.pattern, model, found.analysis.network);
    add_machine(context, machine, workers, model.value_bytes);
    context.verdict = kept(outcome.verdict);
    RunRecord run{request.schedule, &profile, found.pram, {}, {}, {}};
    if (found.times) {
      run.predicted_level_s = found.times->level.seconds;
      run.predicted_dag_s = found.times->dag_s;
      const Execution execution = has_dag_time(*machine) ? Execution::dag : Execution::level;
      if (const auto binding = binding_of(*counted(profile, model.value_bytes), *machine, workers, execution))
        run.binding = to_string(*binding);
    }
    outcome.run_ids = store->save(context, {run}, std::nullopt);
    save_pictures(*store, model, request.pattern, watch);
  }
  outcome.counted = std::move(found);
}

void profile_synthetic(const ProfileRequest& request, std::uint32_t depth, ProfileOutcome& outcome) {
  const ChainModel& model = std::get<ChainModel>(outcome.model);
  const Machine* machine = outcome.machine.get();
  CountedChainProfile found{profile_homogeneous(model.chain, depth, model.value_bytes),
                            {},
                            homogeneous_reference(model.chain, model.value_bytes)};
  const HomogeneousProfile linear = profile_homogeneous(model.chain, 0, model.value_bytes);
  const std::uint64_t workers = workers_on(machine, request.machine, request.workers, found.profile.widest);
  found.pram = homogeneous_pram(found.profile, workers);
  add_plain(*counted(linear), *counted(found.profile), machine, execution_of(found, machine), found);
  std::optional<double> linear_s;
  if (machine != nullptr) {
    found.seconds = homogeneous_seconds(found.profile, *machine, workers, Scope::all);
    linear_s = homogeneous_seconds(linear, *machine, workers, Scope::all);
  }
  outcome.verdict = verdict_of(outcome.model, found, machine, linear_s);
  outcome.counted = std::move(found);
}

/// Concludes, and writes a profile of a recurrent model into the database that the request names.
void keep(const ProfileRequest& request, ProfileOutcome& outcome, Verdict verdict, PassRecord record) {
  record.verdict = kept(verdict);
  outcome.verdict = std::move(verdict);
  if (const auto store = open_store(request.db)) outcome.run_ids = {store->save(record)};
}

void profile_steps(const ProfileRequest& request, const BackwardMethod& method, const Caller& caller,
                   ProfileOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  if (outcome.machine) {
    const PassShape shape{model.shape, model.steps, model.batch, model.is_fused};
    outcome.prediction = predict_on_device(*outcome.machine, shape, method, model.value_bytes, outcome.assumptions);
    keep(request, outcome, verdict_of(outcome, shape, method),
         pass_record(caller, model, *outcome.machine, request.schedule, *outcome.prediction));
  }
  if (is_blocked(request.schedule)) return;
  const HomogeneousChain chain = chain_of(model);
  CountedChainProfile found{
      profile_homogeneous(chain, method.depth, model.value_bytes), {}, homogeneous_reference(chain, model.value_bytes)};
  const std::uint64_t workers = request.workers.value_or(std::max<std::uint64_t>(1, found.profile.widest));
  found.pram = homogeneous_pram(found.profile, workers);
  add_plain(*counted(profile_homogeneous(chain, 0, model.value_bytes)), *counted(found.profile), nullptr,
            execution_of(found, nullptr), found);
  if (!outcome.machine) {
    keep(request, outcome, verdict_of(outcome.model, found, nullptr, std::nullopt),
         pass_record(caller, model, found.profile, found.pram));
  }
  outcome.counted = std::move(found);
}

void profile_stack(const ProfileRequest& request, std::uint32_t depth, const Caller& caller, ProfileOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  require_no_machine(model, request.machine);
  const StackedShape shape{model.layers, model.steps, model.shape.hidden};
  SearchOptions options;
  options.workers = request.workers;
  options.value_bytes = model.value_bytes;
  StackedSearchResult result = compare_stacked(shape, stacked_methods(shape, depth), options);
  outcome.overtaking_wavefront = overtaking_wavefront(result);
  keep(request, outcome, search_verdict(StackedReport{model, result, outcome.overtaking_wavefront, true}),
       pass_record(caller, "profile", model, result));
  outcome.counted = std::move(result);
}

/// Calls `show` with the report of the counts of an outcome.
template <class Show>
auto with_counts(const ProfileOutcome& outcome, const Show& show) {
  const RecurrentModel* recurrent = std::get_if<RecurrentModel>(&outcome.model);
  if (const auto* network = std::get_if<CountedNetworkProfile>(&outcome.counted)) {
    const Model& model = std::get<Model>(outcome.model);
    return show(ProfileReport{model.name, model.network, network->analysis.network, network->analysis.schedules.front(),
                              network->pram, network->linear_shared_flops, to_string(outcome.pattern), outcome.schedule,
                              network->times});
  }
  if (const auto* ways = std::get_if<StackedSearchResult>(&outcome.counted))
    return show(StackedReport{*recurrent, *ways, outcome.overtaking_wavefront, true});
  const auto& chain = std::get<CountedChainProfile>(outcome.counted);
  ChainProfileReport report{recurrent,       chain.profile, chain.pram, chain.reference, chain.linear_shared_flops,
                            outcome.schedule};
  if (recurrent == nullptr) report.model = &std::get<ChainModel>(outcome.model);
  if (chain.seconds) {
    report.machine = outcome.machine->name;
    report.seconds = chain.seconds;
  }
  return show(report);
}

bool is_counted(const ProfileOutcome& outcome) { return !std::holds_alternative<std::monostate>(outcome.counted); }

/// As SearchReport::kind.
const char* search_kind(const AnyModel& model) {
  if (std::holds_alternative<ChainModel>(model)) return "chain";
  const RecurrentModel* recurrent = std::get_if<RecurrentModel>(&model);
  if (recurrent == nullptr) return "network";
  return recurrent->layers > 1 ? "stack" : "recurrent";
}

DeviceProfileReport device_report(const ProfileOutcome& outcome) {
  return {std::get<RecurrentModel>(outcome.model), *outcome.machine, outcome.schedule, outcome.assumptions,
          *outcome.prediction};
}

}  // namespace

Json to_json(const ProfileOutcome& outcome) {
  Json object = is_counted(outcome) ? with_counts(outcome, [](const auto& report) { return to_json(report); })
                                    : Json{{"schedule", {{"requested", outcome.schedule}}}};
  if (outcome.prediction) object["predicted"] = to_json(device_report(outcome));
  // The same names for every kind of model; null is what this kind has not.
  const ChainModel* chain = std::get_if<ChainModel>(&outcome.model);
  if (const Model* network = std::get_if<Model>(&outcome.model); network != nullptr && network->import) {
    object["import"] = import_json(*network->import);
    object["forward"] = forward_json(*network->forward);
  }
  object["verdict"] = verdict_json(outcome.verdict);
  object["launch"] = launch_json(outcome.machine.get());
  object["kind"] = search_kind(outcome.model);
  object["exact"] = chain == nullptr || chain->chain.is_exact();
  if (!object.contains("inputs")) object["inputs"] = 1;
  if (!object.contains("pattern")) object["pattern"] = to_string(outcome.pattern);
  if (!object.contains("schedule")) object["schedule"] = {{"requested", outcome.schedule}};
  for (const char* name : {"model", "levels", "totals", "baseline", "linear", "chain_build", "pram", "makespan_shared",
                           "bound_shared", "time", "predicted"}) {
    if (!object.contains(name)) object[name] = Json();
  }
  return object;
}

std::string to_csv(const ProfileOutcome& outcome) {
  if (outcome.prediction) return to_csv(device_report(outcome));
  return with_counts(outcome, [](const auto& report) { return to_csv(report); });
}

std::string to_text(const ProfileOutcome& outcome, const TextStyle& style) {
  std::string text;
  if (const Model* network = std::get_if<Model>(&outcome.model); network != nullptr && network->import)
    text = import_text(*network->import, *network->forward);
  if (is_counted(outcome)) text += with_counts(outcome, [&](const auto& report) { return to_text(report, style); });
  if (outcome.prediction) text += (text.empty() ? "" : "\n") + to_text(device_report(outcome), style);
  return text + verdict_text(outcome.verdict);
}

ProfileOutcome run(const ProfileRequest& request, const Caller& caller, const Watch& watch) {
  if (request.workers == 0U) throw RequestError("workers", "is 0, accepted is an integer of at least 1");
  check_sizes(request.sizes);
  check_schedule(request.schedule);
  const ModelFile file(request.model, request.onnx);
  check_assumptions(request.assumptions, request.machine.has_value());
  check_launch(request.launch, request.machine.has_value());
  require_countable(file, request.model, request.pattern, request.sizes, request.assumptions);
  if (file.holds<RecurrentModel>()) {
    const BackwardMethod method = method_of(request);
    ProfileOutcome outcome{load_recurrent_with(file, request.sizes, Layers::any), request.schedule, request.pattern};
    return located(outcome.model, [&]() -> ProfileOutcome {
      if (std::get<RecurrentModel>(outcome.model).layers > 1) {
        profile_stack(request, method.depth, caller, outcome);
      } else {
        if (request.machine) {
          Device device = load_device(*request.machine, request.launch, request.assumptions);
          outcome.machine = std::make_unique<const Machine>(std::move(device.machine));
          outcome.assumptions = device.assumptions;
        }
        profile_steps(request, method, caller, outcome);
      }
      return std::move(outcome);
    });
  }
  if (file.holds<ChainModel>()) {
    if (request.db) {
      throw RequestError("db",
                         fmt::format("with {}, a synthetic chain, accepted is without: runs of chains are kept by "
                                     "'upsweep study'",
                                     request.model));
    }
    const std::uint32_t depth =
        depth_of(request.schedule, "a synthetic chain", " and hybrid:L, which have closed forms");
    ProfileOutcome outcome{file.load(Numbers::structure), request.schedule, request.pattern, machine_of(request)};
    return located(outcome.model, [&]() -> ProfileOutcome {
      profile_synthetic(request, depth, outcome);
      return std::move(outcome);
    });
  }
  static_cast<void>(schedule_request(request.schedule));
  std::unique_ptr<const Machine> machine = machine_of(request);
  ProfileOutcome outcome{
      countable_network(file.load(numbers_for(request.pattern)), "profile", form_for(request.pattern)),
      request.schedule, request.pattern, std::move(machine)};
  profile_network(request, caller, watch, outcome);
  return outcome;
}

}  // namespace upsweep
