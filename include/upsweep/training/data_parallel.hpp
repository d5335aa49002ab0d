#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/sim/task_engine.hpp"
#include "upsweep/sim/tick_scale.hpp"
#include "upsweep/training/pipeline_run.hpp"
#include "upsweep/training/step_op.hpp"

namespace upsweep {

/// A training step of one of several equal devices that synchronise their weight gradients over one link: from the
/// gradient of the loss to the end of the next forward pass.
///
/// Shapes: all lists have an entry per layer. Units: one unit of time. Source: H. Oh et al., Out-Of-Order BackProp,
/// EuroSys '22, section 5.1; definitions in training-schedules, section 5.
struct DataParallel {
  std::vector<double> forward;
  std::vector<double> output_gradient;
  std::vector<double> weight_gradient;  ///< 0: a layer without weights; its synchronisation does not exist either
  std::vector<double> synchronisation;  ///< time of each layer's weight gradients on the link
  bool skip_first_output_gradient = true;

  [[nodiscard]] std::size_t layers() const { return forward.size(); }
  [[nodiscard]] double cost(const StepOp& op) const;
};

/// Throws std::invalid_argument unless the lists are as DataParallel describes them: of one length, finite, F and O
/// positive, the others not negative.
void check_data_parallel(const DataParallel& step);

/// Which weight gradient the link sends next.
enum class LinkRule : std::uint8_t {
  fifo,        ///< the one that was computed first
  priority,    ///< the lowest layer that waits
  preemptive,  ///< the same, decided again whenever one is computed; what is interrupted keeps its progress
};
inline constexpr LinkRule kLinkRules[] = {LinkRule::fifo, LinkRule::priority, LinkRule::preemptive};
/// "fifo", "priority" or "preemptive".
[[nodiscard]] std::string to_string(LinkRule rule);

/// The backward pass of reverse first-k scheduling (Algorithm 2): W of layers 1..k come last, in this order; k = 0 is
/// the conventional order. Lists what does not exist, too.
[[nodiscard]] std::vector<StepOp> reverse_first_k(std::size_t layers, std::size_t k);

/// A simulated step.
struct DataParallelRun {
  double makespan = 0;
  double backward_end = 0;            ///< end of the compute order
  double busy = 0;                    ///< sum of all compute
  double idle = 0;                    ///< makespan - busy
  std::vector<double> sync_end;       ///< by layer; 0 for a layer without weights
  std::vector<double> forward_start;  ///< by layer
  std::vector<StepEntry> compute;     ///< in the order of start
  std::vector<StepEntry> link;        ///< W of the layer whose gradients move; parts of interrupted ones
};

/// Simulates a backward order without gaps, the synchronisations and the forward pass; operations of the order that do
/// not exist are passed over. Throws std::invalid_argument as check_data_parallel(), and for an order that lacks a W.
[[nodiscard]] DataParallelRun simulate_data_parallel(const DataParallel& step, std::span<const StepOp> backward_order,
                                                     LinkRule rule);

/// The step as tasks without any order, for exact_schedule(): the device is resource 0, the link resource 1.
struct DataParallelProblem {
  Workload workload;
  TickScale scale;  ///< from ticks to the unit of the costs
};
/// The problem of the paper's section 2 with S[O] = 0. Weight gradients may be computed between forward operations.
/// Throws as check_data_parallel().
[[nodiscard]] DataParallelProblem data_parallel_problem(const DataParallel& step);

/// Outcome of the search for k.
struct FirstKSearch {
  std::size_t k = 0;
  std::vector<std::size_t> evaluated;  ///< in this order
};

/// Searches the k of the smallest makespan from coarse to fine. `makespan_of` is asked once for each k that is tried;
/// only k <= max_k are. Source: Out-Of-Order BackProp, section 5.1.
[[nodiscard]] FirstKSearch search_first_k(std::size_t layers, std::size_t max_k,
                                          const std::function<double(std::size_t)>& makespan_of);

/// What decides how many weight gradients may be delayed; in any unit of memory, lists by layer.
struct FirstKMemory {
  double forward = 0;                         ///< in use after the forward pass
  std::vector<double> output_gradient_frees;  ///< M(O_i)
  std::vector<double> weight_gradient_takes;  ///< M(W_i)
};

/// f(0) .. f(L), and for each limit the largest j with f(j) < limit, nothing where none is below it.
struct FirstKTable {
  std::vector<double> memory_of_k;
  std::vector<std::optional<std::size_t>> largest_k;
};

/// Memory in use when W of the first j layers are delayed. Sums of decimal fractions are exact. Throws
/// std::invalid_argument for numbers that are not finite, that are negative (but for limits), whose sum is not
/// finite, or where output gradients free more than is in use. Source: Algorithm 2, line 1.
[[nodiscard]] FirstKTable first_k_memory(const FirstKMemory& memory, std::span<const double> limits);

/// Most layers for which optimum_nonpreemptive() goes through all orders.
inline constexpr std::size_t kMostOptimumLayers = 6;
/// The smallest makespan of all compute orders without gaps and all sequences on the link, which may wait for the next
/// in the sequence. Throws std::invalid_argument for more than kMostOptimumLayers layers.
[[nodiscard]] double optimum_nonpreemptive(const DataParallel& step);

}  // namespace upsweep
