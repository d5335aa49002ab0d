#include "upsweep/training/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "upsweep/document/numbers.hpp"
#include "upsweep/sim/exact.hpp"
#include "upsweep/training/pipeline_tasks.hpp"
#include "upsweep/training/policy.hpp"

namespace upsweep {
namespace {

/// The optimum of a problem, `known` being the makespan of a schedule of it.
std::optional<Optimum> find_optimum(const Workload& workload, const TickScale& scale, std::optional<double> known,
                                    const OptimumSearch& search) {
  if (!search.is_wanted) return std::nullopt;
  if (workload.durations.size() > search.max_tasks) {
    Optimum skipped;
    skipped.skipped =
        fmt::format("{} tasks with transfers, at most {} are tried", workload.durations.size(), search.max_tasks);
    return skipped;
  }
  if (search.begin) search.begin();
  ExactOptions options;
  options.stop = search.stop;
  options.max_nodes = ~std::uint64_t{0};
  options.max_states = search.max_states;
  if (known) options.incumbent = scale.ticks({*known});
  const ExactSchedule schedule = exact_schedule(workload, options);
  return Optimum{scale.units(schedule.makespan),
                 scale.units(schedule.lower_bound),
                 schedule.gap(),
                 schedule.proven(),
                 schedule.nodes,
                 ""};
}

/// Any plan: the order is what is looked for.
std::uint64_t no_key(const Pipeline&, const Chunks&, const StepOp&) { return 0; }

/// Section 2's problem for one GPU: gradients and the forward pass on one stream, other weight gradients on the other.
struct RegionProblem {
  Workload workload;
  TickScale scale;
};

RegionProblem region_problem(const MultiRegion& step) {
  RegionProblem problem{{}, region_times(step).scale};
  Workload& tasks = problem.workload;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  const auto add = [&](StepOpKind kind, std::size_t layer, std::uint32_t stream) {
    tasks.durations.push_back(problem.scale.ticks({step.cost({kind, static_cast<std::uint32_t>(layer), 0})}));
    tasks.resource_of.push_back(stream);
    return static_cast<std::uint32_t>(tasks.durations.size() - 1);
  };
  const std::size_t layers = step.layers();
  std::vector<std::uint32_t> weight(layers), forward(layers);
  std::optional<std::uint32_t> gradient;  // after which the gradient of the layer is there; at first it is
  for (std::size_t layer = layers; layer-- > 0;) {
    weight[layer] = add(StepOpKind::weight_gradient, layer, layer == 0 ? 0 : 1);
    if (gradient) edges.emplace_back(*gradient, weight[layer]);
    if (layer == 0) break;
    const std::uint32_t output = add(StepOpKind::output_gradient, layer, 0);
    if (gradient) edges.emplace_back(*gradient, output);
    gradient = output;
  }
  for (std::size_t layer = 0; layer < layers; ++layer) {
    forward[layer] = add(StepOpKind::forward, layer, 0);
    edges.emplace_back(weight[layer], forward[layer]);
    if (layer > 0) edges.emplace_back(forward[layer - 1], forward[layer]);
  }
  tasks.graph = task_graph(edges, tasks.durations.size());
  tasks.resources.resize(2);
  return problem;
}

}  // namespace

PipelineOutcome evaluate(const PipelineChoice& choice, const OptimumSearch& search) {
  PipelineOutcome outcome;
  outcome.run = simulate_pipeline(choice.pipeline, find_policy(choice.policy));
  if (search.is_wanted) {
    const PipelineTasks tasks = pipeline_tasks(choice.pipeline, Ranking{no_key, false});
    outcome.optimum = find_optimum(tasks.workload, tasks.scale, outcome.run.makespan, search);
  }
  return outcome;
}

double tensors_of_the_file(const PipelineStudy& study, const PipelineChoice& choice, std::uint64_t tensors) {
  return static_cast<double>(tensors) * static_cast<double>(study.micro_batches) /
         static_cast<double>(choice.pipeline.micro_batches);
}

MemoryNeed memory_need(const PipelineStudy& study, const PipelineChoice& choice, const PipelineRun& run) {
  if (study.is_limit_in_bytes) {
    assert(!run.bytes.empty() && "a limit in bytes is of layers whose bytes are known");
    const auto most = std::ranges::max_element(run.bytes, {}, &DeviceBytes::together);
    return {static_cast<double>(most->together()), static_cast<std::size_t>(most - run.bytes.begin())};
  }
  const auto most = std::ranges::max_element(run.peaks, {}, &TensorPeaks::together);
  return {tensors_of_the_file(study, choice, most->together), static_cast<std::size_t>(most - run.peaks.begin())};
}

std::string memory_text(double amount, bool in_bytes) {
  return in_bytes ? short_bytes(amount) : fmt::format("{:.10g} tensor{}", amount, amount == 1 ? "" : "s");
}

void apply_limit(const PipelineStudy& study, PipelineAnswers& answers) {
  for (std::size_t i = 0; i < answers.choices.size(); ++i) {
    PipelineOutcome& outcome = answers.choices[i];
    const MemoryNeed need = memory_need(study, study.choices[i], outcome.run);
    const auto limit = static_cast<double>(study.memory_limit.value_or(0));
    if (study.memory_limit && need.amount > limit) {
      outcome.does_not_fit =
          fmt::format("{} are needed on device {}, the limit is {}", memory_text(need.amount, study.is_limit_in_bytes),
                      need.device, study.is_limit_in_bytes ? short_bytes(limit) : fmt::format("{:.10g}", limit));
      continue;
    }
    if (!answers.best || outcome.run.makespan < answers.choices[*answers.best].run.makespan) answers.best = i;
  }
}

DataParallelAnswers evaluate(const DataParallelStudy& study, const OptimumSearch& search) {
  DataParallelAnswers answers;
  const std::size_t layers = study.step.layers();
  for (const LinkRule rule : kLinkRules) {
    std::vector<DataParallelRun>& runs = answers.runs.emplace_back();
    for (std::size_t k = 0; k <= layers; ++k) {
      runs.push_back(simulate_data_parallel(study.step, reverse_first_k(layers, k), rule));
      runs.back().compute = {};  // of all k they would take memory that grows with the square of the layers
      runs.back().link = {};
    }
  }
  answers.max_k = layers;
  if (study.memory)
    answers.max_k = first_k_memory(*study.memory, {&*study.memory_limit, 1}).largest_k.front().value_or(0);
  const auto& searched = answers.runs[static_cast<std::size_t>(study.search_rule)];
  answers.search = search_first_k(layers, answers.max_k, [&](std::size_t k) { return searched[k].makespan; });
  answers.conventional = simulate_data_parallel(study.step, reverse_first_k(layers, 0), LinkRule::fifo);
  answers.chosen = simulate_data_parallel(study.step, reverse_first_k(layers, answers.search.k), study.search_rule);
  if (layers <= kMostOptimumLayers) answers.optimum_nonpreemptive = optimum_nonpreemptive(study.step);
  if (search.is_wanted) {
    const DataParallelProblem problem = data_parallel_problem(study.step);
    // What the non-preemptive rules found is a schedule of this problem.
    double known = answers.runs.front().front().makespan;
    for (const LinkRule rule : {LinkRule::fifo, LinkRule::priority}) {
      for (const DataParallelRun& run : answers.runs[static_cast<std::size_t>(rule)])
        known = std::min(known, run.makespan);
    }
    answers.optimum = find_optimum(problem.workload, problem.scale, known, search);
  }
  return answers;
}

FirstKMemoryAnswers evaluate(const FirstKMemoryStudy& study) {
  FirstKMemoryAnswers answers;
  FirstKTable table = first_k_memory(study.memory, study.limits);
  answers.memory_of_k = std::move(table.memory_of_k);
  for (const auto& largest : table.largest_k) {
    answers.max_k.push_back(largest.value_or(0));
    answers.fits.push_back(largest.has_value());
  }
  return answers;
}

MultiRegionAnswers evaluate(const MultiRegionStudy& study, const OptimumSearch& search) {
  MultiRegionAnswers answers;
  answers.one_stream_makespan = one_stream_makespan(study.step);
  answers.algorithm1 = schedule_regions(study.step, 0);
  answers.algorithm1_run = execute_regions(study.step, answers.algorithm1);
  answers.with_memory = schedule_regions_in_memory(study.step);
  answers.with_memory_run = execute_regions(study.step, answers.with_memory.schedule);
  if (search.is_wanted) {
    const RegionProblem problem = region_problem(study.step);
    answers.optimum = find_optimum(problem.workload, problem.scale, std::nullopt, search);
  }
  return answers;
}

}  // namespace upsweep
