#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep {

/// A value of a schedule: below `length` the elements of the scan array, then the results of the combines.
using ValueId = std::uint32_t;

/// The identity of ⋄, which no combine produces.
inline constexpr ValueId kIdentity = ~ValueId{0};

enum class Phase : std::uint8_t { up, middle, down };

/// "up", "middle" or "down".
[[nodiscard]] std::string to_string(Phase phase);

/// One evaluation of ⋄: target ← left ⋄ right, by position in the scan array: `left` stands for the earlier elements.
struct Combine {
  /// Position that stands for the running reduction: of the middle phase, or of the block to which `right` belongs.
  static constexpr std::int64_t kReduction = -1;

  Phase phase;
  std::uint32_t level;  ///< combines of one level may run at the same time
  std::int64_t left;    ///< position of the earlier operand, or kReduction
  std::int64_t right;   ///< position of the later operand
  std::int64_t target;  ///< position of the result, or kReduction
  ValueId earlier;      ///< the value at `left` at that time
  ValueId later;        ///< the value at `right` at that time

  friend bool operator==(const Combine&, const Combine&) = default;
};

/// An exclusive scan over an array of `length` elements as data: what is combined, in which order, and where the
/// results stand. Values are in static single assignment form: combine i (its id) produces value length + i; renames
/// and combines with the identity leave no trace.
struct Schedule {
  std::string name;               ///< "linear", "hybrid:D", "kogge-stone", "blocked:4", ...
  std::uint32_t depth = 0;        ///< D of linear and hybrid schedules: levels before the cut; 0 for others
  std::size_t length = 0;         ///< N >= 2
  std::vector<Combine> combines;  ///< in the order of their levels; operands come before results
  std::size_t levels = 0;         ///< number of levels; each has at least one combine
  std::vector<ValueId> results;   ///< length N: results[0] = kIdentity, results[k] = a[0] ⋄ ... ⋄ a[k - 1]

  /// The depth of linear and hybrid schedules; nothing for others, which are not cut at one.
  [[nodiscard]] std::optional<std::uint32_t> hybrid_depth() const;
  /// The value that combine `id` produces.
  [[nodiscard]] ValueId value_of(std::size_t id) const { return static_cast<ValueId>(length + id); }
  /// Number of values: array elements and results of combines.
  [[nodiscard]] std::size_t values() const { return length + combines.size(); }
};

/// The contiguous part [first, last] of the scan array that a value combines.
struct ValueRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;

  friend bool operator==(const ValueRange&, const ValueRange&) = default;
  friend auto operator<=>(const ValueRange&, const ValueRange&) = default;
};

/// The range of every value; length schedule.values().
///
/// Throws std::logic_error when a combine joins ranges that are not neighbours in this order: such a schedule would be
/// wrong for an operator that does not commute.
[[nodiscard]] std::vector<ValueRange> value_ranges(const Schedule& schedule);

/// For every combine whether no result depends on it; length combines.size().
[[nodiscard]] std::vector<bool> dead_combines(const Schedule& schedule);

/// The schedule without its dead combines; values and levels are numbered anew.
[[nodiscard]] Schedule live_part(Schedule schedule);

/// By combine: the values of combines, results not among them, that nothing reads after it; a dead value goes at once.
[[nodiscard]] std::vector<std::vector<ValueId>> dropped_values(const Schedule& schedule);

/// Combines per level; length schedule.levels.
[[nodiscard]] std::vector<std::size_t> level_sizes(const Schedule& schedule);

/// The most combines in one level; 0 without any.
[[nodiscard]] std::size_t widest_level(const Schedule& schedule);

}  // namespace upsweep
