#include "bit_kernels.hpp"

#include <bit>
#include <cstring>

// One binary runs everywhere and uses wide vectors where there are some: the loader picks a version per function.
// Sanitizer builds go without, since they cannot run before the loader has.
#if defined(UPSWEEP_VECTOR_CLONES)
#define UPSWEEP_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define UPSWEEP_VECTORISED
#endif

namespace upsweep {

UPSWEEP_VECTORISED
bool or_words(std::uint64_t* target, const std::uint64_t* source, std::size_t words) {
  std::uint64_t all = ~std::uint64_t{0};
  for (std::size_t i = 0; i < words; ++i) {
    target[i] |= source[i];
    all &= target[i];
  }
  return all == ~std::uint64_t{0};
}

UPSWEEP_VECTORISED
void or_window(std::uint64_t* target, std::size_t target_step, const std::uint64_t* source, std::size_t source_step,
               std::size_t rows, std::size_t words) {
  for (std::size_t r = 0; r < rows; ++r, target += target_step, source += source_step) {
    for (std::size_t i = 0; i < words; ++i) target[i] |= source[i];
  }
}

UPSWEEP_VECTORISED
std::uint64_t count_bits(const std::uint64_t* words, std::size_t count) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < count; ++i) bits += static_cast<unsigned>(std::popcount(words[i]));
  return bits;
}

UPSWEEP_VECTORISED
std::uint64_t sum_at_bits(const std::uint64_t* bits, std::size_t words, const std::uint32_t* values) {
  std::uint64_t sum = 0;
  for (std::size_t w = 0; w < words; ++w) {
    const std::uint64_t word = bits[w];
    if (word == 0) continue;
    const std::uint32_t* lane = values + w * 64;
    for (unsigned b = 0; b < 64; ++b) sum += lane[b] & (0U - static_cast<std::uint32_t>((word >> b) & 1));
  }
  return sum;
}

UPSWEEP_VECTORISED
void pack_and_clear(std::uint8_t* bytes, std::uint64_t* bits, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) {
    std::uint64_t word = 0;
    for (std::size_t part = 0; part < 8; ++part) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, bytes + w * 64 + part * 8, 8);
      // Gathers the lowest bit of each byte into the top byte, first byte lowest (little endian).
      word |= ((eight * 0x0102040810204080U) >> 56) << (8 * part);
    }
    bits[w] = word;
  }
  std::memset(bytes, 0, words * 64);
}

}  // namespace upsweep
