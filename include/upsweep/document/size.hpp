#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace upsweep {

/// What size_of() accepts, for messages.
inline constexpr const char* kSizeForms =
    "a positive number of bytes, or one with kB, MB, GB, TB, KiB, MiB, GiB or TiB";

/// The bytes of "16GiB", "1.5 GB" or "4096", rounded down to at least 1; nothing for another text.
[[nodiscard]] std::optional<std::uint64_t> size_of(const std::string& text);

/// "is 16 bytes; 16 GiB are written 16GiB" of a number without unit below 1 MiB, who may have meant another; else
/// empty.
[[nodiscard]] std::string small_size_note(const std::string& text);

}  // namespace upsweep
