#include <fmt/format.h>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/report/run_diff_report.hpp"
#include "upsweep/report/runs_report.hpp"
#include "upsweep/store/run_diff.hpp"
#include "upsweep/store/run_store.hpp"

namespace upsweep::cli {
namespace {

struct RunsOptions {
  std::string db = "upsweep.sqlite";
  std::string format = "table";
  std::string id;
  std::string other_id;
};

InputError no_such_run(const RunsOptions& options, std::int64_t id) {
  return InputError(fmt::format("{}: there is no run {}, accepted is an id that 'upsweep runs' lists", options.db, id));
}

int list_runs(const RunsOptions& options) {
  RunStore store(options.db, RunStore::Open::existing);
  const QueryResult runs = store.list();
  const auto with_studies = [&] {
    const QueryResult studies = store.studies();
    const TextStyle style = terminal_style();
    const std::string text = runs_text(runs, style);
    return studies.rows.empty() ? text : text + "\nstudies\n" + to_text(studies, style);
  };
  print_result(
      options.format, [&] { return to_json(runs); }, [&] { return to_csv(runs); }, with_studies);
  return 0;
}

/// Shows a training run; false where there is no such one.
bool show_training_run(const RunsOptions& options, RunStore& store, std::int64_t id) {
  const auto run = store.show_training(id);
  if (!run) return false;
  const QueryResult figures = store.training_figures(id);
  const QueryResult summary = store.training_summary(id);
  const auto with_figures = [&] {
    Json object = to_json(*run).front();
    object["figures"] = to_json(figures);
    return object;
  };
  print_result(
      options.format, with_figures, [&] { return to_csv(*run); },
      [&] { return training_run_text(*run, summary.rows.empty() ? figures : summary, terminal_style()); });
  return true;
}

/// Shows a run of backward passes; false where there is no such one.
bool show_pass_run(const RunsOptions& options, RunStore& store, std::int64_t id) {
  const auto run = store.show_passes(id);
  if (!run) return false;
  const QueryResult passes = store.passes(id);
  const QueryResult summary = store.pass_summary(id);
  const QueryResult losses = store.losses(id);
  const auto with_passes = [&] {
    Json object = to_json(*run).front();
    object["passes"] = to_json(passes);
    object["losses"] = to_json(losses);
    return object;
  };
  print_result(
      options.format, with_passes, [&] { return to_csv(*run); },
      [&] { return training_run_text(*run, summary, terminal_style()); });
  return true;
}

int show_run(const RunsOptions& options) {
  const auto id = static_cast<std::int64_t>(parse_positive("ID", options.id));
  RunStore store(options.db, RunStore::Open::existing);
  const auto run = store.show(id);
  if (!run && (show_training_run(options, store, id) || show_pass_run(options, store, id))) return 0;
  if (!run) throw no_such_run(options, id);
  const QueryResult levels = store.levels(id);
  const QueryResult measurements = store.measurements(id);
  const auto with_levels = [&] {
    Json object = to_json(*run).front();
    object["level_profile"] = to_json(levels);
    object["prediction_vs_measurement"] = to_json(measurements);
    return object;
  };
  print_result(
      options.format, with_levels, [&] { return to_csv(*run); },
      [&] { return run_text(*run, levels, measurements, terminal_style()); });
  return 0;
}

int delete_run(const RunsOptions& options) {
  const auto id = static_cast<std::int64_t>(parse_positive("ID", options.id));
  if (!RunStore(options.db, RunStore::Open::existing).remove(id)) throw no_such_run(options, id);
  fmt::print(stderr, "upsweep: deleted run {} from {}\n", id, options.db);
  return 0;
}

int diff_two(const RunsOptions& options) {
  const auto before = static_cast<std::int64_t>(parse_positive("A", options.id));
  const auto after = static_cast<std::int64_t>(parse_positive("B", options.other_id));
  const RunDiff diff = diff_runs(options.db, before, after);
  print_result(
      options.format, [&] { return to_json(diff); }, [&] { return to_csv(diff); },
      [&] { return to_text(diff, terminal_style()); });
  return 0;
}

}  // namespace

Command declare_runs(CLI::App& root, const Invocation&) {
  CLI::App* app = root.add_subcommand("runs", "List, show, compare and delete stored runs");
  auto options = std::make_shared<RunsOptions>();
  app->add_option("--db", options->db, "the SQLite file")->type_name("FILE")->capture_default_str();
  declare_format(*app, options->format);
  app->require_subcommand(0, 1);
  app->fallthrough();
  CLI::App* list = app->add_subcommand("list", "List the runs, newest first (the default)");
  CLI::App* show = app->add_subcommand("show", "Show one run with its levels");
  CLI::App* erase = app->add_subcommand("delete", "Delete one run with all its rows");
  for (CLI::App* sub : {show, erase}) sub->add_option("ID", options->id, "number of the run")->required();
  CLI::App* diff = app->add_subcommand("diff", "Say why the numbers of two runs differ: inputs, rules, versions");
  diff->add_option("A", options->id, "number of the run before")->required();
  diff->add_option("B", options->other_id, "number of the run after")->required();
  for (CLI::App* sub : {list, show, erase, diff}) sub->fallthrough();
  return {app, [options, show, erase, diff] {
            if (diff->parsed()) return diff_two(*options);
            if (show->parsed()) return show_run(*options);
            return erase->parsed() ? delete_run(*options) : list_runs(*options);
          }};
}

}  // namespace upsweep::cli
