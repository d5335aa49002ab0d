#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/base/rounding.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"

namespace upsweep {

/// Hidden gradients in double precision, with what bounds the rounding of any other way to compute them.
struct HiddenGradientOracle {
  std::vector<double> gradient;  ///< [t][b][hidden], t = 0..T

  /// [t][b][hidden]: at least |gradient| and never 0: |J_{t+1}|^T ··· |J_T|^T |g_T|, where an entry of |J| is the sum
  /// of the absolute values of its terms; for underflow the smallest normal fp32 number (fp64: 1e-145) times the sum of
  /// all gradients nearer to the loss, at least 1. A worst case, which outgrows the gradient over many steps and may
  /// become infinite.
  std::vector<double> magnitude;

  /// [t][b][hidden]: how large the sum of independent errors of relative size 1 in all products would be. May be
  /// infinite where Jacobians expand.
  ///
  /// A rounding error of a product Φ_1 Φ_2 of Jacobians reaches g_t as Φ_0 · error · g_s, whatever the association; its
  /// variance is (Φ_0 ∘ Φ_0)(Φ_1 ∘ Φ_1)(Φ_2 ∘ Φ_2)(g_s ∘ g_s). The rule: the square root of the sum of these over all
  /// places to cut the steps from t on into such Φ_0, Φ_1, Φ_2 and the rest; a Jacobian of its own counts with the
  /// absolute values of its terms, and every gradient with the underflow as in `magnitude`.
  std::vector<double> deviation;
};

/// The oracle for these weights, states (both taken as exact) and g_T, by bptt_reference() in double precision.
///
/// Cost: 12 · hidden³ FLOPs per step and sample for the deviation; threads over the batch. Throws std::invalid_argument
/// for wrong lengths.
template <class T>
[[nodiscard]] HiddenGradientOracle hidden_gradient_oracle(const CellWeights<T>& weights, const ForwardStates<T>& states,
                                                          std::span<const T> last);

/// What compare_hidden_gradients() accepts as a difference, element by element: [t][b][hidden], t = 0..T. May be
/// infinite. Throws std::invalid_argument for wrong lengths.
template <class T>
[[nodiscard]] std::vector<double> hidden_gradient_bounds(const ForwardStates<T>& states,
                                                         const HiddenGradientOracle& oracle);

/// Roundings on a path through one step, products in any association: those of the derivatives, of the sum that forms
/// an entry of a Jacobian, and of a product with inner dimension gates · hidden + 1 at most.
[[nodiscard]] double roundings_per_step(const CellShape& shape);

/// How close hidden gradients are to the oracle. The scale is the largest |gradient| of a step, at least
/// kSmallestProduct.
struct GradientComparison : Closeness {
  std::optional<std::string> mismatch;  ///< the first element, from the loss on, that is out of its bound
};

/// Compares element by element within a rounding bound.
///
/// Shapes: `found` [t][b][hidden], t = 0..T, from the same weights, states and g_T as the oracle.
/// Bound at step t, with c = roundings_per_step(), K = (T - t) · c and the unit roundoffs u of T and of the oracle
/// added: the smaller of the worst case K·u / (1 - K·u) · magnitude (Higham, "Accuracy and Stability of Numerical
/// Algorithms", 2002, Lemma 3.1) and of 3 · sqrt(c) · u · deviation, which errors of random sign stay within (Higham
/// and Mary, SIAM J. Sci. Comput. 41, 2019). g_T must be the same. NaN and infinity are out of any bound. Throws
/// std::invalid_argument for wrong lengths.
template <class T>
[[nodiscard]] GradientComparison compare_hidden_gradients(const ForwardStates<T>& states,
                                                          const HiddenGradientOracle& oracle, std::span<const T> found);

}  // namespace upsweep
