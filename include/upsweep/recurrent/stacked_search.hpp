#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/recurrent/stacked.hpp"

namespace upsweep {

/// All ways to solve a stack: the wavefront first, then of every other kind each hybrid depth from 0 and Kogge-Stone.
///
/// At depth 0 products-ahead has no products of matrices and is left out: it is layer-by-layer. Throws like
/// profile_stacked().
[[nodiscard]] std::vector<StackedMethod> stacked_methods(const StackedShape& shape);

/// The wavefront, and of every other kind the hybrid scan of this depth and Kogge-Stone.
[[nodiscard]] std::vector<StackedMethod> stacked_methods(const StackedShape& shape, std::uint32_t depth);

/// What a comparison minimises.
enum class StackedObjective : std::uint8_t {
  time,            ///< makespan in FLOPs on the workers, additions included
  critical_flops,  ///< critical path
  work_flops,      ///< FLOPs of all products and additions
};

/// "time", "critical-flops" or "work-flops".
[[nodiscard]] std::string to_string(StackedObjective objective);

/// Settings of a comparison.
struct StackedSearchOptions {
  StackedObjective objective = StackedObjective::time;
  std::optional<std::uint64_t> workers;       ///< default: the widest level of all candidates, at least 1
  std::optional<std::uint64_t> memory_limit;  ///< bytes
  unsigned value_bytes = 4;                   ///< 4 or 8
};

/// A way, scored.
struct StackedCandidate {
  StackedProfile profile;
  Makespan makespan;
  bool feasible = true;
  std::string reason;       ///< why it is infeasible, else empty
  std::uint64_t score = 0;  ///< FLOPs
};

/// The ways compared, and the best of them.
struct StackedSearchResult {
  StackedSearchOptions options;
  StackedShape shape;
  std::uint64_t workers = 1;
  std::vector<StackedCandidate> candidates;  ///< in the order of the methods; the wavefront is the first
  std::optional<std::size_t> best;           ///< nothing when none is feasible
  std::optional<double> margin;              ///< runner-up's score / best score - 1; nothing without one or at score 0

  [[nodiscard]] const StackedCandidate& wavefront() const { return candidates.front(); }
};

/// Scores ways, of which the first is the wavefront. A way is infeasible where its memory exceeds the limit; ties go to
/// the way that comes first.
///
/// Throws std::invalid_argument without a wavefront at the front and like profile_stacked(); CountOverflow.
[[nodiscard]] StackedSearchResult compare_stacked(const StackedShape& shape, const std::vector<StackedMethod>& methods,
                                                  const StackedSearchOptions& options);

/// Where another way overtakes the wavefront.
struct StackedOvertaking {
  std::uint64_t workers = 1;
  StackedMethod method;               ///< the fastest with these workers
  std::uint64_t flops = 0;            ///< its makespan
  std::uint64_t wavefront_flops = 0;  ///< larger

  friend bool operator==(const StackedOvertaking&, const StackedOvertaking&) = default;
};

/// The fewest workers with which the FLOPs makespan of some candidate is below that of the wavefront; nothing where no
/// number does.
///
/// Throws CountOverflow. Cost: a makespan per candidate for each number of workers up to those of the wavefront's
/// widest level, 2 · min(layers, steps) at most, and then a binary search: from there on only the others get faster.
[[nodiscard]] std::optional<StackedOvertaking> overtaking_wavefront(const StackedSearchResult& result);

}  // namespace upsweep
