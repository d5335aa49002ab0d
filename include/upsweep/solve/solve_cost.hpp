#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/solve/system_shape.hpp"

namespace upsweep {

/// How a backward system is solved.
enum class SolveMethod : std::uint8_t {
  substitution,  ///< directly, block after block: plain back-propagation
  jacobi,
  richardson,
  bicgstab,
};

/// "substitution", "jacobi", ...; with groups of more than one block "hybrid:8 jacobi".
[[nodiscard]] std::string method_name(SolveMethod method, std::size_t group = 1);

/// What is solved, and on how many workers.
struct SolveSetting {
  SolveMethod method = SolveMethod::jacobi;
  std::size_t group = 1;    ///< consecutive blocks that are solved directly (section 3.4); 1 is the plain method
  std::size_t workers = 1;  ///< at least 1
  std::uint64_t batch = 1;  ///< right sides, r in the paper
};

/// What one iteration costs; of substitution the whole solution. FLOPs by the counting rule.
///
/// An iteration of BiCGStab has two products with the matrix, of the others one.
struct SolveCost {
  std::uint64_t product_flops = 0;  ///< of products with J^T and f' (46)
  std::uint64_t vector_flops = 0;   ///< of sums, differences and dot products of whole vectors
  std::uint64_t largest_flops = 0;  ///< of the longest group in a product: what a worker per group takes for it (47)
  std::uint64_t makespan = 0;       ///< on the workers, in FLOPs
  std::uint64_t vectors = 0;        ///< δ: vectors of unknowns held, v included
  std::uint64_t vector_bytes = 0;   ///< of these

  [[nodiscard]] std::uint64_t flops() const { return product_flops + vector_flops; }
  friend bool operator==(const SolveCost&, const SolveCost&) = default;
};

/// The cost of one iteration on a chain.
///
/// Makespan of a product: every group is a task, all of its right sides with it; tasks go in the order of the groups
/// from the loss on, each to the worker that becomes free first, as in simulate_tasks(); then a barrier. Work on whole
/// vectors is divided evenly and needs no barrier of its own; what a reduction costs to communicate is not counted.
/// Substitution is one task after the other, on one worker. `value_bytes` is 4 or 8.
/// Throws std::invalid_argument for 0 groups, workers or right sides, CountOverflow.
[[nodiscard]] SolveCost iteration_cost(const SystemShape& shape, const SolveSetting& setting, unsigned value_bytes);

/// Most iterations that Jacobi takes in exact arithmetic from a start whose last block is that of c: ceil(l / group).
/// 0 where l is 0.
///
/// From v = c it takes all of them and BiCGStab at least half, unless gradients vanish, since a product carries
/// information over one group; Richardson with a relaxation other than 1 has no such bound.
[[nodiscard]] std::size_t nilpotent_bound(const SystemShape& shape, std::size_t group);

}  // namespace upsweep
