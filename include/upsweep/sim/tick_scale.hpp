#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace upsweep {

/// A finite, non-negative quantity as a quotient of two numbers, such as bytes / (bytes per second).
struct Quotient {
  double numerator = 0;
  double denominator = 1;  ///< positive
};

/// Turns times of any unit into whole ticks, so that times which are equal on paper are equal in a simulation, too.
///
/// Where all quantities are decimal fractions (or quotients of such) with a small enough common denominator, ticks are
/// exact; otherwise they are rounded to a power of two of a unit.
class TickScale {
 public:
  /// A scale for these quantities, whose sums stay within `horizon`. Throws std::invalid_argument for a quantity that
  /// is negative or not finite, or a horizon smaller than one of them.
  [[nodiscard]] static TickScale fit(std::span<const Quotient> quantities, double horizon);

  /// A scale for these amounts and all sums of them, each counted once. Throws as fit().
  [[nodiscard]] static TickScale of_sums(std::span<const double> amounts);

  /// The nearest whole number of ticks; at least 1 for a positive quantity.
  [[nodiscard]] std::uint64_t ticks(const Quotient& quantity) const;

  /// Ticks in units, correctly rounded under exact ticks of less than 2^53.
  [[nodiscard]] double units(std::uint64_t ticks) const {
    return is_exact_ ? static_cast<double>(ticks) / ticks_per_unit_
                     : std::ldexp(static_cast<double>(ticks), -exponent_);
  }

  /// No quantity was rounded.
  [[nodiscard]] bool is_exact() const { return is_exact_; }

 private:
  double ticks_per_unit_ = 1;  ///< of exact ticks
  int exponent_ = 0;           ///< of rounded ones, 2^exponent_ per unit: more than a double holds where times are tiny
  bool is_exact_ = true;
};

}  // namespace upsweep
