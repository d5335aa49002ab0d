#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "upsweep/base/content_key.hpp"

namespace upsweep {

/// Bytes as they are kept under a key beyond this process: with a checksum (XXH3, 128 bits) of both before them.
[[nodiscard]] std::string seal(const ContentKey& key, std::string_view bytes);

/// What was kept under a key.
struct Unsealed {
  std::optional<std::string_view> bytes;  ///< of the text that was read; nothing where they are not what was kept
  bool is_older = false;                  ///< without a checksum, as before version 5 of analyses
};

/// The bytes that seal() kept.
[[nodiscard]] Unsealed unseal(const ContentKey& key, std::string_view sealed);

}  // namespace upsweep
