#pragma once

#include <cstdint>

namespace upsweep {

// Memory by the formulas of papers, beside what the simulator counts. The papers give orders of growth; here they stand
// with the constant 1.

/// Bytes of transposed Jacobians that one of `workers` workers holds in BPPSA: max(n / p, 1) · M_Jacob.
///
/// Shapes: `elements` is n, the number of Jacobians; `jacobian_bytes` is M_Jacob, the bytes of the largest one.
/// Throws std::invalid_argument for 0 elements or workers and bytes that are negative or not a number.
/// Source: Wang, "BPPSA" (thesis, 2020), section 3.6, "Space Complexity": M_Blelloch(n) = Θ(max(n/p, 1)) M_Jacob.
[[nodiscard]] double bppsa_worker_bytes(std::uint64_t elements, std::uint64_t workers, double jacobian_bytes);

/// Bytes of activations that one of K workers holds in pipeline parallelism with re-materialisation: (L / K + K) · M,
/// for L layers, as many micro-batches as workers, and M bytes of an activation of a micro-batch.
///
/// L / K activations are made again from the one at the boundary of the worker's layers, of which it holds one for each
/// of the K micro-batches. Throws like bppsa_worker_bytes().
/// Smallest for sqrt(L) workers, where both terms are equal.
/// Source: thesis, section 2.2, "Space Complexity of GPipe": Θ(L/K + K), of Huang et al., "GPipe", 2019; in section 3.6
/// M_Pipeline = Θ(n/p + p) M_x.
[[nodiscard]] double pipeline_worker_bytes(std::uint64_t layers, std::uint64_t workers, double activation_bytes);

}  // namespace upsweep
