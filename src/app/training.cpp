#include "upsweep/app/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "training_record.hpp"
#include "upsweep/app/loading.hpp"
#include "upsweep/app/storing.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/size.hpp"
#include "upsweep/io/preset_machines.hpp"
#include "upsweep/report/training_report.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

/// So many seconds for each problem.
OptimumSearch optimum_search(const TrainingRequest& request, const Watch& watch) {
  OptimumSearch search;
  if (!request.optimum) return search;
  constexpr std::uint64_t kMostSeconds = 1'000'000;
  if (*request.optimum == 0) throw RequestError("optimum", "is 0, accepted is an integer of at least 1");
  if (*request.optimum > kMostSeconds) {
    throw RequestError("optimum",
                       fmt::format("is {}, accepted are at most {} seconds", *request.optimum, kMostSeconds));
  }
  const auto limit = std::chrono::seconds(*request.optimum);
  // A quarter of the memory, for the largest problem.
  search.max_states = std::min<std::size_t>(search.max_states, machine_memory() / 4 / (24 * search.max_tasks));
  search.is_wanted = true;
  const auto start = std::make_shared<std::chrono::steady_clock::time_point>();
  search.begin = [start] { *start = std::chrono::steady_clock::now(); };
  search.stop = [start, limit, stop = watch.stop] {
    return (stop != nullptr && *stop) || std::chrono::steady_clock::now() - *start > limit;
  };
  return search;
}

/// Throws InputError where the simulations, which are kept for the report, would not fit into memory.
void require_study_memory(const TrainingFile& file, const PipelineStudy& study) {
  double needed = 0;
  const auto there = static_cast<double>(available_memory());
  for (const PipelineChoice& choice : study.choices) {
    needed += static_cast<double>(simulation_bytes(choice.pipeline));
    if (needed <= there) continue;
    throw file.error(choice.line,
                     fmt::format("the operations of the policies up to {} need about {}, this machine has {} left, "
                                 "accepted are fewer layers, micro-batches, devices or policies",
                                 choice.label, short_bytes(needed), short_bytes(there)));
  }
}

/// Says how much the policy that needs least needs.
[[noreturn]] void refuse_limit(const TrainingFile& file, const PipelineStudy& study, const PipelineAnswers& answers) {
  const auto needed = [&](std::size_t i) {
    return memory_need(study, study.choices[i], answers.choices[i].run).amount;
  };
  std::size_t least = 0;
  for (std::size_t i = 1; i < answers.choices.size(); ++i) least = needed(i) < needed(least) ? i : least;
  const auto text = [&](double amount) { return memory_text(amount, study.is_limit_in_bytes); };
  throw file.error(
      study.memory_limit_line,
      fmt::format("memory_limit is {} on a device, accepted are at least {}{}, which {} needs",
                  text(static_cast<double>(*study.memory_limit)), text(needed(least)),
                  study.is_limit_in_bytes ? fmt::format(" ({:.0f}B)", needed(least)) : "", study.choices[least].label));
}

/// What a limit without unit counts, where bytes may be meant.
void say_limit(const TrainingFile& file, const PipelineStudy& study, const Watch& watch) {
  if (!study.memory_limit || study.is_limit_in_bytes) return;
  constexpr std::uint64_t kMostTensors = 1U << 20U;
  const std::string note =
      file.source ? bare_size_note(fmt::format("{}", *study.memory_limit), "tensor")
      : *study.memory_limit >= kMostTensors
          ? fmt::format("is {} tensors; the bytes of a tensor are known of files with a `model`", *study.memory_limit)
          : "";
  if (!note.empty()) watch.say(file.error(study.memory_limit_line, "memory_limit " + note).what());
}

/// The scans that a pipeline study compares with, on the machine and network of the file. Throws InputError.
std::vector<ScanStepRun> simulate_scans(const TrainingFile& file, const PipelineStudy& study, const Watch& watch) {
  if (study.scans.empty()) return {};
  const CostSource& source = *file.source;
  const Model model = load_countable_network(source.model_file, Numbers::structure, "the scans of a training step",
                                             PatternForm::classes);
  Machine machine = named_machine(source.frame.machine.value());
  if (source.frame.launch) machine = launched(std::move(machine), *source.frame.launch);
  if (source.frame.library) machine = with_library(std::move(machine), *source.frame.library);
  std::vector<Schedule> schedules;
  for (const std::string& name : study.scans)
    schedules.push_back(schedule_over(schedule_request(name), model.network.links().size() + 1, watch));
  const Analysis analysis = analyse_network(model, PatternKind::guaranteed, std::move(schedules), watch);

  const MicroBatch batch{source.frame.batch.value() / study.micro_batches, source.value_bytes, 0};
  const LayerCosts costs = csr_costs(model.network, model.weights, machine, batch);
  std::vector<ScanStepRun> runs;
  for (const ScheduleProfile& profile : analysis.schedules) {
    ScanStep step = scan_step(profile, model.network, costs, machine, batch);
    step.devices = study.choices.front().pipeline.devices;
    step.micro_batches = study.micro_batches;
    runs.push_back(simulate_scan_step(step));
  }
  return runs;
}

/// What simulating so many operations takes, where that is worth saying: ": 60 M operations, about 30 s".
std::string work_text(double operations) {
  constexpr double kOperationsPerSecond = 2e6;  // of one core of an Intel Xeon: reports/training.md
  const double seconds = operations / kOperationsPerSecond;
  return seconds < 1 ? "" : fmt::format(": {:.0f} M operations, about {}", operations / 1e6, wait_text(seconds));
}

/// Operations of a step: forward, and both gradients.
double operations_of(const Pipeline& pipeline) {
  return 3. * static_cast<double>(pipeline.layers()) * static_cast<double>(pipeline.micro_batches);
}

/// Of all orders by all rules of the link.
double operations_of(const DataParallelStudy& study) {
  const auto layers = static_cast<double>(study.step.layers());
  return static_cast<double>(std::size(kLinkRules)) * (layers + 1) * 3 * layers;
}

PipelineAnswers evaluate_all(const TrainingFile& file, const PipelineStudy& study, const OptimumSearch& search,
                             const Watch& watch) {
  require_study_memory(file, study);
  say_limit(file, study, watch);
  PipelineAnswers answers;
  for (const PipelineChoice& choice : study.choices) {
    watch.show(fmt::format("simulating {} ({} of {}){}", choice.label, answers.choices.size() + 1, study.choices.size(),
                           work_text(operations_of(choice.pipeline))));
    try {
      answers.choices.push_back(evaluate(choice, search));
    } catch (const std::invalid_argument& error) {
      throw file.error(choice.line, fmt::format("policy {}: {}", choice.policy, error.what()));
    }
  }
  apply_limit(study, answers);
  if (!answers.best) refuse_limit(file, study, answers);
  try {
    answers.scans = simulate_scans(file, study, watch);
  } catch (const std::invalid_argument& error) {
    throw file.error(file.line, std::string("scan: ") + error.what());
  }
  return answers;
}

template <class Study>
auto answers_of(const TrainingFile& file, const Study& study, const OptimumSearch& search, const Watch& watch) {
  if constexpr (std::is_same_v<Study, PipelineStudy>) {
    return evaluate_all(file, study, search, watch);
  } else if constexpr (std::is_same_v<Study, FirstKMemoryStudy>) {
    return evaluate(study);
  } else {
    if constexpr (std::is_same_v<Study, DataParallelStudy>)
      watch.show(fmt::format("simulating {}{}", file.name, work_text(operations_of(study))));
    return evaluate(study, search);
  }
}

/// The verdict, which names the limit of memory that the file sets.
Verdict verdict_of(const TrainingRecord& record, const PipelineStudy& study) {
  return training_verdict(record, study.memory_limit, study.is_limit_in_bytes ? "bytes" : "tensors");
}
Verdict verdict_of(const TrainingRecord& record, const DataParallelStudy& study) {
  return training_verdict(record, study.memory_limit, "units");
}
Verdict verdict_of(const TrainingRecord& record, const MultiRegionStudy& study) {
  return training_verdict(record, study.step.memory_limit, "units");
}
Verdict verdict_of(const TrainingRecord& record, const FirstKMemoryStudy&) { return training_verdict(record); }

}  // namespace

TrainingOutcome run(const TrainingRequest& request, const Caller& caller, const Watch& watch) {
  if (request.workers || request.execution || request.setup_s) {
    throw RequestError(request.workers     ? "workers"
                       : request.execution ? "execution"
                                           : "setup",
                       "is no setting of a training step, accepted are machine, launch, library and batch; its devices "
                       "and policies are the file's");
  }
  if (request.batch && (*request.batch < 1 || *request.batch > FrameRequest::kMostBatch)) {
    throw RequestError(
        "batch", fmt::format("is '{}', accepted is an integer from 1 to {}", *request.batch, FrameRequest::kMostBatch));
  }
  const OptimumSearch search = optimum_search(request, watch);
  TrainingOutcome outcome{load_training(read_yaml(request.file), request)};
  const auto store = open_store(request.db);
  std::visit(
      [&](const auto& study) {
        watch.show(fmt::format("simulating {}", outcome.file.name));
        const auto answers = answers_of(outcome.file, study, search, watch);
        watch.show("");
        TrainingRecord record = training_record(caller, outcome.file, study, answers);
        outcome.verdict = verdict_of(record, study);
        record.verdict = kept(outcome.verdict);
        if (store) outcome.run_ids = {store->save(record)};
        outcome.answers = answers;
      },
      outcome.file.study);
  return outcome;
}

}  // namespace upsweep
