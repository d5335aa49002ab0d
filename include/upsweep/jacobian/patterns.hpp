#pragma once

#include <cstdint>
#include <span>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"
#include "upsweep/sparse/pattern.hpp"

namespace upsweep {

/// Which entries of a transposed Jacobian count.
enum class PatternKind {
  guaranteed,  ///< every entry that the architecture allows and no weight mask removes
  sample,      ///< at a concrete input: a ReLU that is off has none, a max-pool keeps the arg-max only
};

[[nodiscard]] inline const char* to_string(PatternKind pattern) {
  return pattern == PatternKind::sample ? "sample" : "guaranteed";
}

/// Pattern of the transposed Jacobian of `op`, shape (elements of in_shape) × (elements of out_shape), elements
/// numbered channel-major (c·H·W + y·W + x), without explicit zeros.
///
/// Not for views and joins (std::invalid_argument). Source: BPPSA thesis (Wang 2020), Algorithms 2 to 4, made general
/// over kernel, stride, padding, dilation and groups.
[[nodiscard]] Pattern guaranteed_pattern(const Operator& op, const OperatorWeights& weights);

/// True where the sample pattern differs from the guaranteed one (JacobianNumbers::chosen): ReLU and max-pooling.
[[nodiscard]] bool depends_on_input(const OperatorKind& kind);

/// The pattern at input `x` (length: elements of in_shape). A ReLU is off at exactly 0 and below; a max-pool window
/// keeps the first of its largest inputs in row-major order. Throws std::invalid_argument for a view or a wrong length.
[[nodiscard]] Pattern sample_pattern(const Operator& op, const OperatorWeights& weights, std::span<const double> x);

/// Entries of the guaranteed pattern with every weight nonzero, without building it. Throws like guaranteed_pattern(),
/// CountOverflow.
[[nodiscard]] std::uint64_t unpruned_nnz(const Operator& op);

}  // namespace upsweep
