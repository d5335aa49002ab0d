#include "optimal_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "count_and_search.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/order/scan_order.hpp"
#include "upsweep/profile/range_costs.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostElements = 512;  // the table of costs has a sixth of its cube
constexpr std::size_t kMostOrders = 8;      // with the least FLOPs, of which one may fit or take the fewest seconds
constexpr const char* kOptimal = "optimal";

OrderGoal goal_of(const SearchOptions& options, std::uint64_t workers) {
  OrderGoal goal;
  if (options.objective == Objective::critical_flops) goal.figure = OrderGoal::Figure::path;
  if (options.objective == Objective::work_flops) goal.figure = OrderGoal::Figure::work;
  goal.execution = options.execution;
  goal.workers = workers;
  goal.batch = options.batch;
  return goal;
}

/// FLOPs that orders have to be below: of the best candidate that fits; where scores are seconds, which other products
/// may decide, of plain back-propagation.
std::uint64_t figure_to_beat(const SearchResult& result) {
  std::uint64_t least = score_flops(result.linear(), result.options).value_or(RangeCosts::kUnused);
  for (std::size_t i = 0; i < result.size() && !result.options.in_seconds(); ++i) {
    const Candidate& candidate = result.at(i);
    if (candidate.feasible && candidate.is_exact())
      least = std::min(least, score_flops(candidate, result.options).value_or(least));
  }
  return least;
}

RangeCosts counted_ranges(const SearchRequest& request, const Model& model, const RangeLimits& dearest,
                          const Watch& watch) {
  CountLimits limits;
  limits.pairs = request.most_pairs();
  limits.stop = watch.stop;
  limits.progress = [&](std::size_t width, std::size_t widths) {
    watch.show(fmt::format("counting products for orders, width {} of up to {}", width, widths));
  };
  try {
    return model.at_operators([&] { return range_costs(view_of(model), request.pattern, dearest, limits); });
  } catch (const CountOverflow& error) {
    throw InputError(fmt::format("{}: {}, accepted are smaller models", model.file, error.what()));
  }
}

/// Orders, counted and scored like all candidates and beside them.
class ScoredOrders {
 public:
  ScoredOrders(const SearchRequest& request, const Model& model, const SearchOptions& options,
               std::vector<ScheduleProfile> named, const Watch& watch)
      : request_(request),
        model_(model),
        options_(options),
        profiles_(std::move(named)),
        result_(search_depth(profiles_, options)),
        watch_(watch) {}

  /// Counts what is new among some orders, as far as limits let it be.
  void add(const std::vector<ProductOrder>& orders) {
    std::vector<Schedule> schedules;
    for (const ProductOrder& order : orders) {
      Schedule schedule = order_schedule(profiles_.front().schedule.length, order);
      if (names_.insert(schedule.name).second) schedules.push_back(std::move(schedule));
    }
    if (schedules.empty()) return;
    Analysis counted = analyse_network(model_, request_.pattern, std::move(schedules), watch_, request_.most_pairs());
    std::ranges::move(counted.schedules, std::back_inserter(profiles_));
    result_ = search_depth(profiles_, options_);
  }

  /// Of an order that was added; nothing where it does not fit, or was not counted.
  [[nodiscard]] std::optional<double> score(const ProductOrder& order) const {
    const std::string name = order_name(profiles_.front().schedule.length, order);
    for (const Candidate& candidate : result_.schemes) {
      if (candidate.schedule == name) return candidate.feasible ? candidate.score : std::nullopt;
    }
    return std::nullopt;
  }

  /// Of an order that was added; null where it was not counted.
  [[nodiscard]] const ScheduleProfile* profile(const ProductOrder& order) const {
    const std::string name = order_name(profiles_.front().schedule.length, order);
    const auto found =
        std::ranges::find_if(profiles_, [&](const ScheduleProfile& mine) { return mine.schedule.name == name; });
    return found != profiles_.end() ? &*found : nullptr;
  }
  [[nodiscard]] std::optional<double> linear() const { return result_.linear().score; }

  /// The one with the smallest score of those that fit, named ones too; plain back-propagation where none does.
  [[nodiscard]] const ScheduleProfile& best() const { return profiles_[result_.best_scheme.value_or(0)]; }

 private:
  const SearchRequest& request_;
  const Model& model_;
  const SearchOptions& options_;
  std::vector<ScheduleProfile> profiles_;  // as result_.at() has them
  SearchResult result_;
  std::set<std::string> names_;  // of orders
  const Watch& watch_;
};

/// What is left of an order where seconds decide: each of its jumps alone and, of those that gain alone, the best, the
/// best two and so on.
void add_parts(const ProductOrder& order, const RangeCosts& costs, ScoredOrders& scored) {
  std::vector<ProductOrder> parts;
  const std::vector<std::uint32_t> jumps = jumps_of(order);
  for (const std::uint32_t jump : jumps) parts.push_back(with_jumps(order, std::array{jump}, costs));
  scored.add(parts);
  std::vector<std::pair<double, std::uint32_t>> gaining;
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    const std::optional<double> score = scored.score(parts[i]);
    if (score && scored.linear() && *score < *scored.linear()) gaining.emplace_back(*score, jumps[i]);
  }
  std::ranges::sort(gaining);
  parts.clear();
  std::vector<std::uint32_t> taken;
  for (const auto& [score, jump] : gaining) {
    taken.push_back(jump);
    parts.push_back(with_jumps(order, taken, costs));
  }
  scored.add(parts);
}

void call_optimal(SearchResult& result) {
  Candidate& candidate = result.schemes.back();
  candidate.order = std::exchange(candidate.schedule, kOptimal);
  if (!result.overtakes) return;
  for (OvertakingWorkers* mine : {&result.overtakes->whole, &result.overtakes->shared}) {
    if (mine->scan == candidate.order) mine->scan = kOptimal;
  }
}

}  // namespace

void check_ordered(std::size_t length) {
  if (length <= kMostElements) return;
  throw RequestError("schemes",
                     fmt::format("optimal over {} Jacobians, accepted are up to {}", length - 1, kMostElements - 1));
}

void add_optimal(const SearchRequest& request, const SearchOptions& options, const Watch& watch,
                 SearchOutcome& outcome) {
  const Model& model = std::get<Model>(outcome.model);
  const MemoryCeiling ceiling(request.count_memory.value_or(machine_memory()));
  const auto& before = std::get<SearchResult>(outcome.result);
  const OrderGoal goal = goal_of(options, before.workers);
  const std::uint64_t to_beat = figure_to_beat(before);
  const RangeCosts costs = counted_ranges(request, model, range_limits(goal, to_beat), watch);
  watch.show("looking for orders of products");
  std::vector<ProductOrder> known;
  for (const ScheduleProfile& profile : outcome.analysis->schedules) known.push_back(order_of(profile.schedule));
  const std::vector<ProductOrder> orders = best_orders(costs, goal, known, kMostOrders, watch.stop);
  ScoredOrders scored(request, model, options, outcome.analysis->schedules, watch);
  scored.add(orders);
  if (options.in_seconds()) {
    for (const ProductOrder& order : orders) add_parts(order, costs, scored);
  }
  // The best may be a named schedule; one that is an estimate is not counted as an order, plain back-propagation is.
  const ProductOrder best = order_of(scored.best().schedule);
  scored.add({best, known.front()});
  const ScheduleProfile* counted = scored.profile(best);
  Analysis analysis = *outcome.analysis;
  analysis.schedules.push_back(counted != nullptr ? *counted : *scored.profile(known.front()));
  SearchResult result = search_counted(analysis, options, model, request.pattern);
  call_optimal(result);
  if (!options.in_seconds() && costs.is_complete()) {
    const std::uint64_t bound = std::min(order_bound(costs, goal), to_beat);
    result.schemes.back().lower_bound = static_cast<double>(bound) / static_cast<double>(result.inputs);
  }
  watch.show("");
  outcome.analysis = std::move(analysis);
  outcome.result = std::move(result);
}

}  // namespace upsweep
