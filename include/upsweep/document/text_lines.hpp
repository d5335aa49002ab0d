#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep {

/// Columns on a terminal: a code point takes one, whatever its bytes.
[[nodiscard]] std::size_t text_width(std::string_view text);

/// Bytes of the first `width` columns of a text, or of all of it.
[[nodiscard]] std::size_t leading_bytes(std::string_view text, std::size_t width);

/// The width of the longest part that wrapped_text() need not break.
[[nodiscard]] std::size_t longest_part(std::string_view text);

/// Lines of at most `width` >= 1 columns, broken after blanks and slashes, and anywhere in longer parts; at least one.
[[nodiscard]] std::vector<std::string> wrapped_text(std::string_view text, std::size_t width);

/// The text with `instead` for each control character: of ASCII, of C1, those that end a line or turn the direction of
/// a text, and U+FFFE and U+FFFF, which are none.
[[nodiscard]] std::string without_controls(std::string_view text, char instead = '?');

/// The bytes of the character of UTF-8 that a text begins with; 1 where it begins with none.
[[nodiscard]] std::size_t character_bytes(std::string_view text);

/// A text of others for a terminal: control characters (also those that turn the direction of a text), characters that
/// are none and bytes that are no UTF-8 stand there as "\\x1b" or "\\u202e". Line feeds stay.
[[nodiscard]] std::string visible_text(std::string_view text);

/// Pads the numbers of a column so that, aligned to the right, all digits end at one place: "9999" over "26.06 M". As
/// it is where a cell is no number, or none has a unit.
void align_units(std::vector<std::string>& cells);

}  // namespace upsweep
