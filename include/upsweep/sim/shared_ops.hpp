#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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

/// From how many workers on a scan is faster than back-propagation.
struct OvertakingWorkers {
  bool is_known = true;                    ///< false: looking for it was given up
  std::optional<std::uint64_t> from = {};  ///< the fewest with which one is
  bool is_followed = false;                ///< whether all larger numbers were looked at, too
  /// With this number and every larger one it is; nothing, where they were looked at: the largest loses again.
  std::optional<std::uint64_t> always_from = {};

  /// Whether a larger number than the fewest loses again; nothing where that is not known.
  [[nodiscard]] std::optional<bool> loses_again() const {
    return from && is_followed ? std::optional(always_from != from) : std::nullopt;
  }
};

/// The same by both rules of ops.
struct Overtakes {
  OvertakingWorkers whole;   ///< each op on one worker
  OvertakingWorkers shared;  ///< ops that workers share, a barrier after each level
};

/// The most workers that are looked at.
inline constexpr std::uint64_t kMostWorkers = std::uint64_t{1} << 40U;

/// A makespan by workers, never larger with more of them.
using MakespanOfWorkers = std::function<std::uint64_t(std::uint64_t workers)>;

/// Where the fastest of `scans` is below the fastest of `plain`, by bisection of ranges of workers in which neither
/// every scan loses nor one surely wins; given up after `most_evaluations`. Empty without scans.
[[nodiscard]] OvertakingWorkers overtaking_workers(std::span<const MakespanOfWorkers> plain,
                                                   std::span<const MakespanOfWorkers> scans,
                                                   std::uint64_t most_workers = kMostWorkers,
                                                   std::uint64_t most_evaluations = std::uint64_t{1} << 20U);

/// The same where workers share ops, by shared_makespan().
[[nodiscard]] OvertakingWorkers shared_overtaking(std::span<const SharedWork> plain, std::span<const SharedWork> scans,
                                                  std::uint64_t batch = 1);

}  // namespace upsweep
