#include "upsweep/profile/pattern_picture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <utility>

#include "support/dense_oracle.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

using testing::DensePattern;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::to_dense;

/// The picture by definition: every place of every cell is looked at.
std::vector<std::uint8_t> cells_by_definition(const DensePattern& dense, std::uint64_t grid_rows,
                                              std::uint64_t grid_cols) {
  std::vector<std::uint8_t> cells;
  for (std::uint64_t y = 0; y < grid_rows; ++y) {
    for (std::uint64_t x = 0; x < grid_cols; ++x) {
      std::uint64_t entries = 0;
      std::uint64_t places = 0;
      for (std::uint64_t r = y * dense.rows / grid_rows; r < (y + 1) * dense.rows / grid_rows; ++r) {
        for (std::uint64_t c = x * dense.cols / grid_cols; c < (x + 1) * dense.cols / grid_cols; ++c) {
          ++places;
          entries += dense.at(static_cast<Index>(r), static_cast<Index>(c)) ? 1 : 0;
        }
      }
      cells.push_back(static_cast<std::uint8_t>(
          std::ceil(255 * static_cast<long double>(entries) / static_cast<long double>(places))));
    }
  }
  return cells;
}

void expect_picture_of(const PatternPicture& picture, const DensePattern& dense, std::uint32_t most) {
  SCOPED_TRACE(::testing::Message() << dense.rows << " x " << dense.cols << ", at most " << most);
  EXPECT_EQ(picture.rows, dense.rows);
  EXPECT_EQ(picture.cols, dense.cols);
  std::uint64_t nnz = 0;
  for (const std::uint8_t entry : dense.entries) nnz += entry;
  EXPECT_EQ(picture.nnz, nnz);
  EXPECT_EQ(std::max(picture.grid_rows, picture.grid_cols), std::min(most, std::max(dense.rows, dense.cols)));
  EXPECT_GE(std::min(picture.grid_rows, picture.grid_cols), 1U);
  EXPECT_LE(picture.grid_rows, dense.rows);
  EXPECT_LE(picture.grid_cols, dense.cols);
  EXPECT_EQ(picture.cells, cells_by_definition(dense, picture.grid_rows, picture.grid_cols));
}

Pattern full(Index rows, Index cols) {
  return build_pattern(rows, cols, std::uint64_t{rows} * cols, [=](Index, std::vector<Index>& columns) {
    for (Index c = 0; c < cols; ++c) columns.push_back(c);
  });
}

class PatternPictureTest : public testing::SeededTest {
 protected:
  JacobianChain random_chain(std::size_t links, double density) {
    JacobianChain chain;
    chain.gradient_length = between(1, 20);
    std::uint64_t size = chain.gradient_length;
    for (std::size_t i = 0; i < links; ++i) {
      const auto rows = static_cast<Index>(between(1, 20));
      chain.jacobians.push_back(std::make_shared<Pattern>(random_pattern(rows, static_cast<Index>(size), density)));
      size = rows;
    }
    return chain;
  }
};

TEST_F(PatternPictureTest, IsTheShareOfEveryCellWhateverTheSizes) {
  for (int round = 0; round < 200; ++round) {
    const auto rows = static_cast<Index>(between(1, 150));
    const auto cols = static_cast<Index>(between(1, 300));
    const auto most = static_cast<std::uint32_t>(between(1, 80));
    constexpr std::array kDensities = {0.003, 0.02, 0.3, 0.9};  // rows as lists and as bitmaps
    const Pattern pattern = random_pattern(rows, cols, kDensities[between(0, 3)]);
    expect_picture_of(picture_of(pattern, most), to_dense(pattern), most);
  }
}

TEST_F(PatternPictureTest, CountsRowsThatShareTheirMemoryAtEveryPlace) {
  for (int round = 0; round < 50; ++round) {
    const Pattern stored = random_pattern(7, static_cast<Index>(between(1, 200)), 0.1);
    std::vector<Index> numbers;
    for (std::uint64_t r = between(1, 100); r > 0; --r) {
      numbers.push_back(chance(0.2) ? Pattern::kEmptyRow : static_cast<Index>(between(0, 6)));
    }
    const auto rows = static_cast<Index>(numbers.size());
    const Pattern pattern(rows, stored.cols(), numbers, stored.store());
    expect_picture_of(picture_of(pattern, 16), to_dense(pattern), 16);
  }
}

TEST(PatternPicture, OfAFullPatternIsFullAndOfAnEmptyOneEmpty) {
  EXPECT_THAT(picture_of(full(100, 70), 64).cells, Each(255));
  EXPECT_THAT(picture_of(full(1, 1000), 64).cells, Each(255));
  const Pattern empty = Pattern::from_csr({100, 70, std::vector<std::uint64_t>(101, 0), {}});
  const PatternPicture picture = picture_of(empty, 64);
  EXPECT_EQ(picture.cells.size(), std::size_t{picture.grid_rows} * picture.grid_cols);
  EXPECT_THAT(picture.cells, Each(0));
}

TEST(PatternPicture, ShowsASingleEntryAmongMillionsOfPlaces) {
  constexpr Index kSize = 100'000;
  const Pattern pattern = build_pattern(kSize, kSize, 1, [](Index r, std::vector<Index>& columns) {
    if (r == 99'999) columns.push_back(50'000);
  });
  const PatternPicture picture = picture_of(pattern, 64);
  EXPECT_EQ(picture.nnz, 1U);
  for (std::size_t cell = 0; cell < picture.cells.size(); ++cell) {
    EXPECT_EQ(picture.cells[cell], cell == 63 * 64 + 32 ? 1 : 0) << cell;
  }
}

TEST(PatternPicture, KeepsTheShapeAndAtLeastOneCell) {
  const auto grid = [](Index rows, Index cols) {
    const PatternPicture picture = picture_of(full(rows, cols), 64);
    return std::pair(picture.grid_rows, picture.grid_cols);
  };
  EXPECT_EQ(grid(1, 1000), std::pair(1U, 64U)) << "one row";
  EXPECT_EQ(grid(1000, 1), std::pair(64U, 1U));
  EXPECT_EQ(grid(5000, 10), std::pair(64U, 1U)) << "tall";
  EXPECT_EQ(grid(256, 512), std::pair(32U, 64U)) << "wide";
  EXPECT_EQ(grid(5, 3), std::pair(5U, 3U)) << "no more cells than rows";
}

TEST_F(PatternPictureTest, OfAChainAreItsJacobiansAndTheProductsOfTheUpSweep) {
  for (int round = 0; round < 40; ++round) {
    const JacobianChain chain = random_chain(between(1, 20), 0.3);
    const auto n = static_cast<std::uint32_t>(chain.jacobians.size());
    const std::vector<ChainPicture> pictures = chain_pictures(chain, {16, 1'000'000, 1000});
    // By hand: blocks of 2, 4, ... places of a[0..n], without the first; the last one may be shorter, but not as short
    // as its first half. The largest width is below that of the whole array.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> expected;
    for (std::uint32_t i = 1; i <= n; ++i) expected.emplace_back(i, i);
    for (std::uint32_t width = 2; width <= n; width *= 2) {
      for (std::uint32_t i = width; i + width / 2 <= n; i += width)
        expected.emplace_back(i, std::min(i + width - 1, n));
    }
    ASSERT_EQ(pictures.size(), expected.size());
    for (std::size_t p = 0; p < pictures.size(); ++p) {
      const auto [first, last] = expected[p];
      EXPECT_EQ(pictures[p].first, first);
      EXPECT_EQ(pictures[p].last, last);
      // a[first] ⋄ ... ⋄ a[last] is the matrix product a[last] ... a[first].
      DensePattern product = to_dense(*chain.jacobians[first - 1]);
      for (std::uint32_t i = first + 1; i <= last; ++i) {
        product = testing::multiply_dense(to_dense(*chain.jacobians[i - 1]), product).pattern;
      }
      expect_picture_of(pictures[p].picture, product, 16);
    }
  }
}

TEST(ChainPictures, LeaveOutWhatIsTooMuchAndWhatNeedsIt) {
  JacobianChain chain;
  chain.gradient_length = 10;
  for (int i = 0; i < 8; ++i) {
    // a[4] and a[5] are full: their product costs 1000 pairs, any other of two 100 or fewer.
    const bool is_full = i == 3 || i == 4;
    chain.jacobians.push_back(std::make_shared<Pattern>(is_full ? full(10, 10) : Pattern::diagonal(10)));
  }
  const auto products = [&](PictureLimits limits) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
    for (const ChainPicture& one : chain_pictures(chain, limits)) {
      if (one.first < one.last) ranges.emplace_back(one.first, one.last);
    }
    return ranges;
  };
  using Range = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_THAT(products({}), ElementsAre(Range{2, 3}, Range{4, 5}, Range{6, 7}, Range{4, 7}));
  EXPECT_THAT(products({64, 999, 24}), ElementsAre(Range{2, 3}, Range{6, 7})) << "4 to 7 needs 4 to 5";
  EXPECT_THAT(products({64, 1010, 24}), ElementsAre(Range{2, 3}, Range{4, 5})) << "the limit is that of all together";
  EXPECT_THAT(products({64, 1'000'000, 2}), ElementsAre(Range{2, 3}, Range{4, 5}));
  EXPECT_THAT(products({64, 1'000'000, 0}), IsEmpty());
  EXPECT_EQ(chain_pictures(chain, {64, 0, 0}).size(), 8U) << "Jacobians cost no products";
}

TEST(ChainPictures, OfLongChainsAreOfEveryKthJacobian) {
  JacobianChain chain;
  chain.gradient_length = 4;
  chain.jacobians.assign(1000, std::make_shared<Pattern>(Pattern::diagonal(4)));
  const auto places = [&](std::uint32_t most) {
    PictureLimits limits;
    limits.most_jacobians = most;
    limits.most_products = 2;
    std::vector<std::uint32_t> jacobians;
    std::size_t products = 0;
    for (const ChainPicture& one : chain_pictures(chain, limits)) {
      if (one.first == one.last) jacobians.push_back(one.first);
      products += one.first == one.last ? 0 : 1;
    }
    EXPECT_EQ(products, 2U);
    return jacobians;
  };
  EXPECT_THAT(places(4), ElementsAre(1, 251, 501, 751));
  EXPECT_THAT(places(3), ElementsAre(1, 335, 669));
  EXPECT_EQ(places(999).size(), 500U) << "every second one";
  EXPECT_EQ(places(1000).size(), 1000U);
  EXPECT_LE(places(PictureLimits().most_jacobians).size(), 256U);
}

}  // namespace
}  // namespace upsweep
