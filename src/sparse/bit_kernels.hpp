#pragma once

#include <cstddef>
#include <cstdint>

#include "upsweep/sparse/row.hpp"

namespace upsweep {

/// target |= source; true when every word of `target` is then all ones. Both have `words` words.
bool or_words(std::uint64_t* target, const std::uint64_t* source, std::size_t words);

/// target |= source, of `rows` rows of words, `target_step` and `source_step` words from one to the next.
void or_window(std::uint64_t* target, std::size_t target_step, const std::uint64_t* source, std::size_t source_step,
               std::size_t rows, std::size_t words);

/// Number of set bits.
std::uint64_t count_bits(const std::uint64_t* words, std::size_t count);

/// Sum of values[i] over the set bits i of `bits`; `values` has 64 · words entries (past the last bit: anything).
std::uint64_t sum_at_bits(const std::uint64_t* bits, std::size_t words, const std::uint32_t* values);

/// Turns 64 · words bytes of 0 or 1 into bits, and sets them to 0.
void pack_and_clear(std::uint8_t* bytes, std::uint64_t* bits, std::size_t words);

}  // namespace upsweep
