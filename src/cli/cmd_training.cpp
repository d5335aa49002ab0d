#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "analysis.hpp"
#include "command.hpp"
#include "options.hpp"
#include "output.hpp"
#include "storing.hpp"
#include "training_record.hpp"
#include "training_scans.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/training_file.hpp"
#include "upsweep/report/training_report.hpp"

namespace upsweep::cli {
namespace {

struct TrainingOptions {
  std::string file;
  std::optional<std::string> optimum_s;
  std::optional<std::string> db;
  std::string format = "table";
  std::string timeline = "labels";
  bool costs = false;
};

/// Seconds of --optimum, for each problem.
OptimumSearch optimum_search(const TrainingOptions& options) {
  OptimumSearch search;
  if (!options.optimum_s) return search;
  constexpr std::uint64_t kMostSeconds = 1'000'000;
  const std::uint64_t seconds = parse_positive("--optimum", *options.optimum_s);
  if (seconds > kMostSeconds)
    throw UsageError(fmt::format("--optimum is {}, accepted are at most {} seconds", seconds, kMostSeconds));
  const auto limit = std::chrono::seconds(seconds);
  // A quarter of the memory, for the largest problem.
  search.max_states = std::min<std::size_t>(search.max_states, machine_memory() / 4 / (24 * search.max_tasks));
  search.is_wanted = true;
  const auto start = std::make_shared<std::chrono::steady_clock::time_point>();
  search.begin = [start] { *start = std::chrono::steady_clock::now(); };
  search.stop = [start, limit] { return std::chrono::steady_clock::now() - *start > limit; };
  return search;
}

/// Throws InputError where the simulations, which are kept for the report, would not fit into memory.
void require_study_memory(const TrainingFile& file, const PipelineStudy& study) {
  double needed = 0;
  for (const PipelineChoice& choice : study.choices) {
    needed += static_cast<double>(simulation_bytes(choice.pipeline));
    if (needed <= static_cast<double>(machine_memory())) continue;
    throw file.error(choice.line, fmt::format("the operations of the policies up to {} need about {}, this machine has "
                                              "{}, accepted are fewer layers, micro-batches, devices or policies",
                                              choice.label, short_bytes(needed),
                                              short_bytes(static_cast<double>(machine_memory()))));
  }
}

/// Says how much the policy with the fewest tensors needs.
[[noreturn]] void refuse_limit(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers) {
  const auto needed = [&](std::size_t i) {
    const auto& peaks = answers.choices[i].run.peaks;
    return tensors_of_the_file(study, study.choices[i], std::ranges::max(peaks, {}, &TensorPeaks::together).together);
  };
  std::size_t least = 0;
  for (std::size_t i = 1; i < answers.choices.size(); ++i) least = needed(i) < needed(least) ? i : least;
  throw file.error(study.memory_limit_line,
                   fmt::format("memory_limit is {} tensors on a device, accepted are at least {}, which {} needs",
                               *study.memory_limit, needed(least), study.choices[least].label));
}

PipelineAnswers evaluate_all(const TrainingFile& file, const PipelineStudy& study, const OptimumSearch& search) {
  require_study_memory(file, study);
  PipelineAnswers answers;
  for (const PipelineChoice& choice : study.choices) {
    try {
      answers.choices.push_back(evaluate(choice, search));
    } catch (const std::invalid_argument& error) {
      throw file.error(choice.line, fmt::format("policy {}: {}", choice.policy, error.what()));
    }
  }
  apply_limit(study, answers);
  if (!answers.best) refuse_limit(file, study, answers);
  try {
    answers.scans = simulate_scans(file, study);
  } catch (const std::invalid_argument& error) {
    throw file.error(file.line, std::string("scan: ") + error.what());
  }
  return answers;
}

/// The table that --costs asks for.
template <class Study>
std::string costs_of(const TrainingOptions& options, const TrainingFile& file, const Study& study) {
  if constexpr (std::is_same_v<Study, PipelineStudy> || std::is_same_v<Study, DataParallelStudy>) {
    if (options.costs) return costs_text(file, study);
  }
  return "";
}

template <class Study>
auto answers_of(const TrainingFile& file, const Study& study, const OptimumSearch& search) {
  if constexpr (std::is_same_v<Study, PipelineStudy>) {
    return evaluate_all(file, study, search);
  } else if constexpr (std::is_same_v<Study, FirstKMemoryStudy>) {
    return evaluate(study);
  } else {
    return evaluate(study, search);
  }
}

int run_training(const TrainingOptions& options, const Invocation& invocation) {
  const OptimumSearch search = optimum_search(options);
  const TimelineStyle style = options.timeline == "labels"  ? TimelineStyle::labels
                              : options.timeline == "kinds" ? TimelineStyle::kinds
                                                            : TimelineStyle::none;
  const TrainingFile file = load_training(options.file);
  const auto store = open_store(options.db);
  std::visit(
      [&](const auto& study) {
        const auto answers = answers_of(file, study, search);
        if (store) report_stored(*options.db, {store->save(training_record(invocation, file, study, answers))});
        print_result(
            options.format, [&] { return to_json(file, study, answers); }, [&] { return to_csv(study, answers); },
            [&] { return to_text(file, study, answers, style) + costs_of(options, file, study); });
      },
      file.study);
  return 0;
}

}  // namespace

Command declare_training(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "training",
      "Simulate a whole training step: pipeline- and data-parallel schedules, out-of-order back-propagation");
  auto options = std::make_shared<TrainingOptions>();
  app->add_option("FILE", options->file, "training file (YAML)")->required();
  app->add_option(
         "--optimum", options->optimum_s,
         "look for the shortest step of all, this long for each problem (of at most 2000 operations and transfers)")
      ->type_name("SECONDS");
  app->add_option("--timeline", options->timeline, "what the table shows of timelines")
      ->check(CLI::IsMember({"labels", "kinds", "none"}))
      ->capture_default_str();
  app->add_flag("--costs", options->costs, "add a table of the layers' costs");
  app->add_option("--db", options->db, "SQLite file that keeps the run, its tasks and figures")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation] { return run_training(*options, invocation); }};
}

}  // namespace upsweep::cli
