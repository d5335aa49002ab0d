#pragma once

#include <cstdint>
#include <vector>

#include "row_sums.hpp"
#include "upsweep/backend/layout.hpp"
#include "upsweep/backend/schedule_plan.hpp"

namespace upsweep::kernels {

/// Threads of a warp, and of the largest group that works on one team of rows.
inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kBlockThreads = 128;

/// Teams of X's rows that one launch computes: they need about the same shared memory, so that small rows do not wait
/// for the few places that large ones leave.
struct TeamBin {
  SumStorage storage = SumStorage::scratch;
  unsigned threads_per_team = kWarpThreads;  ///< kWarpThreads or kBlockThreads
  unsigned teams_per_block = 1;              ///< kBlockThreads / threads_per_team at most
  std::uint32_t shared_bytes = 0;            ///< per team, a multiple of 16
  std::vector<Index> teams;                  ///< numbers of teams of X's layout, ascending

  friend bool operator==(const TeamBin&, const TeamBin&) = default;
};

/// Sorts the teams of X whose rows of C have entries into bins; empty bins are left out.
///
/// `form` is general or single_columns; X, Y and C are the layouts of the product. Units: `value_bytes` is the size of
/// a number, 4 or 8, `shared_limit` the bytes of shared memory that a block may have on the device, at least 8 KiB.
/// Cost: O(teams).
[[nodiscard]] std::vector<TeamBin> bin_teams(ProductForm form, const Layout& x, const Layout& y, const Layout& c,
                                             std::size_t value_bytes, std::uint64_t shared_limit);

}  // namespace upsweep::kernels
