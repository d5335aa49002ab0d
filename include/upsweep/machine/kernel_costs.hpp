#pragma once

#include <array>
#include <cstddef>

namespace upsweep {

/// What the time of a planned product on a gpu is made of, by the names of machine files.
///
/// Waits, which an op has whatever else the device does: 1 `kernel`; rows of Y that a team walks (`team_walk`); of a
/// place for teams, what a thread adds up (`wave_sum`) and has of single entries (`wave_hop`); steps of the threads of
/// a row that is scaled (`row_step`). Work, which the whole device shares: of a product with a vector `row`s and
/// entries
/// (`entry`); single entries (`hop`); rows of Y, once per warp (`walk`), steps of warps over their entries (`step`),
/// the same for each row of a team (`member_step`); bytes moved while they stay in the cache (`near_byte`) and not
/// (`far_byte`).
///
/// The form was chosen on an H100: reports/gpu.md.
inline constexpr std::array<const char*, 13> kKernelWorkNames = {
    "kernel", "team_walk", "wave_sum", "wave_hop",    "row_step",  "row",     "entry",
    "hop",    "walk",      "step",     "member_step", "near_byte", "far_byte"};
enum KernelUnit : std::size_t {
  kKernelUnit,
  kTeamWalk,
  kWaveSum,
  kWaveHop,
  kRowStep,
  kRow,
  kEntry,
  kHop,
  kWalk,
  kStep,
  kMemberStep,
  kNearByte,
  kFarByte
};
inline constexpr std::size_t kWaits = kRow;       ///< the first ones, before work
inline constexpr std::size_t kMoved = kNearByte;  ///< from here on, bytes

/// One number for each of kKernelWorkNames.
using KernelVector = std::array<double, kKernelWorkNames.size()>;

/// Seconds for a unit of each of kKernelWorkNames.
struct KernelCosts {
  KernelVector unit_s{};

  /// Of the units from `first` on.
  [[nodiscard]] double seconds(const KernelVector& counts, std::size_t first = 0) const;
  [[nodiscard]] bool is_known() const { return *this != KernelCosts{}; }
  friend bool operator==(const KernelCosts&, const KernelCosts&) = default;
};

}  // namespace upsweep
