#include "exact_problem.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <tuple>

#include "exact_symmetry.hpp"

namespace upsweep::exact {
namespace {

/// Longest paths between all tasks of the workload, and to their starts.
std::pair<Lags, std::vector<Time>> longest_lags(const Workload& workload) {
  const std::size_t tasks = workload.durations.size();
  std::vector<std::uint32_t> order;
  boost::topological_sort(workload.graph, std::back_inserter(order));
  Lags lags(tasks);
  std::vector<Time> heads(tasks, 0);
  for (std::size_t place = order.size(); place-- > 0;) {
    const std::uint32_t via = order[place];
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
  const Problem old = std::exchange(problem, {});
  problem.resources = old.resources;
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

/// Whether the lag between two tasks follows from those to and from a third.
bool is_implied(const Problem& problem, const Lags& lags, std::size_t from, std::size_t to) {
  for (std::size_t via = from + 1; via < to; ++via) {
    if (lags.connects(from, via) && lags.connects(via, to) &&
        lags(from, via) + problem.duration[via] + lags(via, to) >= lags(from, to))
      return true;
  }
  return false;
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

Lags reversed(const Lags& lags, std::size_t tasks) {
  Lags result(tasks);
  for (std::size_t from = 0; from < tasks; ++from) {
    for (std::size_t to = from + 1; to < tasks; ++to) {
      if (lags.connects(from, to)) result.raise(tasks - 1 - to, tasks - 1 - from, lags(from, to));
    }
  }
  return result;
}

}  // namespace

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
  order_copies(problem, lags);
  renumber(problem, lags);
  problem.tail.assign(problem.size(), 0);
  order_equals(problem, lags);
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

Time root_bound(const Problem& problem) {
  Time bound = 0;
  std::vector<Job> jobs;
  std::vector<std::pair<Time, Time>> heap;
  for (std::uint32_t resource = 0; resource < problem.resources; ++resource) {
    jobs.clear();
    for (std::size_t task = 0; task < problem.size(); ++task) {
      if (problem.resource[task] == resource)
        jobs.push_back({problem.head[task], problem.duration[task], problem.tail[task]});
    }
    bound = std::max(bound, jackson(jobs, heap));
  }
  return bound;
}

}  // namespace upsweep::exact
