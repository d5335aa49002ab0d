#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "upsweep/machine/kernel_costs.hpp"
#include "upsweep/machine/sparse_product.hpp"
#include "upsweep/machine/team_groups.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {

/// One combine, as a machine sees it. Counts of one input.
struct OpWork {
  bool is_mv = false;
  std::uint64_t flops = 0;
  ProductSteps steps;
  std::uint64_t bytes = 0;         ///< of operands and result, each once, as the counting rules have them
  std::uint64_t picked_bytes = 0;  ///< of Y that is read here and there: a vector, a diagonal, or rows to walk
  std::uint64_t moved_bytes = 0;   ///< see moved_bytes()
  ProductSizes sizes = {};         ///< all 0: not known
};

/// Bytes that a planned product moves: the numbers of both operands; those of the result twice, since a cache reads
/// what it is going to write; and 4 for each column that it reads of X or of the result, once per team.
[[nodiscard]] std::uint64_t moved_bytes(const OpWork& work, std::uint64_t left_nnz, std::uint64_t right_nnz,
                                        std::uint64_t nnz, unsigned value_bytes);

/// Entries of a matrix times a vector where no row has two entries, as those of a diagonal or a pooling: elements of
/// the vector are picked and scaled, one after the other. 0 of any other product.
[[nodiscard]] std::uint64_t picked_entries(const OpWork& work);

/// What the time of a product is made of, by the names of machine files: the counts of ProductSteps in the order of
/// kStepCounts, steps at runs apart from all others; those of them, and rows, that read Y from a far cache; steps and
/// sums of rows whose sums do not fit the first cache, besides; picked_entries(), instead of all others; bytes moved.
// clang-format off
inline constexpr std::array<const char*, kStepCounts.size() + 12> kWorkNames = {
    "team",              "scaled_column",   "scaled_row",      "single_hop",     "team_hop",     "pass",
    "single_step",       "team_step",       "single_sum",      "team_sum",       "single_run",   "team_run",
    "far_scaled_column", "far_single_step", "far_team_step",   "far_single_run", "far_team_run", "far_pass",
    "wide_single_step",  "wide_team_step",  "wide_single_sum", "wide_team_sum",  "picked",       "moved_byte"};
// clang-format on

/// The position of a name of kWorkNames.
[[nodiscard]] consteval std::size_t work_unit(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(kWorkNames, name) - kWorkNames.begin());
}

/// One number for each of kWorkNames.
using WorkVector = std::array<double, kWorkNames.size()>;

/// Units that are also counted as others: files from before there were any lack them, see work_counts().
struct FineUnits {
  bool picked = false;  ///< "picked"
  bool runs = false;    ///< the four "run" ones
  bool wide = false;    ///< the four "wide" ones
  bool passes = false;  ///< "far_pass"

  friend constexpr FineUnits operator&&(const FineUnits& a, const FineUnits& b) {
    return {a.picked && b.picked, a.runs && b.runs, a.wide && b.wide, a.passes && b.passes};
  }
  friend constexpr FineUnits operator||(const FineUnits& a, const FineUnits& b) {
    return {a.picked || b.picked, a.runs || b.runs, a.wide || b.wide, a.passes || b.passes};
  }
  friend bool operator==(const FineUnits&, const FineUnits&) = default;
};

/// Which of these a name of kWorkNames is one of; none, or one.
[[nodiscard]] constexpr FineUnits fine_unit(std::string_view name) {
  return {name == "picked", name.ends_with("_run"), name.starts_with("wide_"), name == "far_pass"};
}

/// Whether a file has that name of kWorkNames where `fine` are known.
[[nodiscard]] constexpr bool has_unit(const FineUnits& fine, std::string_view name) {
  const FineUnits unit = fine_unit(name);
  return (!unit.picked || fine.picked) && (!unit.runs || fine.runs) && (!unit.wide || fine.wide) &&
         (!unit.passes || fine.passes);
}

/// How far away the caches are in which a combine works, 0 to 1 by the logarithm of the bytes: from half to twice of
/// what fits.
struct FarShares {
  double y = 0;  ///< rows of Y to walk from the near cache (0) or a farther one (1); numbers of a vector or diagonal
                 ///< from the first cache (0) or a farther one (1)
  double single_sums = 0;  ///< sums of a row that is alone, of which half of the first cache has room
  double team_sums = 0;    ///< likewise of a team of kTeamRows
};

/// The counts of a combine. `far`: of the machine, see far_shares(). `fine`: whether picked entries and steps at runs
/// are counted as such, or as the steps that they are else. Those of wide rows, of steps that are not at runs, and far
/// passes stand beside all others: where nothing is known of them, they cost nothing.
[[nodiscard]] WorkVector work_counts(const OpWork& work, const FarShares& far,
                                     const FineUnits& fine = {true, true, true, true});

/// The counts of a combine as kernels for planned products do it. `uncached`: see uncached_share().
[[nodiscard]] KernelVector kernel_work(const OpWork& work, const TeamRoom& room, unsigned value_bytes, double uncached);

/// Seconds of one worker for a unit of each of kWorkNames.
struct WorkCosts {
  WorkVector unit_s{};
  FineUnits knows = {};  ///< which of these have a time

  [[nodiscard]] double seconds(const WorkVector& counts) const;
  friend bool operator==(const WorkCosts&, const WorkCosts&) = default;
};

}  // namespace upsweep
