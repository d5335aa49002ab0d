#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep {

/// Shape of an activation of one sample: [channels, height, width] or [features].
using Shape = std::vector<std::uint64_t>;

/// Most elements of an activation: they are numbered with 32 bits.
inline constexpr std::uint64_t kMaxElements = 0xffffffff;

/// Number of elements. Throws CountOverflow.
[[nodiscard]] std::uint64_t elements(const Shape& shape);

/// "[3, 32, 32]".
[[nodiscard]] std::string to_string(const Shape& shape);

/// A value per image axis.
struct PerAxis {
  std::uint64_t y = 0;
  std::uint64_t x = 0;

  friend bool operator==(const PerAxis&, const PerAxis&) = default;
};

// What shape rules require. Each throws std::invalid_argument that says what was found and what is accepted.

void require_image(const Shape& in);
void require_positive(const char* key, std::uint64_t value);
void require_positive(const char* key, const PerAxis& value);
/// `fits`: whether the inputs of a join do.
void require_fit(bool fits, std::span<const Shape> in, const char* accepted);

}  // namespace upsweep
