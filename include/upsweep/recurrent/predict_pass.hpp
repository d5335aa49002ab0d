#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/recurrent/backward_method.hpp"
#include "upsweep/recurrent/backward_pass.hpp"
#include "upsweep/recurrent/pass_rates.hpp"
#include "upsweep/recurrent/scan_backward.hpp"

namespace upsweep {

/// What most of the time of a phase is.
enum class TimeBound : std::uint8_t {
  nothing,     ///< the phase has nothing to do
  arithmetic,  ///< work on operands in a cache, or that memory keeps up with
  memory,      ///< work that memory slows down
  latency,     ///< starting work and waiting for its end
};

/// "nothing", "arithmetic", "memory" or "latency".
[[nodiscard]] std::string to_string(TimeBound bound);

/// By phase, as ScanTimes.
struct PhaseBounds {
  TimeBound jacobians = TimeBound::nothing;
  TimeBound up = TimeBound::nothing;
  TimeBound middle = TimeBound::nothing;
  TimeBound down = TimeBound::nothing;
};

/// What a backward pass and the rest of its iteration will take, in seconds.
struct PassPrediction {
  ScanTimes times;          ///< a sequential pass counts as `down`
  PhaseBounds bounds;       ///< of `times`
  double total_s = 0;       ///< of the pass: times.total()
  double forward_s = 0;     ///< of run_forward()
  double parameters_s = 0;  ///< of parameter_gradients(), without the head
};

/// Whether these are the rates of that cell and batch and know such a pass; measure_pass_rates() leaves out what it was
/// not asked for, what the backend has not and what its memory is too small for.
[[nodiscard]] bool has_rates(const PassRates& rates, const BackwardMethod& method, const PassShape& shape);

/// Predicts a pass over shape.steps steps from counts of its work and what a unit of each kind costs.
///
/// The rules: items of work go to the worker that is free first, each at the cost `alone`; but no phase or level is
/// faster than its units at the rate at which all workers finish them, `together`. That rate is interpolated between
/// one worker and rates.workers; beyond those it grows with the workers in the cache, and no more out of it. A level
/// goes to all workers where that, with dispatch_s, is faster than one of them; a phase over blocks always does. A unit
/// costs near_s (far_s where that is less: measuring was disturbed) where at most half of the cache has been used since
/// its operands were, far_s from the size of the cache on, in between by the logarithm. Levels are those of
/// profile_homogeneous() without dead combines, each with level_latency_s; blocks are those of block_times(), the inner
/// ones as long as their mean. Where `rates` have no levels, a step of the middle phase of blocks counts as one of the
/// sequential pass.
///
/// Throws std::invalid_argument for 0 workers or steps, and where not has_rates().
/// Cost: O(depth² + blocks), whatever the length.
[[nodiscard]] PassPrediction predict_pass(const PassRates& rates, const BackwardMethod& method, const PassShape& shape,
                                          std::size_t workers);

}  // namespace upsweep
