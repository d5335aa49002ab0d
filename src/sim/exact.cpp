#include "upsweep/sim/exact.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "exact_problem.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using exact::Arc;
using exact::jackson;
using exact::Job;
using exact::kNever;
using exact::make_problem;
using exact::Problem;
using exact::reversed;
using exact::root_bound;
using exact::Time;

void require_problem(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(std::string("exact_schedule: ") + message);
}

/// What the passes share.
struct Best {
  Time upper = kNever;                                // makespan of a known schedule
  Time lower = 0;                                     // of any schedule
  std::vector<std::pair<std::uint32_t, Time>> start;  // of tasks of the workload, where a pass has found `upper`
  std::uint64_t nodes = 0;
  bool stopped = false;

  [[nodiscard]] bool is_over() const { return stopped || lower == upper; }
};

/// A partial schedule. Shapes: `time` and `placed` have an entry per task.
struct State {
  std::vector<Time> time;    // the start of a task that is placed, the earliest one of another
  std::vector<bool> placed;  // for good
  std::uint64_t hash = 0;    // of placed
  Time done = 0;             // from the start to the end of what is placed, tails included
  Time bound = 0;            // no completion is shorter
  Time guide = 0;            // sum of the bounds of the resources: of equal bounds the smaller one first
};

std::uint64_t hash_of(std::size_t task) {  // splitmix64
  std::uint64_t z = (task + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Builds active schedules task by task, level by level: of the partial schedules with one task more the best `width`.
class Pass {
 public:
  Pass(const Problem& problem, const ExactOptions& options, std::size_t width, Best& best)
      : problem_(problem), options_(options), width_(width), best_(best) {}

  /// Improves `best`; proves its upper bound when no state had to be left out.
  void run() {
    State root{.time = problem_.head, .placed = std::vector<bool>(problem_.size(), false)};
    propagate(root);
    root.bound = bound(root);
    level_.push_back(std::move(root));
    for (depth_ = 0; depth_ < problem_.size() && !level_.empty(); ++depth_) {
      for (std::size_t index = 0; index < level_.size() && !best_.is_over(); ++index) {
        if (level_[index].bound < best_.upper) expand(level_[index]);
        if (best_.stopped) leave_out(std::span(level_).subspan(index));
      }
      if (best_.is_over()) break;
      trim();
      level_.swap(next_);
      next_.clear();
    }
    leave_out(next_);
    best_.lower = std::max(best_.lower, std::min(best_.upper, left_out_));
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void propagate(State& state) const {
    for (std::size_t to = 0; to < problem_.size(); ++to) {
      if (state.placed[to]) continue;
      for (const Arc& arc : problem_.before[to])
        state.time[to] = std::max(state.time[to], state.time[arc.task] + problem_.duration[arc.task] + arc.lag);
    }
  }

  /// Bound of a state, and its guide.
  Time bound(State& state) {
    Time best = 0;
    state.guide = 0;
    for (std::uint32_t resource = 0; resource < problem_.resources; ++resource) {
      jobs_.clear();
      for (std::size_t task = 0; task < problem_.size(); ++task) {
        if (problem_.resource[task] == resource && !state.placed[task])
          jobs_.push_back({state.time[task], problem_.duration[task], problem_.tail[task]});
      }
      if (jobs_.empty()) continue;
      const Time bound = jackson(jobs_, heap_);
      best = std::max(best, bound);
      state.guide += bound;
    }
    return best;
  }

  [[nodiscard]] bool is_free(const State& state, std::size_t task) const {
    return !state.placed[task] &&
           std::ranges::all_of(problem_.before[task], [&](const Arc& arc) { return state.placed[arc.task]; });
  }

  /// The free task that can end first, or one in its way on its resource, is next (Giffler and Thompson). One of no
  /// duration is in nobody's way.
  void expand(const State& state) {
    Time first_end = kNever;
    std::size_t first = 0;
    for (std::size_t task = 0; task < problem_.size(); ++task) {
      if (!is_free(state, task)) continue;
      const Time end = state.time[task] + problem_.duration[task];
      if (end < first_end) first = task;
      first_end = std::min(first_end, end);
    }
    for (std::size_t task = 0; task < problem_.size(); ++task) {
      if (task != first && (problem_.resource[task] != problem_.resource[first] || state.time[task] >= first_end))
        continue;
      if (!is_free(state, task)) continue;
      if (is_enough()) return;
      place(state, task);
    }
  }

  /// Whether the search is to stop before the next node.
  [[nodiscard]] bool is_enough() {
    const bool asks = best_.nodes % 1024 == 0 && best_.nodes > 0 && options_.stop;
    best_.stopped = best_.nodes == options_.max_nodes || (asks && options_.stop());
    return best_.stopped;
  }

  void place(const State& state, std::size_t task) {
    ++best_.nodes;
    State child = state;
    child.placed[task] = true;
    child.hash ^= hash_of(task);
    const Time end = state.time[task] + problem_.duration[task];
    for (std::size_t other = 0; other < problem_.size(); ++other) {
      if (problem_.resource[other] == problem_.resource[task] && !child.placed[other])
        child.time[other] = std::max(child.time[other], end);
    }
    propagate(child);
    child.done = std::max(state.done, end + problem_.tail[task]);
    child.bound = std::max(state.bound, child.done);
    if (child.bound >= best_.upper) return;
    if (depth_ + 1 == problem_.size()) {
      finish(child);
      return;
    }
    if (is_dominated(child)) return;
    child.bound = std::max(child.bound, bound(child));
    if (child.bound < best_.upper) enter(std::move(child));
  }

  void finish(const State& state) {
    best_.upper = state.done;
    best_.start.clear();
    for (std::size_t task = 0; task < problem_.size(); ++task) {
      const Time end = state.time[task] + problem_.duration[task];
      best_.start.emplace_back(problem_.id[task], problem_.is_reversed ? state.done - end : state.time[task]);
    }
    if (problem_.is_reversed) std::ranges::reverse(best_.start);
  }

  /// Whether the best completion of `a` is no longer than that of `b`: both have placed the same tasks, and `a` leaves
  /// no other a later start.
  [[nodiscard]] static bool dominates(const State& a, const State& b) {
    if (a.placed != b.placed || a.done > b.bound) return false;
    for (std::size_t task = 0; task < a.time.size(); ++task) {
      if (!a.placed[task] && a.time[task] > b.time[task]) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_dominated(const State& state) const {
    for (std::uint32_t index = first_of(state); index != kNone; index = chain_[index]) {
      if (dominates(next_[index], state)) return true;
    }
    return false;
  }

  [[nodiscard]] std::uint32_t first_of(const State& state) const {
    const auto found = bucket_.find(state.hash);
    return found == bucket_.end() ? kNone : found->second;
  }

  /// Adds a state to the next level, in place of one that it dominates if there is any.
  void enter(State&& state) {
    for (std::uint32_t index = first_of(state); index != kNone; index = chain_[index]) {
      if (dominates(state, next_[index])) {
        next_[index] = std::move(state);
        return;
      }
    }
    if (next_.size() >= 2 * width_ + 64) {
      trim();
      for (std::uint32_t index = 0; index < next_.size(); ++index) list(index);
    }
    next_.push_back(std::move(state));
    list(static_cast<std::uint32_t>(next_.size() - 1));
  }

  void list(std::uint32_t index) {
    const auto [found, is_new] = bucket_.try_emplace(next_[index].hash, kNone);
    chain_.push_back(std::exchange(found->second, index));
  }

  /// Keeps the best `width` states of the next level, unlisted.
  void trim() {
    std::erase_if(next_, [&](const State& state) { return state.bound >= best_.upper; });
    std::ranges::stable_sort(next_, {}, [](const State& state) { return std::pair(state.bound, state.guide); });
    if (next_.size() > width_) {
      leave_out(std::span(next_).subspan(width_));
      next_.resize(width_);
    }
    bucket_.clear();
    chain_.clear();
  }

  void leave_out(std::span<const State> states) {
    for (const State& state : states) left_out_ = std::min(left_out_, state.bound);
  }

  const Problem& problem_;
  const ExactOptions& options_;
  std::size_t width_;
  Best& best_;
  std::size_t depth_ = 0;
  std::vector<State> level_;                                 // as many tasks placed in each as depth_
  std::vector<State> next_;                                  // and one more
  std::unordered_map<std::uint64_t, std::uint32_t> bucket_;  // hash -> the last state of next_ that has it
  std::vector<std::uint32_t> chain_;                         // per state of next_, the one before it in its bucket
  Time left_out_ = kNever;                                   // the smallest bound of a state that was not expanded
  std::vector<Job> jobs_;
  std::vector<std::pair<Time, Time>> heap_;
};

/// Starts of all tasks where those with a resource go in the order of the starts given.
std::vector<Time> replay(Workload workload, std::vector<std::pair<std::uint32_t, Time>> start) {
  // One of no duration may stand where another starts; the numbering of the problem orders several.
  std::ranges::stable_sort(start, {}, [&](const auto& entry) {
    return std::pair(entry.second, entry.second + workload.durations[entry.first]);
  });
  workload.keys.assign(workload.durations.size(), 0);
  for (std::size_t rank = 0; rank < start.size(); ++rank) workload.keys[start[rank].first] = rank;
  for (Resource& resource : workload.resources) resource.discipline = Discipline::fixed_order;
  return simulate_tasks(workload).start;
}

/// A first schedule. Throws for what is wrong with the workload.
Simulation greedy(Workload workload) {
  for (Resource& resource : workload.resources) {
    require_problem(resource.servers == 1, "a resource with several servers, or none");
    resource.discipline = Discipline::priority;
  }
  Time sum = 0;
  for (const Time duration : workload.durations) add_to(sum, duration);
  for (const Time delay : workload.delays) add_to(sum, delay);
  return simulate_tasks(workload);
}

}  // namespace

double ExactSchedule::gap() const {
  return proven() ? 0 : static_cast<double>(makespan) / static_cast<double>(lower_bound) - 1;
}

ExactSchedule exact_schedule(const Workload& workload, const ExactOptions& options) {
  const Simulation first = greedy(workload);
  const Problem problem = make_problem(workload);
  const Problem mirror = reversed(problem);
  ExactSchedule result;
  Best best;
  best.upper = options.incumbent.value_or(kNever);
  best.lower = root_bound(problem);
  require_problem(best.lower <= best.upper, "an incumbent shorter than any schedule can be");
  if (first.makespan < best.upper) {
    best.upper = first.makespan;
    result.start = first.start;
  }
  const std::size_t widest = std::max<std::size_t>(options.max_states, 1);
  for (std::size_t width = 1;; width = std::min(4 * width, widest)) {
    for (const Problem* each : {&problem, &mirror}) {
      if (!best.is_over()) Pass(*each, options, width, best).run();
    }
    if (best.is_over() || width == widest) break;
  }
  if (!best.start.empty()) result.start = replay(workload, best.start);
  result.makespan = best.upper;
  result.lower_bound = best.lower;
  result.nodes = best.nodes;
  return result;
}

}  // namespace upsweep
