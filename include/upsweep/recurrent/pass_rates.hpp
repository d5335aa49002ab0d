#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/recurrent_backend.hpp"

namespace upsweep {

/// Seconds per unit of work. In a cache that is the time of arithmetic; far out of it, the larger of arithmetic and
/// memory time.
struct UnitSeconds {
  double near_s = 0;  ///< operands in a cache that the workers share
  double far_s = 0;   ///< operands far out of it
};

/// What a unit of work costs.
struct UnitCost {
  UnitSeconds alone;     ///< with one worker
  UnitSeconds together;  ///< with all workers at work: the inverse of how many units they finish per second
};

/// Costs of scans over stored Jacobians, fused.
struct LevelRates {
  UnitCost jacobian;           ///< forming and storing that of one step and sample
  UnitCost product;            ///< matrix times matrix of one sample, in a level
  UnitCost vector_product;     ///< vector times matrix of one sample, in a level
  UnitCost fold_step;          ///< a step of the middle phase, all samples
  double level_latency_s = 0;  ///< of a level that has next to nothing to do
};

/// Costs of blocked scans. On a device `alone` is a step of an item beside few others, `together` what a step takes of
/// a device that is full of them.
struct BlockRates {
  UnitCost vector_step;              ///< a step of the samples of one work item
  UnitCost product_start;            ///< the first step of a block's product, its Jacobian alone, one sample
  UnitCost matrix_step;              ///< any other: a product and the Jacobian that it needs, one step and sample
  bool on_device = false;            ///< items run beside each other as far as it has room; else each worker has one
  std::size_t samples_per_item = 1;  ///< whose vectors go through a block as one work item, at most
};

/// How fast the backward passes of a cell go, measured on short sequences of its own making.
struct PassRates {
  std::string backend;
  CellShape cell;
  std::size_t batch = 1;
  unsigned value_bytes = 4;          ///< 4 or 8
  std::size_t workers = 1;           ///< that `together` stands for
  std::uint64_t cache_bytes = 0;     ///< that "near" and "far" refer to; 0: not known, everything counts as far
  double sequential_start_s = 0;     ///< of a sequential pass, whatever its length
  UnitCost sequential_step;          ///< a step of a sequential pass, all samples
  UnitCost forward_step;             ///< a step of run_forward(), all samples; on this processor
  UnitCost parameter_step;           ///< a step of parameter_gradients(), all samples; on this processor
  double parameter_start_s = 0;      ///< of parameter_gradients(), whatever the length
  double dispatch_s = 0;             ///< handing work to all workers and waiting for them
  std::optional<LevelRates> levels;  ///< nothing where not asked for, the backend has none, or memory was too small
  std::optional<BlockRates> blocks;  ///< without stored Jacobians; likewise
  std::optional<BlockRates> stored;  ///< with stored Jacobians; likewise. The Jacobians cost what `levels` says
  std::size_t longest_steps = 0;     ///< of the sequences that were measured
  double measuring_s = 0;            ///< what it took
};

/// What to measure besides the sequential pass, the forward pass and parameter gradients.
struct RateKinds {
  bool levels = true;  ///< scans over stored Jacobians, level by level
  bool blocks = true;  ///< blocked scans that store no Jacobians
  bool stored = true;  ///< blocked scans that do: measures `levels` too

  friend bool operator==(const RateKinds&, const RateKinds&) = default;
};

/// What it takes to predict these passes.
[[nodiscard]] RateKinds rate_kinds(const std::vector<BackwardMethod>& methods);

/// How to measure.
struct RateOptions {
  std::size_t repetitions = 7;    ///< of which the median counts, at least 1; fewer where most_seconds asks for it
  double min_seconds = 0.01;      ///< more repetitions until they took this long; half of it before they start
  std::uint64_t cache_bytes = 0;  ///< instead of that of the device; 0: that of the device
  RateKinds kinds;
  double most_seconds = 5;  ///< of all timings, at least 0; but each has min_seconds and one run, however long that is
};

/// Measures the unit costs of a cell and batch by passes over short synthetic sequences.
///
/// Shapes: `shape.steps` is not used: sequences are as long as the caches ask for, but of no less than 16 steps per
/// block or where a few steps of stored Jacobians exceed the cache, else 48. "Near" is timed on working sets of an
/// eighth of the cache; "far" after other data has displaced them or, for stored Jacobians (and on devices), on working
/// sets of some times the cache. All numbers are normal: weights and states are such that gradients keep their size.
/// Gradients that vanish to 0 take as long; while they are subnormal, some processors take longer, which no rate says.
/// Where options.most_seconds have passed before, far costs of levels and blocks are those near. Where memory is too
/// small for passes of options.kinds, their rates are left out; see has_rates(). Sets the number of threads while it
/// runs. T is float or double. Throws std::invalid_argument for 0 workers, repetitions or extents, a negative time, and
/// like make_backward_pass() for the sequential pass.
template <class T>
[[nodiscard]] PassRates measure_pass_rates(const RecurrentBackend& backend, const PassShape& shape, std::size_t workers,
                                           const RateOptions& options = {});

}  // namespace upsweep
