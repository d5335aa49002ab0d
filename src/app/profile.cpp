#include "upsweep/app/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "feasible_on.hpp"
#include "profile_verdict.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/pattern_pictures.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/report/chain_report.hpp"
#include "upsweep/report/cost_report.hpp"
#include "upsweep/report/device_report.hpp"
#include "upsweep/report/import_report.hpp"
#include "upsweep/report/stacked_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/product_order.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

std::unique_ptr<const Machine> machine_of(const ProfileRequest& request) {
  std::optional<Machine> machine = load_machine_of(request.machine, request.launch, request.library);
  return machine ? std::make_unique<const Machine>(*std::move(machine)) : nullptr;
}

/// A scan by blocks: of a recurrent model a pass of its own, not a schedule.
bool is_blocked(const std::string& schedule) { return schedule.starts_with("blocked:"); }

/// A hybrid schedule of `what`, which accepts others as `accepted` says.
ScheduleRequest hybrid_of(const std::string& schedule, const std::string& what, const std::string& accepted) {
  ScheduleRequest request = schedule_request(schedule);
  if (request.scheme->is_hybrid) return request;
  throw RequestError("schedule",
                     fmt::format("is '{}', accepted of {} are linear, blelloch{}", schedule, what, accepted));
}

/// The backward pass of a recurrent model that a schedule is, as deep as was asked for.
BackwardMethod method_of(const ProfileRequest& request) {
  if (!is_blocked(request.schedule)) {
    const ScheduleRequest hybrid =
        hybrid_of(request.schedule, "a recurrent model",
                  ", hybrid:L with an integer L of at least 0 and, with `machine`, blocked:P");
    return {BackwardKind::levels, static_cast<std::uint32_t>(hybrid.parameter), {}};
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

/// Plain back-propagation and, behind it, the schedule of a request where that is another one, counted.
Analysis count_network(const ProfileRequest& request, const Model& model, const Watch& watch) {
  const MemoryCeiling ceiling(request.count_memory.value_or(machine_memory()));
  const std::size_t length = model.network.links().size() + 1;
  std::vector<Schedule> schedules = {schedule_over(schedule_request(request.schedule), length, watch),
                                     linear_schedule(length)};
  const std::uint64_t most = request.most_pairs();
  // With estimates the schedule that is meant needs no other in its place.
  Analysis analysis =
      request.is_default_schedule && !request.estimate
          ? analyse_default(model, request.pattern, std::move(schedules), watch, most)
          : analyse_network(model, request.pattern, std::move(schedules), watch, most, request.estimates());
  if (!analysis.uncounted.empty()) throw uncounted_error(model, request.pattern, analysis.uncounted.front());
  std::swap(analysis.schedules.front(), analysis.schedules.back());
  if (request.estimate && analysis.schedules.back().without.empty()) watch.say(CountingRequest::kNoEstimates);
  if (analysis.schedules.front().schedule.name == analysis.schedules.back().schedule.name)
    analysis.schedules.pop_back();
  return analysis;
}

void profile_network(const ProfileRequest& request, const Caller& caller, const Watch& watch, ProfileOutcome& outcome) {
  const Model& model = std::get<Model>(outcome.model);
  const Machine* machine = outcome.machine.get();
  const auto store = open_store(request.db);
  CountedNetworkProfile found{count_network(request, model, watch), {}, {}};
  SearchOptions options = options_of(request, machine, model.value_bytes);
  options.workers = workers_on(machine, request.machine, request.workers,
                               checked_mul(widest_level(found.profile().schedule), options.batch));
  found.compared = search_depth(found.analysis.schedules, options);
  if (machine != nullptr)
    found.times = profile_times(found.compared, found.profile(), found.analysis.network, model.network);
  outcome.verdict = verdict_of(model, request.pattern, found);
  if (store) {
    RunContext context = run_context(caller, "profile", request.pattern, model, found.analysis.network);
    add_machine(context, machine, *options.workers, model.value_bytes);
    context.verdict = kept(outcome.verdict);
    const Candidate& mine = found.compared.last();
    RunRecord run{request.schedule, &found.profile(), mine.pram, mine.score, {}, {}};
    run.predicted_level_s = mine.level_s;
    run.predicted_dag_s = mine.dag_s;
    if (mine.binding) run.binding = to_string(*mine.binding);
    outcome.run_ids = store->save(context, {run}, std::nullopt);
    save_pictures(*store, model, request.pattern, watch);
  }
  outcome.counted = std::move(found);
}

/// Plain back-propagation over a chain and the profile of a schedule, without barriers where nobody says and that is
/// known of both.
SearchResult compare_with_plain(const HomogeneousChain& chain, const HomogeneousProfile& profile,
                                const FrameRequest& frame, SearchOptions options) {
  const HomogeneousProfile linear = profile_homogeneous(chain, 0, options.value_bytes);
  std::vector<std::unique_ptr<CountedSchedule>> schedules;
  schedules.push_back(counted(linear));
  if (profile.depth > 0) schedules.push_back(counted(profile));
  SearchResult result = compare_schedules(schedules, options, options.workers.value());
  const bool is_known = result.linear().score && result.last().score;
  if (is_known || frame.execution) return result;
  options.execution = Execution::level;
  return compare_schedules(schedules, options, *options.workers);
}

void profile_synthetic(const ProfileRequest& request, std::uint32_t depth, ProfileOutcome& outcome) {
  const ChainModel& model = std::get<ChainModel>(outcome.model);
  const Machine* machine = outcome.machine.get();
  CountedChainProfile found{profile_homogeneous(model.chain, depth, model.value_bytes),
                            homogeneous_reference(model.chain, model.value_bytes),
                            {}};
  SearchOptions options = options_of(request, machine, model.value_bytes);
  options.workers =
      workers_on(machine, request.machine, request.workers, checked_mul(found.profile.widest, options.batch));
  found.compared = compare_with_plain(model.chain, found.profile, request, options);
  outcome.verdict = verdict_of(outcome.model, found);
  outcome.counted = std::move(found);
}

/// Concludes, and writes a profile of a recurrent model into the database that the request names.
void keep(const ProfileRequest& request, ProfileOutcome& outcome, Verdict verdict, PassRecord record) {
  record.verdict = kept(verdict);
  outcome.verdict = std::move(verdict);
  if (const auto store = open_store(request.db)) outcome.run_ids = {store->save(record)};
}

/// The sequential pass and the one that is asked for on the machine of the outcome and, of fused steps, the sequential
/// pass in one kernel, which is no scan either.
DeviceSearchResult compare_passes(const RecurrentModel& model, const BackwardMethod& method,
                                  const ProfileOutcome& outcome) {
  const PassShape shape{model.shape, model.steps, model.batch, model.is_fused};
  std::vector<BackwardMethod> methods = {{}, method};
  if (model.is_fused) methods.push_back(kOneBlock);
  return compare_on_device(*outcome.machine, shape, methods, model.value_bytes, outcome.assumptions, {});
}

void profile_steps(const ProfileRequest& request, const BackwardMethod& method, const Caller& caller,
                   ProfileOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  if (outcome.machine) {
    DeviceSearchResult passes = compare_passes(model, method, outcome);
    passes.options.setup_s = request.setup_s;
    outcome.prediction = passes.passes[1].prediction;
    keep(request, outcome, verdict_of(outcome, passes),
         pass_record(caller, model, *outcome.machine, request.schedule, *outcome.prediction));
  }
  if (is_blocked(request.schedule)) return;
  const HomogeneousChain chain = chain_of(model);
  CountedChainProfile found{
      profile_homogeneous(chain, method.depth, model.value_bytes), homogeneous_reference(chain, model.value_bytes), {}};
  SearchOptions options = options_of(request, nullptr, model.value_bytes);
  options.workers = workers_on(nullptr, {}, request.workers, checked_mul(found.profile.widest, options.batch));
  found.compared = compare_with_plain(chain, found.profile, request, options);
  if (!outcome.machine) {
    keep(request, outcome, verdict_of(outcome.model, found), pass_record(caller, model, found.profile, found.compared));
  }
  outcome.counted = std::move(found);
}

void profile_stack(const ProfileRequest& request, std::uint32_t depth, const Caller& caller, ProfileOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  require_no_machine(model, request.machine);
  const StackedShape shape{model.layers, model.steps, model.shape.hidden};
  const SearchOptions options = options_of(request, nullptr, model.value_bytes);
  StackedSearchResult result = compare_stacked(shape, stacked_methods(shape, depth), options);
  if (options.batch == 1) outcome.overtaking_wavefront = overtaking_wavefront(result);
  keep(request, outcome, search_verdict(StackedReport{model, result, outcome.overtaking_wavefront, true}),
       pass_record(caller, "profile", model, result));
  outcome.counted = std::move(result);
}

/// Throws RequestError.
void check_convention(const ProfileRequest& request) {
  if (request.convention && find_conventions(*request.convention).empty()) {
    throw RequestError("convention", fmt::format("is '{}'{}", *request.convention,
                                                 accepted_text(*request.convention, convention_names())));
  }
  if (request.module_depth == 0) throw RequestError("module_depth", "is 0, accepted is an integer of at least 1");
}

void count_conventions(const ProfileRequest& request, ProfileOutcome& outcome) {
  const Model& model = std::get<Model>(outcome.model);
  outcome.costs = count_costs(model.network, find_conventions(request.convention.value_or("upsweep")),
                              request.batch.value_or(1), model.value_bytes, request.module_depth);
  outcome.shows_costs = request.convention.has_value();
}

/// Calls `show` with the report of the counts of an outcome.
template <class Show>
auto with_counts(const ProfileOutcome& outcome, const Show& show) {
  const RecurrentModel* recurrent = std::get_if<RecurrentModel>(&outcome.model);
  if (const auto* network = std::get_if<CountedNetworkProfile>(&outcome.counted)) {
    const auto& model = std::get<Model>(outcome.model);
    return show(ProfileReport{model.name, model.network, network->analysis.network, network->profile(),
                              network->compared, to_string(outcome.pattern), outcome.schedule, network->times,
                              cannot_run_text(network->analysis.schedules, network->compared)});
  }
  if (const auto* ways = std::get_if<StackedSearchResult>(&outcome.counted))
    return show(StackedReport{*recurrent, *ways, outcome.overtaking_wavefront, true});
  const auto& chain = std::get<CountedChainProfile>(outcome.counted);
  ChainProfileReport report{recurrent, chain.profile, chain.compared, chain.reference, outcome.schedule};
  if (recurrent == nullptr) report.model = &std::get<ChainModel>(outcome.model);
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

/// The same names for every kind of model; null is what this kind has not.
Json names_of_all(const ProfileOutcome& outcome) {
  const ChainModel* chain = std::get_if<ChainModel>(&outcome.model);
  Json object;
  for (const char* name : {"model", "levels", "totals", "baseline", "linear", "chain_build", "pram", "makespan_shared",
                           "bound_shared", "time", "predicted", "network_costs"}) {
    object[name] = nullptr;
  }
  object["launch"] = launch_json(outcome.machine.get());
  object["kind"] = search_kind(outcome.model);
  const auto* network = std::get_if<CountedNetworkProfile>(&outcome.counted);
  object["exact"] =
      (chain == nullptr || chain->chain.is_exact()) && (network == nullptr || network->profile().without.empty());
  object["feasible_on"] =
      network == nullptr ? Json() : feasible_on_json(network->analysis.schedules, network->compared);
  object["feasible_on_leaves_out"] = network == nullptr ? Json() : feasible_on_leaves_out_json();
  object["inputs"] = 1;
  object["pattern"] = to_string(outcome.pattern);
  object["schedule"] = {{"requested", outcome.schedule}};
  return object;
}

}  // namespace

void check_schedule(const std::string& setting, const std::string& schedule) {
  try {
    if (is_blocked(schedule)) {
      static_cast<void>(parse_backward_method(schedule));
    } else {
      static_cast<void>(parse_schedule(schedule));
    }
  } catch (const std::invalid_argument& error) {
    if (is_order_name(schedule)) throw RequestError(setting, fmt::format("is wrong: {}", error.what()));
    throw RequestError(setting,
                       is_blocked(schedule)
                           ? fmt::format("is '{}', accepted are blocked:P with an integer P of at least 1 and, of "
                                         "recurrent models with `machine`, blocked:P:F with a decimal F of at least 1",
                                         schedule)
                           : fmt::format("is '{}'{}", schedule, accepted_schedules(schedule)));
  }
}

Document document(const ProfileOutcome& outcome) {
  Document document;
  document.facts([&outcome] { return names_of_all(outcome); });
  if (const Model* network = std::get_if<Model>(&outcome.model); network != nullptr && network->import)
    document.add(import_document(*network->import, *network->forward));
  if (outcome.prediction) {
    const DeviceProfileReport report = device_report(outcome);
    Document prediction = upsweep::document(report);
    if (is_counted(outcome)) {
      document.add(with_counts(outcome, [](const auto& counted) { return upsweep::document(counted); })).say("\n");
    }
    document.add_under("predicted", std::move(prediction));
  } else {
    document.add(with_counts(outcome, [](const auto& report) { return upsweep::document(report); }));
  }
  if (outcome.costs)
    document.add(
        upsweep::document(CostReport{std::get<Model>(outcome.model).network, *outcome.costs, outcome.shows_costs}));
  add_verdict(document, outcome.verdict);
  return document;
}

ProfileOutcome run(const ProfileRequest& request, const Caller& caller, const Watch& watch) {
  check_convention(request);
  check_frame(request);
  check_sizes(request.sizes);
  check_schedule("schedule", request.schedule);
  const ModelFile file(request.model, request.onnx);
  check_assumptions(request.assumptions, request.machine.has_value());
  check_counting(file, request);
  require_countable(file, request.model, request.pattern, request.sizes, request.assumptions);
  if (request.convention && !file.holds<Model>()) {
    throw RequestError("convention", fmt::format("with {}, {}, accepted is without: conventions count networks of "
                                                 "operators, of which recurrent layers may be some",
                                                 request.model, file.what()));
  }
  if (!file.holds<RecurrentModel>() || !request.machine) require_one_input(request, request.db);
  if (file.holds<RecurrentModel>()) {
    BackwardMethod method = method_of(request);
    ProfileOutcome outcome{load_recurrent_with(file, request.sizes, request.batch, Layers::any), request.schedule,
                           request.pattern};
    return located(outcome.model, [&]() -> ProfileOutcome {
      const auto& model = std::get<RecurrentModel>(outcome.model);
      if (method.kind == BackwardKind::levels) {
        const std::size_t length = model.layers > 1 ? model.steps + 1 : chain_of(model).length();
        method.depth = depth_over(schedule_request(request.schedule), length, watch);
      }
      if (model.layers > 1) {
        profile_stack(request, method.depth, caller, outcome);
      } else {
        if (request.machine) {
          Device device = load_device(*request.machine, request.launch, request.assumptions, request.library);
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
    const ScheduleRequest hybrid =
        hybrid_of(request.schedule, "a synthetic chain", " and hybrid:L, which have closed forms");
    ProfileOutcome outcome{file.load(Numbers::structure), request.schedule, request.pattern, machine_of(request)};
    return located(outcome.model, [&]() -> ProfileOutcome {
      const std::size_t length = std::get<ChainModel>(outcome.model).chain.length();
      profile_synthetic(request, depth_over(hybrid, length, watch), outcome);
      return std::move(outcome);
    });
  }
  static_cast<void>(schedule_request(request.schedule));
  std::unique_ptr<const Machine> machine = machine_of(request);
  ProfileOutcome outcome{
      countable_network(load_model(file, numbers_for(request.pattern), watch), "profile", form_for(request.pattern)),
      request.schedule, request.pattern, std::move(machine)};
  profile_network(request, caller, watch, outcome);
  located(outcome.model, [&] { count_conventions(request, outcome); });
  return outcome;
}

}  // namespace upsweep
