#include "command.hpp"
#include "options.hpp"
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
};

/// What `show` and `delete` are to do.
template <class Request>
Request one_of(const RunsOptions& options) {
  return {options.db, parse_id("ID", options.id), parse_id("--study", options.study)};
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
            if (options->lists_studies && (diff->parsed() || show->parsed() || erase->parsed()))
              throw UsageError("--studies with show, delete or diff, accepted is with list");
            const auto ask = [&](const auto& request) { return outcome_of(request, invocation, client.watch); };
            if (diff->parsed()) {
              const auto before = parse_id("A", options->id).value();
              const auto after = parse_id("B", options->other_id).value();
              const auto outcome = ask(DiffRunsRequest{options->db, before, after});
              client.answer(options->format, document(outcome->diff), outcome);
            } else if (show->parsed()) {
              const auto outcome = ask(one_of<ShowRunRequest>(*options));
              std::visit([&](const auto& found) { client.answer(options->format, document(found), outcome); },
                         outcome->found);
            } else if (erase->parsed()) {
              run(one_of<DeleteRunRequest>(*options), invocation, client.watch);
            } else {
              const auto outcome = ask(ListRunsRequest{options->db});
              client.answer(options->format,
                            options->lists_studies ? document(outcome->studies)
                                                   : runs_and_studies(outcome->runs, outcome->studies),
                            outcome);
            }
            return 0;
          }};
}

}  // namespace upsweep::cli
