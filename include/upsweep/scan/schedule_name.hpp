#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/scan/schedule.hpp"
#include "upsweep/scan/scheme.hpp"

namespace upsweep {

/// A schedule by its name, for an array of any length.
struct ScheduleRequest {
  /// The depth of blelloch: the largest.
  static constexpr std::uint64_t kFullDepth = std::numeric_limits<std::uint32_t>::max();

  const Scheme* scheme = &schemes().front();  ///< of the table; hybrids by default
  std::uint64_t parameter = 0;                ///< of the scheme; 0 where it has none
  std::string text = "linear";                ///< as it was asked for
  std::optional<Schedule> order = {};         ///< where it names each product: of this length alone; `scheme` has none
};

/// What parse_schedule() accepts, for messages.
[[nodiscard]] const std::string& accepted_schedules();

/// The names that a text may have been meant as, behind others: words of schemes, and their names with its parameter,
/// or with one where it has none.
[[nodiscard]] std::vector<std::string> schedule_names(const std::string& text, std::vector<std::string> others = {});

/// What stands behind a text that is no schedule: ": did you mean hybrid:2?, accepted are linear, ...", without the
/// hint where none is near. `others` are accepted besides.
[[nodiscard]] std::string accepted_schedules(const std::string& text, const std::vector<std::string>& others = {});

/// Reads the name of a schedule: a word of a scheme, or its name, a colon and the parameter; or an order, see
/// order_name().
///
/// Throws std::invalid_argument, "'x' is no schedule, accepted are ...", with a hint where a name is near, or with what
/// is wrong with an order.
[[nodiscard]] ScheduleRequest parse_schedule(const std::string& text);

/// One name for all requests that mean the same at every length: "hybrid:0" and "substitution" are "linear".
[[nodiscard]] std::string canonical_name(const ScheduleRequest& request);

/// The schedule for an array of `length` elements; its name says what it became there: "hybrid:9" may be "hybrid:3".
/// Throws std::invalid_argument below 2 elements, and for an order of another length.
[[nodiscard]] Schedule make_schedule(const ScheduleRequest& request, std::size_t length);

/// That a request became another schedule over `length` elements, which allow no more levels or blocks: "hybrid:9 over
/// 12 elements is hybrid:3"; empty where `name` is what was asked for, as it is for blelloch at every length.
[[nodiscard]] std::string became_text(const ScheduleRequest& request, const std::string& name, std::size_t length);

}  // namespace upsweep
