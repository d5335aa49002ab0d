#pragma once

#include <cstdint>
#include <vector>

#include "row_sums.hpp"
#include "upsweep/backend/layout.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/machine/team_groups.hpp"

namespace upsweep::kernels {

/// Teams of X's rows that one launch computes: they need about the same shared memory, so that small rows do not wait
/// for the few places that large ones leave.
struct TeamBin {
  SumStorage storage = SumStorage::scratch;
  TeamGroup group;
  std::uint32_t shared_bytes = 0;  ///< per team, a multiple of 16
  std::vector<Index> teams;        ///< numbers of teams of X's layout, ascending

  friend bool operator==(const TeamBin&, const TeamBin&) = default;
};

/// Sorts the teams of X whose rows of C have entries into bins; empty bins are left out.
///
/// `form` is general or single_columns; X, Y and C are the layouts of the product. Units: `value_bytes` is the size of
/// a number, 4 or 8. Few teams are spread over the multiprocessors, and get more threads each. Cost: O(teams).
[[nodiscard]] std::vector<TeamBin> bin_teams(ProductForm form, const Layout& x, const Layout& y, const Layout& c,
                                             std::size_t value_bytes, const TeamRoom& room);

}  // namespace upsweep::kernels
