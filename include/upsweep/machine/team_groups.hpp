#pragma once

#include <cstdint>

namespace upsweep {

/// Threads of a warp, and of the largest group that works on one team of rows of a planned product.
inline constexpr unsigned kWarpThreads = 32;
inline constexpr unsigned kBlockThreads = 128;
/// Less shared memory per team than this makes no more room for others.
inline constexpr std::uint64_t kLeastTeamBytes = 2048;

/// What a gpu has for teams of rows.
struct TeamRoom {
  std::uint64_t shared_bytes = 8192;  ///< of shared memory that a block may have, at least 8 KiB
  std::uint64_t multiprocessors = 0;  ///< 0: not known

  friend bool operator==(const TeamRoom&, const TeamRoom&) = default;
};

/// How threads work on teams.
struct TeamGroup {
  unsigned threads_per_team = kWarpThreads;  ///< kWarpThreads or kBlockThreads
  unsigned teams_per_block = 1;              ///< kBlockThreads / threads_per_team at most

  friend bool operator==(const TeamGroup&, const TeamGroup&) = default;
};

/// The groups for `teams` teams that take `bytes` of shared memory each, and whose threads share `items_per_step`
/// entries at a time, a mean. `sums_are_shared`: their sums are in that memory. Few teams are spread over the
/// multiprocessors, and get more threads each.
[[nodiscard]] TeamGroup team_group(std::uint64_t teams, std::uint64_t bytes, bool sums_are_shared,
                                   std::uint64_t items_per_step, const TeamRoom& room);

/// Teams that a device works on at a time.
[[nodiscard]] std::uint64_t resident_teams(const TeamGroup& group, std::uint64_t bytes, const TeamRoom& room);

/// Bytes of shared memory that a team takes for rows of Y that it looks up ahead.
[[nodiscard]] constexpr std::uint64_t staging_bytes(unsigned value_bytes) {
  return std::uint64_t{16} * (24 + std::uint64_t{4} * value_bytes);
}

/// Threads that share a row of a product that needs no teams, by its mean number of entries: 1, 4, 16 or 32.
[[nodiscard]] unsigned threads_for_rows(std::uint64_t nnz, std::uint64_t rows);

}  // namespace upsweep
