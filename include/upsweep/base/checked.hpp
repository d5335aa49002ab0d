#pragma once

#include <cstdint>
#include <stdexcept>

namespace upsweep {

/// A count left the range of 64 bits; callers turn it into an error that names the input.
class CountOverflow : public std::overflow_error {
 public:
  CountOverflow() : std::overflow_error("a count exceeds 64 bits (18446744073709551615)") {}
};

/// a + b. Throws CountOverflow instead of wrapping around.
[[nodiscard]] constexpr std::uint64_t checked_add(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) throw CountOverflow();
  return sum;
}

/// sum += value. Throws CountOverflow instead of wrapping around.
constexpr void add_to(std::uint64_t& sum, std::uint64_t value) { sum = checked_add(sum, value); }

/// a * b. Throws CountOverflow instead of wrapping around.
[[nodiscard]] constexpr std::uint64_t checked_mul(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) throw CountOverflow();
  return product;
}

/// The smallest integer of at least a / b.
[[nodiscard]] constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) {
  return a / b + (a % b == 0 ? 0 : 1);
}

}  // namespace upsweep
