#include "upsweep/sim/tick_scale.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace upsweep {
namespace {

/// numerator / denominator, without a common divisor.
struct Fraction {
  std::uint64_t numerator = 0;
  std::uint64_t denominator = 1;
};

// Of the horizon: few enough for a time in units to become the same ticks again, after roundings of two doubles.
constexpr std::uint64_t kMostTicks = std::uint64_t{1} << 50U;
constexpr double kWhole = 0x1p53;  // doubles below are exact where they are whole

Fraction reduced(std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

/// The decimal fraction of up to 15 digits behind the point whose nearest double this is, if any.
std::optional<Fraction> decimal(double number) {
  double power = 1;
  std::uint64_t denominator = 1;
  for (int digits = 0; digits <= 15; ++digits) {
    const double numerator = std::round(number * power);
    if (numerator >= kWhole) return std::nullopt;
    if (numerator / power == number) return reduced(static_cast<std::uint64_t>(numerator), denominator);
    power *= 10;
    denominator *= 10;
  }
  return std::nullopt;
}

/// a · b below kMostTicks, if it is.
std::optional<std::uint64_t> small_product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > kMostTicks / a) return std::nullopt;
  return a * b;
}

std::optional<Fraction> fraction(const Quotient& quantity) {
  const auto above = decimal(quantity.numerator);
  const auto below = decimal(quantity.denominator);
  if (!above || !below || below->numerator == 0) return std::nullopt;
  const Fraction left = reduced(above->numerator, below->numerator);
  const Fraction right = reduced(below->denominator, above->denominator);
  const auto numerator = small_product(left.numerator, right.numerator);
  const auto denominator = small_product(left.denominator, right.denominator);
  if (!numerator || !denominator) return std::nullopt;
  return Fraction{*numerator, *denominator};
}

/// The smallest number of ticks per unit that makes all quantities whole, if there is a small one.
std::optional<std::uint64_t> common_denominator(std::span<const Quotient> quantities) {
  std::uint64_t common = 1;
  for (const Quotient& quantity : quantities) {
    const auto part = fraction(quantity);
    if (!part) return std::nullopt;
    const auto next = small_product(common / std::gcd(common, part->denominator), part->denominator);
    if (!next || *next >= static_cast<std::uint64_t>(kWhole)) return std::nullopt;
    common = *next;
  }
  return common;
}

}  // namespace

TickScale TickScale::fit(std::span<const Quotient> quantities, double horizon) {
  for (const Quotient& quantity : quantities) {
    const double value = quantity.numerator / quantity.denominator;
    if (!(value >= 0 && std::isfinite(value) && value <= horizon))
      throw std::invalid_argument("TickScale: a quantity that is negative, not finite, or beyond the horizon");
  }
  if (!std::isfinite(horizon)) throw std::invalid_argument("numbers that add up to infinity, accepted is a finite sum");
  TickScale scale;
  const auto common = common_denominator(quantities);
  if (common && static_cast<double>(*common) * horizon < static_cast<double>(kMostTicks)) {
    scale.ticks_per_unit_ = static_cast<double>(*common);
    return scale;
  }
  scale.is_exact_ = false;
  scale.exponent_ = static_cast<int>(std::floor(std::log2(static_cast<double>(kMostTicks)) - std::log2(horizon)));
  return scale;
}

TickScale TickScale::of_sums(std::span<const double> amounts) {
  std::vector<Quotient> quantities;
  double horizon = 0;
  for (const double amount : amounts) {
    quantities.push_back({amount});
    horizon += amount;
  }
  return fit(quantities, horizon);
}

std::uint64_t TickScale::ticks(const Quotient& quantity) const {
  const double value = quantity.numerator / quantity.denominator;
  if (value == 0) return 0;
  if (is_exact_) {
    // Those that were fitted are whole by construction; the double may be off by a rounding.
    const auto part = fraction(quantity);
    const auto per_unit = static_cast<std::uint64_t>(ticks_per_unit_);
    if (part && per_unit % part->denominator == 0) return part->numerator * (per_unit / part->denominator);
  }
  const double rounded = std::round(is_exact_ ? value * ticks_per_unit_ : std::ldexp(value, exponent_));
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rounded));
}

}  // namespace upsweep
