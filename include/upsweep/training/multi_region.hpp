#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/sim/task_engine.hpp"
#include "upsweep/sim/tick_scale.hpp"
#include "upsweep/training/pipeline_run.hpp"
#include "upsweep/training/step_op.hpp"

namespace upsweep {

/// One GPU with two streams: the main stream runs output gradients, W of layer 1 and the next forward pass, the
/// sub-stream the other weight gradients, each beside a region of the main stream.
///
/// Shapes: cost lists, hold, and co_run have an entry per layer (those of layer 1 in the latter two are not used);
/// co_run[layer] and speedup_percent[layer] have one per region. Units: one unit of time, one of memory. Source: H. Oh
/// et al., Out-Of-Order BackProp, EuroSys '22, section 4.1; definitions in training-schedules, section 6.
struct MultiRegion {
  std::vector<double> forward;
  std::vector<double> output_gradient;
  std::vector<double> weight_gradient;
  std::vector<std::vector<StepOp>> main_stream;  ///< by region: O(L)..O(2), W(1), F(1)..F(L)
  std::vector<std::vector<double>> co_run;       ///< T_sub: time of W of a layer while a region runs
  std::vector<std::vector<double>> speedup_percent;
  std::vector<double> hold;  ///< memory that a delayed W of a layer keeps
  double base_memory = 0;
  double memory_limit = 0;  ///< the peak must stay below

  [[nodiscard]] std::size_t layers() const { return forward.size(); }
  [[nodiscard]] std::size_t regions() const { return main_stream.size(); }
  [[nodiscard]] double cost(const StepOp& op) const;
};

/// What follows from the main stream; times in ticks.
struct RegionTimes {
  TickScale scale;
  std::vector<std::uint64_t> main;   ///< T_main by region
  std::vector<std::uint64_t> start;  ///< of the regions, one after the other
  /// By layer: W of it may start, and must end. Nothing for layer 1.
  std::vector<std::uint64_t> available, deadline;
  std::size_t backward_regions = 0;  ///< those that begin with an operation of the backward pass
};
/// Throws std::invalid_argument unless the lists are as MultiRegion describes them: costs and co-run times positive and
/// finite, memory not negative, the main stream complete and in order.
[[nodiscard]] RegionTimes region_times(const MultiRegion& step);

/// Where the sub-stream's kernels go. By layer, entries of layer 1 are not used; times in units of the costs.
struct RegionSchedule {
  std::vector<std::vector<std::size_t>> kernels;  ///< S: layers by region, in order
  std::vector<double> begin;                      ///< estimated
  std::vector<double> length;                     ///< T_sub in the region
  std::vector<double> now;                        ///< final clock of each region
  std::vector<std::size_t> overflow;  ///< layers that fitted nowhere, in the order in which they were placed
  double estimate = 0;                ///< sum over regions of the larger of T_main and clock
  double peak_memory = 0;
};

/// Multi-region joint scheduling, Algorithm 1. The first `pre_regions` regions are filled as early as possible first,
/// which needs less memory. Throws as region_times().
[[nodiscard]] RegionSchedule schedule_regions(const MultiRegion& step, std::size_t pre_regions);

/// The schedule of the fewest pre-scheduled regions whose peak is below the limit, else the last one tried.
struct RegionFallback {
  RegionSchedule schedule;
  std::size_t pre_regions = 0;
  std::vector<double> peaks;  ///< of the attempts, pre_regions = 0, 1, ...
  bool fits = false;
};
[[nodiscard]] RegionFallback schedule_regions_in_memory(const MultiRegion& step);

/// Both streams at work: an entry of the sub-stream waits for the one before it, the start of its region on the main
/// stream, and its gradient; F of a layer for its W.
struct RegionRun {
  double makespan = 0;
  double main_end = 0;              ///< end of F(L)
  double sub_end = 0;               ///< end of the last kernel of the sub-stream
  std::vector<StepEntry> timeline;  ///< device 0: main stream, 1: sub-stream
};
[[nodiscard]] RegionRun execute_regions(const MultiRegion& step, const RegionSchedule& schedule);

/// Time of one stream: all main-stream operations and W on their own.
[[nodiscard]] double one_stream_makespan(const MultiRegion& step);

}  // namespace upsweep
