#include "upsweep/app/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "count_and_search.hpp"
#include "explained_schedule.hpp"
#include "feasible_on.hpp"
#include "optimal_order.hpp"
#include "upsweep/app/pass_records.hpp"
#include "upsweep/app/pattern_pictures.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/report/chain_report.hpp"
#include "upsweep/report/device_report.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/report/stacked_report.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/search/chain_search.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/search/point.hpp"

namespace upsweep {
namespace {

/// Of an outcome that has everything else.
Verdict verdict_of(const SearchOutcome& outcome);

SearchOptions search_options(const SearchRequest& request, const Machine* machine, unsigned value_bytes) {
  SearchOptions options = options_of(request, machine, value_bytes);
  options.objective = request.objective;
  // Path rules need no machine.
  if (request.objective != Objective::time)
    options.execution = request.execution.value_or(default_execution(nullptr, options.batch));
  options.scope = request.live ? Scope::live : Scope::all;
  if (request.memory) options.memory_limit = *request.memory > 0 ? request.memory : std::nullopt;
  return options;
}

void save(RunStore& store, const RunContext& context, const SearchResult& result, SearchOutcome& outcome) {
  std::vector<RunRecord> runs;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& candidate = result.at(i);
    const ScheduleProfile& profile = outcome.analysis->schedules[i];
    // A run keeps the figures of all ops, whatever the scope of the search: the same columns mean the same in every
    // row.
    RunRecord run{
        candidate.schedule, &profile,           pram_profile(profile, result.workers),
        candidate.score,    candidate.feasible, candidate.feasible ? std::nullopt : std::optional(candidate.reason)};
    run.predicted_level_s = candidate.level_s;
    run.predicted_dag_s = candidate.dag_s;
    if (candidate.binding) run.binding = to_string(*candidate.binding);
    run.score_interval = candidate.score_interval;
    runs.push_back(std::move(run));
  }
  outcome.run_ids = store.save(context, runs, search_record(result));
}

void search_network(const SearchRequest& request, const Caller& caller, const Watch& watch, SearchOutcome& outcome) {
  const Model& model = std::get<Model>(outcome.model);
  const auto store = open_store(request.db);
  SearchOptions options = search_options(request, outcome.machine.get(), model.value_bytes);
  const std::size_t length = model.network.links().size() + 1;
  if (request.schemes == SchemeChoice::optimal) check_ordered(length);
  std::vector<Schedule> schedules = depth_candidates(length);
  std::uint64_t widest = 1;
  for (const Schedule& schedule : schedules) widest = std::max<std::uint64_t>(widest, widest_level(schedule));
  options.workers =
      workers_on(outcome.machine.get(), request.machine, request.workers, checked_mul(widest, options.batch));
  if (request.has_schemes()) {
    for (Schedule& scheme : scheme_candidates(length, *options.workers)) schedules.push_back(std::move(scheme));
  }
  outcome.priced_by = pricer_of(outcome.machine.get());
  count_and_search(request, options, std::move(schedules), watch, outcome);
  if (request.schemes == SchemeChoice::optimal && !outcome.is_interrupted) {
    try {
      add_optimal(request, options, watch, outcome);
    } catch (const Interrupted&) {
      outcome.is_interrupted = true;
      watch.say("interrupted: the best order of products was not found by then");
    }
  }
  outcome.verdict = verdict_of(outcome);
  if (!store || outcome.is_interrupted) return;
  RunContext context = run_context(caller, "search", request.pattern, model, outcome.analysis->network);
  add_machine(context, outcome.machine.get(), *options.workers, model.value_bytes);
  context.verdict = kept(outcome.verdict);
  context.explanation = kept_explanation(outcome);
  save(*store, context, std::get<SearchResult>(outcome.result), outcome);
  save_pictures(*store, model, request.pattern, watch);
}

/// Refuses what a search of a synthetic chain on a machine does not have.
void check_chain(const SearchRequest& request) {
  if (request.db) {
    throw RequestError(
        "db", fmt::format("with {}, a synthetic chain, accepted is without: runs of chains are kept by 'upsweep study'",
                          request.model));
  }
  if (!request.machine) return;
  if (request.objective != Objective::time)
    throw RequestError("objective", "of FLOPs with `machine` and a synthetic chain, accepted is time");
  if (request.schemes == SchemeChoice::all) {
    throw RequestError("schemes",
                       "all with `machine` and a synthetic chain, whose seconds are known for hybrids, accepted is "
                       "hybrid");
  }
}

/// Without barriers where nobody says and that is known of all schedules, else with them.
SearchResult search_known(const SearchRequest& request, const HomogeneousChain& chain, SearchOptions options,
                          std::uint64_t scheme_elements) {
  SearchResult result = search_chain(chain, options, scheme_elements);
  if (request.execution || options.execution == Execution::level) return result;
  bool is_known = true;
  for (std::size_t i = 0; i < result.size(); ++i) is_known = is_known && result.at(i).score;
  if (is_known) return result;
  options.execution = Execution::level;
  return search_chain(chain, options, scheme_elements);
}

void search_synthetic(const SearchRequest& request, SearchOutcome& outcome) {
  const ChainModel& model = std::get<ChainModel>(outcome.model);
  const HomogeneousChain& chain = model.chain;
  const Machine* machine = outcome.machine.get();
  SearchOptions options = search_options(request, machine, model.value_bytes);
  PointSettings settings;
  settings.workers = request.workers;
  settings.batch = options.batch;
  options.workers = workers_of_point(settings, chain.length(), machine);
  const bool with_schemes = machine == nullptr && request.has_schemes();
  const std::uint64_t scheme_elements = with_schemes && chain.is_exact() ? kMostSchemeElements : 0;
  SearchResult result = search_known(request, chain, options, scheme_elements);
  outcome.priced_by = pricer_of(machine);
  outcome.has_overtaking = machine == nullptr && options.batch == 1;
  if (machine == nullptr) outcome.overtaking = result.overtaking;
  outcome.scheme_limit = {"scheme_elements_limit", with_schemes ? std::optional(scheme_elements) : std::nullopt};
  if (with_schemes && result.schemes.empty()) {
    outcome.no_schemes = !chain.is_exact()
                             ? "Other schemes than hybrids are searched for chains with exact counts."
                             : fmt::format(
                                   "Other schemes than hybrids have no closed forms and are searched up to {} "
                                   "elements.",
                                   scheme_elements);
  }
  outcome.result = std::move(result);
  outcome.verdict = verdict_of(outcome);
}

/// Refuses what a search of a recurrent model on a machine does not have.
void check_device(const SearchRequest& request) {
  if (request.objective != Objective::time || request.live || request.execution || request.workers) {
    throw RequestError(
        "",
        "`objective`, `execution`, `live` or `workers` with `machine` and a recurrent model, accepted is "
        "time of all ops on the whole machine");
  }
  if (request.schemes) {
    throw RequestError("schemes",
                       "with `machine` and a recurrent model, which predicts hybrids and blocked:P, accepted is "
                       "without");
  }
}

/// Concludes, and writes a search of a recurrent model into the database that the request names.
void keep(const SearchRequest& request, SearchOutcome& outcome, PassRecord record) {
  outcome.verdict = verdict_of(outcome);
  const auto store = open_store(request.db);
  if (!store) return;
  record.verdict = kept(outcome.verdict);
  record.explanation = kept_explanation(outcome);
  outcome.run_ids = {store->save(record)};
}

void search_passes(const SearchRequest& request, const Caller& caller, SearchOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  const Machine& machine = *outcome.machine;
  const PassShape shape{model.shape, model.steps, model.batch, model.is_fused};
  outcome.priced_by = machine.kind == MachineKind::pram ? "pram" : "kernels";
  outcome.result = search_on_device(machine, shape, model.value_bytes, outcome.assumptions, request.memory);
  std::get<DeviceSearchResult>(outcome.result).options.setup_s = request.setup_s;
  const auto overtaking = [&](const BackwardMethod& baseline) {
    return overtaking_steps(machine, shape, baseline, model.value_bytes, outcome.assumptions);
  };
  outcome.overtaking_steps = overtaking({});
  outcome.overtaking_one_kernel = overtaking(kOneBlock);
  keep(request, outcome, pass_record(caller, model, machine, std::get<DeviceSearchResult>(outcome.result)));
}

void search_steps(const SearchRequest& request, const Caller& caller, SearchOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  const HomogeneousChain chain = chain_of(model);
  const SearchOptions options = search_options(request, nullptr, model.value_bytes);
  const bool with_schemes = request.has_schemes();
  SearchResult result = search_known(request, chain, options, with_schemes ? kMostSchemeElements : 0);
  outcome.has_overtaking = options.batch == 1;
  outcome.overtaking = result.overtaking;
  const std::uint64_t scheme_steps = kMostSchemeElements / (chain.elements / model.steps);
  outcome.scheme_limit = {"scheme_steps_limit", with_schemes ? std::optional(scheme_steps) : std::nullopt};
  if (with_schemes && result.schemes.empty()) {
    outcome.no_schemes =
        fmt::format("Other schemes than hybrids have no closed forms and are searched up to T = {}.", scheme_steps);
  }
  outcome.result = std::move(result);
  keep(request, outcome, pass_record(caller, model, std::get<SearchResult>(outcome.result)));
}

void search_stack(const SearchRequest& request, const Caller& caller, SearchOutcome& outcome) {
  const RecurrentModel& model = std::get<RecurrentModel>(outcome.model);
  if (request.schemes) {
    throw RequestError(
        "schemes", "with a stack of layers, whose search compares ways through layers and steps, accepted is without");
  }
  require_no_machine(model, request.machine);
  if (request.execution == Execution::dag) {
    throw InputError(fmt::format("{}: `execution` dag with a stack of layers, accepted is level: a barrier after each",
                                 request.model));
  }
  const StackedShape shape{model.layers, model.steps, model.shape.hidden};
  outcome.result = compare_stacked(shape, stacked_methods(shape), search_options(request, nullptr, model.value_bytes));
  const auto& result = std::get<StackedSearchResult>(outcome.result);
  if (result.options.batch == 1) outcome.overtaking_wavefront = overtaking_wavefront(result);
  keep(request, outcome, pass_record(caller, "search", model, result));
}

SearchReport network_report(const SearchOutcome& outcome, const Model& model, const SearchResult& result) {
  const NetworkProfile& network = outcome.analysis->network;
  const std::string pattern = to_string(outcome.pattern);
  SearchReport report{model.name, "network",
                      fmt::format("{}: {} pattern{}", model.name, pattern,
                                  network.inputs == 1 ? "" : fmt::format(" (means over {} inputs)", network.inputs)),
                      result};
  report.pattern = pattern;
  report.linear_flops = network.linear_flops;
  report.baseline_flops = network.baseline_flops;
  report.network = &model.network;
  report.network_profile = &network;
  report.remarks = cannot_run_text(outcome.analysis->schedules, result);
  report.more = feasible_on_fields(outcome.analysis->schedules, result);
  return report;
}

SearchReport chain_report(const ChainModel& model, const SearchResult& result) {
  SearchReport report{model.name, "chain", chain_model_text(model), result};
  report.is_exact = model.chain.is_exact();
  report.linear_flops = homogeneous_reference(model.chain, model.value_bytes).linear_flops;
  report.remarks = expectation_text(model);
  return report;
}

SearchReport steps_report(const RecurrentModel& model, const SearchResult& result) {
  SearchReport report{model.name, "recurrent", recurrent_model_text(model), result};
  report.linear_flops = homogeneous_reference(chain_of(model), model.value_bytes).linear_flops;
  report.baseline_flops = recurrent_baseline_flops(model);
  report.input = "sequence";
  report.remarks = fmt::format("Figures are those of {}.\n", batch_text(result.options.batch, report.input));
  return report;
}

/// Calls `show` with the report of an outcome.
template <class Show>
auto with_report(const SearchOutcome& outcome, const Show& show) {
  const RecurrentModel* recurrent = std::get_if<RecurrentModel>(&outcome.model);
  if (const auto* passes = std::get_if<DeviceSearchResult>(&outcome.result)) {
    return show(DeviceSearchReport{*recurrent, *outcome.machine, outcome.assumptions, *passes, outcome.overtaking_steps,
                                   outcome.overtaking_one_kernel});
  }
  if (const auto* ways = std::get_if<StackedSearchResult>(&outcome.result))
    return show(StackedReport{*recurrent, *ways, outcome.overtaking_wavefront, false});
  const auto& result = std::get<SearchResult>(outcome.result);
  SearchReport report = recurrent != nullptr ? steps_report(*recurrent, result)
                        : outcome.analysis   ? network_report(outcome, std::get<Model>(outcome.model), result)
                                             : chain_report(std::get<ChainModel>(outcome.model), result);
  report.priced_by = outcome.priced_by;
  report.no_schemes = outcome.no_schemes;
  report.has_overtaking = outcome.has_overtaking;
  report.overtaking = outcome.overtaking;
  return show(report);
}

Verdict verdict_of(const SearchOutcome& outcome) {
  return with_report(outcome, [](const auto& report) { return search_verdict(report); });
}

}  // namespace

Document document(const SearchOutcome& outcome) {
  Document document = with_report(outcome, [](const auto& report) { return upsweep::document(report); });
  add_verdict(document, outcome.verdict);
  document.facts([runs_on_backends = outcome.analysis.has_value()] {
    return Json{{"feasible_on_leaves_out", runs_on_backends ? feasible_on_leaves_out_json() : Json()}};
  });
  if (outcome.scheme_limit) {
    document.facts([&limit = *outcome.scheme_limit] { return Json{{limit.first, json_of(limit.second)}}; });
  }
  return document;
}

SearchOutcome run(const SearchRequest& request, const Caller& caller, const Watch& watch) {
  check_frame(request);
  check_sizes(request.sizes);
  const ModelFile file(request.model, request.onnx);
  check_assumptions(request.assumptions, request.machine.has_value());
  check_counting(file, request);
  require_countable(file, request.model, request.pattern, request.sizes, request.assumptions);
  if (!file.holds<RecurrentModel>() || !request.machine) require_one_input(request, request.db);
  if (request.schemes == SchemeChoice::optimal && (file.holds<RecurrentModel>() || file.holds<ChainModel>()))
    throw RequestError("schemes",
                       "is optimal, which is of networks of operators; accepted of recurrent models and synthetic "
                       "chains are all and hybrid");
  if (file.holds<RecurrentModel>()) {
    if (request.machine) check_device(request);
    SearchOutcome outcome{load_recurrent_with(file, request.sizes, request.batch, Layers::any)};
    return located(outcome.model, [&]() -> SearchOutcome {
      if (std::get<RecurrentModel>(outcome.model).layers > 1) {
        search_stack(request, caller, outcome);
      } else if (request.machine) {
        Device device = load_device(*request.machine, request.launch, request.assumptions, request.library);
        outcome.machine = std::make_unique<const Machine>(std::move(device.machine));
        outcome.assumptions = device.assumptions;
        search_passes(request, caller, outcome);
      } else {
        search_steps(request, caller, outcome);
      }
      return std::move(outcome);
    });
  }
  if (file.holds<ChainModel>()) check_chain(request);
  std::unique_ptr<const Machine> machine;
  if (request.machine) {
    machine =
        std::make_unique<const Machine>(load_machine_of(request.machine, request.launch, request.library).value());
  }
  AnyModel model = load_model(file, numbers_for(request.pattern), watch);
  if (file.holds<ChainModel>()) {
    SearchOutcome outcome{std::move(model), request.pattern, std::move(machine)};
    return located(outcome.model, [&]() -> SearchOutcome {
      search_synthetic(request, outcome);
      return std::move(outcome);
    });
  }
  SearchOutcome outcome{countable_network(std::move(model), "search", form_for(request.pattern)), request.pattern,
                        std::move(machine)};
  search_network(request, caller, watch, outcome);
  return outcome;
}

}  // namespace upsweep
