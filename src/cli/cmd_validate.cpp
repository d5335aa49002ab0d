#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "recurrent_options.hpp"
#include "upsweep/app/failure.hpp"
#include "upsweep/app/validate.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/report/validation_report.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep::cli {
namespace {

struct ValidateOptions {
  ValidateRequest request;
  ModelOptions model;
  RecurrentOptions recurrent;
  std::string schedule = "blelloch";
  OnnxTexts onnx;
  std::optional<std::string> label;
  std::string loss_seed = "1";
  bool has_schedule = false;  ///< --schedule was given
  bool has_seed = false;      ///< --loss-seed was given
};

/// The request with the options that are texts.
ValidateRequest request_of(const ValidateOptions& options) {
  ValidateRequest request = options.request;
  request.model = options.model.model;
  request.pattern = pattern_kind(options.model);
  set_frame(options.model, request);
  request.db = options.model.db;
  if (options.has_schedule) request.schedule = options.schedule;
  OnnxTexts onnx = options.onnx;
  // A number is an input of the sample, a shape one of an ONNX file.
  const auto number = std::stable_partition(onnx.inputs.begin(), onnx.inputs.end(), [](const std::string& text) {
    return text.find('=') != std::string::npos;
  });
  if (std::distance(number, onnx.inputs.end()) > 1) throw UsageError("--input has several numbers, accepted is one");
  if (number != onnx.inputs.end()) request.input = parse_whole("--input", *number);
  onnx.inputs.erase(number, onnx.inputs.end());
  request.onnx = onnx_options(onnx);
  if (options.label) request.label = parse_whole("--label", *options.label);
  if (options.has_seed) request.loss_seed = parse_whole("--loss-seed", options.loss_seed);
  request.sizes = sizes_of(options.recurrent);
  return request;
}

int run_validate(const ValidateOptions& options, const Invocation& invocation, const Client& client) {
  const auto outcome = outcome_of(request_of(options), invocation, client.watch);
  say_stored(client.watch, options.model.db, outcome->run_ids);
  give(client, options.model.format, outcome);
  // What ran and failed decides the exit code, whatever became of the database.
  if (outcome->not_kept && (outcome->mismatch || outcome->failure))
    client.watch.say(failure_of(outcome->not_kept).message);
  if (outcome->mismatch) throw ValidationFailed(*outcome->mismatch);
  if (outcome->failure) throw BackendError(*outcome->failure);
  if (outcome->not_kept) std::rethrow_exception(outcome->not_kept);
  return 0;
}

/// Backends of networks of operators and of recurrent models.
std::vector<std::string> all_backends() {
  std::vector<std::string> names;
  for (const BackendEntry& one : backends()) names.push_back(one.name);
  return names;
}

}  // namespace

Command declare_validate(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "validate", "Run schedules for real; prove gradients and counts right; predicted beside measured time");
  auto options = std::make_shared<ValidateOptions>();
  declare_model_options(*app, options->model);
  declare_recurrent_options(*app, options->recurrent, false);
  app->add_option("--backend", options->request.backend, "what runs the schedule")
      ->check(CLI::IsMember(all_backends()))
      ->capture_default_str();
  CLI::Option* schedule = app->add_option("--schedule", options->schedule,
                                          accepted_schedules() +
                                              "; of a recurrent model linear, blelloch, hybrid:L, blocked:P[:F] "
                                              "and bptt, several separated by commas; "
                                              "its default is blelloch and three blocked ones")
                              ->capture_default_str();
  CLI::Option* depths =
      app->add_flag("--all-depths", options->request.all_depths, "every hybrid depth")->excludes(schedule);
  app->add_flag("--all-schedules", options->request.all_schedules,
                "every hybrid depth and every other scheme, as in search")
      ->excludes(schedule)
      ->excludes(depths);
  declare_onnx_options(*app, options->onnx, "which input of the model's sample, from 0 (the default); ");
  CLI::Option* label =
      app->add_option("--label", options->label, "loss gradient of softmax cross-entropy for this class, from 0")
          ->type_name("K");
  CLI::Option* seed = app->add_option("--loss-seed", options->loss_seed, "seed of the standard normal loss gradient")
                          ->type_name("S")
                          ->capture_default_str()
                          ->excludes(label);
  app->add_option("--gradient", options->request.gradient,
                  "write the gradient of the network's input here, for comparisons with other programs")
      ->type_name("FILE.npy");
  app->add_flag("--no-prediction", options->request.no_prediction,
                "run at once, without measuring rates to predict from")
      ->group("Recurrent models");
  app->add_flag("--force", options->request.force,
                "run what exceeds 2e10 FLOPs or 8 GiB of live values, too, and replace a file of --gradient that "
                "upsweep did not write");
  return {app,
          [options, schedule, seed, &invocation](const Client& client) {
            options->has_schedule = schedule->count() > 0;
            options->has_seed = seed->count() > 0;
            return run_validate(*options, invocation, client);
          },
          &options->model.db};
}

}  // namespace upsweep::cli
