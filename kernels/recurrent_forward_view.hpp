#pragma once

#include <cstdint>

#include "recurrent_cell_view.hpp"

namespace upsweep::kernels {

/// Operands and result of a forward pass where a kernel can read them. Layouts as ForwardStates; owns nothing.
///
/// The sums W_ih x_t + biases of a step stand where its result will be, and are overwritten: of an rnn in h_t, of a
/// gru's gates in r, z and n.
template <class T>
struct ForwardView {
  const T* inputs = nullptr;       ///< [t - 1][b][input]
  const T* w_ih = nullptr;         ///< input rows of gates · hidden: transposed
  const T* w_hh = nullptr;         ///< hidden rows of gates · hidden: transposed
  const T* bias = nullptr;         ///< gates · hidden: b_ih + b_hh, of a gru's n b_ih alone
  const T* hidden_bias = nullptr;  ///< gru: hidden: the b_hh of n, which stands inside of the reset gate
  T* states = nullptr;             ///< h_t: [t][b][hidden], t = 0..T; h_0 is there
  T* r = nullptr;                  ///< gru: [t - 1][b][hidden], likewise z, n, m
  T* z = nullptr;
  T* n = nullptr;
  T* m = nullptr;
  std::uint64_t* faults = nullptr;  ///< [b][hidden]: the first t at which the element, or its m, is not finite; else 0
  std::uint64_t steps = 0;
  std::uint64_t batch = 0;
  std::uint32_t input = 0;
  std::uint32_t hidden = 0;
  bool is_relu = false;

  /// Numbers from step to step.
  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t stride() const { return batch * hidden; }
  /// Where step t of sample b stands in the arrays of gates, and h_{t-1} in `states`.
  [[nodiscard]] UPSWEEP_HOST_DEVICE std::uint64_t place(std::uint64_t t, std::uint64_t b) const {
    return ((t - 1) * batch + b) * hidden;
  }
  /// Where the sums of a gate stand: [t - 1][b][hidden].
  template <CellKind kKind>
  [[nodiscard]] UPSWEEP_HOST_DEVICE T* sums(unsigned gate) const {
    if constexpr (kKind == CellKind::gru) {
      return gate == 0 ? r : gate == 1 ? z : n;
    } else {
      return states + stride();
    }
  }
};

}  // namespace upsweep::kernels
