#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

namespace upsweep {

/// A hash of 128 bits that stands for content: of a point of a study or of a counted model.
using ContentKey = std::array<std::uint8_t, 16>;

/// For hash tables: the first bytes are as good as any.
struct ContentKeyHash {
  std::size_t operator()(const ContentKey& key) const {
    std::size_t hash = 0;
    std::memcpy(&hash, key.data(), sizeof hash);
    return hash;
  }
};

}  // namespace upsweep
