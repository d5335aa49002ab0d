#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/base/rounding.hpp"
#include "upsweep/validate/direct_backprop.hpp"
#include "upsweep/validate/expectation.hpp"

namespace upsweep {

/// The first thing in which an execution differs from what it must be.
struct Mismatch {
  std::optional<std::size_t> op;  ///< combine id; nothing where an input was handed on wrongly
  std::string what;               ///< one line: where, what was found, what was expected
};

/// Compares counts and structure of every combine, exactly. Shapes: both by combine id.
[[nodiscard]] std::optional<Mismatch> compare_structure(const Schedule& schedule,
                                                        const std::vector<ExpectedOp>& expected,
                                                        const std::vector<OpMeasurement>& found);

/// How close the results of a schedule are to the direct gradients. The scale is the largest |gradient| of an
/// activation.
struct ValueComparison : Closeness {
  double loosest_bound = 0;          ///< the largest bound over that scale
  std::optional<Mismatch> mismatch;  ///< the first result, in scan order, with an element out of its bound
};

/// A gradient that was computed in another way than by direct back-propagation.
struct ComputedGradient {
  std::size_t activation = 0;     ///< the entry of the direct gradients that it must equal
  double roundings = 0;           ///< on a path to it, at most
  std::string where;              ///< the begin of the line that says what is wrong with it
  std::optional<std::size_t> op;  ///< the combine that made it
};

/// Compares one gradient as compare_values() does, and adds what it finds to `comparison`: its first mismatch stays.
void compare_gradient(const ComputedGradient& computed, const std::vector<double>& have, const DirectGradients& direct,
                      double direct_roundings, unsigned value_bytes, ValueComparison& comparison);

/// Compares results with direct back-propagation, element by element, within a rounding bound.
///
/// Shapes: `results` by position of the scan array, position k belongs to direct.gradient[n - k + 1]; `expected` by
/// combine id. `value_bytes` is 4 or 8.
/// Bound, with K roundings on a path and unit roundoff u = 2^-24 or 2^-53: the smaller of the worst case
/// K·u / (1 - K·u) · magnitude (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, Lemma 3.1) and of
/// kSpread · sqrt(K) · u · deviation, which rounding errors of random sign stay within; plus the same of the oracle,
/// which is rounded to fp64. A result that is NaN or infinite is out of any bound.
[[nodiscard]] ValueComparison compare_values(const Schedule& schedule, const std::vector<ExpectedOp>& expected,
                                             const DirectGradients& direct, double direct_roundings,
                                             const std::vector<std::vector<double>>& results, unsigned value_bytes);

/// How many standard deviations a rounding error may be away from 0. Errors of neighbouring elements are not quite
/// independent; 32 leaves room for that. For VGG-11 in fp32 (K of some 10^4) the bound is about 3 · 10^-4 of the
/// deviation.
inline constexpr double kSpread = 32;

}  // namespace upsweep
