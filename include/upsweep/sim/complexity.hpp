#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/pram_simulation.hpp"

namespace upsweep {

/// Which combines a figure covers.
enum class Scope {
  all,   ///< as the paper executes: dead combines too
  live,  ///< without the combines that no result depends on
};

/// Unit of the cost of a combine.
enum class CostUnit : std::uint8_t { unit, flops };

/// For every combine whether it is in scope.
[[nodiscard]] std::vector<bool> in_scope(const ScheduleProfile& profile, Scope scope);

/// Totals of a schedule, summed over the inputs like the profile.
struct Totals {
  std::uint64_t ops = 0;  ///< work complexity W (not summed over the inputs)
  std::uint64_t flops = 0;
  std::uint64_t critical_path_level = 0;  ///< Σ over levels of the most expensive combine (the artifact's rule)
  std::uint64_t critical_path_dag = 0;    ///< longest path through the data dependencies

  /// The critical path under the rule of an executor.
  [[nodiscard]] std::uint64_t critical_path(Execution execution) const {
    return execution == Execution::level ? critical_path_level : critical_path_dag;
  }
  friend bool operator==(const Totals&, const Totals&) = default;
};

/// Throws CountOverflow.
[[nodiscard]] Totals totals(const ScheduleProfile& profile, Scope scope);

/// The largest matrices and products of a schedule: what a library's integers must hold. Of one input (the mean,
/// rounded up).
struct LargestCounts {
  std::uint64_t extent = 0;     ///< rows or columns
  std::uint64_t nnz = 0;        ///< entries of an operand or a result
  std::uint64_t products = 0;   ///< scalar multiplications of one product of matrices
  std::uint64_t columns = 0;    ///< of a matrix
  std::uint64_t all_bytes = 0;  ///< of all values that are read or made, together
};

[[nodiscard]] LargestCounts largest_counts(const ScheduleProfile& profile, Scope scope);

/// Makespans of one executor.
struct Makespan {
  std::uint64_t unit = 0;   ///< every combine costs 1
  std::uint64_t flops = 0;  ///< every combine costs its FLOPs; summed over the inputs

  friend bool operator==(const Makespan&, const Makespan&) = default;
};

/// A schedule on a PRAM of `workers` workers, for all inputs of a batch. Source of the terms: BPPSA, section 3.6 (step,
/// work, per-step complexity).
struct PramProfile {
  std::uint64_t workers = 1;
  std::uint64_t steps = 0;           ///< step complexity S_p: unit-cost makespan under level execution
  std::uint64_t work = 0;            ///< work complexity W: number of combines
  std::uint64_t per_step_flops = 0;  ///< per-step complexity P: the largest FLOPs of a combine
  Makespan level;
  std::optional<Makespan> dag;           ///< nothing for batches, and where homogeneous_dag_makespan() gives up
  std::uint64_t shared_flops = 0;        ///< makespan in FLOPs where workers share ops: shared_makespan()
  std::uint64_t shared_bound_flops = 0;  ///< shared_bound()
  std::uint64_t peak_live_bytes = 0;

  [[nodiscard]] std::optional<Makespan> makespan(Execution execution) const {
    return execution == Execution::level ? level : dag;
  }
  friend bool operator==(const PramProfile&, const PramProfile&) = default;
};

/// Simulates `profile` on `workers` >= 1 workers with every combine `batch` >= 1 times. Throws CountOverflow.
[[nodiscard]] PramProfile pram_profile(const ScheduleProfile& profile, std::size_t workers, Scope scope = Scope::all,
                                       std::uint64_t batch = 1);

}  // namespace upsweep
