#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep {

/// Fewest insertions, deletions and replacements that turn `a` into `b`. Cost: product of the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Whether one may be a slip of the other: a letter, of words of six and more two.
[[nodiscard]] bool is_slip(std::string_view found, std::string_view meant);

/// The name that a word may stand for: the first that begins with it, where it has three letters or more, else the
/// nearest that it may be a slip of; null where none is near.
[[nodiscard]] const std::string* meant_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace upsweep
