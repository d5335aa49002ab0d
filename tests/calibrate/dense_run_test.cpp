#include "upsweep/calibrate/dense_run.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "calibrate/dense_kernels.hpp"
#include "upsweep/jacobian/patterns.hpp"

namespace upsweep::dense_run_test {
namespace {

Operator make(const OperatorKind& kind, const Shape& in) { return {"op", kind, in, infer_shape(kind, in)}; }

std::vector<Operator> operators() {
  return {make(Linear{7}, {5}),
          make(Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {2, 6, 5}),
          make(Conv2d{4, {3, 2}, {2, 3}, {1, 0}, {2, 1}}, {2, 9, 8}),
          make(Conv2d{6, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 2}, {4, 5, 5}),
          make(Conv2d{8, {3, 3}, {2, 2}, {1, 1}, {1, 1}, 8}, {8, 7, 7}),
          make(Conv2d{3, {1, 1}}, {4, 3, 3}),
          make(Conv2d{3, {1, 1}, {2, 2}}, {4, 5, 5}),
          make(Conv2d{2, {5, 5}, {1, 1}, {4, 4}}, {1, 2, 2}),
          make(Relu{}, {3, 4, 4}),
          make(MaxPool2d{{3, 3}, {2, 2}, {1, 1}}, {2, 7, 7}),
          make(AvgPool2d{{2, 2}, {2, 2}}, {2, 6, 6}),
          make(AdaptiveAvgPool2d{{2, 3}}, {2, 5, 7})};
}

/// Column `at` of the transposed Jacobian: the gradient of the input where that of the output is a unit vector.
std::vector<double> column_of(DenseKernels<double>& kernels, const Operator& op, std::size_t at) {
  std::vector<double> unit(elements(op.out_shape), 0);
  unit[at] = 1;
  std::vector<double> column(elements(op.in_shape), 99);
  kernels.to_input(unit.data(), column.data());
  return column;
}

TEST(DenseKernels, HandBackToTheInputsThatTheirOutputsRead) {
  for (const std::size_t threads : {1, 2}) {
    for (const Operator& op : operators()) {
      SCOPED_TRACE(kind_name(op.kind));
      const auto kernels = dense_kernels<double>(op, threads);
      ASSERT_NE(kernels, nullptr);
      const CsrPattern pattern = guaranteed_pattern(op, {}).to_csr();
      for (std::size_t j = 0; j < elements(op.out_shape); ++j) {
        const std::vector<double> column = column_of(*kernels, op, j);
        std::size_t given = 0;
        for (std::size_t i = 0; i < column.size(); ++i) {
          const auto begin = pattern.indices.begin() + static_cast<std::ptrdiff_t>(pattern.indptr[i]);
          const auto end = pattern.indices.begin() + static_cast<std::ptrdiff_t>(pattern.indptr[i + 1]);
          const bool is_read = std::find(begin, end, j) != end;
          given += column[i] != 0 ? 1 : 0;
          if (std::holds_alternative<MaxPool2d>(op.kind)) {
            EXPECT_TRUE(column[i] == 0 || is_read);
          } else {
            EXPECT_EQ(column[i] != 0, is_read) << "output " << j << ", input " << i;
          }
        }
        if (std::holds_alternative<MaxPool2d>(op.kind)) {
          EXPECT_EQ(given, 1U) << "of output " << j;
        }
      }
    }
  }
}

/// An output is linear in the weights and in the input: by either gradient it comes out as the same number.
TEST(DenseKernels, GiveGradientsOfWeightsThatAgreeWithThoseOfTheInput) {
  for (const Operator& op : operators()) {
    const auto kernels = dense_kernels<double>(op, 2);
    EXPECT_EQ(kernels->has_weights(), weight_shape(op.kind, op.in_shape).has_value());
    if (!kernels->has_weights()) continue;
    SCOPED_TRACE(kind_name(op.kind));
    for (std::size_t j = 0; j < elements(op.out_shape); ++j) {
      const std::vector<double> column = column_of(*kernels, op, j);
      const double by_input = std::inner_product(column.begin(), column.end(), kernels->input().begin(), 0.0);
      std::vector<double> unit(elements(op.out_shape), 0);
      unit[j] = 1;
      kernels->to_weights(unit.data());
      const auto gradient = kernels->weight_gradient();
      const double by_weights = std::inner_product(gradient.begin(), gradient.end(), kernels->weights().begin(), 0.0);
      EXPECT_NEAR(by_weights, by_input, 1e-12 * (1 + std::abs(by_input))) << "output " << j;
    }
  }
}

TEST(DenseRun, TimesEveryGradientThatThereIs) {
  const Network network({2, 6, 6}, {{"conv", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
                                    {"act", Relu{}, {}},
                                    {"more", Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, {}},
                                    {"sum", Add{}, {{"act", "more"}}},
                                    {"flat", Flatten{}, {}},
                                    {"fc", Linear{5}, {}}});
  for (const DenseRun& run :
       {run_dense_backprop<float>(network, 2, {3}), run_dense_backprop<double>(network, 1, {3})}) {
    EXPECT_EQ(run.skipped, "");
    EXPECT_EQ(run.repetitions, 3U);
    EXPECT_EQ(run.kernels, 4U) << "fc, more, act and a sum at act";
    EXPECT_GT(run.gradients_s, 0);
    EXPECT_GT(run.weight_gradients_s, 0);
    ASSERT_EQ(run.kernel_s.size(), 7U);
    EXPECT_EQ(run.kernel_s[0], 0) << "nothing needs the gradient of the input";
    EXPECT_EQ(run.kernel_s[3], 0) << "a sum hands on";
    for (const std::size_t kernel : {1U, 2U, 5U, 6U}) EXPECT_GT(run.kernel_s[kernel], 0);
  }
}

TEST(DenseRun, SkipsWhatHasNoDenseKernelAndNamesTheOperator) {
  const Network network({2, 4, 4}, {{"up", ConvTranspose2d{3, {2, 2}, {2, 2}}, {}}, {"act", Relu{}, {}}});
  EXPECT_EQ(run_dense_backprop<float>(network, 1, {1}).skipped, "conv_transpose2d 'up' has no dense kernel here");
}

}  // namespace
}  // namespace upsweep::dense_run_test
