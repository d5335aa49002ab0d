#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/recurrent/stacked.hpp"
#include "upsweep/search/candidate.hpp"

namespace upsweep {

/// All ways to solve a stack: the wavefront first, then of every other kind each hybrid depth from 0 and Kogge-Stone.
///
/// At depth 0 products-ahead has no products of matrices and is left out: it is layer-by-layer. Throws like
/// profile_stacked().
[[nodiscard]] std::vector<StackedMethod> stacked_methods(const StackedShape& shape);

/// The wavefront, and of every other kind the hybrid scan of this depth and Kogge-Stone.
[[nodiscard]] std::vector<StackedMethod> stacked_methods(const StackedShape& shape, std::uint32_t depth);

/// Ways through a stack compared: a search whose candidates, in the order of the methods, are these ways under
/// Execution::level; the wavefront is the first. Additions between products count. Only makespans under that execution
/// are known.
struct StackedSearchResult : SearchResult {
  StackedShape shape;
  std::vector<StackedProfile> profiles;  ///< of the candidates

  [[nodiscard]] const StackedProfile& wavefront() const { return profiles.front(); }
};

/// Scores ways, of which the first is the wavefront. A way is infeasible where its memory exceeds the limit; ties go to
/// the way that comes first.
///
/// The execution, the scope and the machine of `options` are not asked. Throws std::invalid_argument without a
/// wavefront at the front and like profile_stacked(); CountOverflow.
[[nodiscard]] StackedSearchResult compare_stacked(const StackedShape& shape, const std::vector<StackedMethod>& methods,
                                                  const SearchOptions& options);

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
