#include "plain_command.hpp"
#include "upsweep/app/machines.hpp"

namespace upsweep::cli {

Command declare_machines(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand("machines", "List the machines that --machine knows by name; write one's file");
  const auto request = std::make_shared<MachinesRequest>();
  app->add_option("NAME", request->name, "that one alone");
  app->add_option("--out", request->out, "write its machine file here, to change it")->type_name("FILE.yaml");
  return plain_command(app, request, invocation);
}

}  // namespace upsweep::cli
