#include "upsweep/machine/sparse_product.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "upsweep/machine/machine.hpp"

namespace upsweep {
namespace {

/// log2 of the mean row of the result where short rows end, and where middle ones do.
constexpr double kShortRow = 7;
constexpr double kMiddleRow = 10;
constexpr double kSteepness = 4;

constexpr double kScatteredRow = 30;

double beyond(double log_row, double border) { return 1 / (1 + std::exp(-kSteepness * (log_row - border))); }

/// The mean row of Y over the mean row of Y that an entry of X meets; 1 where there are none.
double evenness(const ProductSizes& sizes) {
  if (sizes.products == 0 || sizes.left_nnz == 0 || sizes.inner == 0) return 1;
  const double mean = static_cast<double>(sizes.right_nnz) / static_cast<double>(sizes.inner);
  const double met = static_cast<double>(sizes.products) / static_cast<double>(sizes.left_nnz);
  return mean / met;
}

double products_per_row(const ProductSizes& sizes) {
  return static_cast<double>(sizes.products) / static_cast<double>(std::max<std::uint64_t>(1, sizes.rows));
}

double bandwidth_of(const Machine& machine) { return machine.rates.back().fp64.mm.bytes_per_s; }

/// Multiprocessors times clock, or nothing.
std::optional<double> cycles_of(const Machine& machine) {
  if (!machine.small_products) return std::nullopt;
  return static_cast<double>(machine.small_products->multiprocessors) * machine.small_products->clock_hz;
}

}  // namespace

bool ProductSizes::is_dense() const {
  const auto full = [](std::uint64_t a, std::uint64_t b, std::uint64_t entries) {
    return static_cast<double>(a) * static_cast<double>(b) == static_cast<double>(entries);
  };
  return full(rows, inner, left_nnz) && full(inner, cols, right_nnz);
}

double estimated_nnz(const ProductSizes& sizes) {
  const double row = products_per_row(sizes);
  if (row <= 0) return 0;
  const double compression = 0.0973 * std::pow(row, 0.498) * std::pow(evenness(sizes), -0.287) *
                             std::pow(static_cast<double>(sizes.rows), 0.0588);
  return static_cast<double>(sizes.products) / std::max(1.0, compression);
}

std::vector<double> product_work(const ProductSizes& sizes) {
  const auto rows = static_cast<double>(sizes.rows);
  const auto products = static_cast<double>(sizes.products);
  const double nnz = sizes.nnz > 0 ? static_cast<double>(sizes.nnz) : estimated_nnz(sizes);
  const double log_row = std::log2(std::max(nnz, 1.0) / std::max(rows, 1.0));
  const double not_short = beyond(log_row, kShortRow);
  const double is_long = beyond(log_row, kMiddleRow);
  const double middle = not_short - is_long;
  const double row = products_per_row(sizes);
  const double scattered =
      row > 0 ? std::min(1.0, std::pow(row / kScatteredRow, -0.25) / std::max(evenness(sizes), 1e-9)) : 0;
  return {1,
          rows * (1 - not_short),
          rows * middle,
          rows * is_long,
          products * (1 - not_short),
          products * middle,
          products * is_long,
          products * scattered};
}

std::optional<double> product_seconds(const PublishedRates& rates, const ProductSizes& sizes) {
  if (rates.most_products && sizes.products > *rates.most_products) return std::nullopt;
  return published_seconds(rates, product_work(sizes));
}

double device_distance(const Machine& a, const Machine& b) {
  const std::optional<double> cycles = cycles_of(a);
  const std::optional<double> others = cycles_of(b);
  return std::abs(std::log(bandwidth_of(a) / bandwidth_of(b))) +
         (cycles && others ? std::abs(std::log(*cycles / *others)) : 0);
}

PublishedRates carried_products(const PublishedRates& rates, const Machine& from, const Machine& to) {
  const double bandwidth = bandwidth_of(from) / bandwidth_of(to);
  const std::optional<double> have = cycles_of(from);
  const std::optional<double> want = cycles_of(to);
  const bool by_cycles = have && want;
  const double cycles = by_cycles ? *have / *want : bandwidth;
  PublishedRates carried = rates;
  carried.start_up_s = 0;
  const std::vector<double> factors = {1, bandwidth, cycles, cycles, bandwidth, cycles, cycles, bandwidth};
  for (std::size_t i = 0; i < factors.size(); ++i) carried.unit_s[i] *= factors[i];
  const double wider = std::pow(kCarriedFactor, std::min(1.0, device_distance(from, to)));
  carried.interval = {rates.interval.low / wider, rates.interval.high * wider};
  carried.from = {};
  carried.from.carried_from = fmt::format(
      "{} of {}: rows and products of middle and long rows times {:.4g} ({}), of short rows and scattered ones times "
      "{:.4g} (bandwidth), the interval {:.3g} times as wide to either side",
      rates.library, from.name, cycles, by_cycles ? "multiprocessors times clock" : "bandwidth", bandwidth, wider);
  return carried;
}

}  // namespace upsweep
