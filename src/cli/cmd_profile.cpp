#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recurrent_options.hpp"
#include "upsweep/app/profile.hpp"
#include "upsweep/profile/convention.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep::cli {
namespace {

struct ProfileOptions {
  ModelOptions model;
  RecurrentOptions recurrent;
  std::optional<std::string> schedule;
  CountOptions count;
  OnnxTexts onnx;
  std::optional<std::string> convention;
  std::optional<std::string> module_depth;
};

ProfileRequest request_of(const ProfileOptions& options) {
  ProfileRequest request;
  request.model = options.model.model;
  request.schedule = options.schedule.value_or("blelloch");
  request.is_default_schedule = !options.schedule;
  set_counting(options.count, request);
  request.onnx = onnx_options(options.onnx);
  request.pattern = pattern_kind(options.model);
  set_frame(options.model, request);
  request.db = options.model.db;
  request.sizes = sizes_of(options.recurrent);
  request.assumptions = assumptions_of(options.recurrent);
  request.convention = options.convention;
  if (options.module_depth) {
    if (!options.convention) throw UsageError("--module-depth is of costs, accepted is with --convention");
    request.module_depth = parse_positive("--module-depth", *options.module_depth);
  }
  return request;
}

int run_profile(const ProfileOptions& options, const Invocation& invocation, const Client& client) {
  const auto outcome = outcome_of(request_of(options), invocation, client.watch);
  say_stored(client.watch, options.model.db, outcome->run_ids);
  give(client, options.model.format, outcome);
  return 0;
}

}  // namespace

Command declare_profile(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand("profile", "Count the products of one scan schedule and simulate it on a PRAM");
  auto options = std::make_shared<ProfileOptions>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent);
  declare_onnx_options(*app, options->onnx);
  app->add_option("--schedule", options->schedule,
                  accepted_schedules() +
                      "; of a recurrent model linear, blelloch, hybrid:L and, with --machine, blocked:P; of a "
                      "synthetic chain linear, blelloch, hybrid:L")
      ->default_str("blelloch; where counting it takes more than some seconds the deepest hybrid that does not");
  app->add_option("--convention", options->convention,
                  "of a network: parameters, multiply-accumulates, FLOPs of the three passes and activation bytes, as "
                  "upsweep or a tool counts them, or as all do, side by side; CSV is this table then")
      ->check(CLI::IsMember(convention_names()));
  app->add_option("--module-depth", options->module_depth,
                  "with --convention: to how many parts of their names, which end at dots and slashes, operators are "
                  "put together")
      ->type_name("N")
      ->default_str("1");
  declare_count_options(*app, options->count);
  declare_estimate_options(*app, options->count);
  return {app, [options, &invocation](const Client& client) { return run_profile(*options, invocation, client); },
          &options->model.db};
}

}  // namespace upsweep::cli
