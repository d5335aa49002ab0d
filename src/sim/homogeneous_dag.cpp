#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "scan_counts.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sim/homogeneous.hpp"
#include "upsweep/sim/pram_simulation.hpp"

namespace upsweep {
namespace {

/// Workers that run combines of a class until the same time.
struct Running {
  std::uint64_t end;
  std::size_t op_class;
  std::uint64_t workers;

  friend bool operator<(const Running& a, const Running& b) {
    return std::tie(a.end, a.op_class, a.workers) < std::tie(b.end, b.op_class, b.workers);
  }
};

/// List scheduling by numbers of combines. Every so often it remembers an instant; when the workers stand to a later
/// one as they stood to it, and every class is where it was or far from its end, what happened in between repeats.
class DagRun {
 public:
  DagRun(const HomogeneousProfile& profile, const HomogeneousCost& cost, std::uint64_t workers, Scope scope)
      : counts_(profile, cost, scope), free_(workers), lowest_(counts_.classes(), 0) {}

  /// Whether numbers of combines are enough.
  [[nodiscard]] bool is_fit() const { return counts_.is_fit(); }

  std::optional<std::uint64_t> makespan(std::uint64_t event_limit) {
    start();
    while (!running_.empty()) {
      if (event_limit-- == 0) return std::nullopt;
      now_ = running_.front().end;
      retire();
      start();
      leap();
    }
    return now_;
  }

 private:
  void retire() {
    std::size_t over = 0;
    for (; over < running_.size() && running_[over].end == now_; ++over) {
      free_ += running_[over].workers;
      counts_.finish(running_[over].op_class, running_[over].workers);
    }
    running_.erase(running_.begin(), running_.begin() + static_cast<std::ptrdiff_t>(over));
  }

  void start() {
    for (std::size_t i = 0; i < counts_.classes(); ++i) {
      const std::uint64_t count = std::min(free_, counts_.ready(i));
      if (count > 0) {
        const Running group{checked_add(now_, counts_.cost(i)), i, count};
        running_.insert(std::lower_bound(running_.begin(), running_.end(), group), group);
        counts_.start(i, count);
        free_ -= count;
      }
      lowest_[i] = std::min(lowest_[i], counts_.ready(i));
    }
  }

  /// Remembers this instant.
  void anchor() {
    then_ = now_;
    running_then_ = running_;
    counts_then_ = counts_.snapshot();
    lowest_.assign(counts_.classes(), std::numeric_limits<std::uint64_t>::max());
    events_ = 0;
  }

  void leap() {
    constexpr std::uint64_t kMostEvents = 256;  // longest period that is found
    if (counts_.take_disturbed()) {
      patience_ = 1;
      return anchor();
    }
    ++events_;
    const std::uint64_t times = repeats();
    if (times > 0) {
      repeat(times);
      patience_ = 1;
      return anchor();
    }
    if (events_ < patience_) return;
    patience_ = std::min(2 * patience_, kMostEvents);
    anchor();
  }

  /// A group that has run since before the remembered instant, and goes on.
  [[nodiscard]] bool outlasts(const Running& group) const {
    return std::binary_search(running_then_.begin(), running_then_.end(), group);
  }

  /// How often what happened since the remembered instant may happen again before a group that outlasts it ends.
  [[nodiscard]] std::uint64_t repeats() const {
    if (running_.size() != running_then_.size() || running_.empty()) return 0;
    const std::uint64_t period = now_ - then_;
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::size_t other = 0;  // in running_then_: those that are over by now
    const auto is_over = [&](const Running& group) {
      return !std::binary_search(running_.begin(), running_.end(), group);
    };
    for (const Running& group : running_) {
      if (outlasts(group)) {
        most = std::min(most, (group.end - now_ - 1) / period);
        continue;
      }
      while (other < running_then_.size() && !is_over(running_then_[other])) ++other;
      if (other == running_then_.size()) return 0;
      const Running& before = running_then_[other++];
      if (before.end + period != group.end || before.op_class != group.op_class || before.workers != group.workers)
        return 0;
    }
    if (most == 0) return 0;
    return std::min(most, counts_.repeats(counts_then_, lowest_));
  }

  void repeat(std::uint64_t times) {
    const std::uint64_t shift = checked_mul(times, now_ - then_);
    for (Running& group : running_) {
      if (!outlasts(group)) group.end = checked_add(group.end, shift);
    }
    std::sort(running_.begin(), running_.end());
    now_ = checked_add(now_, shift);
    counts_.repeat(counts_then_, times);
  }

  ScanCounts counts_;
  std::uint64_t free_;
  std::uint64_t now_ = 0;
  std::vector<Running> running_;  // ascending
  std::uint64_t then_ = 0;        // the remembered instant, and what stood then
  std::vector<Running> running_then_;
  ScanCounts::Snapshot counts_then_;
  std::vector<std::uint64_t> lowest_;  // by class: least that was left ready after the instants since then
  std::uint64_t events_ = 0;           // instants since then
  std::uint64_t patience_ = 1;         // after so many it is given up for a later one
};

/// Calls visit(run, times, cost) for all runs of combines of a profile, in the order of ids where each level stands for
/// itself: `times` levels have it.
template <class Visit>
void for_each_run(const HomogeneousProfile& profile, const HomogeneousCost& cost, const Visit& visit) {
  for (std::size_t r = 0; r < profile.runs.size(); ++r) {
    const LevelRun& levels = profile.runs[r];
    const Phase phase = levels.cycle.front().profile.phase;
    const auto d = phase == Phase::up       ? static_cast<std::uint32_t>(r)
                   : phase == Phase::middle ? profile.depth
                                            : static_cast<std::uint32_t>(profile.runs.size() - 1 - r);
    for (std::size_t i = 0; i < levels.cycle.size(); ++i) {
      for (const OpRun& run : levels.cycle[i].runs) visit(run, levels.times(i), cost(phase, d, run));
    }
  }
}

/// Of all combines in scope, one after the other.
std::uint64_t cost_of_all(const HomogeneousProfile& profile, const HomogeneousCost& cost, Scope scope) {
  std::uint64_t sum = 0;
  for_each_run(profile, cost, [&](const OpRun& run, std::uint64_t times, std::uint64_t each) {
    if (scope == Scope::all || !run.dead) add_to(sum, checked_mul(times, checked_mul(run.count, each)));
  });
  return sum;
}

/// Longer chains are not simulated combine by combine.
constexpr std::uint64_t kMostListed = 1024;

/// Combine by combine. Of a depth above 0, whose middle levels are alike.
std::uint64_t listed_makespan(const HomogeneousProfile& profile, const HomogeneousCost& cost, std::uint64_t workers,
                              Scope scope) {
  std::vector<std::uint64_t> costs;
  std::vector<bool> runs;
  for_each_run(profile, cost, [&](const OpRun& run, std::uint64_t times, std::uint64_t each) {
    costs.insert(costs.end(), times * run.count, each);
    runs.insert(runs.end(), times * run.count, scope == Scope::all || !run.dead);
  });
  const Schedule schedule = hybrid_schedule(profile.chain.length(), profile.depth);
  return simulate(schedule, costs, runs, workers, Execution::dag).makespan;
}

}  // namespace

std::optional<std::uint64_t> homogeneous_dag_makespan(const HomogeneousProfile& profile, const HomogeneousCost& cost,
                                                      std::uint64_t workers, Scope scope, std::uint64_t event_limit) {
  if (workers == 0) throw std::invalid_argument("homogeneous_dag_makespan needs at least 1 worker");
  // One combine after the other: a single worker, or a fold.
  if (workers == 1 || profile.depth == 0) return cost_of_all(profile, cost, scope);
  DagRun run(profile, cost, workers, scope);
  if (run.is_fit()) return run.makespan(event_limit);
  if (profile.chain.elements > kMostListed) return std::nullopt;
  return listed_makespan(profile, cost, workers, scope);
}

std::optional<std::uint64_t> homogeneous_dag_makespan(const HomogeneousProfile& profile, CostUnit unit,
                                                      std::uint64_t workers, Scope scope, std::uint64_t event_limit) {
  const auto flops = [](Phase, std::uint32_t, const OpRun& run) { return run.flops; };
  const auto one = [](Phase, std::uint32_t, const OpRun&) { return std::uint64_t{1}; };
  return unit == CostUnit::unit
             ? homogeneous_dag_makespan(profile, HomogeneousCost(one), workers, scope, event_limit)
             : homogeneous_dag_makespan(profile, HomogeneousCost(flops), workers, scope, event_limit);
}

}  // namespace upsweep
