#include <fmt/format.h>

#include <optional>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/report/run_diff_report.hpp"
#include "upsweep/report/runs_report.hpp"
#include "upsweep/report/stored_study_report.hpp"
#include "upsweep/store/run_diff.hpp"
#include "upsweep/store/run_store.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/study_store.hpp"

namespace upsweep::cli {
namespace {

struct RunsOptions {
  std::string db = "upsweep.sqlite";
  std::string format = "table";
  std::string id;
  std::string other_id;
  std::string study;
  bool lists_studies = false;
};

InputError no_such_run(const RunsOptions& options, std::int64_t id) {
  return InputError(fmt::format("{}: there is no run {}, accepted is an id that 'upsweep runs' lists", options.db, id));
}

InputError no_such_study(const RunsOptions& options, std::int64_t id) {
  return InputError(
      fmt::format("{}: there is no study {}, accepted is an id that 'upsweep runs' lists", options.db, id));
}

/// What `show` and `delete` are to do: a run, or else a study. Throws UsageError.
struct OneOf {
  std::optional<std::int64_t> run;
  std::optional<std::int64_t> study;
};

OneOf one_of(const RunsOptions& options) {
  if (options.id.empty() == options.study.empty()) throw UsageError("accepted is either ID of a run or --study N");
  OneOf asked;
  if (!options.id.empty()) asked.run = static_cast<std::int64_t>(parse_positive("ID", options.id));
  if (!options.study.empty()) asked.study = static_cast<std::int64_t>(parse_positive("--study", options.study));
  return asked;
}

int list_runs(const RunsOptions& options) {
  const StoreReader store(options.db);
  const QueryResult studies = store.study_list();
  if (options.lists_studies) {
    print_result(
        options.format, [&] { return to_json(studies); }, [&] { return to_csv(studies); },
        [&] { return to_text(studies, terminal_style()); });
    return 0;
  }
  const QueryResult runs = store.run_list();
  print_result(
      options.format, [&] { return to_json(runs); }, [&] { return to_csv(runs); },
      [&] { return runs_and_studies_text(runs, studies, terminal_style()); });
  return 0;
}

int show_study(const RunsOptions& options, std::int64_t id) {
  const std::optional<StoredStudy> study = StoreReader(options.db).study(id);
  if (!study) throw no_such_study(options, id);
  print_result(
      options.format, [&] { return to_json(*study); }, [&] { return to_csv(*study); },
      [&] { return to_text(*study, terminal_style()); });
  return 0;
}

int show_run(const RunsOptions& options, std::int64_t id) {
  const std::optional<RunTables> run = StoreReader(options.db).run_tables(id);
  if (!run) throw no_such_run(options, id);
  print_result(
      options.format, [&] { return to_json(*run); }, [&] { return to_csv(run->run); },
      [&] { return to_text(*run, terminal_style()); });
  return 0;
}

int show_one(const RunsOptions& options) {
  const OneOf asked = one_of(options);
  return asked.run ? show_run(options, *asked.run) : show_study(options, *asked.study);
}

int delete_one(const RunsOptions& options) {
  const OneOf asked = one_of(options);
  if (asked.run && !RunStore(options.db, RunStore::Open::existing).remove(*asked.run))
    throw no_such_run(options, *asked.run);
  if (asked.study && !remove_study(options.db, *asked.study)) throw no_such_study(options, *asked.study);
  fmt::print(stderr, "upsweep: deleted {} {} from {}\n", asked.run ? "run" : "study",
             asked.run ? *asked.run : *asked.study, options.db);
  return 0;
}

int diff_two(const RunsOptions& options) {
  const auto before = static_cast<std::int64_t>(parse_positive("A", options.id));
  const auto after = static_cast<std::int64_t>(parse_positive("B", options.other_id));
  const RunDiff diff = diff_runs(StoreReader(options.db), before, after);
  print_result(
      options.format, [&] { return to_json(diff); }, [&] { return to_csv(diff); },
      [&] { return to_text(diff, terminal_style()); });
  return 0;
}

}  // namespace

Command declare_runs(CLI::App& root, const Invocation&) {
  CLI::App* app = root.add_subcommand("runs", "List, show, compare and delete stored runs and studies");
  auto options = std::make_shared<RunsOptions>();
  app->add_option("--db", options->db, "the SQLite file")->type_name("FILE")->capture_default_str();
  declare_format(*app, options->format);
  app->require_subcommand(0, 1);
  app->fallthrough();
  CLI::App* list = app->add_subcommand(
      "list",
      "List runs and studies, newest first (the default); JSON and CSV have the runs, with --studies the studies");
  app->add_flag("--studies", options->lists_studies, "list the studies alone");
  CLI::App* show = app->add_subcommand("show", "Show one run with its levels, or one study with its answers");
  CLI::App* erase = app->add_subcommand("delete", "Delete one run or study with all rows that are its own");
  for (CLI::App* sub : {show, erase}) {
    sub->add_option("ID", options->id, "number of the run");
    sub->add_option("--study", options->study, "number of the study instead")->type_name("N");
  }
  CLI::App* diff = app->add_subcommand("diff", "Say why the numbers of two runs differ: inputs, rules, versions");
  diff->add_option("A", options->id, "number of the run before")->required();
  diff->add_option("B", options->other_id, "number of the run after")->required();
  for (CLI::App* sub : {list, show, erase, diff}) sub->fallthrough();
  return {app, [options, show, erase, diff] {
            if (options->lists_studies && (diff->parsed() || show->parsed() || erase->parsed()))
              throw UsageError("--studies with show, delete or diff, accepted is with list");
            if (diff->parsed()) return diff_two(*options);
            if (show->parsed()) return show_one(*options);
            return erase->parsed() ? delete_one(*options) : list_runs(*options);
          }};
}

}  // namespace upsweep::cli
