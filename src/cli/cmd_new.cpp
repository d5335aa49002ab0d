#include "plain_command.hpp"
#include "upsweep/app/new.hpp"

namespace upsweep::cli {

Command declare_new(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand("new", "Write a commented file to start from: a model, a machine, a study");
  const auto request = std::make_shared<NewRequest>();
  app->add_option("KIND", request->kind, "model, recurrent, chain, machine, study, training or train")->required();
  app->add_option("FILE", request->file, "where, - for standard output; without it KIND.yaml");
  return plain_command(app, request, invocation);
}

}  // namespace upsweep::cli
