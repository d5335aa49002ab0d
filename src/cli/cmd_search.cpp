#include "analysis.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "storing.hpp"
#include "upsweep/report/search_report.hpp"

namespace upsweep::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string objective = "time";
  std::string execution = "dag";
  bool live = false;
  std::optional<std::string> memory;
};

SearchOptions search_options(const Options& options) {
  SearchOptions search;
  if (options.objective == "critical-flops") search.objective = Objective::critical_flops;
  if (options.objective == "work-flops") search.objective = Objective::work_flops;
  search.execution = options.execution == "level" ? Execution::level : Execution::dag;
  search.scope = options.live ? Scope::live : Scope::all;
  if (options.model.workers) search.workers = parse_positive("--workers", *options.model.workers);
  if (options.memory) search.memory_limit = parse_size("--memory", *options.memory);
  return search;
}

void save(RunStore& store, const RunContext& context, const Analysis& analysis, const SearchResult& result,
          const std::string& execution, const std::string& db) {
  std::vector<RunRecord> runs;
  for (std::size_t i = 0; i < result.candidates.size(); ++i) {
    const Candidate& candidate = result.candidates[i];
    const double score = static_cast<double>(candidate.score) / static_cast<double>(result.inputs);
    // A run keeps the figures of all ops, whatever the scope of the search: the same columns mean the same in every
    // row.
    runs.push_back({candidate.schedule, &analysis.schedules[i], pram_profile(analysis.schedules[i], result.workers),
                    score, candidate.feasible, candidate.feasible ? std::nullopt : std::optional(candidate.reason)});
  }
  SearchRecord record{to_string(result.options.objective),
                      execution,
                      result.options.scope == Scope::all ? "all" : "live",
                      result.workers,
                      result.options.memory_limit,
                      std::nullopt,
                      result.margin};
  if (result.best) record.best_depth = result.candidates[*result.best].depth;
  report_stored(db, store.save(context, runs, record));
}

int run_search(const Options& options, const Invocation& invocation) {
  check_model_options(options.model);
  const SearchOptions search = search_options(options);

  const Model model = load(options.model);
  const auto store = open_store(options.model.db);
  const Analysis analysis =
      analyse_with_progress(model, pattern_kind(options.model), depth_candidates(model.network.links().size() + 1));
  const SearchResult result = search_depth(analysis.schedules, search);
  if (store) {
    save(*store, run_context(invocation, "search", options.model, model, analysis.network), analysis, result,
         options.execution, *options.model.db);
  }

  const SearchReport report{model.name, analysis.network, result, options.model.pattern};
  print_result(
      options.model.format, [&] { return to_json(report); }, [&] { return to_csv(report); },
      [&] { return to_text(report); });
  return 0;
}

}  // namespace

Command declare_search(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand("search", "Choose the hybrid depth: every depth scored, the best and why");
  auto options = std::make_shared<Options>();
  declare_model_options(*app, options->model);
  app->add_option("--objective", options->objective, "what to minimise")
      ->check(CLI::IsMember({"time", "critical-flops", "work-flops"}))
      ->capture_default_str();
  app->add_option("--execution", options->execution, "executor and critical-path rule")
      ->check(CLI::IsMember({"level", "dag"}))
      ->capture_default_str();
  app->add_flag("--live", options->live, "leave out dead ops, whose values no result depends on");
  app->add_option("--memory", options->memory,
                  "refuse depths whose live values take more; bytes, or with KiB, MiB, GiB")
      ->type_name("SIZE");
  return {app, [options, &invocation] { return run_search(*options, invocation); }};
}

}  // namespace upsweep::cli
