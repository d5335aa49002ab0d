#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/new.hpp"

namespace upsweep::cli {

Command declare_new(CLI::App& root, const Invocation& invocation) {
  struct Options {
    NewRequest request;
    std::string format = "table";
  };
  CLI::App* app = root.add_subcommand("new", "Write a commented file to start from: a model, a machine, a study");
  auto options = std::make_shared<Options>();
  app->add_option("KIND", options->request.kind, "model, recurrent, chain, machine, study, training or train")
      ->required();
  app->add_option("FILE", options->request.file, "where; without it KIND.yaml");
  declare_force(*app, options->request.force);
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) {
            give(client, options->format, outcome_of(options->request, invocation, client.watch));
            return 0;
          }};
}

}  // namespace upsweep::cli
