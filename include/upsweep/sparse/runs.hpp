#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/sparse/product.hpp"
#include "upsweep/sparse/row_classes.hpp"

namespace upsweep {

/// A row of so many columns, or fewer, is no run: it would gain nothing from being one.
inline constexpr std::uint64_t kShortRun = 4;

/// Whether the `count` columns of a row from `first` to `last` are a run: consecutive, and not few. A plan adds such a
/// row of Y to the sums of a row of C without looking up where each of them lies, as long as keeps_columns().
[[nodiscard]] constexpr bool is_run(std::uint64_t first, std::uint64_t last, std::uint64_t count) {
  return count > kShortRun && last - first + 1 == count;
}

[[nodiscard]] bool is_run(const Row& row);

/// The same of the rows of a class, whatever their shift.
[[nodiscard]] bool is_run(const WindowRow& row, const ImageShape& cols);

/// Whether at least half of the steps of walks over Y are at runs: what is read of Y are then its numbers, of most
/// steps without their columns.
[[nodiscard]] constexpr bool is_mostly_runs(std::uint64_t steps, std::uint64_t run_steps) {
  return run_steps > 0 && run_steps >= steps - run_steps;
}

/// Whether the sums of a row of C = X·Y lie in the order of its `cols` columns while they grow, so that runs of Y are
/// runs of sums: where all of them fit a part of the first cache, and where at least half of the steps of walks over Y
/// are at runs. Else their order is that in which rows of C meet them first.
[[nodiscard]] constexpr bool keeps_columns(std::uint64_t cols, std::uint64_t steps, std::uint64_t run_steps,
                                           std::size_t value_bytes) {
  constexpr std::uint64_t kSmallCache = 16 << 10;
  return cols <= kSmallCache / (kTeamRows * value_bytes) || is_mostly_runs(steps, run_steps);
}

}  // namespace upsweep
