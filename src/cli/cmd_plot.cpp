#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "upsweep/app/plot.hpp"
#include "upsweep/base/edit_distance.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/stored_figures.hpp"

namespace upsweep::cli {
namespace {

struct PlotOptions {
  PlotRequest request{"upsweep.sqlite", "", ""};
  std::optional<std::string> run;
  std::optional<std::string> study;
  std::optional<std::string> number;
  std::optional<std::string> width;
  std::string theme = "light";
};

int run_plot(const PlotOptions& options, const Invocation& invocation, const Client& client) {
  PlotRequest request = options.request;
  request.run = parse_id("--run", options.run);
  request.study = parse_id("--study", options.study);
  request.number = parse_given("--number", options.number).value_or(1);
  request.width = parse_given("--width", options.width);
  if (options.theme != "light" && options.theme != "dark")
    throw UsageError(fmt::format("--theme is '{}'{}", options.theme, accepted_text(options.theme, {"light", "dark"})));
  request.theme = options.theme == "dark" ? Theme::dark : Theme::light;
  say_written(client.watch, request.out, run(request, invocation, client.watch).bytes);
  return 0;
}

}  // namespace

Command declare_plot(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand("plot", "Draw one figure of a run or a study as SVG, by Node.js");
  auto options = std::make_shared<PlotOptions>();
  app->add_option("KIND", options->request.kind, fmt::format("{}", fmt::join(figure_kinds(), ", ")))->required();
  app->add_option("--db", options->request.db, "the SQLite file")->type_name("FILE")->capture_default_str();
  app->add_option("--run", options->run, "number of the run, as 'upsweep runs' lists them")->type_name("ID");
  app->add_option("--study", options->study, "number of the study, for the figures study-...")->type_name("ID");
  app->add_option("--number", options->number, "which one, where a study has several; default: 1")->type_name("K");
  app->add_option("--width", options->width, "pixels; default: as the figure is made")->type_name("W");
  app->add_option("--theme", options->theme, "light or dark")->capture_default_str();
  app->add_option("--out", options->request.out, "the picture to write: a name that ends with .svg")
      ->type_name("FILE.svg")
      ->required();
  declare_force(*app, options->request.force);
  return {app, [options, &invocation](const Client& client) { return run_plot(*options, invocation, client); }};
}

}  // namespace upsweep::cli
