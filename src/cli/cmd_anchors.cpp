#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/app/anchors.hpp"

namespace upsweep::cli {

Command declare_anchors(CLI::App& root, const Invocation& invocation) {
  struct Options {
    AnchorsRequest request;
    std::string format = "table";
  };
  CLI::App* app = root.add_subcommand("anchors", "Predict published times on named GPUs: how far off is the model?");
  auto options = std::make_shared<Options>();
  AnchorsRequest& request = options->request;
  app->add_option("FILE", request.files,
                  "tables of published times, CSV; databases, of which the validations are taken")
      ->required();
  app->add_option("--family", request.family, "rows of this family alone: spgemm, scan, recurrent, validation, ...");
  app->add_option("--device", request.device, "rows whose device has this in its name");
  app->add_option("--machine", request.machines,
                  "machine files of devices, before the presets; one stands for devices that nobody knows, too")
      ->type_name("FILE");
  app->add_option("--fit-out", request.fit_out, "fit the one --machine to its rows, and write it here")
      ->type_name("FILE");
  declare_force(*app, request.force);
  app->add_option("--db", request.db, "keep everything in this SQLite file: for runs, report and `plot anchors`")
      ->type_name("FILE");
  declare_format(*app, options->format);
  return {app,
          [options, &invocation](const Client& client) {
            const auto outcome = outcome_of(options->request, invocation, client.watch);
            client.answer(options->format, document(outcome->report), outcome);
            say_stored(client.watch, options->request.db, outcome->run_ids);
            return 0;
          },
          &options->request.db};
}

}  // namespace upsweep::cli
