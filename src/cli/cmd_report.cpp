#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/app/report.hpp"

namespace upsweep::cli {

Command declare_report(CLI::App& root, const Invocation& invocation) {
  struct Options {
    ReportRequest request{"upsweep.sqlite", ""};
    std::optional<std::string> run;
    std::optional<std::string> study;
  };
  CLI::App* app = root.add_subcommand(
      "report", "Write one HTML page, to look at and to mail, about the runs and studies of a database");
  auto options = std::make_shared<Options>();
  app->add_option("--db", options->request.db, "the SQLite file")->type_name("FILE")->capture_default_str();
  app->add_option("--out", options->request.out, "the page to write: a name that ends with .html")
      ->type_name("FILE.html")
      ->required();
  declare_force(*app, options->request.force);
  app->add_option("--run", options->run, "this run alone; default: all")->type_name("ID");
  app->add_option("--study", options->study, "this study alone")->type_name("ID");
  return {app, [options, &invocation](const Client& client) {
            ReportRequest& request = options->request;
            request.run = parse_id("--run", options->run);
            request.study = parse_id("--study", options->study);
            say_written(client.watch, request.out, run(request, invocation, client.watch).bytes);
            return 0;
          }};
}

}  // namespace upsweep::cli
