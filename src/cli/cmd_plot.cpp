#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/figure/stored_figures.hpp"
#include "upsweep/figure/svg.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/store/store_reader.hpp"
#include "written_file.hpp"

namespace upsweep::cli {
namespace {

constexpr std::uint64_t kLeastWidth = 200;  // below, axes leave no room for what they measure
constexpr std::uint64_t kMostWidth = 10'000;

struct PlotOptions {
  std::string kind;
  std::string db = "upsweep.sqlite";
  std::string out;
  std::optional<std::string> run;
  std::optional<std::string> study;
  std::optional<std::string> number;
  std::optional<std::string> width;
  std::string theme = "light";
};

/// What is to be plotted; wrong options throw UsageError.
struct PlotRequest {
  std::optional<std::int64_t> run;
  std::optional<std::int64_t> study;
  std::size_t number = 1;
  unsigned width = 0;
  Theme theme = Theme::light;
};

PlotRequest request_of(const PlotOptions& options) {
  PlotRequest request;
  const std::vector<std::string>& kinds = figure_kinds();
  if (std::find(kinds.begin(), kinds.end(), options.kind) == kinds.end())
    throw UsageError(fmt::format("KIND is '{}', accepted are {}", options.kind, fmt::join(kinds, ", ")));
  if (options.run.has_value() == options.study.has_value())
    throw UsageError("accepted is either --run ID or --study ID");
  const bool is_of_study = options.kind.starts_with("study-");
  if (is_of_study != options.study.has_value())
    throw UsageError(fmt::format("{} is a figure of a {}, accepted is --{} ID", options.kind,
                                 is_of_study ? "study" : "run", is_of_study ? "study" : "run"));
  if (options.run) request.run = static_cast<std::int64_t>(parse_positive("--run", *options.run));
  if (options.study) request.study = static_cast<std::int64_t>(parse_positive("--study", *options.study));
  if (options.number) request.number = parse_positive("--number", *options.number);
  if (options.width) request.width = static_cast<unsigned>(parse_positive("--width", *options.width, kMostWidth));
  if (options.width && request.width < kLeastWidth)
    throw UsageError(fmt::format("--width is {}, accepted is {} to {}", request.width, kLeastWidth, kMostWidth));
  if (options.theme != "light" && options.theme != "dark")
    throw UsageError(fmt::format("--theme is '{}', accepted are light, dark", options.theme));
  request.theme = options.theme == "dark" ? Theme::dark : Theme::light;
  check_out(options.out, ".svg", options.db);
  return request;
}

/// The figure that is asked for. Throws InputError where there is none.
Figure figure_of(const PlotOptions& options, const PlotRequest& request) {
  const StoreReader store(options.db);
  const std::int64_t id = request.run ? *request.run : *request.study;
  std::vector<Figure> figures =
      request.run ? figures_of_run(store, id, options.kind) : figures_of_study(store, id, options.kind);
  const char* of = request.run ? "run" : "study";
  if (request.number > figures.size()) {
    throw InputError(fmt::format("{}: {} {} has {} figures {}, accepted is --number from 1 to {}", options.db, of, id,
                                 figures.size(), options.kind, figures.size()));
  }
  return std::move(figures[request.number - 1]);
}

int run_plot(const PlotOptions& options) {
  const PlotRequest request = request_of(options);
  require_text_file(options.out);
  const std::string svg = draw_svg(figure_of(options, request), request.theme, request.width);
  write_text_file(options.out, svg);
  report_written(options.out, svg.size());
  return 0;
}

}  // namespace

Command declare_plot(CLI::App& root, const Invocation&) {
  CLI::App* app = root.add_subcommand("plot", "Draw one figure of a run or a study as SVG, by Node.js");
  auto options = std::make_shared<PlotOptions>();
  app->add_option("KIND", options->kind, fmt::format("{}", fmt::join(figure_kinds(), ", ")))->required();
  app->add_option("--db", options->db, "the SQLite file")->type_name("FILE")->capture_default_str();
  app->add_option("--run", options->run, "number of the run, as 'upsweep runs' lists them")->type_name("ID");
  app->add_option("--study", options->study, "number of the study, for the figures study-...")->type_name("ID");
  app->add_option("--number", options->number, "which one, where a study has several; default: 1")->type_name("K");
  app->add_option("--width", options->width, "pixels; default: as the figure is made")->type_name("W");
  app->add_option("--theme", options->theme, "light or dark")->capture_default_str();
  app->add_option("--out", options->out, "the picture to write: a name that ends with .svg")
      ->type_name("FILE.svg")
      ->required();
  return {app, [options] { return run_plot(*options); }};
}

}  // namespace upsweep::cli
