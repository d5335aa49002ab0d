#pragma once

#include <cstddef>
#include <string_view>

namespace upsweep {

/// Fewest insertions, deletions and replacements that turn `a` into `b`. Cost: product of the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Whether one may be a slip of the other: two letters at most, and not all of them.
[[nodiscard]] bool is_slip(std::string_view found, std::string_view meant);

}  // namespace upsweep
