#include "upsweep/sim/exact.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <map>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using Time = std::uint64_t;
constexpr Time kNever = ~Time{0};

void require(bool holds, const char* message) {
  if (!holds) throw std::invalid_argument(std::string("exact_schedule: ") + message);
}

/// From the end of every task to the start of every other: the longest path, or kNever without one.
class Lags {
 public:
  explicit Lags(std::size_t tasks) : tasks_(tasks), values_(tasks * tasks, kNever) {}

  [[nodiscard]] Time operator()(std::size_t from, std::size_t to) const { return values_[from * tasks_ + to]; }
  [[nodiscard]] bool connects(std::size_t from, std::size_t to) const { return (*this)(from, to) != kNever; }
  void raise(std::size_t from, std::size_t to, Time value) {
    Time& entry = values_[from * tasks_ + to];
    if (entry == kNever || entry < value) entry = value;
  }

 private:
  std::size_t tasks_;
  std::vector<Time> values_;
};

struct Arc {
  std::size_t task;
  Time lag;
};

/// The tasks with a resource, numbered so that a task follows those that it waits for; an entry per task.
struct Problem {
  std::vector<std::uint32_t> id;  // in the workload
  std::vector<std::uint32_t> resource;
  std::vector<Time> duration;
  std::vector<Time> head;                // starts no earlier
  std::vector<Time> tail;                // from its end to the makespan at least
  std::vector<std::vector<Arc>> before;  // that it waits for, from their ends; none that follows from the others
  std::size_t resources = 0;
  bool is_reversed = false;

  [[nodiscard]] std::size_t size() const { return id.size(); }
};

/// Longest paths between all tasks of the workload, and to their starts.
std::pair<Lags, std::vector<Time>> longest_lags(const Workload& workload) {
  const std::size_t tasks = workload.durations.size();
  std::vector<std::uint32_t> order;
  boost::topological_sort(workload.graph, std::back_inserter(order));
  Lags lags(tasks);
  std::vector<Time> heads(tasks, 0);
  for (const std::uint32_t via : order | std::views::reverse) {
    const Time delay = workload.delays.empty() ? 0 : workload.delays[via];
    for (auto [edge, last] = boost::out_edges(via, workload.graph); edge != last; ++edge) {
      const std::size_t to = boost::target(*edge, workload.graph);
      heads[to] = std::max(heads[to], heads[via] + workload.durations[via] + delay);
      lags.raise(via, to, delay);
      for (std::size_t from = 0; from < tasks; ++from) {
        if (lags.connects(from, via)) lags.raise(from, to, lags(from, via) + workload.durations[via] + delay);
      }
    }
  }
  return {std::move(lags), std::move(heads)};
}

/// Whether `earlier` can go before `later` in some best schedule: exchanging the two never hurts.
bool may_precede(const Problem& problem, const Lags& lags, std::size_t earlier, std::size_t later) {
  if (problem.resource[earlier] != problem.resource[later] || problem.duration[earlier] != problem.duration[later] ||
      problem.head[earlier] > problem.head[later] || lags.connects(earlier, later))
    return false;
  for (std::size_t other = 0; other < problem.size(); ++other) {
    if (lags.connects(other, earlier) &&
        (!lags.connects(other, later) || lags(other, later) < lags(other, earlier)))
      return false;
    if (lags.connects(later, other) &&
        (!lags.connects(earlier, other) || lags(earlier, other) < lags(later, other)))
      return false;
  }
  return true;
}

/// Makes `later` wait for `earlier`.
void add_arc(const Problem& problem, Lags& lags, std::size_t earlier, std::size_t later) {
  for (std::size_t from = 0; from < problem.size(); ++from) {
    if (from != earlier && !lags.connects(from, earlier)) continue;
    const Time until = from == earlier ? 0 : lags(from, earlier) + problem.duration[earlier];
    for (std::size_t to = 0; to < problem.size(); ++to) {
      if (to != later && !lags.connects(later, to)) continue;
      lags.raise(from, to, until + (to == later ? 0 : problem.duration[later] + lags(later, to)));
    }
  }
}

/// Classes of tasks that nothing tells apart: not themselves, nor the classes before and after them.
std::vector<std::size_t> colour(const Problem& problem, const Lags& lags) {
  using Signature = std::pair<std::vector<Time>, std::vector<std::tuple<bool, std::size_t, Time>>>;
  std::vector<std::size_t> colours(problem.size(), 0);
  for (std::size_t classes = 0;;) {
    std::vector<Signature> signatures(problem.size());
    for (std::size_t task = 0; task < problem.size(); ++task) {
      auto& [own, others] = signatures[task];
      own = {colours[task], problem.resource[task], problem.duration[task], problem.head[task]};
      for (std::size_t other = 0; other < problem.size(); ++other) {
        if (lags.connects(task, other)) others.emplace_back(true, colours[other], lags(task, other));
        if (lags.connects(other, task)) others.emplace_back(false, colours[other], lags(other, task));
      }
      std::ranges::sort(others);
    }
    std::map<Signature, std::size_t> rank;
    for (const Signature& signature : signatures) rank.try_emplace(signature, rank.size());
    for (std::size_t task = 0; task < problem.size(); ++task) colours[task] = rank[signatures[task]];
    if (rank.size() == classes) return colours;
    classes = rank.size();
  }
}

using Tasks = std::vector<std::size_t>;

/// The connected parts of what is left of the graph without tasks of a class of their own; by colour in each.
std::vector<Tasks> parts(const std::vector<std::size_t>& colours, const Lags& lags) {
  const std::size_t tasks = colours.size();
  std::vector<bool> seen(tasks, false);
  for (std::size_t task = 0; task < tasks; ++task) seen[task] = std::ranges::count(colours, colours[task]) == 1;
  std::vector<Tasks> result;
  for (std::size_t first = 0; first < tasks; ++first) {
    if (seen[first]) continue;
    seen[first] = true;
    Tasks part{first};
    for (std::size_t next = 0; next < part.size(); ++next) {
      for (std::size_t other = 0; other < tasks; ++other) {
        if (seen[other] || !(lags.connects(part[next], other) || lags.connects(other, part[next]))) continue;
        seen[other] = true;
        part.push_back(other);
      }
    }
    std::ranges::sort(part, {}, [&](std::size_t task) { return colours[task]; });
    result.push_back(std::move(part));
  }
  return result;
}

/// Whether to exchange two unconnected parts, task by task, changes nothing.
bool are_copies(const Problem& problem, const Lags& lags, const Tasks& a, const Tasks& b) {
  Tasks image(problem.size());
  for (std::size_t task = 0; task < problem.size(); ++task) image[task] = task;
  for (std::size_t i = 0; i < a.size(); ++i) {
    image[a[i]] = b[i];
    image[b[i]] = a[i];
  }
  for (const std::size_t task : a) {
    for (std::size_t other = 0; other < problem.size(); ++other) {
      if (lags(task, other) != lags(image[task], image[other]) || lags(other, task) != lags(image[other], image[task]))
        return false;
    }
  }
  return true;
}

/// Lets the tasks of a part go before those of its copy: of two slots for a task and its copy, the earlier ones
/// together are a schedule of the part, and the later ones of the copy.
void order_copies(const Problem& problem, Lags& lags) {
  const std::vector<std::size_t> colours = colour(problem, lags);
  std::map<Tasks, std::vector<Tasks>> groups;
  for (const Tasks& part : parts(colours, lags)) {
    Tasks key;
    for (const std::size_t task : part) key.push_back(colours[task]);
    if (std::ranges::adjacent_find(key) == key.end()) groups[key].push_back(part);
  }
  std::vector<std::pair<std::size_t, std::size_t>> arcs;
  for (const auto& [key, group] : groups) {
    const Tasks* last = &group.front();
    for (const Tasks& part : group | std::views::drop(1)) {
      if (!are_copies(problem, lags, group.front(), part)) continue;
      for (std::size_t i = 0; i < part.size(); ++i) arcs.emplace_back((*last)[i], part[i]);
      last = &part;
    }
  }
  for (const auto& [earlier, later] : arcs) add_arc(problem, lags, earlier, later);
}

/// Numbers the tasks: fewer that they wait for first, then more that wait for them.
void renumber(Problem& problem, Lags& lags) {
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> keys;
  for (std::size_t task = 0; task < problem.size(); ++task) {
    std::size_t before = 0;
    std::size_t rest = problem.size();
    for (std::size_t other = 0; other < problem.size(); ++other) {
      before += lags.connects(other, task) ? 1 : 0;
      rest -= lags.connects(task, other) ? 1 : 0;
    }
    keys.emplace_back(before, rest, task);
  }
  std::ranges::sort(keys);
  const Problem old = std::exchange(problem, Problem{.resources = problem.resources});
  const Lags old_lags = std::exchange(lags, Lags(old.size()));
  for (std::size_t to = 0; to < keys.size(); ++to) {
    const std::size_t task = std::get<2>(keys[to]);
    problem.id.push_back(old.id[task]);
    problem.resource.push_back(old.resource[task]);
    problem.duration.push_back(old.duration[task]);
    problem.head.push_back(old.head[task]);
    for (std::size_t from = 0; from < to; ++from) {
      const std::size_t other = std::get<2>(keys[from]);
      if (old_lags.connects(other, task)) lags.raise(from, to, old_lags(other, task));
    }
  }
}

/// An order of tasks that can be exchanged, which loses no makespan.
void break_symmetries(const Problem& problem, Lags& lags) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t earlier = 0; earlier < problem.size(); ++earlier) {
      for (std::size_t later = earlier + 1; later < problem.size(); ++later) {
        if (!may_precede(problem, lags, earlier, later)) continue;
        add_arc(problem, lags, earlier, later);
        changed = true;
      }
    }
  }
}

/// Whether the lag between two tasks follows from those to and from a third.
bool is_implied(const Problem& problem, const Lags& lags, std::size_t from, std::size_t to) {
  for (std::size_t via = from + 1; via < to; ++via) {
    if (lags.connects(from, via) && lags.connects(via, to) &&
        lags(from, via) + problem.duration[via] + lags(via, to) >= lags(from, to))
      return true;
  }
  return false;
}

/// A task on one machine.
struct Job {
  Time head;
  Time duration;
  Time tail;
};

/// Makespan of the best preemptive schedule of one machine: the job with the longest tail first. Reorders the jobs;
/// `heap` is scratch.
Time jackson(std::vector<Job>& jobs, std::vector<std::pair<Time, Time>>& heap) {
  std::ranges::sort(jobs, {}, &Job::head);
  heap.clear();  // of (tail, what is left)
  Time now = 0;
  Time makespan = 0;
  for (std::size_t next = 0; next < jobs.size() || !heap.empty();) {
    if (heap.empty()) now = std::max(now, jobs[next].head);
    for (; next < jobs.size() && jobs[next].head <= now; ++next) {
      heap.emplace_back(jobs[next].tail, jobs[next].duration);
      std::ranges::push_heap(heap);
    }
    const Time until = next < jobs.size() ? jobs[next].head - now : kNever;
    auto& [tail, left] = heap.front();
    if (left > until) {
      left -= until;
      now += until;
      continue;
    }
    now += left;
    makespan = std::max(makespan, now + tail);
    std::ranges::pop_heap(heap);
    heap.pop_back();
  }
  return makespan;
}

/// Tails by the paths, and by what waits for a task on each resource.
void raise_tails(Problem& problem, const Lags& lags) {
  std::vector<Job> jobs;
  std::vector<std::pair<Time, Time>> heap;
  for (std::size_t task = problem.size(); task-- > 0;) {
    for (std::uint32_t resource = 0; resource < problem.resources; ++resource) {
      jobs.clear();
      for (std::size_t later = task + 1; later < problem.size(); ++later) {
        if (problem.resource[later] == resource && lags.connects(task, later))
          jobs.push_back({lags(task, later), problem.duration[later], problem.tail[later]});
      }
      problem.tail[task] = std::max(problem.tail[task], jackson(jobs, heap));
    }
  }
}

/// The same backwards in time.
Problem reversed(const Problem& problem) {
  Problem result = problem;
  result.is_reversed = !problem.is_reversed;
  std::swap(result.head, result.tail);
  for (auto* each : {&result.id, &result.resource}) std::ranges::reverse(*each);
  for (auto* each : {&result.duration, &result.head, &result.tail}) std::ranges::reverse(*each);
  for (auto& arcs : result.before) arcs.clear();
  for (std::size_t to = 0; to < problem.size(); ++to) {
    for (const Arc& arc : problem.before[to])
      result.before[problem.size() - 1 - arc.task].push_back({problem.size() - 1 - to, arc.lag});
  }
  return result;
}

Lags reversed(const Lags& lags, std::size_t tasks) {
  Lags result(tasks);
  for (std::size_t from = 0; from < tasks; ++from) {
    for (std::size_t to = from + 1; to < tasks; ++to) {
      if (lags.connects(from, to)) result.raise(tasks - 1 - to, tasks - 1 - from, lags(from, to));
    }
  }
  return result;
}

Problem make_problem(const Workload& workload) {
  const auto [all, heads] = longest_lags(workload);
  Problem problem;
  problem.resources = workload.resources.size();
  for (std::uint32_t task = 0; task < workload.durations.size(); ++task) {
    if (workload.resource_of[task] == kNoResource) continue;
    problem.id.push_back(task);
    problem.resource.push_back(workload.resource_of[task]);
    problem.duration.push_back(workload.durations[task]);
    problem.head.push_back(heads[task]);
  }
  Lags lags(problem.size());
  for (std::size_t to = 0; to < problem.size(); ++to) {
    for (std::size_t from = 0; from < problem.size(); ++from) {
      if (all.connects(problem.id[from], problem.id[to])) lags.raise(from, to, all(problem.id[from], problem.id[to]));
    }
  }
  if (!getenv("NOCOPY")) order_copies(problem, lags);
  renumber(problem, lags);
  problem.tail.assign(problem.size(), 0);
  break_symmetries(problem, lags);
  problem.before.resize(problem.size());
  for (std::size_t to = 0; to < problem.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      if (lags.connects(from, to) && !is_implied(problem, lags, from, to))
        problem.before[to].push_back({from, lags(from, to)});
    }
  }
  raise_tails(problem, lags);
  Problem mirror = reversed(problem);
  raise_tails(mirror, reversed(lags, problem.size()));
  return reversed(mirror);
}

/// What the passes share.
struct Best {
  Time upper = kNever;
  Time lower = 0;
  std::vector<std::pair<std::uint32_t, Time>> start;  // of tasks of the workload, if a pass has found `upper`
  std::uint64_t nodes = 0;
  bool stopped = false;
};

/// Some tasks have started for good.
struct State {
  std::vector<Time> time;  // per task, its start, or the earliest one
  std::vector<bool> placed;
  std::uint64_t hash = 0;  // of placed
  Time bound = 0;
  Time guide = 0;  // of two equal bounds the smaller first
};

std::uint64_t hash_of(std::size_t task) {  // splitmix64
  std::uint64_t z = (task + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// Builds the active schedules task by task, all partial schedules of one length at a time, the best `width` of them.
class Pass {
 public:
  Pass(const Problem& problem, const ExactOptions& options, std::size_t width, Best& best)
      : problem_(problem), options_(options), width_(width), best_(best) {}

  /// Whether nothing was left out.
  void run() {
    State root;
    root.time = problem_.head;
    root.placed.assign(problem_.size(), false);
    propagate(root);
    root.bound = bound(root);
    best_.lower = std::max(best_.lower, std::min(root.bound, best_.upper));
    level_.push_back(std::move(root));
    for (depth_ = 0; depth_ < problem_.size() && !level_.empty(); ++depth_) {
      for (const State& state : level_) {
        if (state.bound < best_.upper) expand(state);
        if (best_.stopped || best_.lower == best_.upper) return;
      }
      trim(width_);
      level_.swap(next_);
      next_.clear();
      bucket_.clear();
      chain_.clear();
    }
    best_.lower = std::max(best_.lower, std::min(best_.upper, dropped_));
  }
  [[nodiscard]] bool exhaustive() const { return dropped_ >= best_.upper; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void propagate(State& state) const {
    for (std::size_t to = 0; to < problem_.size(); ++to) {
      if (state.placed[to]) continue;
      for (const Arc& arc : problem_.before[to])
        state.time[to] = std::max(state.time[to], state.time[arc.task] + problem_.duration[arc.task] + arc.lag);
    }
  }

  Time bound(State& state) {
    Time best = 0;
    state.guide = 0;
    for (std::size_t task = 0; task < problem_.size(); ++task)
      best = std::max(best, state.time[task] + problem_.duration[task] + problem_.tail[task]);
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
      if (best >= best_.upper) return best;
    }
    return best;
  }

  [[nodiscard]] bool is_free(const State& state, std::size_t task) const {
    return !state.placed[task] &&
           std::ranges::all_of(problem_.before[task], [&](const Arc& arc) { return state.placed[arc.task]; });
  }

  void expand(const State& state) {
    Time first_end = kNever;
    std::size_t first = 0;
    for (std::size_t task = 0; task < problem_.size(); ++task) {
      if (!is_free(state, task)) continue;
      const Time end = state.time[task] + problem_.duration[task];
      if (end < first_end) {
        first_end = end;
        first = task;
      }
    }
    for (std::size_t task = 0; task < problem_.size(); ++task) {
      if (task != first && (problem_.resource[task] != problem_.resource[first] || state.time[task] >= first_end))
        continue;
      if (is_free(state, task)) place(state, task);
    }
  }

  void place(const State& state, std::size_t task) {
    ++best_.nodes;
    if (best_.nodes >= options_.max_nodes || (best_.nodes % 1024 == 0 && options_.stop && options_.stop()))
      best_.stopped = true;
    State child = state;
    child.placed[task] = true;
    child.hash ^= hash_of(task);
    const Time end = state.time[task] + problem_.duration[task];
    for (std::size_t other = 0; other < problem_.size(); ++other) {
      if (problem_.resource[other] == problem_.resource[task] && !child.placed[other])
        child.time[other] = std::max(child.time[other], end);
    }
    propagate(child);
    if (depth_ + 1 == problem_.size()) {
      finish(child);
      return;
    }
    if (is_dominated(child)) return;
    child.bound = std::max(state.bound, bound(child));
    if (child.bound >= best_.upper) return;
    enter(std::move(child));
  }

  void finish(const State& state) {
    Time makespan = 0;
    for (std::size_t task = 0; task < problem_.size(); ++task)
      makespan = std::max(makespan, state.time[task] + problem_.duration[task] + problem_.tail[task]);
    if (makespan >= best_.upper) return;
    best_.upper = makespan;
    best_.start.clear();
    for (std::size_t task = 0; task < problem_.size(); ++task) {
      const Time start = problem_.is_reversed ? makespan - state.time[task] - problem_.duration[task] : state.time[task];
      best_.start.emplace_back(problem_.id[task], start);
    }
    if (problem_.is_reversed) std::ranges::reverse(best_.start);
  }

  /// Whether another state of the next level has placed the same tasks and leaves no task a later start.
  bool is_dominated(const State& state) {
    const auto found = bucket_.find(state.hash);
    if (found == bucket_.end()) return false;
    for (std::uint32_t index = found->second; index != kNone; index = chain_[index]) {
      const State& other = next_[index];
      if (other.placed != state.placed) continue;
      bool dominates = true;
      for (std::size_t task = 0; task < problem_.size() && dominates; ++task)
        dominates = state.placed[task] || other.time[task] <= state.time[task];
      if (dominates) return true;
    }
    return false;
  }

  void enter(State&& state) {
    if (next_.size() >= 2 * width_ + 64) trim(width_);
    const auto [found, is_new] = bucket_.try_emplace(state.hash, kNone);
    chain_.push_back(std::exchange(found->second, static_cast<std::uint32_t>(next_.size())));
    next_.push_back(std::move(state));
  }

  /// Keeps the best `width` states of the next level.
  void trim(std::size_t width) {
    std::erase_if(next_, [&](const State& state) { return state.bound >= best_.upper; });
    const auto better = [](const State& a, const State& b) {
      return std::tie(a.bound, a.guide) < std::tie(b.bound, b.guide);
    };
    std::ranges::stable_sort(next_, better);
    if (next_.size() > width) {
      dropped_ = std::min(dropped_, next_[width].bound);
      next_.resize(width);
    }
    bucket_.clear();
    chain_.clear();
    for (std::uint32_t index = 0; index < next_.size(); ++index) {
      const auto [found, is_new] = bucket_.try_emplace(next_[index].hash, kNone);
      chain_.push_back(std::exchange(found->second, index));
    }
  }

  const Problem& problem_;
  const ExactOptions& options_;
  std::size_t width_;
  Best& best_;
  std::size_t depth_ = 0;
  std::vector<State> level_;  // as many tasks placed in each as depth_
  std::vector<State> next_;   // and one more
  std::unordered_map<std::uint64_t, std::uint32_t> bucket_;  // hash -> the last state of next_ that has it
  std::vector<std::uint32_t> chain_;                         // per state of next_, the one before it in its bucket
  Time dropped_ = kNever;                                    // the smallest bound of a state that was left out
  std::vector<Job> jobs_;
  std::vector<std::pair<Time, Time>> heap_;
};

/// Runs the workload with the tasks in the order of the starts given.
Simulation replay(Workload workload, std::vector<std::pair<std::uint32_t, Time>> start) {
  std::ranges::stable_sort(start, {}, [&](const auto& entry) {
    return std::pair(entry.second, entry.second + workload.durations[entry.first]);
  });
  workload.keys.assign(workload.durations.size(), 0);
  for (std::size_t rank = 0; rank < start.size(); ++rank) workload.keys[start[rank].first] = rank;
  for (Resource& resource : workload.resources) resource.discipline = Discipline::fixed_order;
  return simulate_tasks(workload);
}

void check(const Workload& workload) {
  for (const Resource& resource : workload.resources) require(resource.servers == 1, "a resource with several servers");
  Time sum = 0;
  for (const Time duration : workload.durations) add_to(sum, duration);
  for (const Time delay : workload.delays) add_to(sum, delay);
}

}  // namespace

double ExactSchedule::gap() const {
  return proven() ? 0 : static_cast<double>(makespan) / static_cast<double>(lower_bound) - 1;
}

ExactSchedule exact_schedule(const Workload& workload, const ExactOptions& options) {
  check(workload);
  const Simulation greedy = simulate_tasks(workload);
  const Problem problem = make_problem(workload);
  const Problem mirror = reversed(problem);
  Best best;
  ExactSchedule result;
  best.upper = options.incumbent.value_or(kNever);
  if (greedy.makespan < best.upper) {
    best.upper = greedy.makespan;
    result.start = greedy.start;
  }
  for (std::size_t width = 1; best.lower < best.upper && !best.stopped; width *= 4) {
    for (const Problem* each : {&problem, &mirror}) {
      if (best.stopped || best.lower == best.upper) break;
      Pass pass(*each, options, std::min(width, options.max_states), best);
      pass.run();
      if (getenv("TRACE")) fprintf(stderr, "width %zu rev %d: [%lu, %lu] nodes %lu\n", width, each->is_reversed, best.lower, best.upper, best.nodes);
    }
    if (width >= options.max_states) break;
  }
  if (!best.start.empty()) result.start = replay(workload, best.start).start;
  result.makespan = best.upper;
  result.lower_bound = best.lower;
  result.nodes = best.nodes;
  return result;
}

}  // namespace upsweep
