#pragma once

#include <cstddef>
#include <string>

#include "upsweep/profile/network_profile.hpp"

namespace upsweep {

/// The first operator, towards the network's input, of what a product covers; `range` is of the scan array.
[[nodiscard]] std::size_t first_operator(const Network& network, ValueRange range);

/// Why a schedule was not counted, without a full stop: the operators of the product that took too much, its bytes or
/// steps, and where rows have no classes that would make it cheaper.
[[nodiscard]] std::string uncounted_text(const NetworkView& view, PatternKind pattern,
                                         const UncountedSchedule& uncounted);

}  // namespace upsweep
