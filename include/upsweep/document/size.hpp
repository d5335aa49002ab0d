#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace upsweep {

/// The units of size_of() besides B, for messages.
inline constexpr const char* kSizeUnits = "kB, MB, GB, TB, KiB, MiB, GiB or TiB";

/// The bytes of "16GiB", "1.5 GB" or "4096", rounded down to at least 1; nothing for another text.
[[nodiscard]] std::optional<std::uint64_t> size_of(const std::string& text);

/// hint_of() a text that is no size, of the same number with each unit: ": did you mean 400MiB?" of "400Mib".
[[nodiscard]] std::string size_hint(const std::string& text);

/// "is 16 bytes; 16 GiB are written 16GiB" of a number without unit below 1 MiB, with which another may be meant;
/// where such a number counts something else, `counted`, also of larger ones. Else empty.
[[nodiscard]] std::string bare_size_note(const std::string& text, const std::string& counted = "byte");

}  // namespace upsweep
