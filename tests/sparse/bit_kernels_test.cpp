#include "../../src/sparse/bit_kernels.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace upsweep {
namespace {

using BitKernelsTest = testing::SeededTest;

TEST_F(BitKernelsTest, AgreeWithBitByBitLoopsAtEveryLength) {
  for (std::size_t words = 1; words < 40; ++words) {
    std::vector<std::uint64_t> a(words);
    std::vector<std::uint64_t> b(words);
    std::vector<std::uint32_t> values(words * 64);
    std::vector<std::uint8_t> bytes(words * 64);
    for (std::size_t i = 0; i < words; ++i) {
      a[i] = between(0, ~std::uint64_t{0});
      b[i] = chance(0.3) ? ~a[i] : between(0, ~std::uint64_t{0});
    }
    std::uint64_t sum = 0;
    std::uint64_t set = 0;
    bool full = true;
    for (std::size_t i = 0; i < words * 64; ++i) {
      values[i] = static_cast<std::uint32_t>(between(0, 0xffffffff));
      const bool in_a = (a[i / 64] >> (i % 64) & 1) != 0;
      const bool in_b = (b[i / 64] >> (i % 64) & 1) != 0;
      bytes[i] = in_a ? 1 : 0;
      if (in_a) sum += values[i];
      set += in_a ? 1 : 0;
      full = full && (in_a || in_b);
    }
    EXPECT_EQ(sum_at_bits(a.data(), words, values.data()), sum);
    EXPECT_EQ(count_bits(a.data(), words), set);
    std::vector<std::uint64_t> packed(words);
    pack_and_clear(bytes.data(), packed.data(), words);
    EXPECT_EQ(packed, a);
    EXPECT_EQ(bytes, std::vector<std::uint8_t>(words * 64, 0));
    std::vector<std::uint64_t> united = a;
    EXPECT_EQ(or_words(united.data(), b.data(), words), full);
    for (std::size_t i = 0; i < words; ++i) EXPECT_EQ(united[i], a[i] | b[i]);
    for (std::size_t i = 0; i < words; ++i) b[i] = ~a[i];
    EXPECT_TRUE(or_words(united.data(), b.data(), words));
  }
}

}  // namespace
}  // namespace upsweep
