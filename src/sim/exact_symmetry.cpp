#include "exact_symmetry.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <tuple>

namespace upsweep::exact {
namespace {

using Tasks = std::vector<std::size_t>;

/// Whether `earlier` can go before `later` in some best schedule: exchanging the two never hurts.
bool may_precede(const Problem& problem, const Lags& lags, std::size_t earlier, std::size_t later) {
  if (problem.resource[earlier] != problem.resource[later] || problem.duration[earlier] != problem.duration[later] ||
      problem.head[earlier] > problem.head[later] || lags.connects(earlier, later))
    return false;
  for (std::size_t other = 0; other < problem.size(); ++other) {
    if (lags.connects(other, earlier) && (!lags.connects(other, later) || lags(other, later) < lags(other, earlier)))
      return false;
    if (lags.connects(later, other) && (!lags.connects(earlier, other) || lags(earlier, other) < lags(later, other)))
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
Tasks colour(const Problem& problem, const Lags& lags) {
  using Signature = std::pair<std::vector<Time>, std::vector<std::tuple<bool, std::size_t, Time>>>;
  Tasks colours(problem.size(), 0);
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

/// The connected parts of what is left of the graph without tasks of a class of their own; by colour in each.
std::vector<Tasks> parts(const Tasks& colours, const Lags& lags) {
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

}  // namespace

void order_copies(const Problem& problem, Lags& lags) {
  const Tasks colours = colour(problem, lags);
  std::map<Tasks, std::vector<Tasks>> groups;
  for (const Tasks& part : parts(colours, lags)) {
    Tasks key;
    for (const std::size_t task : part) key.push_back(colours[task]);
    if (std::ranges::adjacent_find(key) == key.end()) groups[key].push_back(part);
  }
  // Each colour once, and so the same neighbours by colour: parts of a group are copies of each other.
  for (const auto& [key, group] : groups) {
    for (std::size_t copy = 1; copy < group.size(); ++copy) {
      for (std::size_t i = 0; i < key.size(); ++i) add_arc(problem, lags, group[copy - 1][i], group[copy][i]);
    }
  }
}

void order_equals(const Problem& problem, Lags& lags) {
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

}  // namespace upsweep::exact
