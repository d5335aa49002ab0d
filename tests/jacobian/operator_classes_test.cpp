#include <gtest/gtest.h>

#include "support/random_images.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep::operator_classes_test {
namespace {

Operator make(const OperatorKind& kind, const Shape& in) { return {"op", kind, in, infer_shape(kind, in)}; }

class OperatorClassesTest : public testing::RandomImagesTest {};

void expect_same(const Pattern& classes, const Pattern& rows) {
  EXPECT_EQ(classes.to_csr(), rows.to_csr());
  EXPECT_TRUE(classes == rows);
  EXPECT_EQ(classes.nnz(), rows.nnz());
  EXPECT_EQ(classes.max_row_nnz(), rows.max_row_nnz());
  EXPECT_EQ(classes.nonempty_rows(), rows.nonempty_rows());
  EXPECT_EQ(classes.is_full_diagonal(), rows.is_full_diagonal());
  EXPECT_EQ(steps_with_dense_vector(classes), steps_with_dense_vector(rows));
  EXPECT_EQ(steps_with_full(classes, 7), steps_with_full(rows, 7));
  EXPECT_TRUE(in_rows(classes) == rows);
}

TEST_F(OperatorClassesTest, MakeTheSamePatternAsRows) {
  for (int round = 0; round < 200; ++round) {
    const Network network = random_network(1);
    const NetworkWeights weights = random_masks(network);
    const Operator& op = network.operators()[0];
    SCOPED_TRACE(describe(network));
    const Pattern classes = guaranteed_pattern(op, weights[0], PatternForm::classes);
    ASSERT_TRUE(classes.classes());
    expect_same(classes, guaranteed_pattern(op, weights[0]));
  }
}

TEST_F(OperatorClassesTest, DoNotGrowWithTheImage) {
  for (const std::uint64_t size : {32, 1024}) {
    const Operator conv = make(Conv2d{64, {3, 3}, {1, 1}, {1, 1}}, {64, size, size});
    EXPECT_EQ(operator_classes(conv, {})->partition.size(), 4U) << "a border and the inside along both axes";
    const Operator pool = make(MaxPool2d{{3, 3}, {2, 2}}, {64, size + 1, size + 1});
    EXPECT_EQ(operator_classes(pool, {})->partition.size(), 64U * 4);
    EXPECT_EQ(operator_classes(make(Relu{}, {64, size, size}), {})->partition.size(), 64U);
  }
}

TEST(OperatorClasses, AreThoseOfImagesAlone) {
  EXPECT_FALSE(operator_classes(make(Linear{3}, {8}), {}));
  EXPECT_FALSE(operator_classes(make(Relu{}, {8}), {}));
  EXPECT_FALSE(operator_classes(make(Flatten{}, {2, 2, 2}), {}));
  EXPECT_FALSE(operator_classes(make(Dropout{}, {2, 2, 2}), {}));
}

TEST(RequirePatternMemory, OfClassesDoesNotGrowWithTheImage) {
  const Network network({3, 2048, 2048}, {{"c1", Conv2d{64, {3, 3}, {1, 1}, {1, 1}}, {}},
                                          {"r1", Relu{}, {}},
                                          {"c2", Conv2d{64, {3, 3}, {1, 1}, {1, 1}}, {}}});
  const NetworkWeights weights(3);
  EXPECT_NO_THROW(require_pattern_memory(network, weights, 4 << 20, PatternForm::classes));
  EXPECT_THROW(require_pattern_memory(network, weights, std::uint64_t{4} << 30), OperatorError);
  const JacobianChain chain = guaranteed_chain(network, weights, StepPatterns::drop, PatternForm::classes);
  std::size_t bytes = 0;
  for (const auto& jacobian : chain.jacobians) bytes += jacobian->memory();
  EXPECT_LT(bytes, std::size_t{4} << 20);
}

}  // namespace
}  // namespace upsweep::operator_classes_test
