#include "row_steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace upsweep {
namespace {

constexpr double kLeastWeight = 1e-25;  // of a number of entries, relative to the likeliest

/// x·ln(x / y) - x + y, without cancellation where x is about y.
double deviance(double x, double y) {
  const double off = (x - y) / y;
  if (std::abs(off) > 0.1) return x * std::log(x / y) - x + y;
  double sum = 0;
  double power = off;
  for (int j = 2; j < 20; ++j) {
    power *= -off;
    sum -= power / (j * (j - 1));
  }
  return y * sum;
}

/// ln(k!) by Stirling's series, less k·ln(k) - k + ln(2πk)/2. To 1e-13 for k >= 30; less is only asked for where next
/// to no mass is.
double stirling_rest(double k) {
  const double square = k * k;
  return (1. / 12 - (1. / 360 - (1. / 1260 - 1. / (1680 * square)) / square) / square) / k;
}

/// A binomial law Binomial(trials, hit), given that there is a hit.
struct Binomial {
  double trials;
  double hit;
  double miss;  ///< 1 - hit, without cancellation

  [[nodiscard]] double mean() const { return trials * hit; }
  [[nodiscard]] double deviation() const { return std::sqrt(trials * hit * miss); }

  /// P(k), but for a factor that is the same for all 0 < k < trials. Source: C. Loader, "Fast and accurate computation
  /// of binomial probabilities", 2000.
  [[nodiscard]] double weight(double k) const {
    const double rest = trials - k;
    const double log_weight = -stirling_rest(k) - stirling_rest(rest) - deviance(k, mean()) -
                              deviance(rest, trials * miss) - 0.5 * (std::log(k / mean()) + std::log(rest / trials));
    return std::exp(log_weight);
  }
};

/// Calls `visit(k, weight)` for all k >= 1 that count, by the ratios of neighbours.
template <class Visit>
void visit_all(const Binomial& law, const Visit& visit) {
  const double mode = std::clamp(std::floor((law.trials + 1) * law.hit), 1., law.trials);
  double weight = 1;
  for (double k = mode; weight >= kLeastWeight; ++k) {
    visit(k, weight);
    if (k >= law.trials) break;
    weight *= (law.trials - k) / (k + 1) * (law.hit / law.miss);
  }
  weight = 1;
  for (double k = mode; k > 1;) {
    weight *= k / (law.trials - k + 1) * (law.miss / law.hit);
    if (weight < kLeastWeight) break;
    visit(--k, weight);
  }
}

/// The same of every stride-th k: a sum over them, times the stride, is that over all but for e^-60, since the law is
/// smooth at that distance (Poisson's summation formula).
template <class Visit>
void visit_some(const Binomial& law, const Visit& visit) {
  const double stride = std::floor(law.deviation() / 2);
  const double reach = std::ceil(11 * law.deviation() / stride) * stride;
  const double middle = std::round(law.mean());
  for (double k = middle - reach; k <= middle + reach; k += stride) {
    if (k < 1 || k > law.trials - 1) continue;
    if (const double weight = law.weight(k); weight >= kLeastWeight) visit(k, weight);
  }
}

template <class Visit>
void visit_law(const Binomial& law, const Visit& visit) {
  constexpr double kLeastDeviation = 8;
  if (law.deviation() < kLeastDeviation) {
    visit_all(law, visit);
  } else {
    visit_some(law, visit);
  }
}

}  // namespace

RowSteps::RowSteps(std::uint64_t size, double density, std::uint64_t most_exact) {
  const double log_missing = std::log1p(-density);
  place_nodes(size, log_missing, most_exact);
  rows_.reserve(nodes_.size());
  losses_.reserve(nodes_.size());
  sums_.assign(nodes_.size(), 0);
  for (const double node : nodes_) add_row(node, static_cast<double>(size), log_missing);
}

void RowSteps::place_nodes(std::uint64_t size, double log_missing, std::uint64_t most_exact) {
  const auto last = static_cast<double>(size);
  const bool is_exact = size <= most_exact;
  // From a node that every row leaves downwards, by twelve standard deviations, no row gets further up.
  const auto is_beyond = [&](double node) {
    constexpr double kLeastReach = 256;
    const double mean = -last * std::expm1(node * log_missing);
    return node >= kLeastReach && node - mean >= 12 * std::sqrt(node);
  };
  for (double node = 1;; node += is_exact ? 1 : std::max(1., kGrading * node)) {
    nodes_.push_back(std::min(node, last));
    if (node >= last || (!is_exact && is_beyond(node))) break;
  }
  while (consecutive_ < nodes_.size() && nodes_[consecutive_] == static_cast<double>(consecutive_ + 1)) ++consecutive_;
}

void RowSteps::add_row(double node, double size, double log_missing) {
  const Binomial law{size, -std::expm1(node * log_missing), std::exp(node * log_missing)};
  visit_law(law, [&](double count, double weight) { add_mass(count, weight); });
  const auto has_mass = [](double mass) { return mass != 0; };
  const auto first = std::ranges::find_if(sums_, has_mass);
  const auto last = std::find_if(sums_.rbegin(), sums_.rend(), has_mass).base();
  const double log_loss = size * node * log_missing;
  const double scale = -std::expm1(log_loss) / std::accumulate(first, last, 0.);
  Row row{static_cast<std::size_t>(first - sums_.begin()), {first, last}};
  for (double& mass : row.masses) mass *= scale;
  std::fill(first, last, 0);
  rows_.push_back(std::move(row));
  losses_.push_back(std::exp(log_loss));
}

/// Puts the mass of rows of `count` entries on the nodes.
void RowSteps::add_mass(double count, double mass) {
  if (count <= static_cast<double>(consecutive_)) {
    sums_[static_cast<std::size_t>(count) - 1] += mass;
    return;
  }
  const auto above = static_cast<std::size_t>(std::ranges::lower_bound(nodes_, count) - nodes_.begin());
  if (above == nodes_.size()) {
    sums_.back() += mass;  // next to none: see is_beyond
    return;
  }
  const std::size_t first = std::min(above - kStencil / 2, nodes_.size() - kStencil);
  for (std::size_t i = first; i < first + kStencil; ++i) {
    double weight = mass;
    for (std::size_t j = first; j < first + kStencil; ++j)
      if (j != i) weight *= (count - nodes_[j]) / (nodes_[i] - nodes_[j]);
    sums_[i] += weight;
  }
}

std::vector<double> RowSteps::next(const std::vector<double>& masses) const {
  std::vector<double> sums(nodes_.size(), 0);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (masses[i] == 0) continue;
    double* sum = sums.data() + rows_[i].first;
    for (const double mass : rows_[i].masses) *sum++ += masses[i] * mass;
  }
  return sums;
}

void RowSteps::square() {
  std::vector<Row> rows;
  std::vector<double> losses = losses_;
  rows.reserve(rows_.size());
  std::vector<double> masses(nodes_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    std::ranges::fill(masses, 0);
    std::ranges::copy(rows_[i].masses, masses.begin() + static_cast<std::ptrdiff_t>(rows_[i].first));
    losses[i] += std::inner_product(masses.begin(), masses.end(), losses_.begin(), 0.);
    rows.push_back({0, next(masses)});
  }
  rows_ = std::move(rows);
  losses_ = std::move(losses);
  stride_ *= 2;
}

}  // namespace upsweep
