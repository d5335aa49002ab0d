#include "upsweep/machine/work_costs.hpp"

#include <numeric>

#include "upsweep/base/checked.hpp"

namespace upsweep {

std::uint64_t moved_bytes(const OpWork& work, std::uint64_t left_nnz, std::uint64_t right_nnz, std::uint64_t nnz,
                          unsigned value_bytes) {
  const ProductSteps& steps = work.steps;
  const std::uint64_t numbers = checked_add(checked_add(left_nnz, right_nnz), checked_mul(2, nnz));
  // A walk or a hop reads a column of X each; a vector's steps are its columns.
  std::uint64_t columns = steps.scaled_columns + steps.single_hops + steps.team_hops + steps.passes;
  if (work.is_mv) columns += steps.single_steps + steps.team_steps;
  return checked_add(checked_mul(value_bytes, numbers),
                     checked_mul(sizeof(Index), columns + steps.single_sums + steps.team_sums));
}

std::uint64_t picked_entries(const OpWork& work) {
  const ProductSteps& steps = work.steps;
  // A team of X reads as many entries as its rows have.
  return work.is_mv && steps.teams > 0 && steps.single_steps + steps.team_steps == steps.teams ? work.flops / 2 : 0;
}

WorkVector work_counts(const OpWork& work, const FarShares& far, const FineUnits& fine) {
  WorkVector counts{};
  counts[work_unit("moved_byte")] = static_cast<double>(work.moved_bytes);
  if (const std::uint64_t picked = picked_entries(work); fine.picked && picked > 0) {
    counts[work_unit("picked")] = static_cast<double>(picked);
    return counts;
  }
  ProductSteps steps = work.steps;
  if (!fine.runs) steps.single_run_steps = steps.team_run_steps = 0;
  steps.single_steps -= steps.single_run_steps;
  steps.team_steps -= steps.team_run_steps;
  for (std::size_t i = 0; i < kStepCounts.size(); ++i) counts[i] = static_cast<double>(steps.*kStepCounts[i]);
  const auto add = [&counts](std::size_t unit, double share, std::uint64_t count) {
    counts[unit] = share * static_cast<double>(count);
  };
  add(work_unit("far_scaled_column"), far.y, steps.scaled_columns);
  add(work_unit("far_single_step"), far.y, steps.single_steps);
  add(work_unit("far_team_step"), far.y, steps.team_steps);
  add(work_unit("far_single_run"), far.y, steps.single_run_steps);
  add(work_unit("far_team_run"), far.y, steps.team_run_steps);
  add(work_unit("far_pass"), fine.passes ? far.y : 0, steps.passes);
  add(work_unit("wide_single_step"), far.single_sums, steps.single_steps);
  add(work_unit("wide_team_step"), far.team_sums, steps.team_steps);
  add(work_unit("wide_single_sum"), far.single_sums, steps.single_sums);
  add(work_unit("wide_team_sum"), far.team_sums, steps.team_sums);
  return counts;
}

double WorkCosts::seconds(const WorkVector& counts) const {
  return std::inner_product(counts.begin(), counts.end(), unit_s.begin(), 0.0);
}

}  // namespace upsweep
