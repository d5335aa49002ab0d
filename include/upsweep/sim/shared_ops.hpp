#pragma once

#include <cstdint>
#include <vector>

#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// Consecutive or equal levels as workers that share ops see them: a worker is a scalar processor, and any number of
/// them may work on an op of w FLOPs and span s at once, up to w / s. Sums over the inputs.
struct SharedLevel {
  std::uint64_t times = 1;
  std::uint64_t flops = 0;  ///< of all ops of one level
  std::uint64_t span = 0;   ///< the longest of an op
};

/// A schedule as workers that share ops see it. Sums over the inputs, of which spans are means in the end.
struct SharedWork {
  std::uint64_t inputs = 1;
  std::vector<SharedLevel> levels;
  std::uint64_t flops = 0;
  std::uint64_t span_path = 0;  ///< the longest chain of dependent ops, of their spans
};

/// Throws CountOverflow, as all that follow.
[[nodiscard]] SharedWork shared_work(const ScheduleProfile& profile, Scope scope);
[[nodiscard]] SharedWork shared_work(const HomogeneousProfile& profile, Scope scope);

/// Makespan in FLOPs with a barrier after each level, of `batch` inputs on `workers` >= 1 workers that share ops: of
/// each level the larger of its FLOPs by the workers, rounded up, and its longest span. The optimum of such levels.
/// A sum over the inputs of the pattern. Never larger with more workers. Source: work and span bound a computation from
/// below (Brent, "The parallel evaluation of general arithmetic expressions", 1974), and such a level reaches them.
[[nodiscard]] std::uint64_t shared_makespan(const SharedWork& work, std::uint64_t workers, std::uint64_t batch = 1);

/// No schedule of these ops, with barriers or without, is shorter: the larger of all FLOPs by the workers, rounded up,
/// and the longest chain of spans. A sum over the inputs.
[[nodiscard]] std::uint64_t shared_bound(const SharedWork& work, std::uint64_t workers, std::uint64_t batch = 1);

}  // namespace upsweep
