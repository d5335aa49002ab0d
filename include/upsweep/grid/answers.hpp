#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "upsweep/grid/grid.hpp"
#include "upsweep/grid/point_brief.hpp"
#include "upsweep/grid/question.hpp"

namespace upsweep {

/// Two neighbours of a line between which an answer changes, as places on its axis; not by number but in their order.
struct Bracket {
  std::size_t before = 0;
  std::size_t after = 0;
  bool holds_after = false;  ///< whether the predicate holds at `after`; it does not at `before`, or the reverse

  friend bool operator==(const Bracket&, const Bracket&) = default;
};

/// True, false, or nothing for a point that does not say (not done).
using PointPredicate = std::function<std::optional<bool>(const PointBrief& brief)>;

/// All changes of a predicate along a line that starts at `first` and takes every `stride`-th point. `places`: those of
/// the line, in the order in which they are neighbours; points that do not say are passed over.
[[nodiscard]] std::vector<Bracket> changes_along(const std::vector<PointBrief>& points, std::uint64_t first,
                                                 std::uint64_t stride, std::span<const std::size_t> places,
                                                 const PointPredicate& predicate);

/// Whether a scan is faster than plain back-propagation; nothing where one of the two has no score.
[[nodiscard]] std::optional<bool> scan_is_faster(const PointBrief& brief);

/// Bytes that MemoryOf means, or NaN.
[[nodiscard]] double bytes_of(const PointBrief& brief, MemoryOf of);

/// Whether the memory that the question is about fits its limit, else the point's; nothing where one is not known. The
/// best schedule of an infeasible point does not fit: there is none, even under the point's limit (if not the smaller).
[[nodiscard]] std::optional<bool> fits(const PointBrief& brief, const Question& question);

/// Positions of the `count` best points by a key, best first, ties by position; only points that have it. Where scores
/// of some points are seconds, those of others in FLOPs are none to compare.
[[nodiscard]] std::vector<std::uint64_t> top_points(const std::vector<PointBrief>& points, PointKey by,
                                                    std::uint64_t count);

/// Positions of the points that no other one beats in score without needing more memory, or in memory without a larger
/// score; by ascending score, ties by memory, then position; of points with equal figures the first. Scores of two
/// units as top_points() has them.
[[nodiscard]] std::vector<std::uint64_t> pareto_front(const std::vector<PointBrief>& points);

/// How often each schedule is the best; index: number of its name.
[[nodiscard]] std::vector<std::uint64_t> wins_by_schedule(const std::vector<PointBrief>& points);

/// Where a predicate changes between `low` and `high` (low < high), by bisection: the last number known on low's side
/// and the first on high's side.
struct Narrowed {
  double low = 0;
  double high = 0;
  std::size_t evaluations = 0;
  bool is_blocked = false;  ///< a point in between did not say: the interval is as narrow as it got

  friend bool operator==(const Narrowed&, const Narrowed&) = default;
};

/// Bisects until high - low <= tolerance · |high| or, where `is_whole`, high - low <= 1; where low > 0 in logarithms,
/// else in the numbers. `side(x)` is whether x is on high's side, nothing where x does not say.
///
/// Where `is_whole`, both ends must be whole; they stay so. With a tolerance of 0 they end as neighbours. Cost: at most
/// 200 calls of `side`.
[[nodiscard]] Narrowed bisect(double low, double high, bool is_whole, double tolerance,
                              const std::function<std::optional<bool>(double x)>& side);

}  // namespace upsweep
