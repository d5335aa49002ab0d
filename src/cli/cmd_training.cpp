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

struct Options {
  std::string file;
  std::optional<std::string> optimum_s;
  std::optional<std::string> db;
  std::string format = "table";
  std::string timeline = "labels";
};

/// Seconds of --optimum, for each problem.
OptimumSearch optimum_search(const Options& options) {
  OptimumSearch search;
  if (!options.optimum_s) return search;
  const auto limit = std::chrono::seconds(parse_positive("--optimum", *options.optimum_s));
  search.is_wanted = true;
  const auto start = std::make_shared<std::chrono::steady_clock::time_point>();
  search.begin = [start] { *start = std::chrono::steady_clock::now(); };
  search.stop = [start, limit] { return std::chrono::steady_clock::now() - *start > limit; };
  return search;
}

/// Throws InputError where a simulation would not fit into memory.
void require_memory(const TrainingFile& file, const PipelineChoice& choice) {
  const std::uint64_t needed = simulation_bytes(choice.pipeline);
  if (needed <= machine_memory()) return;
  throw file.error(choice.line, fmt::format("policy {}: {} operations need about {}, this machine has {}, accepted are "
                                            "fewer layers or micro-batches",
                                            choice.policy, 3 * choice.pipeline.layers() * choice.pipeline.micro_batches,
                                            short_bytes(static_cast<double>(needed)),
                                            short_bytes(static_cast<double>(machine_memory()))));
}

PipelineAnswers evaluate_all(const TrainingFile& file, const PipelineStudy& study, const OptimumSearch& search) {
  PipelineAnswers answers;
  for (const PipelineChoice& choice : study.choices) {
    require_memory(file, choice);
    try {
      answers.choices.push_back(evaluate(choice, search));
    } catch (const std::invalid_argument& error) {
      throw file.error(choice.line, fmt::format("policy {}: {}", choice.policy, error.what()));
    }
  }
  apply_limit(study, answers);
  if (!answers.best) throw file.error(file.line, "memory_limit: " + answers.choices.front().does_not_fit);
  answers.scans = simulate_scans(file, study);
  return answers;
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

int run_training(const Options& options, const Invocation& invocation) {
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
            [&] { return to_text(file, study, answers, style); });
      },
      file.study);
  return 0;
}

}  // namespace

Command declare_training(CLI::App& root, const Invocation& invocation) {
  CLI::App* app = root.add_subcommand(
      "training", "Simulate a whole training step: pipeline- and data-parallel schedules, out-of-order back-propagation");
  auto options = std::make_shared<Options>();
  app->add_option("FILE", options->file, "training file (YAML)")->required();
  app->add_option("--optimum", options->optimum_s,
                  "look for the shortest step of all, this long for each problem (at most 2000 operations)")
      ->type_name("SECONDS");
  app->add_option("--timeline", options->timeline, "what the table shows of timelines")
      ->check(CLI::IsMember({"labels", "kinds", "none"}))
      ->capture_default_str();
  app->add_option("--db", options->db, "SQLite file that keeps the run, its tasks and figures")->type_name("FILE");
  declare_format(*app, options->format);
  return {app, [options, &invocation] { return run_training(*options, invocation); }};
}

}  // namespace upsweep::cli
