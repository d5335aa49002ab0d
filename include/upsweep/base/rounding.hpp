#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

/// What rounding may do to a number, and how close numbers are to what is allowed.
namespace upsweep {

/// Half the distance from 1 to the next number of type T.
template <class T>
inline constexpr double kUnitRoundoff = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;

/// Of a result of type T beside an oracle that is rounded to fp64.
template <class T>
inline constexpr double kOracleRoundoff = kUnitRoundoff<T> + kUnitRoundoff<double>;

/// The unit roundoff of numbers of `value_bytes`, 4 or 8.
[[nodiscard]] constexpr double unit_roundoff(unsigned value_bytes) {
  return value_bytes == sizeof(double) ? kUnitRoundoff<double> : kUnitRoundoff<float>;
}

/// Below this a product of numbers of type T may have underflowed; for fp64 also what is left of a square root of a
/// square.
template <class T>
inline constexpr double kSmallestProduct = sizeof(T) == sizeof(double) ? 1e-145 : std::numeric_limits<float>::min();

/// γ_k = k·u / (1 - k·u), the relative error that k roundings may make at worst; infinite where k·u reaches 1.
/// Source: Higham, "Accuracy and Stability of Numerical Algorithms", 2002, Lemma 3.1.
[[nodiscard]] inline double worst_rounding(double roundings, double unit) {
  const double error = roundings * unit;
  return error < 1 ? error / (1 - error) : std::numeric_limits<double>::infinity();
}

/// spread · sqrt(k) · u: what k roundings of random sign stay within, `spread` standard deviations wide.
/// Source: Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41, 2019.
[[nodiscard]] inline double random_rounding(double roundings, double unit, double spread) {
  return spread * std::sqrt(roundings) * unit;
}

/// How close numbers are to those expected, over the bounds of their errors.
struct Closeness {
  std::size_t elements = 0;   ///< compared
  std::size_t unbounded = 0;  ///< of those: the bound is infinite, so that only NaN and infinity are wrong
  double worst_share = 0;     ///< the largest |difference| / bound; at most 1 where all agree
  double worst_relative = 0;  ///< the largest |difference| over the scale that it was added with, of those that agree

  /// Adds a number; whether it is finite and within the bound.
  bool add(double found, double expected, double allowed, double scale);
  /// Adds those of others.
  void add(const Closeness& more);
};

}  // namespace upsweep
