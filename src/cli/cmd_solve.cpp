#include <fmt/format.h>

#include <limits>

#include "command.hpp"
#include "options.hpp"
#include "upsweep/app/failure.hpp"
#include "upsweep/app/solve.hpp"
#include "upsweep/base/error.hpp"

namespace upsweep::cli {
namespace {

struct SolveOptions {
  SolveRequest request;
  std::string format = "table";
  std::string pattern = "guaranteed";
  std::string method = "all";
  std::string form = "scaled";
  std::optional<std::string> tolerance;
  std::string omega = "1";
  std::string input = "0";
  std::optional<std::string> warm_start;
  std::optional<std::string> label;
  std::string loss_seed = "1";
  std::optional<std::string> workers;
  std::string batch = "1";
  std::optional<std::string> earlier;
};

MethodRequest parse_method(const std::string& name) {
  if (name == "jacobi") return {SolveMethod::jacobi, 1};
  if (name == "richardson") return {SolveMethod::richardson, 1};
  if (name == "bicgstab") return {SolveMethod::bicgstab, 1};
  const std::string prefix = "hybrid:";
  if (name.starts_with(prefix)) {
    return {SolveMethod::jacobi,
            static_cast<std::size_t>(parse_positive("--method hybrid", name.substr(prefix.size())))};
  }
  throw UsageError(fmt::format(
      "--method has '{}', accepted are all, or several of jacobi, richardson, bicgstab and hybrid:B with a B of at "
      "least 1, separated by commas",
      name));
}

/// Nothing for `all`.
std::vector<MethodRequest> parse_solve_methods(const std::string& text) {
  std::vector<MethodRequest> methods;
  if (text == "all") return methods;
  for (const std::string& name : parse_list(text)) methods.push_back(parse_method(name));
  return methods;
}

/// The request with the options that are texts.
SolveRequest request_of(const SolveOptions& options) {
  SolveRequest request = options.request;
  request.methods = parse_solve_methods(options.method);
  request.form = options.form == "unit" ? SystemForm::unit : SystemForm::scaled;
  request.pattern = pattern_kind(options.pattern);
  if (options.tolerance) {
    request.tolerance = parse_number("--tolerance", *options.tolerance, "are positive numbers",
                                     std::numeric_limits<double>::denorm_min());
  }
  request.omega = parse_number("--omega", options.omega, "are finite numbers; 1 is Jacobi's iteration");
  request.input = parse_whole("--input", options.input);
  if (options.warm_start) request.warm_start = parse_whole("--warm-start", *options.warm_start);
  if (options.label) request.loss.label = parse_whole("--label", *options.label);
  request.loss.seed = parse_whole("--loss-seed", options.loss_seed);
  request.workers = parse_given("--workers", options.workers);
  request.batch = parse_positive("--batch", options.batch);
  if (options.earlier) request.earlier = parse_whole("--earlier", *options.earlier);
  return request;
}

int run_solve(const SolveOptions& options, const Invocation& invocation, const Client& client) {
  const auto outcome = outcome_of(request_of(options), invocation, client.watch);
  client.answer(options.format, document(outcome->report()), outcome);
  if (outcome->mismatch) throw ValidationFailed(*outcome->mismatch);
  return 0;
}

void declare_method_options(CLI::App& app, SolveOptions& options) {
  app.add_option("--method", options.method,
                 "all, or several of jacobi, richardson, bicgstab and hybrid:B (B consecutive blocks directly, the "
                 "rest by Jacobi), separated by commas")
      ->capture_default_str();
  app.add_option("--form", options.form, "the diagonal of the system: f' of activations, or 1 with them as blocks")
      ->check(CLI::IsMember({"scaled", "unit"}))
      ->capture_default_str();
  app.add_option("--tolerance", options.tolerance,
                 "of the residual against the right side; default: 1e-6, or the least that the number type reaches")
      ->type_name("X");
  app.add_option("--omega", options.omega, "relaxation of richardson; 1 is Jacobi's iteration")
      ->type_name("W")
      ->capture_default_str();
  app.add_option("--warm-start", options.warm_start,
                 "start from the gradients of this input of the sample, by the same weights and loss; default: v = c, "
                 "the loss gradient and zeros")
      ->type_name("J");
  app.add_option("--workers", options.workers, "workers; default: one for each coupling")->type_name("P");
  app.add_option("--batch", options.batch, "right sides that the counts are for")
      ->type_name("R")
      ->capture_default_str();
}

}  // namespace

Command declare_solve(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "solve", "Solve back-propagation as a triangular system by iterative methods; errors and costs by iteration");
  auto options = std::make_shared<SolveOptions>();
  app->add_option("MODEL", options->request.model, "the model file (YAML)")->required();
  app->add_option("--pattern", options->pattern,
                  "which Jacobian entries count: guaranteed by the architecture, or those at the input")
      ->check(CLI::IsMember({"guaranteed", "sample"}))
      ->capture_default_str();
  declare_method_options(*app, *options);
  app->add_option("--input", options->input, "which input of the model's sample, from 0")
      ->type_name("I")
      ->capture_default_str();
  CLI::Option* label =
      app->add_option("--label", options->label, "loss gradient of softmax cross-entropy for this class, from 0")
          ->type_name("K");
  app->add_option("--loss-seed", options->loss_seed, "seed of the standard normal loss gradient")
      ->type_name("S")
      ->capture_default_str()
      ->excludes(label);
  app->add_flag("--forward", options->request.forward, "sweeps of approximate forward propagation too, from D = I");
  app->add_option("--earlier", options->earlier, "the same with D from the pass at this input of the sample")
      ->type_name("J");
  app->add_flag("--formulas", options->request.formulas,
                "complexity formulas beside exact counts, which form the products of recursive splitting");
  declare_format(*app, options->format);
  return {app, [options, &invocation](const Client& client) { return run_solve(*options, invocation, client); }};
}

}  // namespace upsweep::cli
