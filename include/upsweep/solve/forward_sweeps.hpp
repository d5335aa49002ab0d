#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

// Approximate forward propagation: the lower triangular system D(k) z(k) - W(k) z(k-1) = b(k) with D(k) =
// diag(y_i / f(y_i)) held from an earlier pass. It is linear, so that every parallel solver of triangular systems fits;
// repeating it with D from the sweep before ends at the exact forward pass.
// Source: Naumov, "Parallel Complexity of Forward and Backward Propagation", 2018, Equations 13, 18 and 20.
// With branches the system is block triangular in the order of the operators; an add or concat is one more W.
// In double precision, like activations(); "outputs" are one per operator of the network, views included.

/// What a sweep holds of one operator.
struct HeldOperator {
  std::vector<double> gain;              ///< elementwise, not affine: 1 / D, f(y) / y per element; else empty
  std::vector<std::uint32_t> positions;  ///< max-pooling: arg-max per output; else empty
};

/// What a sweep holds; one entry per operator of the network.
using HeldOperators = std::vector<HeldOperator>;

/// True for operators whose equation is exact whatever is held: all but activations and max-pooling.
[[nodiscard]] bool is_affine(const OperatorKind& kind);

/// D = I, and the first position of every max-pool window: a start without an earlier pass.
[[nodiscard]] HeldOperators unit_operators(const Network& network);

/// D of a pass at input `x` whose outputs are `outputs`, from activations() or sweep().
///
/// Stored is f(y) / y = 1 / D, so that f(y) = 0 is fine: a sweep multiplies and never divides. Where y = 0 and f(0) = 0
/// it is the limit of f(y) / y, from the right at a kink: 1 for relu, leaky relu, elu and tanh, as in the paper, and
/// 1/2 for gelu and silu, where 1 would be no neighbour of the entries at small y. Any finite entry is exact at
/// convergence, since it multiplies that 0. A max-pool is no diagonal: it holds its arg-max.
/// Throws OperatorError (its index is a position in network.operators()) where y = 0 and f(0) is not 0 (sigmoid), or y
/// is so small that f(y) / y overflows: the form breaks down there; std::invalid_argument for wrong lengths.
[[nodiscard]] HeldOperators held_operators(const Network& network, const NetworkWeights& weights,
                                           std::span<const double> x, const std::vector<std::vector<double>>& outputs);

/// Solves the system once by forward substitution. Shapes: result as activations(). Numbers may be infinite or NaN.
/// Throws std::invalid_argument for wrong lengths. Cost: sweep_cost().
[[nodiscard]] std::vector<std::vector<double>> sweep(const Network& network, const NetworkWeights& weights,
                                                     const HeldOperators& held, std::span<const double> x);

/// Sweeps after which the output of every operator is exact, at most: 1 + the largest number of operators that are not
/// affine on a path to it, itself included. One entry per operator.
///
/// For the input y of such an operator, once exact, gives the exact D of the next sweep, and what is exact before an
/// operator stays so: one of them more per sweep, by the triangular structure. What was infinite or NaN does not come
/// back.
[[nodiscard]] std::vector<std::size_t> sweeps_until_exact(const Network& network);

/// max |found - exact| / max |exact| (absolute where exact is all 0); infinite where `found` has a number that is not
/// finite. Shapes: equal lengths, else std::invalid_argument.
[[nodiscard]] double relative_error(std::span<const double> found, std::span<const double> exact);

/// The sweeps of one input, compared with the plain forward pass.
struct SweepHistory {
  std::vector<std::vector<double>> errors;  ///< [sweep - 1][operator]: relative_error() of its output
  std::vector<std::size_t> until_exact;     ///< sweeps_until_exact()
  std::optional<std::size_t> needed;        ///< sweeps from which on the network's error stays within the tolerance
  std::vector<std::vector<double>> last;    ///< what the last sweep left, as sweep()

  /// The error of the network's output after sweep s >= 1.
  [[nodiscard]] double output_error(std::size_t s) const { return errors[s - 1].back(); }
};

/// Sweeps until the output is exact by structure: sweeps_until_exact().back() of them.
///
/// `earlier`: D comes from the plain pass at this input; nothing: D = I. `tolerance` >= 0 on the output's error.
/// Throws OperatorError as held_operators(), with the sweep in its text, and as activations(); std::invalid_argument.
/// Cost: sweep_cost() each, and a plain pass per input for the comparison.
[[nodiscard]] SweepHistory forward_sweeps(const Network& network, const NetworkWeights& weights,
                                          std::span<const double> x, std::optional<std::span<const double>> earlier,
                                          double tolerance);

/// Work of one sweep by substitution beside a plain forward pass. Additions of biases are not counted.
struct SweepCost {
  std::uint64_t flops = 0;  ///< 2 per entry of an affine operator's Jacobian and per held number; additions of add
  std::uint64_t plain_flops = 0;  ///< the same without what is held: those of a plain pass
  std::uint64_t evaluations = 0;  ///< of f, and elements compared by max-pooling; in a sweep and in a plain pass
  std::uint64_t divisions = 0;    ///< f(y) / y: of a sweep only
};

/// Counts a sweep; of `weights` only what is kept matters. Throws CountOverflow.
[[nodiscard]] SweepCost sweep_cost(const Network& network, const NetworkWeights& weights);

}  // namespace upsweep
