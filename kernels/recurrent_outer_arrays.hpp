#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "recurrent_outer_plan.hpp"
#include "upsweep/recurrent/cell.hpp"

/// Arrays of the kernels around a backward pass as the host has them; plain C++, tested everywhere.
namespace upsweep::kernels {

/// The parameters of a cell as ForwardView wants them.
template <class T>
struct ForwardArrays {
  std::vector<T> w_ih;         ///< input × (gates · hidden)
  std::vector<T> w_hh;         ///< hidden × (gates · hidden)
  std::vector<T> bias;         ///< gates · hidden
  std::vector<T> hidden_bias;  ///< gru: hidden; else empty
};

template <class T>
[[nodiscard]] ForwardArrays<T> forward_arrays(const CellWeights<T>& weights);

/// Throws NonFiniteState for the first step, and its first sample, that ForwardView::faults names.
///
/// Shapes: `faults` [b][hidden].
void require_no_fault(std::span<const std::uint64_t> faults, std::size_t hidden);

/// Writes the results of part_program(), plan.sums numbers, to where gradients have them.
template <class T>
void write_gradients(const OuterPlan& plan, std::span<const T> sums, CellWeights<T>& gradients);

}  // namespace upsweep::kernels
