#include "profile/uniform_products.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace upsweep {
namespace {

/// All h × h patterns, h <= 3, each a word with bit r·h + c set where entry (r, c) is there.
struct Patterns {
  unsigned h;

  [[nodiscard]] std::uint32_t number() const { return 1U << (h * h); }
  [[nodiscard]] std::uint32_t row(std::uint32_t x, unsigned r) const { return x >> (r * h) & ((1U << h) - 1); }

  /// Matched pairs and pattern of x·y.
  [[nodiscard]] std::pair<int, std::uint32_t> product(std::uint32_t x, std::uint32_t y) const {
    int pairs = 0;
    std::uint32_t made = 0;
    for (unsigned r = 0; r < h; ++r) {
      for (unsigned k = 0; k < h; ++k) {
        if ((row(x, r) >> k & 1) == 0) continue;
        pairs += std::popcount(row(y, k));
        made |= row(y, k) << (r * h);
      }
    }
    return {pairs, made};
  }

  /// Probability of each pattern, of a product of `factors`; `pairs` is the expectation of those of the last product.
  [[nodiscard]] std::vector<double> law(unsigned factors, double density) const {
    std::vector<double> one;
    for (std::uint32_t x = 0; x < number(); ++x)
      one.push_back(std::pow(density, std::popcount(x)) * std::pow(1 - density, h * h - std::popcount(x)));
    std::vector<double> law = one;
    for (unsigned t = 1; t < factors; ++t) {
      std::vector<double> next(number(), 0);
      for (std::uint32_t x = 0; x < number(); ++x)
        for (std::uint32_t y = 0; y < number(); ++y) next[product(x, y).second] += law[x] * one[y];
      law = next;
    }
    return law;
  }
};

TEST(UniformProducts, AgreeWithAllMatricesOfTinySizes) {
  for (const auto& [h, density] : {std::pair{1U, 0.3}, {2U, 0.3}, {2U, 0.8}, {3U, 0.2}, {3U, 0.45}}) {
    const Patterns patterns{h};
    const UniformProducts products(h, density);
    for (unsigned factors = 1; factors <= 4; ++factors) {
      SCOPED_TRACE(::testing::Message() << "h " << h << ", density " << density << ", factors " << factors);
      const std::vector<double> law = patterns.law(factors, density);
      double entries = 0;
      double rows = 0;
      for (std::uint32_t x = 0; x < patterns.number(); ++x) {
        entries += law[x] * std::popcount(x);
        for (unsigned r = 0; r < h; ++r) rows += patterns.row(x, r) != 0 ? law[x] : 0;
      }
      EXPECT_NEAR(h * h * products.of(factors).density, entries, 1e-13);
      EXPECT_NEAR(h * products.of(factors).rows, rows, 1e-13);
    }
  }
}

/// E[1 + ceil(log2 R)], R the most entries in a row.
TEST(UniformProducts, HaveTheSpanOfTheirLongestRowOrAnUpperBound) {
  for (const auto& [h, density] : {std::pair{1U, 0.3}, {2U, 0.3}, {2U, 0.8}, {3U, 0.2}, {3U, 0.45}}) {
    const Patterns patterns{h};
    const UniformProducts products(h, density);
    for (unsigned factors = 1; factors <= 4; ++factors) {
      const std::vector<double> law = patterns.law(factors, density);
      double span = 0;
      for (std::uint32_t x = 0; x < patterns.number(); ++x) {
        unsigned most = 0;
        for (unsigned r = 0; r < h; ++r) most = std::max<unsigned>(most, std::popcount(patterns.row(x, r)));
        if (most > 0) span += law[x] * (1 + std::bit_width(most - 1));
      }
      const double made = products.of(factors).span;
      SCOPED_TRACE(::testing::Message() << "h " << h << ", density " << density << ", factors " << factors);
      if (factors == 1) {
        EXPECT_NEAR(made, span, 1e-12) << "whose rows are independent";
      } else {
        EXPECT_GE(made, span * (1 - 1e-12));
        EXPECT_LE(made, 1.5 * span);
      }
    }
  }
}

/// Mean span of drawn products of `factors` h × h matrices.
double drawn_span(std::uint32_t h, double density, unsigned factors, int samples) {
  std::mt19937_64 bits(factors);
  std::bernoulli_distribution entry(density);
  double sum = 0;
  for (int sample = 0; sample < samples; ++sample) {
    std::vector<std::vector<bool>> product;
    for (unsigned t = 0; t < factors; ++t) {
      std::vector<std::vector<std::uint32_t>> factor(h);
      for (auto& row : factor) {
        for (std::uint32_t c = 0; c < h; ++c) {
          if (entry(bits)) row.push_back(c);
        }
      }
      std::vector<std::vector<bool>> next(h, std::vector<bool>(h));
      for (std::uint32_t r = 0; r < h; ++r) {
        for (std::uint32_t k = 0; k < h; ++k) {
          if (t == 0 ? k != r : !product[r][k]) continue;
          for (const std::uint32_t c : factor[k]) next[r][c] = true;
        }
      }
      product = std::move(next);
    }
    std::size_t most = 0;
    for (const std::vector<bool>& row : product)
      most = std::max(most, static_cast<std::size_t>(std::ranges::count(row, true)));
    if (most > 0) sum += static_cast<double>(1 + std::bit_width(most - 1));
  }
  return sum / samples;
}

// The seeds are the same each time. Spans are whole numbers, of which a schedule takes the nearest.
TEST(UniformProducts, HaveTheSpansOfDrawnOnes) {
  struct Case {
    std::uint32_t h;
    double density;
    unsigned factors;
  };
  for (const auto& [h, density, factors] : {Case{20, 0.1, 1},
                                            {20, 0.1, 4},
                                            {30, 0.05, 2},
                                            {30, 0.05, 8},
                                            {60, 0.02, 4},
                                            {60, 0.01, 3},
                                            {300, 0.01, 1},
                                            {300, 0.01, 3},
                                            {300, 0.004, 6},
                                            {300, 0.0034, 20},
                                            {500, 0.03, 2}}) {
    const double drawn = drawn_span(h, density, factors, h > 100 ? 30 : 400);
    const double made = UniformProducts(h, density).of(factors).span;
    EXPECT_GE(made, drawn - 0.15) << "h " << h << ", density " << density << ", factors " << factors;
    EXPECT_LE(made, drawn + 0.9) << "h " << h << ", density " << density << ", factors " << factors;
  }
}

TEST(UniformProducts, MeetAsManyPairsAsAllMatricesOfTinySizes) {
  const Patterns patterns{2};
  const UniformProducts products(2, 0.4);
  for (unsigned a = 1; a <= 3; ++a) {
    for (unsigned b = 1; b <= 3; ++b) {
      const std::vector<double> left = patterns.law(a, 0.4);
      const std::vector<double> right = patterns.law(b, 0.4);
      double pairs = 0;
      for (std::uint32_t x = 0; x < patterns.number(); ++x)
        for (std::uint32_t y = 0; y < patterns.number(); ++y)
          pairs += left[x] * right[y] * patterns.product(x, y).first;
      EXPECT_NEAR(8 * products.of(a).density * products.of(b).density, pairs, 1e-13) << a << ", " << b;
    }
  }
}

double off(double value, double from) { return std::abs(value / from - 1); }

constexpr std::array kEntriesPerRow = {0.5, 0.95, 1., 1.05, 1.3, 2., 10., 200.};

TEST(UniformProducts, OnAGridAgreeWithTheExactOnes) {
  for (const std::uint64_t h : {257, 500}) {
    for (const double per_row : kEntriesPerRow) {
      const double density = per_row / static_cast<double>(h);
      const UniformProducts exact(h, density, h);
      const UniformProducts grid(h, density);
      double most = 0;
      for (std::uint64_t t = 1; t <= 2000; ++t) {
        if (exact.of(t).density < 1e-100) break;
        most = std::max({most, off(grid.of(t).density, exact.of(t).density), off(grid.of(t).rows, exact.of(t).rows)});
      }
      EXPECT_LT(most, 2e-7) << "h " << h << ", " << per_row << " entries per row";
    }
  }
}

/// 1.3 entries per row: rows that live on lose 1.3e-12 of their number per factor.
TEST(UniformProducts, OnAGridDieOutAsTheExactOnes) {
  for (const double per_row : {1.15, 1.2, 1.3, 1.4}) {
    const UniformProducts exact(257, per_row / 257, 257);
    const UniformProducts grid(257, per_row / 257);
    for (std::uint64_t t = 1; t <= std::uint64_t{1} << 40; t *= 2) {
      if (exact.of(t).density < 1e-4) break;
      EXPECT_LT(off(grid.of(t).density, exact.of(t).density), 1e-3) << per_row << " entries per row, " << t;
    }
  }
}

/// Of few entries per row and of many; with strides and without.
TEST(UniformProducts, OfAnyNumberOfFactorsAreThoseOfSingleSteps) {
  for (const auto& [h, per_row] :
       {std::pair{20, 0.7}, {20, 1.5}, {200, 1.}, {10'000, 1.}, {10'000, 1.02}, {10'000, 4.}}) {
    const auto size = static_cast<std::uint64_t>(h);
    const UniformProducts products(size, per_row / h);
    const RowSteps steps(size, per_row / h);
    std::vector<double> masses(steps.nodes().size(), 0);
    masses.front() = 1;
    for (std::uint64_t t = 1; t <= 3000; ++t) {
      masses = steps.next(masses);
      const double entries = std::inner_product(masses.begin(), masses.end(), steps.nodes().begin(), 0.);
      if (entries < 1e-250) break;
      ASSERT_LT(off(products.of(t).density * h, entries), 1e-8) << "h " << h << ", " << per_row << ", " << t;
      ASSERT_LT(off(products.of(t).rows, std::accumulate(masses.begin(), masses.end(), 0.)), 1e-8);
    }
  }
}

/// A branching process as long as rows have few of many places: r_t has the mean (h·d)^t, and no row dies out late.
TEST(UniformProducts, OfLargeMatricesBeginAsABranchingProcess) {
  const UniformProducts products(1'000'000'000, 2e-9);
  double dead = 0;
  for (std::uint64_t t = 1; t <= 12; ++t) {
    dead = std::exp(2 * (dead - 1));
    EXPECT_LT(off(products.of(t).density * 1e9, std::exp2(t)), 1e-5);
    EXPECT_LT(off(products.of(t).rows, 1 - dead), 1e-5);
  }
}

/// Where no row dies out, of many entries a row their share x goes to 1 - exp(-h·d·x).
TEST(UniformProducts, OfLargeMatricesEndInAMeanFieldOfTheRowsThatLive) {
  const UniformProducts products(1'000'000, 2e-6);
  double share = 1;
  for (int i = 0; i < 200; ++i) share = -std::expm1(-2 * share);
  const UniformProducts::Figures far = products.of(10'000);
  EXPECT_LT(off(far.density / far.rows, share), 1e-5);
  EXPECT_LT(off(far.rows, share), 1e-5) << "as many as live on in the branching process";
}

TEST(UniformProducts, OfManyFactorsAreNumbers) {
  for (const std::uint64_t h : {1ULL, 2ULL, 20ULL, 1000ULL, 1'000'000ULL, 1'000'000'000'000ULL}) {
    for (const double per_row : {1e-30, 0.5, 1.5, 0.999 * static_cast<double>(h)}) {
      const double density = std::min(per_row / static_cast<double>(h), 1.);
      const UniformProducts products(h, density);
      double rows = 1;
      for (std::uint64_t t = 1; t <= std::uint64_t{1} << 40; t *= 2) {
        const UniformProducts::Figures at = products.of(t);
        EXPECT_GE(at.density, 0);
        EXPECT_LE(at.density, at.rows * (1 + 1e-12));
        EXPECT_LE(at.rows, rows * (1 + 1e-12)) << "a row without entries stays so";
        rows = at.rows;
      }
    }
  }
}

TEST(UniformProducts, OfFullMatricesAreFull) {
  for (const std::uint64_t h : {1, 7, 300, 1'000'000}) {
    const UniformProducts products(h, 1);
    for (const std::uint64_t t : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1} << 40}) {
      EXPECT_EQ(products.of(t).density, 1);
      EXPECT_EQ(products.of(t).rows, 1);
    }
  }
}

TEST(UniformProducts, AreMadeOnce) {
  const auto first = uniform_products(20, 0.1);
  EXPECT_NE(uniform_products(20, 0.2), first);
  EXPECT_NE(uniform_products(21, 0.1), first);
  EXPECT_EQ(uniform_products(20, 0.1), first);
  for (std::uint64_t h = 100; h < 200; ++h) EXPECT_EQ(uniform_products(h, 0.1)->size(), h);
  EXPECT_EQ(uniform_products(20, 0.1)->density(), 0.1);
}

}  // namespace
}  // namespace upsweep
