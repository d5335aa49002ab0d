#include "upsweep/solve/backward_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/backward_chains.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using Ring = std::uint64_t;  // modulo 2^64: sums and products are exact

class BackwardSystemTest : public testing::SeededTest {
 protected:
  /// Any numbers of the ring; normal ones of the others.
  template <class T>
  std::function<T()> numbers() {
    return [this] {
      if constexpr (std::is_same_v<T, Ring>) {
        return between(0, ~Ring{0});
      } else {
        return static_cast<T>(normal());
      }
    };
  }

  /// Linear and elementwise operators in any order; slopes are 0 now and then, entries of diagonals missing.
  template <class T>
  NumericChain<T> random_chain(std::size_t operators, Index most = 5) {
    NumericChain<T> chain;
    auto cols = static_cast<Index>(between(1, most));
    chain.structure.gradient_length = cols;
    for (Index i = 0; i < cols; ++i) chain.gradient.push_back(numbers<T>()());
    for (std::size_t i = 0; i < operators; ++i) {
      if (chance(0.5)) {
        CsrPattern csr{cols, cols, {0}, {}};
        for (Index r = 0; r < cols; ++r) {
          if (chance(0.7)) csr.indices.push_back(r);
          csr.indptr.push_back(csr.indices.size());
        }
        testing::add_link<T>(chain, Pattern::from_csr(csr), [&] { return chance(0.2) ? T{0} : numbers<T>()(); });
      } else {
        const auto rows = static_cast<Index>(between(1, most));
        testing::add_link<T>(chain, random_pattern(rows, cols, 0.6), numbers<T>());
        cols = rows;
      }
    }
    return chain;
  }
};

template <class T>
std::vector<T> block_of(const BackwardSystem<T>& system, const std::vector<T>& v, std::size_t k) {
  const auto block = system.block(std::span<const T>(v), k);
  return {block.begin(), block.end()};
}

TEST_F(BackwardSystemTest, TheUnitFormHasAllGradientsOfAScanAsUnknowns) {
  for (std::size_t operators = 1; operators <= 40; ++operators) {
    const auto chain = random_chain<Ring>(operators);
    const auto expected = testing::plain_gradients(chain);
    const BackwardSystem<Ring> system(chain, SystemForm::unit);
    ASSERT_EQ(system.blocks(), operators);
    const auto v = substitute(system);
    for (std::size_t k = 0; k < system.blocks(); ++k) {
      ASSERT_EQ(system.shape().blocks[k].activation, k + 1);
      ASSERT_EQ(block_of(system, v, k), expected[k + 1]) << "block " << k << " of " << operators;
    }
  }
}

TEST_F(BackwardSystemTest, TheScaledFormHasTheSameGradientsWithoutThoseAboveElementwiseOperators) {
  for (std::size_t operators = 1; operators <= 40; ++operators) {
    const auto chain = random_chain<Ring>(operators);
    const auto expected = testing::plain_gradients(chain);
    const BackwardSystem<Ring> system(chain, SystemForm::scaled);
    const auto v = substitute(system);
    for (std::size_t k = 0; k < system.blocks(); ++k) {
      const std::size_t activation = system.shape().blocks[k].activation;
      ASSERT_EQ(block_of(system, v, k), expected[activation]) << "block " << k << " of " << operators;
      if (k < system.couplings()) {
        ASSERT_FALSE(is_diagonal(*system.coupling(k).pattern));
      }
    }
    ASSERT_EQ(system.shape().blocks[0].activation, 1U);
  }
}

TEST_F(BackwardSystemTest, BothFormsTakeTheFlopsOfTheLinearScan) {
  for (std::size_t operators = 1; operators <= 20; ++operators) {
    const auto chain = random_chain<Ring>(operators);
    std::uint64_t linear = 0;
    for (std::size_t i = 0; i + 1 < operators; ++i) linear += 2 * chain.structure.jacobians[i]->nnz();
    EXPECT_EQ(system_shape(chain.structure, SystemForm::unit).flops(), linear);
    EXPECT_EQ(system_shape(chain.structure, SystemForm::scaled).flops(), linear);
  }
}

/// Solves a dense system by Gaussian elimination with row exchanges, which knows nothing of its triangle.
std::vector<double> dense_solution(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t p = 0; p < n; ++p) {
    std::size_t best = p;
    for (std::size_t r = p + 1; r < n; ++r) {
      if (std::fabs(a[r][p]) > std::fabs(a[best][p])) best = r;
    }
    std::swap(a[p], a[best]);
    std::swap(b[p], b[best]);
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = r == p ? 0 : a[r][p] / a[p][p];
      for (std::size_t c = p; c < n && factor != 0; ++c) a[r][c] -= factor * a[p][c];
      b[r] -= factor * b[p];
    }
  }
  for (std::size_t r = 0; r < n; ++r) b[r] /= a[r][r];
  return b;
}

TEST_F(BackwardSystemTest, SubstitutionSolvesEquation19WithItsDiagonalWrittenOut) {
  // W, f', W: E(k) v(k) - W(k+1)^T v(k+1) = 0 with E = 1 / f'.
  for (int round = 0; round < 20; ++round) {
    const auto layers = between(1, 6);
    const auto width = static_cast<Index>(between(1, 4));
    NumericChain<double> chain;
    chain.structure.gradient_length = width;
    for (Index i = 0; i < width; ++i) chain.gradient.push_back(normal());
    const Pattern full = random_pattern(width, width, 1);
    for (std::uint64_t k = 0; k <= layers; ++k) {
      testing::add_link<double>(chain, Pattern::diagonal(width), [&] { return 0.1 + std::fabs(normal()); });
      if (width > 1) testing::add_link<double>(chain, full, numbers<double>());
    }
    testing::add_link<double>(chain, full, numbers<double>());  // to the input: not used
    const BackwardSystem<double> system(chain, SystemForm::scaled);
    const std::size_t n = system.unknowns();
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0));
    std::vector<double> c(n, 0);
    for (std::size_t k = 0; k < system.blocks(); ++k) {
      for (std::size_t r = 0; r < width; ++r) {
        const double slope = system.scale(k).empty() ? 1 : system.scale(k)[r];
        const std::size_t row = system.offset(k) + r;
        a[row][row] = 1 / slope;
        if (k == system.couplings()) {
          c[row] = chain.gradient[r];
        } else {
          for (std::size_t j = 0; j < width; ++j)
            a[row][system.offset(k + 1) + j] = -system.coupling(k).values[r * width + j];
        }
      }
    }
    const auto expected = dense_solution(a, c);
    const auto v = substitute(system);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(v[i], expected[i], 1e-9 * (1 + std::fabs(expected[i])));
  }
}

TEST_F(BackwardSystemTest, ASlopeOfZeroIsNoDivision) {
  NumericChain<double> chain;
  chain.structure.gradient_length = 2;
  chain.gradient = {3, 5};
  testing::add_link<double>(chain, Pattern::diagonal(2), std::vector<double>{0, 2});
  testing::add_link<double>(chain, random_pattern(2, 2, 1), std::vector<double>{1, 1, 4, 7});
  testing::add_link<double>(chain, Pattern::diagonal(2), std::vector<double>{1, 0});
  testing::add_link<double>(chain, random_pattern(1, 2, 1), std::vector<double>{9, 9});  // not used
  const BackwardSystem<double> system(chain, SystemForm::scaled);
  ASSERT_EQ(system.blocks(), 2U);
  EXPECT_THAT(system.last_right_side(), ElementsAre(0, 10));
  EXPECT_THAT(substitute(system), ElementsAre(10, 0, 0, 10));
  EXPECT_THAT(system.shape().blocks[1].scaling, ElementsAre(0U));
  EXPECT_THAT(system.shape().blocks[0].scaling, ElementsAre(2U));
}

TEST_F(BackwardSystemTest, LJacobiSweepsAreExactOverTheIntegersModulo2To64) {
  for (const SystemForm form : {SystemForm::unit, SystemForm::scaled}) {
    for (std::size_t operators = 1; operators <= 41; ++operators) {
      const BackwardSystem<Ring> system(random_chain<Ring>(operators), form);
      const auto solution = substitute(system);
      auto v = system.right_side();
      auto next = v;
      for (std::size_t sweep = 0; sweep < system.couplings(); ++sweep) {
        jacobi_sweep<Ring>(system, v, next);
        v.swap(next);
        for (std::size_t k = system.couplings() - sweep - 1; k < system.blocks(); ++k)
          ASSERT_EQ(block_of(system, v, k), block_of(system, solution, k)) << "block " << k << " after " << sweep + 1;
      }
      ASSERT_EQ(v, solution) << operators << " operators";
    }
  }
}

TEST_F(BackwardSystemTest, LPlus1JacobiSweepsAreExactFromAnyStart) {
  for (std::size_t operators = 1; operators <= 40; operators += 3) {
    const BackwardSystem<Ring> system(random_chain<Ring>(operators), SystemForm::unit);
    std::vector<Ring> v(system.unknowns());
    for (Ring& number : v) number = numbers<Ring>()();
    auto next = v;
    for (std::size_t sweep = 0; sweep <= system.couplings(); ++sweep) {
      jacobi_sweep<Ring>(system, v, next);
      v.swap(next);
    }
    EXPECT_EQ(v, substitute(system));
  }
}

TEST_F(BackwardSystemTest, SomeChainsNeedAllLSweepsAndHaveNothingInTheFirstLayerBefore) {
  const BackwardSystem<Ring> system(testing::scalar_chain<Ring>(12, 3), SystemForm::unit);
  ASSERT_EQ(system.couplings(), 12U);
  auto v = system.right_side();
  auto next = v;
  for (std::size_t sweep = 1; sweep <= 12; ++sweep) {
    ASSERT_EQ(v[0], 0U) << "before sweep " << sweep;
    jacobi_sweep<Ring>(system, v, next);
    v.swap(next);
  }
  EXPECT_EQ(v[0], 531441U);  // 3^12
}

TEST_F(BackwardSystemTest, OneOperatorLeavesTheLossGradientAlone) {
  const auto chain = random_chain<double>(1);
  for (const SystemForm form : {SystemForm::unit, SystemForm::scaled}) {
    const BackwardSystem<double> system(chain, form);
    EXPECT_EQ(system.couplings(), 0U);
    EXPECT_EQ(substitute(system), chain.gradient);
  }
}

TEST_F(BackwardSystemTest, RefusesWhatDoesNotFit) {
  auto chain = testing::scalar_chain<double>(3, 2);
  chain.values[1].push_back(1);
  const auto make = [&] { return BackwardSystem<double>(chain, SystemForm::unit); };
  EXPECT_THAT(make, ThrowsMessage<std::invalid_argument>(HasSubstr("a[2] has 2 values, expected 1")));
  chain = testing::scalar_chain<double>(3, 2);
  chain.gradient.clear();
  EXPECT_THAT(make, ThrowsMessage<std::invalid_argument>(HasSubstr("0 numbers of the loss gradient")));
  chain = {};
  EXPECT_THAT(make, ThrowsMessage<std::invalid_argument>(HasSubstr("no Jacobian")));
}

TEST_F(BackwardSystemTest, OnlyEntriesInPlaceAreADiagonal) {
  EXPECT_TRUE(is_diagonal(Pattern::diagonal(4)));
  EXPECT_TRUE(is_diagonal(Pattern::from_csr({3, 3, {0, 1, 1, 2}, {0, 2}})));
  EXPECT_FALSE(is_diagonal(Pattern::from_csr({3, 3, {0, 1, 1, 2}, {1, 2}})));
  EXPECT_FALSE(is_diagonal(Pattern::from_csr({2, 2, {0, 2, 3}, {0, 1, 1}})));
  EXPECT_FALSE(is_diagonal(Pattern::from_csr({1, 2, {0, 1}, {0}})));
}

}  // namespace
}  // namespace upsweep
