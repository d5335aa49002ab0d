#include <algorithm>

#include "analysis.hpp"
#include "chain.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recurrent.hpp"
#include "upsweep/app/pattern_pictures.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/report/search_report.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep::cli {
namespace {

struct SearchCommand {
  ModelOptions model;
  RecurrentOptions recurrent;
  std::string objective = "time";
  std::optional<std::string> execution;

  [[nodiscard]] std::string execution_text() const { return execution.value_or("dag"); }
  bool live = false;
  std::optional<std::string> memory;
  std::optional<std::string> schemes;
};

SearchOptions search_options(const SearchCommand& options) {
  SearchOptions search;
  if (options.objective == "critical-flops") search.objective = Objective::critical_flops;
  if (options.objective == "work-flops") search.objective = Objective::work_flops;
  search.execution = execution_kind(options.execution_text());
  search.scope = options.live ? Scope::live : Scope::all;
  if (options.memory) search.memory_limit = parse_size("--memory", *options.memory);
  return search;
}

void save(RunStore& store, const RunContext& context, const Analysis& analysis, const SearchResult& result,
          const std::vector<std::optional<Binding>>& bindings, const std::string& execution, const std::string& db) {
  std::vector<RunRecord> runs;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Candidate& candidate = result.at(i);
    // A run keeps the figures of all ops, whatever the scope of the search: the same columns mean the same in every
    // row.
    RunRecord run{candidate.schedule,
                  &analysis.schedules[i],
                  pram_profile(analysis.schedules[i], result.workers),
                  candidate.score,
                  candidate.feasible,
                  candidate.feasible ? std::nullopt : std::optional(candidate.reason)};
    if (candidate.level_time) {
      run.predicted_level_s = candidate.level_time->seconds;
      run.predicted_dag_s = candidate.dag_time->seconds;
      if (bindings[i]) run.binding = to_string(*bindings[i]);
    }
    runs.push_back(std::move(run));
  }
  SearchRecord record{to_string(result.options.objective),
                      execution,
                      result.options.scope == Scope::all ? "all" : "live",
                      result.workers,
                      result.options.memory_limit,
                      std::nullopt,
                      result.margin,
                      std::nullopt,
                      result.scheme_margin};
  if (result.best) record.best_depth = result.candidates[*result.best].depth;
  if (result.best_scheme && !result.schemes.empty()) record.best_schedule = result.at(*result.best_scheme).schedule;
  report_stored(db, store.save(context, runs, record));
}

/// What limits each candidate on the machine; empty without one.
std::vector<std::optional<Binding>> bindings_of(const Analysis& analysis, const SearchResult& result) {
  const SearchOptions& options = result.options;
  std::vector<std::optional<Binding>> bindings;
  if (options.machine == nullptr) return bindings;
  for (const ScheduleProfile& profile : analysis.schedules) {
    bindings.push_back(
        binding_of(profile, *options.machine, result.workers, options.execution, options.value_bytes, options.scope));
  }
  return bindings;
}

/// Every depth and, unless --schemes is hybrid, the other schemes for as many workers as are simulated.
std::vector<Schedule> candidates_of(const SearchCommand& options, std::size_t length, SearchOptions& search) {
  std::vector<Schedule> schedules = depth_candidates(length);
  std::size_t widest = 1;
  for (const Schedule& schedule : schedules) widest = std::max(widest, widest_level(schedule));
  search.workers = workers_of(options.model, widest, search.machine);
  if (options.schemes == "hybrid") return schedules;
  for (Schedule& scheme : scheme_candidates(length, *search.workers)) schedules.push_back(std::move(scheme));
  return schedules;
}

int run_search(const SearchCommand& options, const Invocation& invocation, const CLI::App& app) {
  check_model_options(options.model);
  SearchOptions search = search_options(options);
  check_recurrent_options(options.recurrent, options.model);
  const SearchRequest request{search, options.execution.has_value(), options.schemes};
  if (is_chain(options.model, options.recurrent)) return search_chain(options.model, request);
  if (is_recurrent(options.model, options.recurrent))
    return search_recurrent(options.model, options.recurrent, request, invocation);

  const std::optional<Machine> machine = load_machine_of(options.model);
  const Model model = load(options.model);
  search.machine = machine ? &*machine : nullptr;
  search.value_bytes = model.value_bytes;
  const auto store = open_store(options.model.db);
  std::vector<Schedule> schedules = candidates_of(options, model.network.links().size() + 1, search);
  Console console(app);
  const Watch watch = console.watch();
  const Analysis analysis = analyse_network(model, pattern_kind(options.model), std::move(schedules), watch);
  const SearchResult result = search_depth(analysis.schedules, search);
  const std::vector<std::optional<Binding>> bindings = bindings_of(analysis, result);
  if (store) {
    RunContext context = run_context(invocation, "search", pattern_kind(options.model), model, analysis.network);
    add_machine(context, search.machine, result.workers, model.value_bytes);
    save(*store, context, analysis, result, bindings, options.execution_text(), *options.model.db);
  }

  const SearchReport report{model.name, analysis.network, result, options.model.pattern, &model.network, bindings};
  print_report(options.model.format, report);
  if (store) save_pictures(*store, model, pattern_kind(options.model), watch);
  return 0;
}

}  // namespace

Command declare_search(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "search", "Choose the schedule: every hybrid depth and every other scheme scored, the best and why");
  auto options = std::make_shared<SearchCommand>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent);
  app->add_option("--objective", options->objective, "what to minimise")
      ->check(CLI::IsMember({"time", "critical-flops", "work-flops"}))
      ->capture_default_str();
  app->add_option("--execution", options->execution, "executor and critical-path rule")
      ->check(CLI::IsMember({"level", "dag"}))
      ->default_str("dag");
  app->add_option("--schemes", options->schemes, "all schedules, or the hybrid depths alone")
      ->check(CLI::IsMember({"all", "hybrid"}))
      ->default_str("all");
  app->add_flag("--live", options->live, "leave out dead ops, whose values no result depends on");
  app->add_option("--memory", options->memory,
                  "refuse schedules whose live values take more; bytes, or with KiB, MiB, GiB")
      ->type_name("SIZE");
  return {app, [options, app, &invocation] { return run_search(*options, invocation, *app); }};
}

}  // namespace upsweep::cli
