#include "team_bins.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "sum_programs.hpp"

namespace upsweep::kernels {
namespace {

/// Bins are a factor of two apart; rows below the smallest need no more room to fill a multiprocessor.
constexpr std::uint64_t kSmallestBin = 2048;
constexpr std::size_t kBinClasses = 16;
/// Up to this size a block of several warps has room for a team each.
constexpr std::uint64_t kWarpBinLimit = 8192;
/// Shorter rows of Y would leave most of a large group without work.
constexpr std::uint64_t kRowNnzForBlocks = 64;

/// How a team of rows is computed.
struct TeamNeed {
  SumStorage storage = SumStorage::result_search;
  std::uint64_t bytes = 0;
};

template <class T>
TeamNeed team_need(bool staged, Index members, std::span<const Index> columns, std::uint64_t shared_limit) {
  const std::uint64_t staging = staged ? kStagingBytes<T> : 0;
  const Index nnz = static_cast<Index>(columns.size());
  const auto bytes = [&](SumStorage storage) {
    const std::uint64_t sum = staging + row_sums_bytes<T>(storage, members, nnz, columns.front(), columns.back());
    return (sum + 15) / 16 * 16;
  };
  for (const SumStorage storage : {SumStorage::scratch, SumStorage::result}) {
    if (bytes(storage) <= shared_limit) return {storage, bytes(storage)};
  }
  return {SumStorage::result_search, bytes(SumStorage::result_search)};
}

std::size_t bin_class(std::uint64_t bytes) {
  const std::uint64_t steps = (std::max(bytes, kSmallestBin) - 1) / kSmallestBin;  // 0 for the smallest
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(steps)), kBinClasses - 1);
}

/// The widths of the groups and blocks of a bin whose shared_bytes are known.
void choose_groups(TeamBin& bin, std::uint64_t items_per_step, std::uint64_t shared_limit) {
  const bool small_rows = bin.storage == SumStorage::scratch && bin.shared_bytes <= kWarpBinLimit;
  const bool warps = small_rows || items_per_step < kRowNnzForBlocks;
  bin.threads_per_team = warps ? kWarpThreads : kBlockThreads;
  bin.teams_per_block = bin.shared_bytes <= kWarpBinLimit ? kBlockThreads / bin.threads_per_team : 1;
  while (bin.teams_per_block > 1 && std::uint64_t{bin.teams_per_block} * bin.shared_bytes > shared_limit) {
    bin.teams_per_block /= 2;
  }
}

}  // namespace

std::vector<TeamBin> bin_teams(ProductForm form, const Layout& x, const Layout& y, const Layout& c,
                               std::size_t value_bytes, std::uint64_t shared_limit) {
  const bool staged = form == ProductForm::general;
  std::array<std::array<TeamBin, kBinClasses>, 3> bins;  // by storage and class
  for (std::size_t team = 0; team < x.teams(); ++team) {
    const Index members = x.team_begin[team + 1] - x.team_begin[team];
    const std::span<const Index> columns = c.columns(x.team_rows[x.team_begin[team]]);
    if (columns.empty()) continue;
    const TeamNeed need = value_bytes == sizeof(float) ? team_need<float>(staged, members, columns, shared_limit)
                                                       : team_need<double>(staged, members, columns, shared_limit);
    TeamBin& bin = bins[static_cast<std::size_t>(need.storage)][bin_class(need.bytes)];
    bin.storage = need.storage;
    bin.shared_bytes = std::max(bin.shared_bytes, static_cast<std::uint32_t>(need.bytes));
    bin.teams.push_back(static_cast<Index>(team));
  }
  // What the threads of a team share at a time: a row of Y, or a row of X.
  const Layout& walked = staged ? y : x;
  const std::uint64_t items_per_step = walked.rows == 0 ? 0 : walked.nnz() / walked.rows;
  std::vector<TeamBin> used;
  for (auto& by_class : bins) {
    for (TeamBin& bin : by_class) {
      if (bin.teams.empty()) continue;
      choose_groups(bin, items_per_step, shared_limit);
      used.push_back(std::move(bin));
    }
  }
  return used;
}

}  // namespace upsweep::kernels
