#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "upsweep/sim/shared_ops.hpp"

namespace upsweep {

/// From how many workers on a scan is faster than back-propagation.
struct OvertakingWorkers {
  bool is_known = true;                    ///< false: looking for it was given up
  std::optional<std::uint64_t> from = {};  ///< the fewest with which one is
  bool is_followed = false;                ///< whether all larger numbers were looked at, too
  /// With this number and every larger one it is; nothing, where they were looked at: the largest loses again.
  std::optional<std::uint64_t> always_from = {};
  /// One that is faster with the fewest, of overtaking_workers() the fastest; empty: there is none, or scans were not
  /// named.
  std::string scan = {};

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
/// every scan loses nor one surely wins; given up after `most_evaluations`. Empty without scans. `names`: of the scans,
/// in their order, or none.
[[nodiscard]] OvertakingWorkers overtaking_workers(std::span<const MakespanOfWorkers> plain,
                                                   std::span<const MakespanOfWorkers> scans,
                                                   std::span<const std::string> names = {},
                                                   std::uint64_t most_workers = kMostWorkers,
                                                   std::uint64_t most_evaluations = std::uint64_t{1} << 20U);

/// The same where workers share ops, by shared_makespan().
[[nodiscard]] OvertakingWorkers shared_overtaking(std::span<const SharedWork> plain, std::span<const SharedWork> scans,
                                                  std::uint64_t batch = 1, std::span<const std::string> names = {});

}  // namespace upsweep
