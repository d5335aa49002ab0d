#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/app/trace.hpp"

namespace upsweep::cli {

Command declare_trace(CLI::App& root, const Invocation& invocation) {
  struct Options {
    TraceRequest request{"upsweep.sqlite", 0, ""};
    std::string run;
  };
  CLI::App* app = root.add_subcommand(
      "trace", "Write what simulated workers do in a run, for ui.perfetto.dev or chrome://tracing to show");
  auto options = std::make_shared<Options>();
  app->add_option("--db", options->request.db, "the SQLite file")->type_name("FILE")->capture_default_str();
  app->add_option("--run", options->run, "number of the run, as 'upsweep runs' lists them")
      ->type_name("ID")
      ->required();
  app->add_option("--out", options->request.out, "the trace to write: a name that ends with .json")
      ->type_name("FILE.json")
      ->required();
  declare_force(*app, options->request.force);
  return {app, [options, &invocation](const Client& client) {
            options->request.run = parse_id("--run", options->run).value();
            say_written(client.watch, options->request.out, run(options->request, invocation, client.watch).bytes);
            return 0;
          }};
}

}  // namespace upsweep::cli
