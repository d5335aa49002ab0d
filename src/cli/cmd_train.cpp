#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "calibrating.hpp"
#include "options.hpp"
#include "output.hpp"
#include "pass_records.hpp"
#include "storing.hpp"
#include "train.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/io/text_file.hpp"
#include "upsweep/io/train_file.hpp"
#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/report/loss_curve_svg.hpp"

namespace upsweep::cli {
namespace {

struct Options {
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

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');) {
    if (std::ranges::find(names, name) != names.end())
      throw UsageError(fmt::format("--backward has '{}' twice, accepted is each once", name));
    names.push_back(name);
  }
  return names;
}

/// Numbers of options that are there; throws UsageError before a file is opened.
std::optional<std::uint64_t> number(const std::string& option, const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return parse_positive(option, *text);
}

/// The file with what the command line replaces.
TrainSpec read_spec(const Options& options) {
  constexpr std::uint64_t kMostIterations = 10'000'000;
  const auto iterations = number("--iterations", options.iterations);
  if (iterations && *iterations > kMostIterations)
    throw UsageError(fmt::format("--iterations is {}, accepted are at most {}", *iterations, kMostIterations));
  const auto batch = number("--batch", options.batch);
  const auto steps = number("--steps", options.steps);
  const auto backward = options.backward ? split(*options.backward) : std::vector<std::string>{};
  TrainSpec spec = load_train(options.file);
  if (steps && !spec.is_recurrent) {
    throw UsageError(
        fmt::format("--steps, accepted is a recurrent model: {} is a network of operators", spec.model_file));
  }
  spec.iterations = iterations.value_or(spec.iterations);
  const auto replace = [](const auto& value, auto& setting, int& line) {
    if (!value) return;
    setting = *value;
    line = 0;
  };
  replace(batch, spec.batch, spec.lines.batch);
  replace(steps, spec.steps, spec.lines.steps);
  replace(options.backend, spec.backend, spec.lines.backend);
  replace(options.backward ? std::optional(backward) : std::nullopt, spec.backward, spec.lines.backward);
  return spec;
}

std::size_t worker_count(const Options& options) {
  const std::size_t most = parallel_slots();
  const std::uint64_t workers = number("--workers", options.workers).value_or(most);
  if (workers > most)
    throw BackendError(fmt::format("--workers is {}, accepted are 1 to {} on this machine", workers, most));
  return workers;
}

/// A training takes long: what would be in the way of its picture is said before.
void require_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  if (std::filesystem::is_directory(folder)) return;
  throw InputError(fmt::format("{}: there is no folder {}, accepted is a file in a folder that can be written to", path,
                               folder.string()));
}

TrainReport train(const TrainSpec& spec) {
  const TrainProgress progress = [&](const LossCurve& curve, std::size_t index) {
    const std::size_t done = curve.loss.size();
    const std::size_t hundredth = std::max<std::size_t>(1, spec.iterations / 100);
    if (done % hundredth != 0) return;
    show_progress(fmt::format("training by {} ({} of {}), iteration {} of {}, loss {:.4g}", curve.backward, index + 1,
                              spec.backward.size(), done, spec.iterations, curve.loss.back()));
  };
  try {
    TrainReport report =
        spec.is_recurrent ? train_recurrent_model(spec, progress) : train_network_model(spec, progress);
    show_progress("");
    return report;
  } catch (const TrainingDiverged& error) {
    show_progress("");
    throw InputError(fmt::format("{}: {}", spec.file, error.what()));
  }
}

int run_train(const Options& options, const Invocation& invocation) {
  const TrainSpec spec = read_spec(options);
  const auto store = open_store(options.db);
  if (options.svg) require_folder(*options.svg);
  const std::size_t workers = worker_count(options);
  const ThreadLimit limit(workers);
  TrainReport report = train(spec);
  report.workers = workers;
  if (store) report_stored(*options.db, {store->save(pass_record(invocation, report))});
  print_result(
      options.format, [&] { return to_json(report); }, [&] { return to_csv(report); }, [&] { return to_text(report); });
  if (options.svg) {
    const std::string title = fmt::format("{}: {}, batch {}", spec.name, report.description, report.batch);
    write_text_file(*options.svg, loss_curve_svg(title, report.result.curves));
  }
  return 0;
}

}  // namespace

void refuse(const TrainSpec& spec, int line, const std::string& option, const std::string& message) {
  if (line == 0) throw UsageError(fmt::format("{}: {}", option, message));
  throw spec.error(line, message);
}

Command declare_train(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "train", "Train by several kinds of backward pass from the same start, loss curves on top of each other");
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->file, "train file (YAML), e. g. configs/training/rnn-bitstream.yaml")->required();
  app->add_option("--backward", options->backward,
                  "backward passes instead of the file's, the first the reference: bptt,blelloch,blocked:4")
      ->type_name("LIST");
  app->add_option("--iterations", options->iterations, "instead of the file's")->type_name("N");
  app->add_option("--batch", options->batch, "samples of an iteration, instead of the file's or the model's")
      ->type_name("B");
  app->add_option("--steps", options->steps, "length of the sequences, instead of the file's or the model's")
      ->type_name("T");
  app->add_option("--backend", options->backend, "where backward passes run, instead of the file's: cpu, cuda");
  app->add_option("--workers", options->workers, "threads; default: all that this machine has")->type_name("P");
  app->add_option("--svg", options->svg, "write a picture of the curves to this file")->type_name("FILE");
  app->add_option("--db", options->db, "keep the curves and times in this SQLite file")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation] { return run_train(*options, invocation); }};
}

}  // namespace upsweep::cli
