#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// What parse_schedule() tells apart.
enum class ScheduleKind : std::uint8_t {
  hybrid,  ///< linear and blelloch too
  kogge_stone,
  sklansky,
  brent_kung,
  recursive_doubling,
  cyclic_reduction,
  blocked,
};

/// A schedule by its name, for an array of any length.
struct ScheduleRequest {
  /// The depth of blelloch: the largest.
  static constexpr std::uint64_t kFullDepth = std::numeric_limits<std::uint32_t>::max();

  ScheduleKind kind = ScheduleKind::hybrid;
  std::uint64_t parameter = 0;  ///< hybrid: depth of at most kFullDepth; blocked: blocks, at least 1; 0 for others
  std::string text = "linear";  ///< as it was asked for
};

/// What parse_schedule() accepts, for messages.
[[nodiscard]] const std::string& accepted_schedules();

/// Reads linear, substitution (which is linear), blelloch, hybrid:L, kogge-stone, sklansky, brent-kung,
/// recursive-doubling, cyclic-reduction or blocked:P.
///
/// Throws std::invalid_argument, "'x' is no schedule, accepted are ...".
[[nodiscard]] ScheduleRequest parse_schedule(const std::string& text);

/// One name for all requests that mean the same at every length: "hybrid:0" and "substitution" are "linear".
[[nodiscard]] std::string canonical_name(const ScheduleRequest& request);

/// The schedule for an array of `length` elements; its name says what it became there: "hybrid:9" may be "hybrid:3".
/// Throws std::invalid_argument below 2 elements.
[[nodiscard]] Schedule make_schedule(const ScheduleRequest& request, std::size_t length);

}  // namespace upsweep
