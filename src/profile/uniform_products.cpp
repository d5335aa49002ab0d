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

/// P(r > x) of a row with `mean` entries, as a gamma law has it; by the approximation of E. B. Wilson and M. M.
/// Hilferty, "The distribution of chi-square", 1931.
double gamma_tail(double x, double mean, double variance) {
  if (variance <= 1e-12 * mean * mean) return mean > x ? 1 : 0;
  const double ninth = variance / (9 * mean * mean);  // 1 / (9 · shape)
  const double z = (std::cbrt((x + 0.5) / mean) - (1 - ninth)) / std::sqrt(ninth);
  return 0.5 * std::erfc(z / std::sqrt(2.));
}

/// As UniformProducts::Rows::tails, of the law on these nodes.
std::vector<double> row_tails(const Stepper& law, std::uint64_t size) {
  const std::vector<double>& nodes = law.steps.nodes();
  std::size_t consecutive = 0;  // nodes 1, 2, 3, ... without a gap
  while (consecutive < nodes.size() && nodes[consecutive] == static_cast<double>(consecutive + 1)) ++consecutive;
  double variance = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    variance += law.masses[i] * (nodes[i] - law.entries) * (nodes[i] - law.entries);
  std::vector<double> tails;
  double below = 0;  // mass of the nodes up to 2^k
  std::size_t at = 0;
  for (std::uint64_t most = 1; most < size; most *= 2) {
    // Masses of other numbers are shared among the nodes around them.
    const bool is_exact = consecutive == size || most + RowSteps::kStencil / 2 <= consecutive;
    for (; is_exact && at < most; ++at) below += law.masses[at];
    tails.push_back(
        std::clamp(is_exact ? 1 - below : gamma_tail(static_cast<double>(most), law.entries, variance), 0., 1.));
  }
  return tails;
}

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
  const auto keep = [&] { table_.push_back({now.log_share, now.entries, row_tails(now, size)}); };
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
    return {last.log_share + static_cast<double>(factors - end_) * log_factor_, last.entries, last.tails};
  }
  if (factors <= kSteps) return table_[factors];
  // factors are in (kSteps·2^(doublings - 1), kSteps·2^doublings]
  const auto doublings = static_cast<std::size_t>(std::bit_width((factors - 1) / kSteps));
  const std::uint64_t start = kSteps << (doublings - 1);
  const std::size_t begin = kSteps + (doublings - 1) * (kSteps / 2);
  const double place = static_cast<double>(factors - start) / static_cast<double>(std::uint64_t{1} << doublings);
  constexpr std::size_t kLast = kSteps / 2 - 3;
  const double first = std::clamp(std::floor(place) - 1, 0., static_cast<double>(kLast));
  const Rows* rows = table_.data() + begin + static_cast<std::size_t>(first);
  const double x = place - first;
  Rows between{cubic(rows[0].log_share, rows[1].log_share, rows[2].log_share, rows[3].log_share, x),
               cubic(rows[0].entries, rows[1].entries, rows[2].entries, rows[3].entries, x)};
  for (std::size_t k = 0; k < rows[0].tails.size(); ++k) {
    between.tails.push_back(
        std::clamp(cubic(rows[0].tails[k], rows[1].tails[k], rows[2].tails[k], rows[3].tails[k], x), 0., 1.));
  }
  return between;
}

double UniformProducts::span_of(const Rows& rows, double share) const {
  // P(one of the h rows has more than some number of entries), where a row has with this probability.
  const auto any = [&](double one) { return -std::expm1(static_cast<double>(size_) * std::log1p(-one)); };
  double span = any(share);
  for (const double tail : rows.tails) span += any(share * tail);
  return span;
}

UniformProducts::Figures UniformProducts::of(std::uint64_t factors) const {
  const Rows rows = at(factors);
  const double share =
      factors == 1 ? -std::expm1(static_cast<double>(size_) * std::log1p(-density_)) : std::exp(rows.log_share);
  const double density = factors == 1 ? density_ : share * (rows.entries / static_cast<double>(size_));
  return {density, share, span_of(rows, share)};
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
