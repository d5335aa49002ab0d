#include "count_and_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "upsweep/base/memory.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

/// Steps that a schedule may take on its own: `most` where it might still be the best or turn the verdict. One that is
/// ruled out is counted where some seconds do, which another ended that shares its products and has more of them.
std::uint64_t limit_of(const Uncounted& uncounted, std::uint64_t most) {
  return uncounted.loses ? std::min(kQuickPairs, most) : most;
}

/// The uncounted schedule with the least work that is within its limit as far as that is known; nothing: none.
std::optional<std::size_t> next_to_count(const SearchResult& result, const Analysis& analysis,
                                         const std::set<std::string>& tried, std::uint64_t most) {
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < result.uncounted.size(); ++i) {
    const Uncounted& mine = result.uncounted[i];
    if (mine.loses && analysis.uncounted[i].is_memory) continue;
    if (mine.pairs > limit_of(mine, most) || tried.contains(mine.schedule)) continue;
    if (!next || mine.pairs < result.uncounted[*next].pairs) next = i;
  }
  return next;
}

/// How many schedules next_to_count() would still give.
std::size_t left_to_count(const SearchResult& result, const Analysis& analysis, std::set<std::string> tried,
                          std::uint64_t most) {
  std::size_t left = 0;
  for (; const auto next = next_to_count(result, analysis, tried, most); ++left)
    tried.insert(result.uncounted[*next].schedule);
  return left;
}

/// The same watch, which says once that takes long how to do without the schemes that nobody asked for.
Watch with_hint(const Watch& watch, const SearchRequest& request, const std::vector<Schedule>& schedules) {
  static constexpr auto kLong = std::chrono::seconds(5);
  const bool has_schemes =
      std::ranges::any_of(schedules, [](const Schedule& schedule) { return !schedule.hybrid_depth(); });
  if (!watch.progress || request.schemes || !has_schemes) return watch;
  Watch told = watch;
  told.progress = [&watch, start = std::chrono::steady_clock::now()](const std::string& doing) {
    const bool is_long = !doing.empty() && std::chrono::steady_clock::now() - start > kLong;
    watch.progress(is_long ? doing + " (quicker: `schemes` hybrid, depths alone)" : doing);
  };
  return told;
}

/// Says which schedule is counted on its own, of how many.
class SchedulesProgress {
 public:
  explicit SchedulesProgress(const Watch& watch) : watch_(watch) {
    inner_ = watch;
    inner_.progress = [this](const std::string& doing) {
      if (doing.empty()) return;
      // Only one share is of the whole, which tells how long it will take.
      std::string part = doing;
      for (std::size_t at = part.find(" of "); at != std::string::npos; at = part.find(" of "))
        part = fmt::format("{}/{}", part.substr(0, at), part.substr(at + 4));
      show(", " + part);
    };
  }

  /// `left`: schedules after it.
  void begin(const Uncounted& mine, const std::string& best, std::size_t left) {
    all_ = done_ + 1 + left;
    what_ = fmt::format("{}, about {:.2g} pairs", mine.schedule, static_cast<double>(mine.pairs));
    best_ = best;
    show("");
  }
  void end() { ++done_; }

  /// Of what counts them.
  [[nodiscard]] const Watch& inner() const { return inner_; }

 private:
  void show(const std::string& part) const {
    watch_.show(fmt::format("counting schedules on their own: {} of {} done; best so far: {}; now {}{}", done_, all_,
                            best_, what_, part));
  }

  const Watch& watch_;
  Watch inner_;
  std::string what_;
  std::string best_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

/// Puts what was counted on its own where it stands among `names`.
void take_over(Analysis more, const std::vector<std::string>& names, Analysis& analysis) {
  const auto place = [&](const std::string& name) { return std::ranges::find(names, name) - names.begin(); };
  for (UncountedSchedule& mine : more.uncounted) {
    UncountedSchedule& known =
        *std::ranges::find(analysis.uncounted, mine.least.schedule.name,
                           [](const UncountedSchedule& u) -> const std::string& { return u.least.schedule.name; });
    // Both know the FLOPs of some ops: what one does not is 0 there.
    for (std::size_t id = 0; id < mine.least.ops.size(); ++id) {
      OpProfile& op = mine.least.ops[id];
      op.flops = std::max(op.flops, known.least.ops[id].flops);
      op.span = std::max(op.span, known.least.ops[id].span);
    }
    mine.least.levels = level_profiles(mine.least);
    known = std::move(mine);
  }
  for (ScheduleProfile& mine : more.schedules) {
    std::erase_if(analysis.uncounted,
                  [&](const UncountedSchedule& u) { return u.least.schedule.name == mine.schedule.name; });
    const auto after = std::ranges::find_if(analysis.schedules, [&](const ScheduleProfile& other) {
      return place(other.schedule.name) > place(mine.schedule.name);
    });
    analysis.schedules.insert(after, std::move(mine));
  }
}

}  // namespace

SearchResult search_counted(const Analysis& analysis, const SearchOptions& options, const Model& model,
                            PatternKind pattern) {
  SearchResult result = search_depth(analysis.schedules, options, analysis.uncounted);
  for (std::size_t i = 0; i < analysis.uncounted.size(); ++i)
    result.uncounted[i].reason = why_uncounted(model, pattern, analysis.uncounted[i]);
  return result;
}

void count_and_search(const SearchRequest& request, const SearchOptions& options, std::vector<Schedule> schedules,
                      const Watch& watch, SearchOutcome& outcome) {
  constexpr std::uint64_t kGlancePairs = 100'000'000;
  const Model& model = std::get<Model>(outcome.model);
  const MemoryCeiling ceiling(request.count_memory.value_or(machine_memory()));
  const std::uint64_t most = request.most_pairs();
  std::vector<std::string> names;
  for (const Schedule& schedule : schedules) names.push_back(schedule.name);
  const Watch told = with_hint(watch, request, schedules);
  const auto count_with = [&](const Watch& its, std::vector<Schedule> some, std::uint64_t limit) {
    return analyse_network(model, request.pattern, std::move(some), its, std::min(limit, most));
  };
  const auto count = [&](std::vector<Schedule> some, std::uint64_t limit) {
    return count_with(told, std::move(some), limit);
  };
  outcome.analysis = count(std::move(schedules), kGlancePairs);
  Analysis& analysis = *outcome.analysis;
  const auto search = [&] { return search_counted(analysis, options, model, request.pattern); };
  SearchResult result = search();
  if (watch.answered) watch.answered();
  try {
    if (!analysis.uncounted.empty() && most > kGlancePairs) {
      std::vector<Schedule> left;
      for (const UncountedSchedule& mine : analysis.uncounted) left.push_back(mine.least.schedule);
      take_over(count(std::move(left), kQuickPairs), names, analysis);
      result = search();
    }
    std::set<std::string> tried;
    SchedulesProgress progress(told);
    while (const std::optional<std::size_t> next = next_to_count(result, analysis, tried, most)) {
      const Uncounted& mine = result.uncounted[*next];
      tried.insert(mine.schedule);
      progress.begin(mine, result.best_scheme ? result.at(*result.best_scheme).schedule : "none",
                     watch.progress ? left_to_count(result, analysis, tried, most) : 0);
      take_over(count_with(progress.inner(), {analysis.uncounted[*next].least.schedule}, limit_of(mine, most)), names,
                analysis);
      progress.end();
      result = search();
    }
    if (request.estimate && analysis.uncounted.empty()) watch.say(CountingRequest::kNoEstimates);
    if (request.estimate && !analysis.uncounted.empty()) {
      // Together: rows that are drawn serve all schedules that have their products.
      std::vector<Schedule> left;
      for (const UncountedSchedule& mine : analysis.uncounted) left.push_back(mine.least.schedule);
      watch.show(fmt::format("estimating {} schedules", left.size()));
      take_over(analyse_network(model, request.pattern, std::move(left), watch, std::min(kGlancePairs, most),
                                request.estimates()),
                names, analysis);
      result = search();
    }
  } catch (const Interrupted&) {
    outcome.is_interrupted = true;
    watch.say("interrupted: schedules that were not counted by then are left out");
  }
  outcome.result = std::move(result);
}

}  // namespace upsweep
