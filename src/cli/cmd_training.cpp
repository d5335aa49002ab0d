#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/app/training.hpp"
#include "upsweep/report/training_report.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep::cli {
namespace {

struct TrainingOptions : FrameOptions {
  TrainingRequest request;
  std::optional<std::string> optimum;
  std::string format = "table";
  std::string timeline = "labels";
  bool costs = false;
};

/// The table that --costs asks for.
template <class Study>
Document costs_of(const TrainingOptions& options, const TrainingFile& file, const Study& study) {
  if constexpr (requires { costs_document(file, study); }) {
    if (options.costs) return costs_document(file, study);
  }
  return {};
}

int run_training(const TrainingOptions& options, const Invocation& invocation, const Client& client) {
  const TimelineStyle style = options.timeline == "labels"  ? TimelineStyle::labels
                              : options.timeline == "kinds" ? TimelineStyle::kinds
                                                            : TimelineStyle::none;
  TrainingRequest request = options.request;
  request.optimum = parse_given("--optimum", options.optimum);
  set_frame(options, request);
  const auto outcome = outcome_of(request, invocation, client.watch);
  say_stored(client.watch, request.db, outcome->run_ids);
  const TrainingFile& file = outcome->file;
  const auto print = [&](const auto& study, const auto& answers) {
    if constexpr (requires { document(file, study, answers, style); }) {
      Document found = document(file, study, answers, style);
      found.add(costs_of(options, file, study));
      add_verdict(found, outcome->verdict);
      client.answer(options.format, std::move(found), outcome);
    }
  };
  std::visit(print, file.study, outcome->answers);
  return 0;
}

}  // namespace

Command declare_training(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "training",
      "Simulate a whole training step: pipeline- and data-parallel schedules, out-of-order back-propagation");
  auto options = std::make_shared<TrainingOptions>();
  app->add_option("FILE", options->request.file, "training file (YAML)")->required();
  app->add_option(
         "--optimum", options->optimum,
         "look for the shortest step of all, this long for each problem (of at most 2000 operations and transfers)")
      ->type_name("SECONDS");
  declare_machine_options(*app, *options, "samples of a step instead of those of the file");
  app->add_option("--timeline", options->timeline, "what the table shows of timelines")
      ->check(CLI::IsMember({"labels", "kinds", "none"}))
      ->capture_default_str();
  app->add_flag("--costs", options->costs, "add a table of the layers' costs");
  app->add_option("--db", options->request.db, "SQLite file that keeps the run, its tasks and figures")
      ->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) { return run_training(*options, invocation, client); },
          &options->request.db};
}

}  // namespace upsweep::cli
