#include "upsweep/sparse/product.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/battery.hpp"
#include "support/dense_oracle.hpp"
#include "support/random.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/sparse/union.hpp"

namespace upsweep::product_test {
namespace {

using testing::battery;
using testing::DenseProduct;
using testing::multiply_dense;
using testing::NamedPattern;
using testing::to_dense;
using ProductTest = testing::SeededTest;

std::shared_ptr<const Pattern> shared(const Pattern& pattern) { return std::make_shared<Pattern>(pattern); }

/// Every way to ask for X·Y against the definition.
void expect_product(const Pattern& x, const Pattern& y, const std::string& what) {
  const DenseProduct want = multiply_dense(to_dense(x), to_dense(y));
  const Product full = multiply(shared(x), shared(y), Keep::structure);
  ASSERT_NE(full.pattern, nullptr) << what;
  EXPECT_TRUE(to_dense(*full.pattern) == want.pattern) << what;
  EXPECT_EQ(full.pattern->nnz(), want.nnz) << what;
  EXPECT_EQ(full.nnz, want.nnz) << what;
  EXPECT_EQ(full.products, want.products) << what;
  const Product counted = multiply(shared(x), shared(y), Keep::counts);
  EXPECT_EQ(counted.pattern, nullptr) << what;
  EXPECT_EQ(counted.nnz, want.nnz) << what;
  EXPECT_EQ(counted.products, want.products) << what;
  EXPECT_EQ(count_products(x, y).products, want.products) << what;
}

TEST(Product, EqualsTheDenseDefinitionOnEveryPairOfTheBattery) {
  const std::vector<NamedPattern> patterns = battery(131);
  for (const NamedPattern& x : patterns) {
    for (const NamedPattern& y : patterns) expect_product(x.pattern, y.pattern, x.name + " times " + y.name);
  }
}

TEST(Product, EqualsTheDenseDefinitionWhenOperandsAreProductsThemselves) {
  const std::vector<NamedPattern> patterns = battery(67);
  for (const NamedPattern& x : patterns) {
    for (const NamedPattern& y : patterns) {
      const Product once = multiply(shared(x.pattern), shared(y.pattern), Keep::structure);
      expect_product(*once.pattern, x.pattern, "(" + x.name + " times " + y.name + ") times the first");
      expect_product(y.pattern, *once.pattern, y.name + " times (" + x.name + " times " + y.name + ")");
    }
  }
}

TEST_F(ProductTest, EqualsTheDenseDefinitionOnRandomShapesAndDensities) {
  for (int round = 0; round < 60; ++round) {
    const auto m = static_cast<Index>(between(1, 90));
    const auto k = static_cast<Index>(between(1, 90));
    const auto n = static_cast<Index>(between(1, 400));
    const double x_density = std::vector{0.003, 0.02, 0.1, 0.6}[between(0, 3)];
    const double y_density = std::vector{0.003, 0.02, 0.1, 0.6}[between(0, 3)];
    expect_product(random_pattern(m, k, x_density), random_pattern(k, n, y_density),
                   std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
  }
}

TEST_F(ProductTest, EqualsTheDenseDefinitionInEveryAccumulator) {
  // Widths and densities that lead a row to the sorted list, the hash table, the byte map and the bitmap.
  expect_product(random_pattern(20, 40, 0.1), random_pattern(40, 9000, 0.0005), "sorted");
  expect_product(random_pattern(20, 60, 0.5), random_pattern(60, 9000, 0.0008), "hashed");
  // Columns a power of two apart, as channels of an image are.
  expect_product(
      random_pattern(10, 60, 0.9),
      testing::pattern_where(60, 16384, [](Index r, Index c) { return c % 1024 == 5 && (c / 1024 + r) % 3 == 0; }),
      "hashed, columns apart by 1024");
  expect_product(random_pattern(20, 60, 0.5),
                 testing::pattern_where(60, 900, [](Index r, Index c) { return (r * 13 + c * 7) % 40 == 0; }), "bytes");
  expect_product(random_pattern(20, 60, 0.5), random_pattern(60, 900, 0.2), "bitmap");
  expect_product(random_pattern(20, 60, 0.9), random_pattern(60, 900, 0.7), "bitmap, full early");
}

TEST_F(ProductTest, DoesNotDependOnTheNumberOfThreads) {
  const auto x = shared(random_pattern(700, 500, 0.05));
  const auto y = shared(random_pattern(500, 900, 0.02));
  Product alone;
  {
    const ThreadLimit one(1);
    alone = multiply(x, y, Keep::structure);
  }
  const Product together = multiply(x, y, Keep::structure);
  EXPECT_EQ(alone.products, together.products);
  EXPECT_TRUE(*alone.pattern == *together.pattern);
}

TEST_F(ProductTest, IsAssociativeInStructure) {
  const auto a = shared(random_pattern(40, 50, 0.05));
  const auto b = shared(random_pattern(50, 60, 0.05));
  const auto c = shared(random_pattern(60, 70, 0.05));
  const Product left = multiply(multiply(a, b, Keep::structure).pattern, c, Keep::structure);
  const Product right = multiply(a, multiply(b, c, Keep::structure).pattern, Keep::structure);
  EXPECT_TRUE(*left.pattern == *right.pattern);
}

TEST(Product, SharesRowsInsteadOfCopyingThem) {
  const auto y = shared(testing::pattern_where(50, 80, [](Index r, Index c) { return (r + c) % 11 == 0; }));
  const auto select = shared(testing::pattern_where(200, 50, [](Index r, Index c) { return c == r / 4; }));
  EXPECT_EQ(multiply(select, y, Keep::structure).pattern->store(), y->store());
  EXPECT_EQ(multiply(shared(Pattern::diagonal(50)), y, Keep::structure).pattern, y);
  EXPECT_EQ(multiply(y, shared(Pattern::diagonal(80)), Keep::structure).pattern, y);
}

TEST(Product, RefusesInnerSizesThatDiffer) {
  try {
    static_cast<void>(multiply(shared(Pattern::diagonal(3)), shared(Pattern::diagonal(4)), Keep::counts));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "inner sizes differ: (3 x 3) times (4 x 4)");
  }
}

/// Rows of a pattern that share their stored row, without the empty ones.
std::vector<std::vector<Index>> row_groups(const Pattern& x) {
  std::vector<std::vector<Index>> groups(x.stored_rows());
  for (Index r = 0; r < x.rows(); ++r) {
    if (x.row(r).nnz() > 0) groups[x.row_number(r)].push_back(r);
  }
  return groups;
}

/// The counts of ProductSteps as its comments word them, from dense loops.
ProductSteps steps_by_definition(const Pattern& x, const Pattern& y) {
  const testing::DensePattern a = to_dense(x);
  const testing::DensePattern b = to_dense(y);
  const testing::DensePattern c = multiply_dense(a, b).pattern;
  const auto row_entries = [](const testing::DensePattern& matrix, Index r) {
    std::uint64_t entries = 0;
    for (Index col = 0; col < matrix.cols; ++col) entries += matrix.at(r, col) ? 1 : 0;
    return entries;
  };
  bool y_is_diagonal = b.rows == b.cols;
  bool y_has_long_rows = false;
  for (Index r = 0; r < b.rows; ++r) {
    y_is_diagonal = y_is_diagonal && row_entries(b, r) == 1 && b.at(r, r);
    y_has_long_rows = y_has_long_rows || row_entries(b, r) > 1;
  }
  bool x_has_long_rows = false;
  for (Index r = 0; r < a.rows; ++r) x_has_long_rows = x_has_long_rows || row_entries(a, r) > 1;
  const auto is_run = [&](Index k) {  // more than four columns, without a gap
    Index first = b.cols;
    Index last = 0;
    for (Index col = 0; col < b.cols; ++col) {
      if (!b.at(k, col)) continue;
      first = std::min(first, col);
      last = col;
    }
    return row_entries(b, k) > 4 && last - first + 1 == row_entries(b, k);
  };
  ProductSteps steps;
  if (y_is_diagonal || !x_has_long_rows) {
    for (Index r = 0; r < a.rows; ++r) {
      steps.teams += row_entries(a, r) > 0 ? 1 : 0;
      (y_is_diagonal ? steps.scaled_columns : steps.scaled_rows) += row_entries(c, r);
    }
    return steps;
  }
  for (const std::vector<Index>& rows : row_groups(x)) {
    for (std::size_t first = 0; first < rows.size(); first += kTeamRows) {
      ++steps.teams;
      const bool alone = rows.size() == 1;
      const Index row = rows[first];
      for (Index k = 0; k < a.cols; ++k) {
        if (!a.at(row, k)) continue;
        steps.passes += y_has_long_rows ? 1 : 0;
        (y_has_long_rows ? (alone ? steps.single_steps : steps.team_steps)
                         : (alone ? steps.single_hops : steps.team_hops)) += row_entries(b, k);
        (alone ? steps.single_run_steps : steps.team_run_steps) += is_run(k) ? row_entries(b, k) : 0;
      }
      (alone ? steps.single_sums : steps.team_sums) += row_entries(c, row);
    }
  }
  return steps;
}

/// The same for a dense vector.
ProductSteps vector_steps_by_definition(const Pattern& x) {
  ProductSteps steps;
  for (const std::vector<Index>& rows : row_groups(x)) {
    for (std::size_t first = 0; first < rows.size(); first += kTeamRows) {
      ++steps.teams;
      (rows.size() == 1 ? steps.single_steps : steps.team_steps) += x.row(rows[first]).nnz();
    }
  }
  return steps;
}

void expect_steps(const Pattern& x, const Pattern& y, const std::string& what) {
  SCOPED_TRACE(what);
  ProductSteps wanted = steps_by_definition(x, y);
  const Product full = multiply(shared(x), shared(y), Keep::structure);
  const ProductSteps vector = vector_steps_by_definition(*full.pattern);
  for (const Product& product : {full, multiply(shared(x), shared(y), Keep::counts)}) {
    for (std::size_t i = 0; i < kStepCounts.size(); ++i) {
      EXPECT_EQ(product.steps.*kStepCounts[i], wanted.*kStepCounts[i]) << "count " << i;
      EXPECT_EQ(product.vector_steps.*kStepCounts[i], vector.*kStepCounts[i]) << "count " << i << " of the vector";
    }
  }
  EXPECT_TRUE(steps_with_dense_vector(x) == vector_steps_by_definition(x));
  if (is_full(y) && !y.is_full_diagonal()) {
    EXPECT_TRUE(steps_with_full(x, y.cols()) == wanted) << "of a full pattern";
  }
  wanted.single_sums = wanted.team_sums = 0;
  EXPECT_TRUE(count_products(x, y).steps == wanted) << "without the sums";
}

TEST(ProductSteps, EqualTheirDefinitionOnEveryPairOfTheBattery) {
  for (const NamedPattern& x : battery(45)) {
    for (const NamedPattern& y : battery(45)) expect_steps(x.pattern, y.pattern, x.name + " times " + y.name);
  }
}

TEST_F(ProductTest, StepsEqualTheirDefinitionWhereRowsShareTheirColumns) {
  const auto shared_rows = [&](Index stored, Index cols, double density) {
    const Pattern distinct = random_pattern(stored, cols, density);
    std::vector<Index> numbers = {Pattern::kEmptyRow};
    for (Index number = 0; number < stored; ++number) numbers.insert(numbers.end(), between(0, 9), number);
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[between(0, i - 1)]);
    const auto rows = static_cast<Index>(numbers.size());
    return Pattern(rows, cols, std::move(numbers), distinct.store());
  };
  for (int round = 0; round < 60; ++round) {
    const double density = std::vector{0.01, 0.1, 0.6}[between(0, 2)];
    const Pattern y = shared_rows(static_cast<Index>(between(1, 9)), static_cast<Index>(between(1, 90)), density);
    const Pattern x = shared_rows(static_cast<Index>(between(1, 12)), y.rows(), 0.3);
    expect_steps(x, y, "shared rows");
    const auto longest = static_cast<Index>(between(0, 90));
    const Pattern runs = testing::pattern_where(
        x.cols(), 90, [&](Index r, Index c) { return c >= r && c - r <= longest && (r % 3 > 0 || c != r + 5); });
    expect_steps(x, runs, "shared rows times runs, some with a gap");
    expect_steps(x, Pattern::diagonal(x.cols()), "shared rows times a diagonal");
    expect_steps(Pattern::diagonal(y.rows()), y, "a diagonal times shared rows");
    const auto halves = testing::pattern_where(x.cols(), x.cols(), [](Index r, Index c) { return c == r / 2; });
    expect_steps(x, halves, "shared rows times single columns");
    expect_steps(halves, y, "one entry per row times shared rows");
  }
}

TEST(ProductSteps, OfAHandCountedProduct) {
  // Five equal rows (two entries each) and one alone; rows of Y with two, one and no entries.
  const Pattern distinct = Pattern::from_csr({2, 3, {0, 2, 5}, {0, 1, 0, 1, 2}});
  const Pattern x(6, 3, {0, 0, 1, 0, 0, 0}, distinct.store());
  const Pattern y = Pattern::from_csr({3, 4, {0, 2, 3, 3}, {0, 1, 1}});
  const Product product = multiply(shared(x), shared(y), Keep::counts);
  EXPECT_EQ(product.products, 18U);  // 6 rows with 2 + 1 pairs each
  ProductSteps wanted;
  wanted.teams = 3;  // 4 + 1 of the equal rows, 1 alone
  wanted.passes = 2 * 2 + 3;
  wanted.team_steps = 2 * 3;
  wanted.single_steps = 3;
  wanted.team_sums = 2 * 2;
  wanted.single_sums = 2;
  EXPECT_TRUE(product.steps == wanted);
}

TEST(FlopsOfProducts, CountsOneMultiplyAndOneAddAndRefusesToWrapAround) {
  EXPECT_EQ(flops_of_products(21), 42U);
  EXPECT_THROW(static_cast<void>(flops_of_products(std::uint64_t{1} << 63)), CountOverflow);
}

TEST(DenseOracle, CanTellAWrongProduct) {
  const auto x = to_dense(testing::pattern_where(3, 3, [](Index r, Index c) { return r <= c; }));
  DenseProduct product = multiply_dense(x, x);
  EXPECT_EQ(product.nnz, 6U);
  EXPECT_EQ(product.products, 10U);  // 1 + 2 + 3 in the first row, 1 + 2, 1
  product.pattern.entries[0] = 0;
  EXPECT_FALSE(product.pattern == x);
}

}  // namespace
}  // namespace upsweep::product_test
