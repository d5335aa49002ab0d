#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/training/data_parallel.hpp"
#include "upsweep/training/multi_region.hpp"
#include "upsweep/training/pipeline.hpp"
#include "upsweep/training/pipeline_run.hpp"
#include "upsweep/training/scan_step.hpp"

namespace upsweep {

/// A pipeline and the policy that orders it.
struct PipelineChoice {
  std::string label;   ///< what tables call it
  std::string policy;  ///< a name that find_policy() knows
  Pipeline pipeline;
  int line = 0;  ///< of the choice in the file
};

/// `kind: pipeline`: one policy, or a comparison of several.
struct PipelineStudy {
  std::vector<PipelineChoice> choices;        ///< at least one
  bool is_comparison = false;                 ///< the file has `policies`, not `policy`
  std::optional<std::uint64_t> memory_limit;  ///< most tensors of a micro-batch of the file on a device at one instant
  bool is_limit_in_bytes = false;             ///< or most bytes, weights included: every layer's are known then
  int memory_limit_line = 0;                  ///< of the limit in the file
  std::size_t micro_batches = 1;              ///< of the file; a choice may have others
  std::vector<std::string> scans;             ///< schedules of a scan to compare with: "linear", "hybrid:1", ...
};

/// `kind: data_parallel`.
struct DataParallelStudy {
  DataParallel step;
  LinkRule search_rule = LinkRule::priority;
  std::optional<FirstKMemory> memory;  ///< with a limit: bounds k
  std::optional<double> memory_limit;
};

/// `kind: reverse_first_k_memory`.
struct FirstKMemoryStudy {
  FirstKMemory memory;
  std::vector<double> limits;
};

/// `kind: multi_region`.
struct MultiRegionStudy {
  MultiRegion step;
};

/// How short a step can be: what branch and bound found. Times in the unit of the costs.
struct Optimum {
  double makespan = 0;     ///< of the best order found, no policy's limits on it
  double lower_bound = 0;  ///< no order is shorter
  double gap = 0;          ///< makespan / lower_bound - 1
  bool is_proven = false;
  std::uint64_t nodes = 0;
  std::string skipped = {};  ///< why it was not looked for; then the rest says nothing
};

/// How long to look for the optimum, and whether to look at all.
struct OptimumSearch {
  bool is_wanted = false;
  std::function<bool()> stop = {};   ///< asked now and then: true ends the search of one problem
  std::function<void()> begin = {};  ///< called before each problem, to start its clock
  std::size_t max_tasks = 2'000;     ///< larger problems are not tried; transfers count
  std::size_t max_states = 100'000;  ///< as of ExactOptions
};

/// A choice of a pipeline study, simulated.
struct PipelineOutcome {
  PipelineRun run;
  std::string does_not_fit;        ///< why, under the study's memory limit; empty where it fits
  std::optional<Optimum> optimum;  ///< of the same allocation and micro-batches, under any policy
};

/// The answers of a pipeline study.
struct PipelineAnswers {
  std::vector<PipelineOutcome> choices;  ///< in the order of the study
  std::vector<ScanStepRun> scans;        ///< in the order of the study
  std::optional<std::size_t> best;       ///< the choice of the smallest makespan that fits, the first of equals
};

/// One choice of a study, without memory limit. Throws std::invalid_argument where the policy does not fit.
[[nodiscard]] PipelineOutcome evaluate(const PipelineChoice& choice, const OptimumSearch& optimum);
/// A number of tensors of a choice in tensors of the file's micro-batches: those of fewer micro-batches are larger.
[[nodiscard]] double tensors_of_the_file(const PipelineStudy& study, const PipelineChoice& choice,
                                         std::uint64_t tensors);
/// What the fullest device needs.
struct MemoryNeed {
  double amount = 0;  ///< as the study's limit counts: tensors of the file's micro-batches, or bytes
  std::size_t device = 0;
};
/// Of a run; of bytes the run has to know them.
[[nodiscard]] MemoryNeed memory_need(const PipelineStudy& study, const PipelineChoice& choice, const PipelineRun& run);
/// "12 tensors", "15.20 GiB".
[[nodiscard]] std::string memory_text(double amount, bool in_bytes);
/// Marks what the limit excludes, and the best of the rest.
void apply_limit(const PipelineStudy& study, PipelineAnswers& answers);

/// The answers of a data-parallel study.
struct DataParallelAnswers {
  std::vector<std::vector<DataParallelRun>> runs;  ///< by kLinkRules, by k = 0 .. layers; without timelines
  DataParallelRun conventional;                    ///< k = 0 over a fifo link, with timelines
  DataParallelRun chosen;                          ///< the searched k under its rule, with timelines
  FirstKSearch search;
  std::size_t max_k = 0;                        ///< that the memory allows; layers without a limit
  std::optional<double> optimum_nonpreemptive;  ///< for up to kMostOptimumLayers layers
  std::optional<Optimum> optimum;               ///< section 2's problem: W may also run during the forward pass
};
/// Throws as simulate_data_parallel(). Cost: 3 (layers + 1) simulations.
[[nodiscard]] DataParallelAnswers evaluate(const DataParallelStudy& study, const OptimumSearch& optimum);

/// The answers of a first-k-memory study.
struct FirstKMemoryAnswers {
  std::vector<double> memory_of_k;  ///< f(0) .. f(L)
  std::vector<std::size_t> max_k;   ///< by limit; 0 where nothing fits
  std::vector<bool> fits;           ///< by limit: some f(k) is below it
};
/// Throws as first_k_memory().
[[nodiscard]] FirstKMemoryAnswers evaluate(const FirstKMemoryStudy& study);

/// The answers of a multi-region study.
struct MultiRegionAnswers {
  double one_stream_makespan = 0;
  RegionSchedule algorithm1;
  RegionRun algorithm1_run;
  RegionFallback with_memory;
  RegionRun with_memory_run;
  std::optional<Optimum> optimum;  ///< section 2's problem: each W takes as long as alone, and disturbs nothing
};
/// Throws as region_times().
[[nodiscard]] MultiRegionAnswers evaluate(const MultiRegionStudy& study, const OptimumSearch& optimum);

}  // namespace upsweep
