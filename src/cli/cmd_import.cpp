#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/import.hpp"

namespace upsweep::cli {

Command declare_import(CLI::App& root, const Invocation& invocation) {
  struct Options {
    ImportRequest request;
    OnnxTexts onnx;
    std::string format = "table";
  };
  CLI::App* app = root.add_subcommand("import", "Write a network of an ONNX file as a model file with its weights");
  auto options = std::make_shared<Options>();
  app->add_option("MODEL", options->request.model, "the ONNX file")->required();
  app->add_option("--out", options->request.out, "the model file to write: a name that ends with .yaml")
      ->type_name("FILE.yaml")
      ->required();
  declare_force(*app, options->request.force);
  declare_onnx_options(*app, options->onnx);
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) {
            options->request.onnx = onnx_options(options->onnx);
            const auto outcome = outcome_of(options->request, invocation, client.watch);
            give(client, options->format, outcome);
            return 0;
          }};
}

}  // namespace upsweep::cli
