#pragma once

#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Which numbers a pass goes with.
enum class PassKind {
  gradient,   ///< weights and derivatives as they are
  magnitude,  ///< their absolute values
  square,     ///< their squares
};

/// A number as a pass takes it.
[[nodiscard]] double taken(double number, PassKind pass);

/// Hands `upstream` (elements of out_shape) back through an operator that is no view and no join, to its input
/// (elements of in_shape, the length of `x`): J^T · upstream, |J^T| · upstream or (J ∘ J)^T · upstream, by the
/// operator's definition.
///
/// All kinds add in the same order, so that with |gradient| <= magnitude upstream the same holds for the results.
[[nodiscard]] std::vector<double> hand_back(const Operator& op, const OperatorWeights& weights,
                                            std::span<const double> x, std::span<const double> upstream, PassKind pass);

/// The same of a mixing operator, to one of its inputs.
[[nodiscard]] std::vector<double> hand_back(const Operator& op, const OperatorWeights& weights,
                                            std::span<const std::span<const double>> inputs, std::size_t input,
                                            std::span<const double> upstream, PassKind pass);

/// Raises `squares` to the squares of what the terms of an activation's derivatives hand back of `upstream`; nothing
/// for other operators. Shapes: all have the elements of in_shape.
void raise_to_terms(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                    std::span<const double> upstream, std::span<double> squares);

/// Adds to `magnitude` what cancels in the derivatives of an activation, times `upstream`; nothing for other operators.
/// Shapes: all have the elements of in_shape.
void add_cancellation(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                      std::span<const double> upstream, std::span<double> magnitude);

}  // namespace upsweep
