#include "team_bins.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "sum_programs.hpp"

namespace upsweep::kernels {
namespace {

/// Bins are a factor of two apart, from kLeastTeamBytes on.
constexpr std::size_t kBinClasses = 16;

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
  const std::uint64_t steps = (std::max(bytes, kLeastTeamBytes) - 1) / kLeastTeamBytes;  // 0 for the smallest
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(steps)), kBinClasses - 1);
}

}  // namespace

std::vector<TeamBin> bin_teams(ProductForm form, const Layout& x, const Layout& y, const Layout& c,
                               std::size_t value_bytes, const TeamRoom& room) {
  const bool staged = form == ProductForm::general;
  std::array<std::array<TeamBin, kBinClasses>, 3> bins;  // by storage and class
  for (std::size_t team = 0; team < x.teams(); ++team) {
    const Index members = x.team_begin[team + 1] - x.team_begin[team];
    const std::span<const Index> columns = c.columns(x.team_rows[x.team_begin[team]]);
    if (columns.empty()) continue;
    const TeamNeed need = value_bytes == sizeof(float) ? team_need<float>(staged, members, columns, room.shared_bytes)
                                                       : team_need<double>(staged, members, columns, room.shared_bytes);
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
      bin.group =
          team_group(bin.teams.size(), bin.shared_bytes, bin.storage == SumStorage::scratch, items_per_step, room);
      used.push_back(std::move(bin));
    }
  }
  return used;
}

}  // namespace upsweep::kernels
