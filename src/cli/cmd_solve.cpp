#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "analysis.hpp"
#include "calibrating.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "solving.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/error.hpp"
#include "upsweep/io/recurrent_file.hpp"
#include "upsweep/report/solve_report.hpp"

namespace upsweep::cli {
namespace {

struct SolveOptions {
  ModelOptions model;
  std::string method = "all";
  std::string form = "scaled";
  std::optional<std::string> tolerance;
  std::string omega = "1";
  std::string input = "0";
  std::optional<std::string> warm_start;
  std::optional<std::string> label;
  std::string loss_seed = "1";
  std::string batch = "1";
  bool forward = false;
  std::optional<std::string> earlier;
  bool formulas = false;
};

/// A finite number. Throws UsageError that names the option.
double parse_number(const std::string& option, const std::string& text, const std::string& accepted) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && std::isfinite(value)) return value;
  throw UsageError(fmt::format("{} is '{}', accepted are {}", option, text, accepted));
}

std::size_t parse_count(const std::string& option, const std::string& text) {
  return text == "0" ? 0 : static_cast<std::size_t>(parse_positive(option, text));
}

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
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    methods.push_back(parse_method(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return methods;
}

SolvePlan plan_of(const SolveOptions& options) {
  SolvePlan plan;
  plan.methods = parse_solve_methods(options.method);
  plan.form = options.form == "unit" ? SystemForm::unit : SystemForm::scaled;
  plan.pattern = pattern_kind(options.model);
  if (options.tolerance) {
    plan.tolerance = parse_number("--tolerance", *options.tolerance, "positive numbers");
    if (*plan.tolerance <= 0)
      throw UsageError(fmt::format("--tolerance is '{}', accepted are positive numbers", *options.tolerance));
  }
  plan.omega = parse_number("--omega", options.omega, "finite numbers; 1 is Jacobi's iteration");
  plan.input = parse_count("--input", options.input);
  if (options.warm_start) plan.warm_start = parse_count("--warm-start", *options.warm_start);
  if (options.label) plan.loss.label = parse_count("--label", *options.label);
  plan.loss.seed = parse_count("--loss-seed", options.loss_seed);
  if (options.model.workers)
    plan.workers = static_cast<std::size_t>(parse_positive("--workers", *options.model.workers));
  plan.batch = parse_positive("--batch", options.batch);
  plan.forward = options.forward || options.earlier.has_value();
  if (options.earlier) plan.earlier = parse_count("--earlier", *options.earlier);
  plan.formulas = options.formulas;
  return plan;
}

/// The residual of a solution that its method calls good enough was not; and no method with a solution at all.
void check_outcome(const SolveReport& report) {
  bool any = false;
  for (std::size_t m = 0; m < report.runs.size(); ++m) {
    const SolveRun& run = report.runs[m];
    if (run.converged() && !run.is_within_tolerance) {
      throw ValidationFailed(fmt::format("{}: the residual of its solution is {:.3g} of the right side, accepted is {}",
                                         run.name, run.history.back().residual, report.tolerance));
    }
    any = any || (m > 0 && run.converged());
  }
  if (!any) throw ValidationFailed(fmt::format("no method has a solution: {}", report.runs.back().failed));
}

int run_solve(const SolveOptions& options) {
  check_model_options(options.model);
  const SolvePlan plan = plan_of(options);
  const Model model = load(options.model, plan.pattern == PatternKind::sample ? Numbers::needed : Numbers::run);
  SolveResult result;
  try {
    result = solve_model(model, plan, [](const std::string& text) { show_progress(text); });
  } catch (const OperatorError& error) {
    throw model.located(error);
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models and batches", model.file, error.what()));
  }
  show_progress("");
  const SolveReport report{
      model.name, model.network,   result.shape,         result.runs,       plan.form,        options.model.pattern,
      plan.input, plan.warm_start, loss_text(plan.loss), model.value_bytes, result.tolerance, result.workers,
      plan.batch, result.verdicts, result.forward,       result.formulas};
  print_result(
      options.model.format, [&] { return to_json(report); }, [&] { return to_csv(report); },
      [&] { return to_text(report); });
  check_outcome(report);
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
  app.add_option("--workers", options.model.workers, "workers; default: one for each coupling")->type_name("P");
  app.add_option("--batch", options.batch, "right sides that the counts are for")
      ->type_name("R")
      ->capture_default_str();
}

}  // namespace

Command declare_solve(CLI::App& root, const Invocation&) {
  CLI::App* app = root.add_subcommand(
      "solve", "Solve back-propagation as a triangular system by iterative methods; errors and costs by iteration");
  auto options = std::make_shared<SolveOptions>();
  app->add_option("MODEL", options->model.model, "the model file (YAML)")->required();
  app->add_option("--pattern", options->model.pattern,
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
  app->add_flag("--forward", options->forward, "sweeps of approximate forward propagation too, from D = I");
  app->add_option("--earlier", options->earlier, "the same with D from the pass at this input of the sample")
      ->type_name("J");
  app->add_flag("--formulas", options->formulas,
                "complexity formulas beside exact counts, which form the products of recursive splitting");
  declare_format(*app, options->model.format);
  return {app, [options] { return run_solve(*options); }};
}

}  // namespace upsweep::cli
