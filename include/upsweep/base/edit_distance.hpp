#pragma once

#include <cstddef>
#include <string_view>

namespace upsweep {

/// Fewest insertions, deletions and replacements that turn `a` into `b`. Cost: product of the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace upsweep
