#include <algorithm>

#include "command.hpp"
#include "options.hpp"
#include "parse_errors.hpp"
#include "upsweep/app/runs.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/report/run_diff_report.hpp"
#include "upsweep/report/runs_report.hpp"
#include "upsweep/report/stored_study_report.hpp"

namespace upsweep::cli {
namespace {

struct RunsOptions {
  std::string db = "upsweep.sqlite";
  std::string format = "table";
  std::optional<std::string> id;
  std::optional<std::string> other_id;
  std::optional<std::string> study;
  bool lists_studies = false;
  bool lists_candidates = false;
  ListRunsRequest listed;  // which runs
  std::optional<std::string> limit;
};

/// What `show` and `delete` are to do.
template <class Request>
Request one_of(const RunsOptions& options) {
  return {options.db, parse_id("ID", options.id), parse_id("--study", options.study)};
}

/// Which runs `list` shows.
void declare_choice(CLI::App& app, RunsOptions& options) {
  app.add_flag("--candidates", options.lists_candidates,
               "list every candidate of a search, not the best alone (JSON and CSV always do)");
  app.add_option("--model", options.listed.model, "list runs of models that have this in their name");
  app.add_option(
         "--machine", options.listed.machine,
         "list runs on machines that have this in their name; studies, whose points have machines, are not listed then")
      ->type_name("NAME");
  app.add_option("--command", options.listed.command, "list runs of this command: search, validate, ...");
  app.add_option("--since", options.listed.since, "list runs from this day or time (UTC) on: 2026-11-27")
      ->type_name("DATE");
  app.add_option("--until", options.listed.until, "list runs up to the end of this day or time (UTC)")
      ->type_name("DATE");
  app.add_option("--limit", options.limit, "list the runs of so many commands, the newest")->type_name("N");
}

/// Throws UsageError where another subcommand is given what is for `list`.
void require_list(const RunsOptions& options, bool is_list) {
  if (options.lists_studies && !is_list) throw UsageError("--studies with show, delete or diff, accepted is with list");
  const bool chooses_runs = options.listed.model || options.listed.machine || options.listed.command ||
                            options.listed.since || options.listed.until || options.limit || options.lists_candidates;
  if (options.listed.command) {
    const bool is_known = std::ranges::find(kCommands, *options.listed.command, &CommandEntry::name) != kCommands.end();
    if (!is_known) throw UsageError("--command: " + unknown_command(*options.listed.command));
    if (*options.listed.command == "explain")
      throw UsageError("--command is explain, whose runs are kept as those of profile, accepted is profile");
  }
  if (!chooses_runs) return;
  if (options.lists_studies)
    throw UsageError(
        "--model, --machine, --command, --since, --until, --limit and --candidates choose runs, accepted is without "
        "--studies");
  if (is_list) return;
  throw UsageError(
      "--model, --machine, --command, --since, --until, --limit and --candidates choose what list shows, accepted is "
      "with list");
}

}  // namespace

Command declare_runs(CLI::App& root, const Invocation& invocation) {
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
  declare_choice(*app, *options);
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
  return {app, [=, &invocation](const Client& client) {
            require_list(*options, !diff->parsed() && !show->parsed() && !erase->parsed());
            const auto ask = [&](const auto& request) { return outcome_of(request, invocation, client.watch); };
            if (diff->parsed()) {
              const auto before = parse_id("A", options->id).value();
              const auto after = parse_id("B", options->other_id).value();
              const auto outcome = ask(DiffRunsRequest{options->db, before, after});
              client.answer(options->format, document(outcome->diff), outcome);
            } else if (show->parsed()) {
              const auto outcome = ask(one_of<ShowRunRequest>(*options));
              if (const auto* run = std::get_if<RunTables>(&outcome->found)) {
                client.answer(options->format, document(*run, outcome->candidates), outcome);
              } else {
                client.answer(options->format, document(std::get<StoredStudy>(outcome->found)), outcome);
              }
            } else if (erase->parsed()) {
              run(one_of<DeleteRunRequest>(*options), invocation, client.watch);
            } else {
              options->listed.db = options->db;
              options->listed.limit = parse_given("--limit", options->limit);
              const auto outcome = ask(options->listed);
              client.answer(
                  options->format,
                  options->lists_studies
                      ? document(outcome->studies)
                      : runs_and_studies(outcome->runs, outcome->studies, outcome->verdicts,
                                         options->lists_candidates ? ListedRuns::all : ListedRuns::best_of_a_search),
                  outcome);
            }
            return 0;
          }};
}

}  // namespace upsweep::cli
