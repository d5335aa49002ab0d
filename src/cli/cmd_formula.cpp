#include <fmt/format.h>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/formula.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep::cli {
namespace {

struct FormulaOptions {
  FormulaRequest request;
  std::string axis;
  std::optional<std::string> residue;
  std::string largest = "4096";
  CountOptions count;
  std::string format = "table";
};

FormulaRequest request_of(const FormulaOptions& options) {
  FormulaRequest request = options.request;
  request.most_size = parse_integer("--largest", options.largest, 1, 1'000'000);
  request.count_limit = count_limit_of(options.count);
  request.count_memory = count_memory_of(options.count);
  if (!options.residue) return request;
  if (*options.residue == "all") {
    request.all_residues = true;
    return request;
  }
  const std::size_t cross = options.residue->find('x');
  const std::string height = options.residue->substr(0, cross);
  const std::string width = cross == std::string::npos ? height : options.residue->substr(cross + 1);
  request.residue = ImageSize{parse_whole("--residue", height), parse_whole("--residue", width)};
  return request;
}

int run_formula(const FormulaOptions& options, const Invocation& invocation, const Client& client) {
  const auto outcome = outcome_of(request_of(options), invocation, client.watch);
  give(client, options.format, outcome);
  return 0;
}

}  // namespace

Command declare_formula(CLI::App& root, const Invocation& invocation) {
  CLI::App* app =
      root.add_subcommand("formula", "Give the counts of a network as polynomials of its image's height and width");
  auto options = std::make_shared<FormulaOptions>();
  app->add_option("MODEL", options->request.model, "the model file (YAML)")->required();
  app->add_option("--axis", options->axis, "what formulas are of")->check(CLI::IsMember({"image"}))->required();
  app->add_option("--schedule", options->request.schedule, accepted_schedules())->capture_default_str();
  app->add_option(
         "--residue", options->residue,
         "R or RxC of height and width modulo the accumulated stride, or all: those that are the same for both")
      ->type_name("R")
      ->default_str("that of the model's own image");
  app->add_option("--largest", options->largest, "no image that is counted is higher or wider")
      ->type_name("SIZE")
      ->capture_default_str();
  declare_count_options(*app, options->count);
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) { return run_formula(*options, invocation, client); }};
}

}  // namespace upsweep::cli
