#include "upsweep/sparse/union.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/battery.hpp"
#include "support/dense_oracle.hpp"
#include "support/random.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep::union_test {
namespace {

using testing::battery;
using testing::DensePattern;
using testing::NamedPattern;
using testing::to_dense;
using UnionTest = testing::SeededTest;

std::shared_ptr<const Pattern> shared(const Pattern& pattern) { return std::make_shared<Pattern>(pattern); }

void expect_union(const std::shared_ptr<const Pattern>& a, const std::shared_ptr<const Pattern>& b,
                  const std::string& what) {
  DensePattern want = to_dense(*a);
  const DensePattern other = to_dense(*b);
  std::uint64_t common = 0;
  for (std::size_t e = 0; e < want.entries.size(); ++e) {
    common += want.entries[e] & other.entries[e];
    want.entries[e] |= other.entries[e];
  }
  const Union sum = unite(a, b);
  EXPECT_TRUE(to_dense(*sum.pattern) == want) << what;
  EXPECT_EQ(sum.common, common) << what;
  EXPECT_EQ(sum.pattern->nnz(), a->nnz() + b->nnz() - common) << what;
}

TEST(Unite, EqualsTheDenseDefinitionOnEveryPairOfTheBattery) {
  const std::vector<NamedPattern> patterns = battery(131);
  for (const NamedPattern& a : patterns) {
    for (const NamedPattern& b : patterns) {
      expect_union(shared(a.pattern), shared(b.pattern), a.name + " plus " + b.name);
    }
  }
}

TEST_F(UnionTest, EqualsTheDenseDefinitionWhereRowsAreSharedOrSelected) {
  for (int round = 0; round < 20; ++round) {
    const auto rows = static_cast<Index>(between(1, 40));
    const auto cols = static_cast<Index>(between(1, 200));
    const auto full = shared(random_pattern(rows, cols, 0.3));
    // A product with one entry per row shares the rows of its right factor.
    const auto choice =
        shared(testing::pattern_where(rows, rows, [&](Index r, Index c) { return r % 3 != 0 && c == (r * 7) % rows; }));
    const auto chosen = multiply(choice, full, Keep::structure).pattern;
    expect_union(chosen, shared(random_pattern(rows, cols, 0.05)), "chosen rows plus a sparse pattern");
    expect_union(chosen, full, "chosen rows plus all of them");
    const auto first = static_cast<Index>(between(0, rows - 1));
    const auto count = static_cast<Index>(between(0, rows - first));
    const auto range = shared(row_range(*chosen, first, count));
    const DensePattern whole = to_dense(*chosen);
    for (Index r = 0; r < count; ++r) {
      for (Index c = 0; c < cols; ++c) EXPECT_EQ(to_dense(*range).at(r, c), whole.at(first + r, c));
    }
    expect_union(range, shared(random_pattern(count, cols, 0.5)), "a range of rows plus a pattern");
  }
}

TEST(Unite, StoresSharedRowsOnceAndHandsAPatternBackThatContainsTheOther) {
  const auto dense = shared(Pattern(50, 64, std::vector<Index>(50, 0),
                                    testing::pattern_where(1, 64, [](Index, Index c) { return c % 2 == 0; }).store()));
  const auto other = shared(Pattern(50, 64, std::vector<Index>(50, 0),
                                    testing::pattern_where(1, 64, [](Index, Index c) { return c % 3 == 0; }).store()));
  EXPECT_EQ(unite(dense, other).pattern->stored_rows(), 1U);
  const auto diagonal = shared(Pattern::diagonal(8));
  const auto all = shared(testing::pattern_where(8, 8, [](Index, Index) { return true; }));
  EXPECT_EQ(unite(diagonal, all).pattern, all);
  EXPECT_EQ(unite(all, diagonal).pattern, all);
  EXPECT_EQ(unite(all, all).pattern, all);
  EXPECT_EQ(unite(diagonal, all).common, 8U);
}

TEST_F(UnionTest, DoesNotDependOnTheNumberOfThreads) {
  const auto a = shared(random_pattern(900, 300, 0.02));
  const auto b = shared(random_pattern(900, 300, 0.1));
  const Union many = unite(a, b);
  const ThreadLimit one(1);
  const Union alone = unite(a, b);
  EXPECT_TRUE(*many.pattern == *alone.pattern);
  EXPECT_EQ(many.common, alone.common);
}

TEST(Unite, RefusesDifferentShapesAndRowsThatAreNotThere) {
  try {
    static_cast<void>(unite(shared(Pattern::diagonal(3)), shared(Pattern::diagonal(4))));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "a sum of (3 x 3) and (4 x 4), accepted are equal shapes");
  }
  EXPECT_THROW(static_cast<void>(row_range(Pattern::diagonal(3), 2, 2)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(row_range(Pattern::diagonal(3), 4, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::union_test
