#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/calibrate.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/report/calibration_report.hpp"

namespace upsweep::cli {

Command declare_calibrate(CLI::App& root, const Invocation& invocation) {
  struct Options {
    CalibrateRequest request;
    std::string dtype = "both";
    std::string format = "table";
  };
  CLI::App* app =
      root.add_subcommand("calibrate", "Measure this machine with synthetic products; write a machine file");
  auto options = std::make_shared<Options>();
  CalibrateRequest& request = options->request;
  app->add_option("--backend", request.backend, "what is measured")
      ->check(CLI::IsMember(backend_names(Ability::calibration)))
      ->capture_default_str();
  app->add_option("--out", request.out, "the machine file to write, for --machine of other commands")
      ->type_name("FILE")
      ->required();
  app->add_option("--dtype", options->dtype, "number types to measure")
      ->check(CLI::IsMember({"fp32", "fp64", "both"}))
      ->capture_default_str();
  app->add_flag("--quick", request.quick, "a third of the products: to try it out, not for figures");
  declare_force(*app, request.force);
  app->add_option("--db", request.db, "store the machine in this SQLite file")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) {
            options->request.value_bytes = options->dtype == "both" ? 0 : options->dtype == "fp64" ? 8 : 4;
            const auto outcome = outcome_of(options->request, invocation, client.watch);
            client.answer(options->format, document(outcome->calibration), outcome);
            return 0;
          }};
}

}  // namespace upsweep::cli
