#pragma once

#include <cstdint>

namespace upsweep {

/// Step complexity of a full scan over n Jacobians on p workers by formula: n / p + log2 p, up to a constant.
///
/// Workers beyond n have nothing to do: the figure is that of p = n then, 1 + log2 n. blelloch, simulated, takes 1/2 to
/// 9/4 times as many steps for n >= 2, as the tests check for every p up to 1000. Throws std::invalid_argument for 0.
/// Source: Wang, "BPPSA" (thesis, 2020), section 3.6, Equation 3.3.
[[nodiscard]] double scan_steps_formula(std::uint64_t elements, std::uint64_t workers);

/// Bounds of a step complexity S_p, exact whatever the schedule.
struct StepBounds {
  double least = 0;  ///< max(ops / p, levels)
  double most = 0;   ///< (ops + (p - 1) · levels) / p: each level leaves at most p - 1 workers idle, in its last round
};

/// Bounds for a schedule of `ops` combines in `levels` levels on `workers` workers, level by level.
///
/// Throws std::invalid_argument for 0 workers and fewer combines than levels.
/// Source: Brent, "The Parallel Evaluation of General Arithmetic Expressions", J. ACM 21, 1974, Lemma 2.
[[nodiscard]] StepBounds scan_step_bounds(std::uint64_t ops, std::uint64_t levels, std::uint64_t workers);

}  // namespace upsweep
