#include "upsweep/network/dense_work.hpp"

#include <gtest/gtest.h>

namespace upsweep::testing::dense_work_test {
namespace {

Operator make(const OperatorKind& kind, const Shape& in) { return {"op", kind, in, infer_shape(kind, in)}; }

Operator make_pair(const OperatorKind& kind, const Shape& first, const Shape& second) {
  return {"op", kind, first, infer_shape(kind, std::vector<Shape>{first, second}), {second}};
}

TEST(DenseWork, OfARecurrentLayerHasAGradientOfItsWeights) {
  const Operator op = make(Recurrence{RecurrentCell::lstm, 2}, {5, 3});
  EXPECT_EQ(forward_macs(op), 5U * 4 * 2 * (3 + 2));
  const PartWork work = operator_work(op);
  EXPECT_EQ(work.forward.flops, 2U * forward_macs(op));
  EXPECT_EQ(work.output_gradient.flops, work.forward.flops);
  EXPECT_EQ(work.weight_gradient.flops, work.forward.flops);
}

TEST(DenseWork, OfTwoActivationsHasAGradientForEach) {
  const PartWork product = operator_work(make_pair(MatMul{}, {2, 3}, {3, 4}));
  EXPECT_EQ(product.forward, (KernelWork{48, 6 + 12 + 8, 0}));
  EXPECT_EQ(product.output_gradient.flops, 96U);
  EXPECT_EQ(product.weight_gradient, KernelWork{});
  const PartWork pair = operator_work(make_pair(Pairwise{}, {2, 3}, {3}));
  EXPECT_EQ(pair.forward, (KernelWork{6, 6 + 3 + 6, 0})) << "one FLOP per output";
  EXPECT_EQ(pair.output_gradient.flops, 12U);
}

TEST(DenseWork, ConstantsOfAllElementsAreNoParameters) {
  EXPECT_EQ(weight_count(make(Scaling{}, {4})), 0U);
  EXPECT_EQ(weight_count(make(Scaling{4}, {4})), 4U);
  Scaling prelu;
  prelu.negative_part = true;
  EXPECT_EQ(weight_count(make(prelu, {4})), 1U);
  EXPECT_EQ(weight_count(make(Shifting{}, {4})), 0U);
}

}  // namespace
}  // namespace upsweep::testing::dense_work_test
