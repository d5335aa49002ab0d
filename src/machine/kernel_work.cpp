#include <algorithm>
#include <cmath>
#include <numeric>

#include "upsweep/machine/work_costs.hpp"

namespace upsweep {
namespace {

/// A quotient, 0 of nothing.
double mean(double sum, double count) { return count > 0 ? sum / count : 0; }

/// Sums of rows of C that are added up by teams: what one of them needs, and how they are grouped.
struct Teams {
  double members = 1;  ///< rows of a team, a mean
  double places = 1;   ///< teams at a time
  double threads = 1;  ///< of each
};

Teams teams_of(const OpWork& work, const TeamRoom& room, unsigned value_bytes) {
  const ProductSteps& steps = work.steps;
  const auto count = std::max<std::uint64_t>(1, steps.teams);
  const auto sums = static_cast<double>(steps.single_sums + steps.team_sums);
  Teams teams;
  if (sums > 0) {
    teams.members = std::clamp(static_cast<double>(work.sizes.nnz) / sums, 1.0, static_cast<double>(kTeamRows));
  }
  const bool is_walked = steps.passes > 0;
  // Numbers of the sums, a bitmap of the columns, and 16 rows of Y that are looked up ahead (kernels/sum_programs.hpp,
  // whose kStagingBytes a test compares).
  const double staged = is_walked ? static_cast<double>(staging_bytes(value_bytes)) : 0;
  const double bytes = teams.members * sums / static_cast<double>(count) * value_bytes +
                       static_cast<double>(work.sizes.cols) / 4 + staged;
  const auto whole_bytes = static_cast<std::uint64_t>(bytes);
  const double items = is_walked
                           ? mean(static_cast<double>(work.sizes.right_nnz), static_cast<double>(work.sizes.inner))
                           : mean(static_cast<double>(work.sizes.left_nnz), static_cast<double>(work.sizes.rows));
  const TeamGroup group =
      team_group(count, whole_bytes, whole_bytes <= room.shared_bytes, static_cast<std::uint64_t>(items), room);
  teams.threads = group.threads_per_team;
  teams.places = static_cast<double>(std::min(count, resident_teams(group, whole_bytes, room)));
  return teams;
}

}  // namespace

KernelVector kernel_work(const OpWork& work, const TeamRoom& room, unsigned value_bytes, double uncached) {
  const ProductSteps& steps = work.steps;
  const auto bytes = static_cast<double>(work.moved_bytes);
  KernelVector counts{};
  counts[kKernelUnit] = 1;
  counts[kNearByte] = bytes * (1 - uncached);
  counts[kFarByte] = bytes * uncached;
  if (work.is_mv) {
    counts[kRow] = static_cast<double>(work.sizes.rows);
    counts[kEntry] = static_cast<double>(work.sizes.left_nnz);
    return counts;
  }
  const auto walks = static_cast<double>(steps.passes);
  const auto pairs = static_cast<double>(steps.single_steps + steps.team_steps);
  const auto hops = static_cast<double>(steps.single_hops + steps.team_hops);
  const auto sums = static_cast<double>(steps.single_sums + steps.team_sums);
  const Teams teams = teams_of(work, room, value_bytes);
  const double warps = teams.threads / kWarpThreads;
  const double rounds = walks * std::ceil(mean(pairs, walks) / teams.threads) * warps;
  counts[kTeamWalk] = mean(walks, static_cast<double>(steps.teams));
  counts[kWaveSum] = sums * teams.members / teams.places / teams.threads;
  counts[kWaveHop] = hops / teams.places / teams.threads;
  if (const std::uint64_t scaled = steps.scaled(); scaled > 0 && work.sizes.rows > 0) {
    const double threads = threads_for_rows(scaled, work.sizes.rows);
    counts[kRowStep] = std::ceil(static_cast<double>(scaled) / static_cast<double>(work.sizes.rows) / threads);
  }
  counts[kHop] = hops * teams.members;
  counts[kWalk] = walks * warps;
  counts[kStep] = rounds;
  counts[kMemberStep] = rounds * teams.members;
  return counts;
}

double KernelCosts::seconds(const KernelVector& counts, std::size_t first) const {
  const auto skip = static_cast<std::ptrdiff_t>(first);
  return std::inner_product(counts.begin() + skip, counts.end(), unit_s.begin() + skip, 0.0);
}

}  // namespace upsweep
