#include "upsweep/sparse/pattern.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

using testing::battery;
using PatternTest = testing::SeededTest;

std::string refusal(const CsrPattern& csr) {
  return testing::refusal_of<std::invalid_argument>([&] { return Pattern::from_csr(csr); });
}

TEST_F(PatternTest, CsrArraysComeBackUnchangedWhateverTheDensity) {
  for (const double density : {0.0, 0.01, 0.1, 0.5, 1.0}) {
    const auto rows = static_cast<Index>(between(1, 300));
    const auto cols = static_cast<Index>(between(1, 300));
    const CsrPattern csr = random_pattern(rows, cols, density).to_csr();
    const Pattern pattern = Pattern::from_csr(csr);
    EXPECT_EQ(pattern.to_csr(), csr) << rows << " x " << cols << ", density " << density;
    EXPECT_EQ(pattern.nnz(), csr.indices.size());
  }
}

TEST(Pattern, KeepsDenseRowsAsBitmapsAndSparseOnesAsLists) {
  const Pattern pattern = testing::pattern_where(2, 640, [](Index r, Index c) { return r == 0 ? c < 20 : c < 21; });
  EXPECT_FALSE(pattern.row(0).is_bitmap()) << "20 of 640 is 1/32: a list is as small";
  EXPECT_TRUE(pattern.row(1).is_bitmap());
  EXPECT_EQ(pattern.row(0).nnz(), 20U);
  EXPECT_EQ(pattern.row(1).nnz(), 21U);
}

TEST(Pattern, KnowsAFullDiagonalFromWhatOnlyLooksLikeOne) {
  EXPECT_TRUE(Pattern::diagonal(70).is_full_diagonal());
  for (const auto& [name, pattern] : battery(70)) {
    EXPECT_EQ(pattern.is_full_diagonal(), name == "diagonal") << name;
  }
  EXPECT_FALSE(testing::pattern_where(2, 3, [](Index r, Index c) { return r == c; }).is_full_diagonal());
}

TEST(Pattern, RefusesBrokenArraysAndSaysWhichInvariant) {
  EXPECT_EQ(refusal({2, 3, {0, 1}, {0}}), "indptr has 2 entries, expected rows + 1 = 3");
  EXPECT_EQ(refusal({2, 3, {0, 1, 2}, {0}}), "indptr runs from 0 to 2, expected 0 to nnz = 1");
  EXPECT_EQ(refusal({2, 3, {0, 2, 1}, {0}}), "indptr falls at row 1");
  EXPECT_EQ(refusal({1, 3, {0, 1}, {3}}), "row 0 has column 3, expected below 3");
  EXPECT_EQ(refusal({1, 3, {0, 2}, {1, 1}}), "row 0 is not sorted, or repeats a column, at column 1");
  EXPECT_EQ(refusal({1, 3, {0, 2}, {1, 2}}), "accepted");
}

TEST(Pattern, EqualityComparesEntriesNotStorage) {
  const Pattern diagonal = Pattern::diagonal(3);
  const Pattern selected(3, 3, {0, 1, 2}, diagonal.store());
  EXPECT_TRUE(diagonal == selected);
  EXPECT_FALSE(diagonal == Pattern(3, 3, {0, 1, 1}, diagonal.store()));
  EXPECT_FALSE(diagonal == Pattern(3, 3, {0, 1, Pattern::kEmptyRow}, diagonal.store()));
  EXPECT_FALSE(diagonal == Pattern::diagonal(4));
}

TEST(CsrBytes, FollowsTheRuleAndWidensRowPointersPast31Bits) {
  EXPECT_EQ(csr_bytes(10, 7, 4), 8U * 7 + 4 * 11);
  EXPECT_EQ(csr_bytes(10, 7, 8), 12U * 7 + 4 * 11);
  EXPECT_EQ(csr_bytes(10, 0x7fffffff, 4), 8 * 0x7fffffffULL + 4 * 11);
  EXPECT_EQ(csr_bytes(10, 0x80000000, 4), 8 * 0x80000000ULL + 8 * 11);
  EXPECT_THROW(static_cast<void>(csr_bytes(10, ~std::uint64_t{0} / 8, 8)), CountOverflow);
}

}  // namespace
}  // namespace upsweep
