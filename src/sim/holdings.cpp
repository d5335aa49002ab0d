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

PeakUse peak_of(std::vector<Change>& changes, std::size_t kinds) {
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return a.time != b.time ? a.time < b.time : a.acquires < b.acquires;
  });
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

}  // namespace

std::vector<PeakUse> peak_use(const Workload& workload, const Simulation& simulation, std::span<const Holding> holdings,
                              std::size_t pools, std::size_t kinds) {
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
  std::vector<PeakUse> peaks;
  peaks.reserve(pools);
  for (std::vector<Change>& of_pool : changes) peaks.push_back(peak_of(of_pool, kinds));
  return peaks;
}

}  // namespace upsweep
