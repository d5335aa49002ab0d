#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep {

/// Fewest insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`, each letter in one of
/// them at most. Cost: product of the lengths.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// Whether one may be a slip of the other: a letter or two that are swapped, of words of six and more twice.
[[nodiscard]] bool is_slip(std::string_view found, std::string_view meant);

/// ": did you mean --workers?" where a word may stand for one of the names, whatever the case of its letters: for the
/// first that begins with it, where it has three letters or more, else for the nearest that it may be a slip of, else
/// likewise for one of which a part may be meant, as fronts for study-front. Nothing where none is near.
[[nodiscard]] std::string hint_of(std::string_view word, const std::vector<std::string>& names);

/// The one of some names, at least one, that is nearest to a word, however far.
[[nodiscard]] const std::string& nearest_name(std::string_view word, const std::vector<std::string>& names);

/// What stands behind a word that is none of the names: ": did you mean b?, accepted are a, b, c", without the hint
/// where none is near.
[[nodiscard]] std::string accepted_text(std::string_view word, const std::vector<std::string>& names);

}  // namespace upsweep
