#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace upsweep {

/// At most `most` >= 1 characters of a text; one that was cut ends in "…". A byte that is no part of UTF-8 is a
/// character of its own.
[[nodiscard]] std::string cut_text(std::string_view text, std::size_t most);

/// The same of a text of a user for one line: control characters become blanks.
[[nodiscard]] std::string short_text(std::string_view text, std::size_t most = 32);

}  // namespace upsweep
