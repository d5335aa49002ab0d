#include <exception>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/app/train.hpp"

namespace upsweep::cli {
namespace {

struct TrainOptions {
  TrainRequest request;
  std::optional<std::string> backward;
  std::optional<std::string> iterations;
  std::optional<std::string> batch;
  std::optional<std::string> steps;
  std::optional<std::string> workers;
  std::string format = "table";
};

int run_train(const TrainOptions& options, const Invocation& invocation, const Client& client) {
  TrainRequest request = options.request;
  if (options.backward) request.backward = parse_list(*options.backward);
  request.iterations = parse_given("--iterations", options.iterations);
  request.batch = parse_given("--batch", options.batch);
  request.steps = parse_given("--steps", options.steps);
  request.workers = parse_given("--workers", options.workers);
  const auto outcome = outcome_of(request, invocation, client.watch);
  say_stored(client.watch, request.db, outcome->run_ids);
  give(client, options.format, outcome);
  if (outcome->failure) std::rethrow_exception(outcome->failure);
  return 0;
}

}  // namespace

Command declare_train(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "train", "Train by several kinds of backward pass from the same start, loss curves on top of each other");
  auto options = std::make_shared<TrainOptions>();
  app->add_option("FILE", options->request.file, "train file (YAML), e. g. configs/training/rnn-bitstream.yaml")
      ->required();
  app->add_option("--backward", options->backward,
                  "backward passes instead of the file's, the first the reference: bptt,blelloch,blocked:4")
      ->type_name("LIST");
  app->add_option("--iterations", options->iterations, "instead of the file's")->type_name("N");
  app->add_option("--batch", options->batch, "samples of an iteration, instead of the file's or the model's")
      ->type_name("B");
  app->add_option("--steps", options->steps, "length of the sequences, instead of the file's or the model's")
      ->type_name("T");
  app->add_option("--backend", options->request.backend,
                  "where backward passes run, instead of the file's: reference, cpu, cuda");
  app->add_option("--workers", options->workers, "threads; default: all that this machine has")->type_name("P");
  app->add_option("--svg", options->request.svg, "draw the curves into this SVG file, by Node.js")->type_name("FILE");
  declare_force(*app, options->request.force);
  app->add_option("--db", options->request.db, "keep the curves and times in this SQLite file")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) { return run_train(*options, invocation, client); },
          &options->request.db};
}

}  // namespace upsweep::cli
