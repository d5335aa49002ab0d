#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recurrent_options.hpp"
#include "upsweep/app/explain.hpp"

namespace upsweep::cli {
namespace {

struct ExplainOptions {
  ModelOptions model;
  RecurrentOptions recurrent;
  std::optional<std::string> schedule;
  std::optional<std::string> against;
};

int run_explain(const ExplainOptions& options, const Invocation& invocation, const Client& client) {
  ExplainRequest request;
  request.against = options.against;
  ProfileRequest& profile = request.profile;
  set_frame(options.model, profile);
  profile.model = options.model.model;
  profile.is_default_schedule = !options.schedule;
  if (options.schedule) profile.schedule = *options.schedule;
  profile.pattern = pattern_kind(options.model);
  profile.db = options.model.db;
  profile.sizes = sizes_of(options.recurrent);
  profile.assumptions = assumptions_of(options.recurrent);
  const auto outcome = outcome_of(request, invocation, client.watch);
  say_stored(client.watch, options.model.db, outcome->profile.run_ids);
  give(client, options.model.format, outcome);
  return 0;
}

}  // namespace

Command declare_explain(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "explain", "Say why one schedule is faster than another: levels, products, what would turn it");
  auto options = std::make_shared<ExplainOptions>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent);
  app->add_option("--schedule", options->schedule,
                  "the schedule to explain: " + accepted_schedules() +
                      "; of a stack of layers also a way's name; "
                      "default: the best scan that search finds with the same settings");
  app->add_option("--against", options->against,
                  "the schedule it is compared with, likewise; linear where not given, of linear the best scan");
  return {app, [options, &invocation](const Client& client) { return run_explain(*options, invocation, client); },
          &options->model.db};
}

}  // namespace upsweep::cli
