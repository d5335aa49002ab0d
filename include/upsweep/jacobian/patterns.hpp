#pragma once

#include <cstdint>
#include <optional>
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

/// How the patterns of a chain are kept; what is counted does not depend on it.
enum class PatternForm : std::uint8_t {
  rows,      ///< every row
  classes,   ///< classes of rows that are shifts of each other, where an operator takes an image to an image
  at_input,  ///< as classes where an element of the chain is an operator with a weight, else every row
};

/// What patterns are kept by where they are counted alone: at a concrete input other operators have no classes of rows.
[[nodiscard]] inline PatternForm form_for(PatternKind pattern) {
  return pattern == PatternKind::sample ? PatternForm::at_input : PatternForm::classes;
}

/// Pattern of the transposed Jacobian of `op`, shape (elements of in_shape) × (elements of out_shape), elements
/// numbered channel-major (c·H·W + y·W + x), without explicit zeros.
///
/// `input`: of a mixing operator, with respect to which of its inputs; its rows are shared where they are equal.
/// Not for views and joins (std::invalid_argument). Source: BPPSA thesis (Wang 2020), Algorithms 2 to 4, made general
/// over kernel, stride, padding, dilation and groups.
[[nodiscard]] Pattern guaranteed_pattern(const Operator& op, const OperatorWeights& weights,
                                         PatternForm form = PatternForm::rows, std::size_t input = 0);

/// The classes of rows of a guaranteed pattern, before it is made.
struct OperatorClasses {
  ImageShape rows;
  ImageShape cols;
  RowPartition partition;
  std::uint64_t window = 0;  ///< most image positions between the first and the last entries of a row

  /// About the memory of the pattern, bytes.
  [[nodiscard]] double memory() const;
};

/// The classes of `op`, or nothing where it does not take an image to an image or is a view or join. Channels without
/// masks are alike within their group, otherwise each is a class of its own; positions along an axis are alike where
/// they reach outputs at the same distances, by the same weights if there are masks.
[[nodiscard]] std::optional<OperatorClasses> operator_classes(const Operator& op, const OperatorWeights& weights,
                                                              std::size_t input = 0);

/// True where the sample pattern differs from the guaranteed one (JacobianNumbers::chosen): ReLU and max-pooling.
[[nodiscard]] bool depends_on_input(const OperatorKind& kind);

/// The pattern at input `x` (length: elements of in_shape). A ReLU is off at exactly 0 and below; a max-pool window
/// keeps the first of its largest inputs in row-major order. Throws std::invalid_argument for a view or a wrong length.
[[nodiscard]] Pattern sample_pattern(const Operator& op, const OperatorWeights& weights, std::span<const double> x);

/// Entries of the guaranteed pattern with every weight nonzero, without building it. Throws like guaranteed_pattern(),
/// CountOverflow.
[[nodiscard]] std::uint64_t unpruned_nnz(const Operator& op, std::size_t input = 0);

}  // namespace upsweep
