#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/compare_gradients.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

namespace upsweep {

/// Parameter gradients in double precision, and how far others may be away.
struct ParameterOracle {
  CellWeights<double> gradient;
  CellWeights<double> bound;  ///< accepted difference, element by element; may be infinite
};

/// The oracle from the definition, element by element, in double precision; shares no code with parameter_gradients().
///
/// Shapes: as parameter_gradients(); `hidden` from the same weights and states; `head` is taken as exact.
/// Bound, for results of type T with unit roundoff u (that of the oracle added): each parameter is a sum of K = T · B
/// terms c · g · x, with the derivative c of h_t with respect to one sum of the cell. The sum of |c · x| times the
/// bound of g, plus min(K' · u / (1 - K' · u), 3 · sqrt(K') · u) times the sum of |c| · |g| · |x|, K' = K + 16, where
/// |c| is the sum of the absolute values of its terms (Higham, 2002, Lemma 3.1; Higham and Mary, 2019). Threads over
/// the sums of the cell. Throws std::invalid_argument for wrong lengths.
template <class T>
[[nodiscard]] ParameterOracle parameter_oracle(const CellWeights<T>& weights, const ForwardStates<T>& states,
                                               std::span<const T> inputs, const HiddenGradientOracle& hidden,
                                               const HeadResult<T>& head);

/// How close parameter gradients are to the oracle. The scale is the largest |gradient| of an array.
struct ParameterComparison : Closeness {
  std::optional<std::string> mismatch;  ///< the first element that is out of its bound
};

/// Compares all parameters within the bound; NaN and infinity are out of any. Throws std::invalid_argument for another
/// shape.
template <class T>
[[nodiscard]] ParameterComparison compare_parameters(const ParameterOracle& oracle, const CellWeights<T>& found);

}  // namespace upsweep
