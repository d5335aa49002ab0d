#include "upsweep/search/candidate.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "smaller_score.hpp"

namespace upsweep {
namespace {

bool has_equal_figures(const Candidate& a, const Candidate& b) {
  return a.is_counted && b.is_counted && a.levels == b.levels && a.totals == b.totals && a.pram == b.pram;
}

void mark_equal(SearchResult& result) {
  const std::size_t depths = result.candidates.size();
  for (std::size_t i = 0; i < result.size(); ++i) {
    Candidate& mine = i < depths ? result.candidates[i] : result.schemes[i - depths];
    std::size_t same = 0;
    while (same < i && !has_equal_figures(mine, result.at(same))) ++same;
    if (same == i) continue;
    mine.same_as = result.at(same).depth;
    if (!mine.same_as) mine.same_scheme = result.at(same).schedule;
  }
}

/// Whether a schedule that was not counted might have a smaller score.
bool may_undercut(const Uncounted& uncounted, double score) { return !uncounted.bound || *uncounted.bound < score; }

void rule_out(SearchResult& result) {
  if (result.uncounted.empty()) return;
  std::uint64_t plain_shared = result.linear().pram.shared_flops;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result.at(i).is_plain) plain_shared = std::min(plain_shared, result.at(i).pram.shared_flops);
  }
  const double shared = static_cast<double>(plain_shared) / static_cast<double>(result.inputs);
  const bool has_shared = has_whole_ops(result.options.machine) && result.options.objective == Objective::time;
  for (Uncounted& mine : result.uncounted) {
    mine.loses = result.best_scheme && !may_undercut(mine, *result.at(*result.best_scheme).score) &&
                 (!has_shared || mine.is_plain || mine.shared_bound >= shared);
  }
  const auto is_open = [&](const std::optional<std::size_t>& best, const std::optional<double>& margin) {
    if (!best || !margin) return false;
    const double runner_up = *result.at(*best).score * (1 + *margin);
    return std::ranges::any_of(result.uncounted, [&](const Uncounted& u) { return may_undercut(u, runner_up); });
  };
  if (is_open(result.best, result.margin)) result.margin.reset();
  if (is_open(result.best_scheme, result.scheme_margin)) result.scheme_margin.reset();
}

}  // namespace

std::optional<double> Candidate::gap() const {
  if (!score || !lower_bound) return std::nullopt;
  if (*score == *lower_bound) return 0;
  return *lower_bound > 0 ? std::optional(*score / *lower_bound - 1) : std::nullopt;
}

std::optional<Interval> Candidate::interval() const {
  if (!score_interval) return time_interval;
  if (!time_interval) return score_interval;
  return Interval{std::min(score_interval->low, time_interval->low),
                  std::max(score_interval->high, time_interval->high)};
}

std::vector<std::size_t> SearchResult::rivals() const {
  std::vector<std::size_t> rivals;
  if (!best_scheme) return rivals;
  const Candidate& first = at(*best_scheme);
  const auto low = [](const Candidate& c) { return c.score_interval ? c.score_interval->low : *c.score; };
  const double most = first.score_interval ? first.score_interval->high : *first.score;
  for (std::size_t i = 0; i < size(); ++i) {
    const Candidate& c = at(i);
    if (i == *best_scheme || !c.feasible || !c.score || (c.is_exact() && first.is_exact())) continue;
    if (low(c) < most) rivals.push_back(i);
  }
  return rivals;
}

std::string to_string(Objective objective) {
  switch (objective) {
    case Objective::time:
      return "time";
    case Objective::critical_flops:
      return "critical-flops";
    case Objective::work_flops:
      return "work-flops";
  }
  throw std::logic_error("unknown objective");
}

Choice choose(std::span<const Candidate* const> candidates) {
  const auto score = [&](std::size_t i) { return *candidates[i]->score; };
  const auto is_better = [&](std::size_t i, std::size_t than) { return is_smaller_score(score(i), score(than)); };
  Choice choice;
  std::optional<std::size_t> runner_up;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i]->feasible) continue;
    if (!candidates[i]->score) return {};
    if (!choice.best || is_better(i, *choice.best)) {
      runner_up = std::exchange(choice.best, i);
    } else if (!runner_up || is_better(i, *runner_up)) {
      runner_up = i;
    }
  }
  if (runner_up && score(*choice.best) > 0) choice.margin = std::max(0., score(*runner_up) / score(*choice.best) - 1);
  return choice;
}

void finish_search(SearchResult& result) {
  mark_equal(result);
  std::vector<const Candidate*> all;
  for (std::size_t i = 0; i < result.size(); ++i) all.push_back(&result.at(i));
  const Choice depth = choose(std::span(all).first(result.candidates.size()));
  result.best = depth.best;
  result.margin = depth.margin;
  const Choice any = choose(all);
  result.best_scheme = any.best;
  result.scheme_margin = any.margin;
  rule_out(result);
}

}  // namespace upsweep
