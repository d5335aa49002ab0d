#include "upsweep/sim/holdings.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

/// A change of what a pool holds; releases sort before acquisitions of the same instant.
struct Change {
  std::uint64_t time;
  bool acquires;
  std::uint32_t kind;
  std::uint64_t amount;
};

class Moments {
 public:
  Moments(const Workload& workload, const Simulation& simulation) : workload_(workload), simulation_(simulation) {}

  [[nodiscard]] std::optional<std::uint64_t> acquired(const Holding& holding) const {
    std::optional<std::uint64_t> first;
    for (const std::uint32_t task : holding.acquired_by) {
      if (task == kNoTask) continue;
      check(task);
      const std::uint64_t time = holding.at_start
                                     ? simulation_.start[task]
                                     : simulation_.end[task] + (workload_.delays.empty() ? 0 : workload_.delays[task]);
      first = std::min(first.value_or(time), time);
    }
    return first;
  }
  [[nodiscard]] std::optional<std::uint64_t> released(const Holding& holding) const {
    std::optional<std::uint64_t> last;
    for (const std::uint32_t task : holding.released_by) {
      if (task == kNoTask) continue;
      check(task);
      last = std::max(last.value_or(0), simulation_.end[task]);
    }
    return last;
  }

 private:
  void check(std::uint32_t task) const {
    if (task >= simulation_.end.size()) throw std::invalid_argument("peak_use: a task that does not exist");
  }

  const Workload& workload_;
  const Simulation& simulation_;
};

/// The changes of each pool, in the order in which they happen.
std::vector<std::vector<Change>> changes_of(const Workload& workload, const Simulation& simulation,
                                            std::span<const Holding> holdings, std::size_t pools, std::size_t kinds) {
  std::vector<std::vector<Change>> changes(pools);
  const Moments moments(workload, simulation);
  for (const Holding& holding : holdings) {
    if (holding.pool >= pools || holding.kind >= kinds)
      throw std::invalid_argument("peak_use: a pool or kind that does not exist");
    const auto from = moments.acquired(holding);
    const auto until = moments.released(holding);
    if (!from || !until || *until <= *from) continue;
    changes[holding.pool].push_back({*from, true, holding.kind, holding.amount});
    changes[holding.pool].push_back({*until, false, holding.kind, holding.amount});
  }
  for (std::vector<Change>& of_pool : changes) {
    std::ranges::sort(of_pool, [](const Change& a, const Change& b) {
      return a.time != b.time ? a.time < b.time : a.acquires < b.acquires;
    });
  }
  return changes;
}

PeakUse peak_of(const std::vector<Change>& changes, std::size_t kinds) {
  PeakUse peak{std::vector<std::uint64_t>(kinds), 0};
  std::vector<std::uint64_t> held(kinds);
  std::uint64_t all = 0;
  for (const Change& change : changes) {
    if (!change.acquires) {
      held[change.kind] -= change.amount;
      all -= change.amount;
      continue;
    }
    held[change.kind] = checked_add(held[change.kind], change.amount);
    all = checked_add(all, change.amount);
    peak.by_kind[change.kind] = std::max(peak.by_kind[change.kind], held[change.kind]);
    peak.together = std::max(peak.together, all);
  }
  return peak;
}

/// The instants 0 and of all changes, or the starts of so many equal parts of the time.
std::vector<FullestPool> entries_of(const std::vector<std::vector<Change>>& changes, std::size_t most_entries) {
  std::vector<std::uint64_t> times = {0};
  for (const std::vector<Change>& of_pool : changes) {
    for (const Change& change : of_pool) times.push_back(change.time);
  }
  std::ranges::sort(times);
  times.erase(std::ranges::unique(times).begin(), times.end());
  if (times.size() > most_entries) {
    const auto step = static_cast<double>(times.back()) / static_cast<double>(most_entries);
    times.clear();
    for (std::size_t i = 0; i < most_entries; ++i)
      times.push_back(static_cast<std::uint64_t>(step * static_cast<double>(i)));
  }
  std::vector<FullestPool> entries;
  for (const std::uint64_t time : times) entries.push_back({time, 0});
  return entries;
}

/// Raises the entries to what a pool holds; `held`: at first.
void raise(std::vector<FullestPool>& entries, const std::vector<Change>& changes, std::uint64_t held) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::uint64_t& most = entries[i].most;
    const bool is_last = i + 1 == entries.size();
    // What happens at the instant itself is over when the entry begins.
    for (; next < changes.size() && changes[next].time <= entries[i].from; ++next)
      held = changes[next].acquires ? checked_add(held, changes[next].amount) : held - changes[next].amount;
    most = std::max(most, held);
    for (; next < changes.size() && (is_last || changes[next].time < entries[i + 1].from); ++next) {
      held = changes[next].acquires ? checked_add(held, changes[next].amount) : held - changes[next].amount;
      most = std::max(most, held);
    }
  }
}

}  // namespace

std::vector<PeakUse> peak_use(const Workload& workload, const Simulation& simulation, std::span<const Holding> holdings,
                              std::size_t pools, std::size_t kinds) {
  std::vector<PeakUse> peaks;
  peaks.reserve(pools);
  for (const std::vector<Change>& of_pool : changes_of(workload, simulation, holdings, pools, kinds))
    peaks.push_back(peak_of(of_pool, kinds));
  return peaks;
}

std::vector<FullestPool> fullest_pool(const Workload& workload, const Simulation& simulation,
                                      std::span<const Holding> holdings, std::span<const std::uint64_t> always,
                                      std::size_t most_entries) {
  std::uint32_t kinds = 0;
  for (const Holding& holding : holdings) kinds = std::max(kinds, holding.kind + 1);
  const auto changes = changes_of(workload, simulation, holdings, always.size(), kinds);
  std::vector<FullestPool> entries = entries_of(changes, most_entries);
  for (std::size_t pool = 0; pool < always.size(); ++pool) raise(entries, changes[pool], always[pool]);
  return entries;
}

}  // namespace upsweep
