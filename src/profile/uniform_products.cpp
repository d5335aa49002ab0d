#include "uniform_products.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace upsweep {
namespace {

constexpr std::uint64_t kMostFactors = std::uint64_t{1} << 40;

/// Law of the entries of a row that has some.
struct Stepper {
  RowSteps steps;
  std::vector<double> masses;  // Σ = 1
  double log_share = 0;        // ln of the share of rows with an entry
  double entries = 1;          // mean
  double loss = 0;             // share of them that the last stride emptied
  double log_left = 0;         // ln of the share that it did not
  bool is_still = false;       // the last stride changed nothing

  void step() {
    const double lost = std::inner_product(masses.begin(), masses.end(), steps.losses().begin(), 0.);
    masses = steps.next(masses);
    const double left = std::accumulate(masses.begin(), masses.end(), 0.);
    for (double& mass : masses) mass /= left;
    const double mean = std::inner_product(masses.begin(), masses.end(), steps.nodes().begin(), 0.);
    // In the time of a step or stride the law's distance to the one that stands still falls by a factor well below 1.
    is_still = std::abs(mean - entries) <= 1e-13 * mean && std::abs(lost - loss) <= 1e-9 * lost + 1e-18;
    log_left = lost < 0.5 ? std::log1p(-lost) : std::log(left);  // the more precise way
    log_share += log_left;
    entries = mean;
    loss = lost;
  }
};

/// Cubic through the values at 0, 1, 2, 3.
double cubic(double y0, double y1, double y2, double y3, double x) {
  return y0 * ((1 - x) * (2 - x) * (3 - x) / 6) + y1 * (x * (2 - x) * (3 - x) / 2) - y2 * (x * (1 - x) * (3 - x) / 2) +
         y3 * (x * (1 - x) * (2 - x) / 6);
}

}  // namespace

UniformProducts::UniformProducts(std::uint64_t size, double density, std::uint64_t most_exact)
    : size_(size), density_(density) {
  Stepper now{RowSteps(size, density, most_exact), {}};
  now.masses.assign(now.steps.nodes().size(), 0);
  now.masses.front() = 1;
  const auto keep = [&] { table_.push_back({now.log_share, now.entries}); };
  keep();
  while (end_ < kSteps && !now.is_still) {
    now.step();
    ++end_;
    keep();
  }
  while (!now.is_still && end_ < kMostFactors) {
    now.steps.square();
    for (std::uint64_t i = 0; i < kSteps / 2; ++i) {
      now.step();
      keep();
    }
    end_ *= 2;
  }
  log_factor_ = now.log_left / static_cast<double>(now.steps.stride());
}

UniformProducts::Rows UniformProducts::at(std::uint64_t factors) const {
  if (factors >= end_) {
    const Rows& last = table_.back();
    return {last.log_share + static_cast<double>(factors - end_) * log_factor_, last.entries};
  }
  if (factors <= kSteps) return table_[factors];
  // factors are in (kSteps·2^(doublings - 1), kSteps·2^doublings]
  const auto doublings = static_cast<std::size_t>(std::bit_width((factors - 1) / kSteps));
  const std::uint64_t start = kSteps << (doublings - 1);
  const std::size_t begin = kSteps + (doublings - 1) * (kSteps / 2);
  const double place = static_cast<double>(factors - start) / static_cast<double>(std::uint64_t{1} << doublings);
  const double first = std::clamp(std::floor(place) - 1, 0., static_cast<double>(kSteps / 2 - 3));
  const Rows* rows = table_.data() + begin + static_cast<std::size_t>(first);
  const double x = place - first;
  return {cubic(rows[0].log_share, rows[1].log_share, rows[2].log_share, rows[3].log_share, x),
          cubic(rows[0].entries, rows[1].entries, rows[2].entries, rows[3].entries, x)};
}

UniformProducts::Figures UniformProducts::of(std::uint64_t factors) const {
  if (factors == 1) return {density_, -std::expm1(static_cast<double>(size_) * std::log1p(-density_))};
  const Rows rows = at(factors);
  const double share = std::exp(rows.log_share);
  return {share * (rows.entries / static_cast<double>(size_)), share};
}

std::shared_ptr<const UniformProducts> uniform_products(std::uint64_t size, double density) {
  constexpr std::size_t kKept = 16;
  thread_local std::vector<std::shared_ptr<const UniformProducts>> kept;  // the latest last
  auto found = std::ranges::find_if(
      kept, [&](const auto& products) { return products->size() == size && products->density() == density; });
  if (found == kept.end()) {
    auto made = std::make_shared<const UniformProducts>(size, density);
    if (kept.size() == kKept) kept.erase(kept.begin());
    found = kept.insert(kept.end(), std::move(made));
  }
  std::rotate(found, found + 1, kept.end());
  return kept.back();
}

}  // namespace upsweep
