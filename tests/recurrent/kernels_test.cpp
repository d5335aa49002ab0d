#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "../../src/recurrent/aligned_array.hpp"
#include "../../src/recurrent/dense_kernels.hpp"
#include "../../src/recurrent/elementwise.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

template <class T>
struct Sizes {
  std::size_t m, k, n, c_row;
};

class RecurrentKernels : public testing::SeededTest {
 protected:
  /// Sums of small integers are exact in any order.
  template <class T>
  void expect_exact_product(const Sizes<T>& size, bool transposed_a) {
    const auto integer = [&] { return static_cast<T>(between(0, 16)) - 8; };
    std::vector<T> a(size.m * size.k);
    AlignedArray<T> b(size.k * size.n);
    for (T& x : a) x = integer();
    for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = integer();
    std::vector<T> c((size.m - 1) * size.c_row + size.n + 20, T(77));
    const std::size_t a_row = transposed_a ? 1 : size.k;
    const std::size_t a_step = transposed_a ? size.m : 1;
    multiply(SmallProduct<T>{a.data(), a_row, a_step, b.data(), size.n, c.data(), size.c_row, size.m, size.k, size.n});
    for (std::size_t i = 0; i < size.m; ++i) {
      for (std::size_t j = 0; j < size.n; ++j) {
        T want = 0;
        for (std::size_t k = 0; k < size.k; ++k) want += a[i * a_row + k * a_step] * b.data()[k * size.n + j];
        ASSERT_EQ(c[i * size.c_row + j], want) << size.m << " " << size.k << " " << size.n << " at " << i << ", " << j;
      }
    }
    for (std::size_t i = (size.m - 1) * size.c_row + size.n; i < c.size(); ++i) ASSERT_EQ(c[i], T(77)) << "behind";
  }
};

TEST_F(RecurrentKernels, ProductsAreThoseOfTheDefinitionAndStayInTheirMatrix) {
  for (const std::size_t m : {1, 2, 3, 4, 5, 8, 20}) {
    for (std::size_t n = 1; n < 70; ++n) {
      const std::size_t k = between(1, 9);
      expect_exact_product<float>({m, k, n, n}, false);
      expect_exact_product<float>({m, k, n, padded<float>(n)}, true);
      expect_exact_product<double>({m, k, n, n + between(0, 9)}, true);
      expect_exact_product<double>({m, k, n, padded<double>(n)}, false);
    }
  }
}

TEST_F(RecurrentKernels, JacobiansAreWeightedSumsOfRows) {
  for (std::size_t h = 1; h < 40; ++h) {
    for (const std::size_t gates : {std::size_t{1}, std::size_t{3}}) {
      AlignedArray<double> w(gates * h * h);
      for (std::size_t i = 0; i < w.size(); ++i) w.data()[i] = static_cast<double>(between(0, 9));
      std::vector<double> factors;
      for (std::size_t i = 0; i < gates * h; ++i) factors.push_back(static_cast<double>(between(0, 9)));
      const std::vector<double> direct(h, 5);
      std::vector<double> found(h * h + 8, -1);
      form_jacobian(JacobianTask<double>{factors.data(), direct.data(), w.data(), h, found.data(), h, gates, h});
      for (std::size_t i = 0; i < h; ++i) {
        for (std::size_t j = 0; j < h; ++j) {
          double want = i == j ? 5 : 0;
          for (std::size_t q = 0; q < gates; ++q) want += factors[q * h + i] * w.data()[(q * h + i) * h + j];
          ASSERT_EQ(found[i * h + j], want) << h << " at " << i << ", " << j;
        }
      }
      for (std::size_t i = h * h; i < found.size(); ++i) ASSERT_EQ(found[i], -1) << "behind";
    }
  }
}

/// How many numbers of type T apart.
template <class T>
double units_apart(T found, double want) {
  const T rounded = static_cast<T>(want);
  const T next = std::nextafter(std::fabs(rounded), std::numeric_limits<T>::infinity());
  return std::fabs((static_cast<double>(found) - want) / static_cast<double>(next - std::fabs(rounded)));
}

template <class T>
T own_tanh(T x) {
  T result = 0;
  const T zero = 0;
  static_cast<void>(tanh_step(&x, &zero, &zero, &result, 1));
  return result;
}

template <class T>
T own_sigmoid(T x) {
  const T input[]{x, 0, 0};
  const T zeros[]{0, 0, 0, 0};
  T r = 0;
  T rest[4];
  static_cast<void>(gru_step(input, zeros, zeros, zeros, GruResult<T>{&r, rest, rest + 1, rest + 2, rest + 3}, 1));
  return r;
}

TEST_F(RecurrentKernels, OwnFunctionsAreWithinAFewUnitsOfTheLibrarys) {
  for (int i = -9464; i < 9464; ++i) {
    const double x = 0.00317 * i;
    const auto single = static_cast<float>(x);
    const auto exact = static_cast<double>(single);
    ASSERT_LE(units_apart(own_tanh(single), std::tanh(exact)), 4) << x;
    ASSERT_LE(units_apart(own_tanh(x), std::tanh(x)), 5) << x;
    ASSERT_LE(units_apart(own_sigmoid(single), 1 / (1 + std::exp(-exact))), 4) << x;
    ASSERT_LE(units_apart(own_sigmoid(x), 1 / (1 + std::exp(-x))), 6) << x;
    const float tiny = single * 1e-4F;
    ASSERT_LE(units_apart(own_tanh(tiny), std::tanh(static_cast<double>(tiny))), 4) << tiny;
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(own_tanh(kInfinity), 1);
  EXPECT_EQ(own_tanh(-kInfinity), -1);
  EXPECT_EQ(own_tanh(0.0F), 0);
  EXPECT_TRUE(std::isnan(own_tanh(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(own_sigmoid(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_EQ(own_sigmoid(kInfinity), 1);
  EXPECT_LT(own_sigmoid(-kInfinity), 1e-37F);
}

}  // namespace
}  // namespace upsweep
