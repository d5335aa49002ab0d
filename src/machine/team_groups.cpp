#include "upsweep/machine/team_groups.hpp"

#include <algorithm>

namespace upsweep {
namespace {

/// Up to this size a block of several warps has room for a team each.
constexpr std::uint64_t kWarpTeamBytes = 8192;
/// Shorter rows of Y would leave most of a large group without work.
constexpr std::uint64_t kItemsForBlocks = 64;
/// So many warps hide each other's waits; with fewer, a team of more threads waits less often.
constexpr std::uint64_t kWarpsOfMultiprocessor = 16;
/// The kernels ask for registers that leave room for as many threads, devices for as many blocks.
constexpr std::uint64_t kResidentThreads = 1024;
constexpr std::uint64_t kResidentBlocks = 32;

}  // namespace

TeamGroup team_group(std::uint64_t teams, std::uint64_t bytes, bool sums_are_shared, std::uint64_t items_per_step,
                     const TeamRoom& room) {
  const bool is_small = sums_are_shared && bytes <= kWarpTeamBytes;
  const bool are_many = teams >= kWarpsOfMultiprocessor * room.multiprocessors;
  TeamGroup group;
  if (items_per_step >= kItemsForBlocks && !(is_small && are_many)) group.threads_per_team = kBlockThreads;
  if (bytes <= kWarpTeamBytes) group.teams_per_block = kBlockThreads / group.threads_per_team;
  while (group.teams_per_block > 1 &&
         (group.teams_per_block * bytes > room.shared_bytes || teams < group.teams_per_block * room.multiprocessors)) {
    group.teams_per_block /= 2;
  }
  return group;
}

std::uint64_t resident_teams(const TeamGroup& group, std::uint64_t bytes, const TeamRoom& room) {
  const std::uint64_t threads = std::uint64_t{group.threads_per_team} * group.teams_per_block;
  const std::uint64_t by_memory = room.shared_bytes / (group.teams_per_block * std::max(bytes, kLeastTeamBytes));
  const std::uint64_t blocks =
      std::clamp<std::uint64_t>(by_memory, 1, std::min(kResidentBlocks, kResidentThreads / threads));
  return std::max<std::uint64_t>(1, room.multiprocessors) * blocks * group.teams_per_block;
}

unsigned threads_for_rows(std::uint64_t nnz, std::uint64_t rows) {
  const std::uint64_t mean = rows == 0 ? 0 : nnz / rows;
  for (const unsigned threads : {32U, 16U, 4U}) {
    if (mean >= threads) return threads;
  }
  return 1;
}

}  // namespace upsweep
