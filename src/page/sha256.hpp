#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace upsweep {

/// The SHA-256 digest of a text. Source: FIPS 180-4, sections 5.1.1, 5.3.3 and 6.2.
[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view text);

/// The digest as Base64 with padding (RFC 4648), as Content-Security-Policy names scripts.
[[nodiscard]] std::string sha256_base64(std::string_view text);

}  // namespace upsweep
