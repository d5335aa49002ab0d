#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/machines.hpp"

namespace upsweep::cli {

Command declare_machines(CLI::App& root, const Invocation& invocation) {
  struct Options {
    MachinesRequest request;
    std::string format = "table";
  };
  CLI::App* app = root.add_subcommand("machines", "List the machines that --machine knows by name; write one's file");
  auto options = std::make_shared<Options>();
  app->add_option("NAME", options->request.name, "that one alone");
  app->add_option("--out", options->request.out, "write its machine file here, to change it")->type_name("FILE.yaml");
  declare_force(*app, options->request.force);
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) {
            give(client, options->format, outcome_of(options->request, invocation, client.watch));
            return 0;
          }};
}

}  // namespace upsweep::cli
