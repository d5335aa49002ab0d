#include <algorithm>
#include <limits>
#include <vector>

#include "upsweep/base/checked.hpp"
#include "upsweep/order/scan_order.hpp"

namespace upsweep {
namespace {

/// Least work of results, and what a way to the last one adds to it.
class WorkBound {
 public:
  WorkBound(const RangeCosts& costs, const RangeLeasts& leasts) : costs_(costs), leasts_(leasts) {
    for (std::uint32_t last = 1; last + 1 < costs.length(); ++last) {
      std::uint64_t bare = RangeCosts::kUnused;
      std::uint64_t own = RangeCosts::kUnused;
      for (std::uint32_t split = 0; split < last; ++split) {
        const OrderedProduct step{0, split, last};
        if (costs.at(step) == RangeCosts::kUnused) continue;
        bare = std::min(bare, costs.at(step));
        own = std::min(own, checked_add(costs.at(step), last_product(step.later())));
      }
      bare_.push_back(bare);
      own_.push_back(own);
    }
  }

  /// Of all results: each needs a step and, where that reads a product, at least the last of its products, which no
  /// other result's step shares.
  [[nodiscard]] std::uint64_t work() const { return sum(own_); }

  /// The least of weight · path + (1 - weight) · work / workers over all ways to the last result, by two counts of what
  /// a way adds: all products of its steps to the bare steps of the others, or the last products alone. Rounded down.
  [[nodiscard]] double mean(double weight, double copies) const {
    return std::max(mean(weight, copies, bare_, true), mean(weight, copies, own_, false));
  }

 private:
  [[nodiscard]] std::uint64_t last_product(ValueRange range) const {
    if (range.first == range.last) return 0;
    std::uint64_t least = RangeCosts::kUnused;
    for (std::uint32_t split = range.first; split < range.last; ++split)
      least = std::min(least, costs_.at({range.first, split, range.last}));
    return least;
  }

  static std::uint64_t sum(const std::vector<std::uint64_t>& costs) {
    std::uint64_t all = 0;
    for (const std::uint64_t cost : costs) add_to(all, cost);
    return all;
  }

  /// `copies`: the batch over the workers.
  [[nodiscard]] double mean(double weight, double copies, const std::vector<std::uint64_t>& others,
                            bool with_products) const {
    std::vector<double> least = {0};  // by result
    for (std::uint32_t last = 1; last + 1 < costs_.length(); ++last) {
      double mine = std::numeric_limits<double>::infinity();
      for (std::uint32_t split = 0; split < last; ++split) {
        const OrderedProduct step{0, split, last};
        if (costs_.at(step) == RangeCosts::kUnused) continue;
        const auto cost = static_cast<double>(costs_.at(step));
        // A way cannot begin with a product before that is there.
        const double path = cost + (split == 0 ? static_cast<double>(leasts_.at(step.later()).path) : 0);
        const auto products =
            static_cast<double>(with_products ? leasts_.at(step.later()).work : last_product(step.later()));
        const double work = cost + products - static_cast<double>(others[last - 1]);
        mine = std::min(mine, least[split] + weight * path + (1 - weight) * copies * work);
      }
      least.push_back(mine);
    }
    return least.back() + (1 - weight) * copies * static_cast<double>(sum(others));
  }

  const RangeCosts& costs_;
  const RangeLeasts& leasts_;
  std::vector<std::uint64_t> bare_;  // by result from the second on: its cheapest step
  std::vector<std::uint64_t> own_;   // with the last product of what the step reads
};

}  // namespace

std::uint64_t order_bound(const RangeCosts& costs, const OrderGoal& goal) {
  constexpr int kWeights = 64;
  if (costs.length() < 3) return 0;
  const RangeLeasts leasts(costs);
  const WorkBound bound(costs, leasts);
  if (goal.figure == OrderGoal::Figure::work) return checked_mul(bound.work(), goal.batch);
  std::uint64_t path = 0;
  for (std::uint32_t last = 1; last + 1 < costs.length(); ++last) path = std::max(path, leasts.at({0, last}).path);
  if (goal.figure == OrderGoal::Figure::path) return path;
  const double copies = static_cast<double>(goal.batch) / static_cast<double>(goal.workers);
  double most = 0;
  for (int i = 0; i <= kWeights; ++i) most = std::max(most, bound.mean(static_cast<double>(i) / kWeights, copies));
  // Sums of rounded numbers: a little less is still a bound.
  const double safe = most * (1 - 1e-9);
  return std::max(
      {path, static_cast<std::uint64_t>(safe), ceil_div(checked_mul(bound.work(), goal.batch), goal.workers)});
}

RangeLimits range_limits(const OrderGoal& goal, std::uint64_t figure) {
  RangeLimits limits;
  switch (goal.figure) {
    case OrderGoal::Figure::path:
      limits.path = figure;
      break;
    case OrderGoal::Figure::work:
      if (figure != RangeCosts::kUnused) limits.work = figure / goal.batch + 1;
      break;
    case OrderGoal::Figure::makespan:
      limits.path = figure;
      // Workers have no more time together than that.
      if (figure < RangeCosts::kUnused / goal.workers) limits.work = figure * goal.workers / goal.batch + 1;
      break;
  }
  return limits;
}

}  // namespace upsweep
