#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "calibrating.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pass_records.hpp"
#include "storing.hpp"
#include "train.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/io/train_file.hpp"
#include "upsweep/learning/network_backward.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/report/loss_curve_svg.hpp"

namespace upsweep::cli {
namespace {

struct TrainOptions {
  std::string file;
  std::optional<std::string> backward;
  std::optional<std::string> iterations;
  std::optional<std::string> batch;
  std::optional<std::string> steps;
  std::optional<std::string> backend;
  std::optional<std::string> workers;
  std::optional<std::string> svg;
  std::optional<std::string> db;
  std::string format = "table";
};

/// What the command line says in place of the file; checked as far as that goes before a file is opened.
struct Replaced {
  std::optional<std::vector<std::string>> backward;  ///< canonical names
  std::optional<std::uint64_t> iterations;
  std::optional<std::uint64_t> batch;
  std::optional<std::uint64_t> steps;
  std::optional<std::string> backend;
  std::optional<std::uint64_t> workers;
};

/// The canonical name of a backward pass that recurrent models or networks of operators have.
std::string canonical(const std::string& name) {
  std::optional<std::string> found;
  try {
    found = to_string(parse_backward_method(name));
  } catch (const std::invalid_argument&) {
    // It may be one of a network.
  }
  try {
    if (!found) found = network_backward_name(name);
  } catch (const std::invalid_argument&) {
    throw UsageError(
        fmt::format("--backward: '{}' is no backward method, accepted are linear, hybrid:L, blelloch; bptt, blocked:P "
                    "and blocked:P:R of recurrent models; bp, kogge-stone, sklansky, brent-kung, recursive-doubling, "
                    "cyclic-reduction and blocked:P of networks of operators",
                    name));
  }
  return *found;
}

std::vector<std::string> parse_list(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    std::string name = canonical(text.substr(begin, end - begin));
    if (std::ranges::find(names, name) != names.end())
      throw UsageError(fmt::format("--backward has '{}' twice, accepted is each once", name));
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

std::optional<std::uint64_t> parse_setting(const std::string& option, const std::optional<std::string>& text,
                                           std::uint64_t most) {
  if (!text) return std::nullopt;
  const std::uint64_t number = parse_positive(option, *text);
  if (number > most) throw UsageError(fmt::format("{} is {}, accepted are at most {}", option, number, most));
  return number;
}

/// Throws UsageError.
Replaced parse(const TrainOptions& options) {
  Replaced given;
  if (options.backward) given.backward = parse_list(*options.backward);
  given.iterations = parse_setting("--iterations", options.iterations, TrainLimits::kIterations);
  given.batch = parse_setting("--batch", options.batch, TrainLimits::kBatch);
  given.steps = parse_setting("--steps", options.steps, TrainLimits::kSteps);
  given.workers = parse_setting("--workers", options.workers, INT64_MAX);
  given.backend = options.backend;
  // Those of networks are among them.
  if (given.backend) static_cast<void>(backend_of_option(*given.backend, Ability::recurrent_training));
  if (options.svg && (options.svg->empty() || *options.svg == "-")) {
    throw UsageError(
        fmt::format("--svg is '{}', accepted is the name of a file: standard output has the report", *options.svg));
  }
  return given;
}

/// The file with what the command line replaces.
TrainSpec read_spec(const std::string& file, const Replaced& given) {
  TrainSpec spec = load_train(file);
  if (given.steps && !spec.is_recurrent) {
    throw UsageError(
        fmt::format("--steps, accepted is a recurrent model: {} is a network of operators", spec.model_file));
  }
  spec.iterations = given.iterations.value_or(spec.iterations);
  const auto replace = [](const auto& value, auto& setting, int& line) {
    if (!value) return;
    setting = *value;
    line = 0;
  };
  replace(given.batch, spec.batch, spec.lines.batch);
  replace(given.steps, spec.steps, spec.lines.steps);
  replace(given.backend, spec.backend, spec.lines.backend);
  replace(given.backward, spec.backward, spec.lines.backward);
  return spec;
}

std::size_t worker_count(const Replaced& given) {
  const std::size_t most = parallel_slots();
  const std::uint64_t workers = given.workers.value_or(most);
  if (workers > most)
    throw BackendError(fmt::format("--workers is {}, accepted are 1 to {} on this machine", workers, most));
  return workers;
}

TrainReport train(const TrainSpec& spec) {
  const TrainProgress progress = [&](const LossCurve& curve, std::size_t index) {
    const std::size_t done = curve.loss.size();
    const std::size_t hundredth = std::max<std::size_t>(1, spec.iterations / 100);
    if (done % hundredth != 0) return;
    show_progress(fmt::format("training by {} ({} of {}), iteration {} of {}, loss {:.4g}", curve.backward, index + 1,
                              spec.backward.size(), done, spec.iterations, curve.loss.back()));
  };
  TrainReport report = spec.is_recurrent ? train_recurrent_model(spec, progress) : train_network_model(spec, progress);
  show_progress("");
  return report;
}

void write_svg(const std::string& path, const TrainReport& report) {
  if (report.result.longest() == 0) {
    fmt::print(stderr, "upsweep: no iteration was finished: {} is not written\n", path);
    return;
  }
  const std::string title = fmt::format("{}: {}, batch {}", report.spec.name, report.description, report.batch);
  write_text_file(path, loss_curve_svg(title, report.result.curves));
}

/// Throws InputError where a training diverged.
void require_finished(const TrainReport& report) {
  const std::size_t failures = report.result.failures();
  if (failures == 0) return;
  const auto first = std::ranges::find_if(report.result.curves, [](const LossCurve& curve) { return !!curve.failure; });
  const std::string others =
      failures == 1 ? "" : fmt::format(" (and {} more of {} trainings)", failures - 1, report.result.curves.size());
  throw InputError(fmt::format("{}: {}{}", report.spec.file, *first->failure, others));
}

/// Runs all steps, whatever becomes of the others; then throws what the first of those that failed has thrown.
void run_steps(const std::vector<std::function<void()>>& steps) {
  std::exception_ptr failure;
  for (const auto& step : steps) {
    try {
      step();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

int run_train(const TrainOptions& options, const Invocation& invocation) {
  const Replaced given = parse(options);
  const TrainSpec spec = read_spec(options.file, given);
  // A training takes long: what would be in the way of its picture is said before.
  if (options.svg) require_text_file(*options.svg);
  const std::size_t workers = worker_count(given);
  const auto store = open_store(options.db);
  const ThreadLimit limit(workers);
  TrainReport report = train(spec);
  report.workers = workers;
  // For the same reason, what goes wrong here must not keep back the rest.
  run_steps({[&] {
               print_result(
                   options.format, [&] { return to_json(report); }, [&] { return to_csv(report); },
                   [&] { return to_text(report); });
             },
             [&] {
               if (options.svg) write_svg(*options.svg, report);
             },
             [&] {
               if (store) report_stored(*options.db, {store->save(pass_record(invocation, report))});
             },
             [&] { require_finished(report); }});
  return 0;
}

}  // namespace

void refuse(const TrainSpec& spec, int line, const std::string& option, const std::string& message) {
  if (line == 0) throw UsageError(fmt::format("{}: {}", option, message));
  throw spec.error(line, message);
}

const BackendEntry& backend_of(const TrainSpec& spec, Ability ability) {
  try {
    return find_backend(spec.backend, ability);
  } catch (const std::invalid_argument& error) {
    refuse(spec, spec.lines.backend, "--backend", error.what());
  }
}

void require_optimizer(const TrainSpec& spec, unsigned value_bytes) {
  try {
    require_valid(spec.optimizer, value_bytes);
  } catch (const std::invalid_argument& error) {
    throw spec.error(spec.lines.optimizer, fmt::format("optimizer of train: {}", error.what()));
  }
}

Command declare_train(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "train", "Train by several kinds of backward pass from the same start, loss curves on top of each other");
  auto options = std::make_shared<TrainOptions>();
  app->add_option("FILE", options->file, "train file (YAML), e. g. configs/training/rnn-bitstream.yaml")->required();
  app->add_option("--backward", options->backward,
                  "backward passes instead of the file's, the first the reference: bptt,blelloch,blocked:4")
      ->type_name("LIST");
  app->add_option("--iterations", options->iterations, "instead of the file's")->type_name("N");
  app->add_option("--batch", options->batch, "samples of an iteration, instead of the file's or the model's")
      ->type_name("B");
  app->add_option("--steps", options->steps, "length of the sequences, instead of the file's or the model's")
      ->type_name("T");
  app->add_option("--backend", options->backend,
                  "where backward passes run, instead of the file's: reference, cpu, cuda");
  app->add_option("--workers", options->workers, "threads; default: all that this machine has")->type_name("P");
  app->add_option("--svg", options->svg, "write a picture of the curves to this file")->type_name("FILE");
  app->add_option("--db", options->db, "keep the curves and times in this SQLite file")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation] { return run_train(*options, invocation); }};
}

}  // namespace upsweep::cli
