#include <gtest/gtest.h>

#include "recurrent/hidden_jacobians.hpp"
#include "recurrent/support.hpp"

namespace upsweep {
namespace {

TEST(HiddenJacobian, IsThatOfFiniteDifferences) {
  constexpr double kStep = 1e-6;
  for (const std::size_t h : {1, 4, 21}) {
    for (const CellShape& shape : testing::all_cells(3, h, 2)) {
      const auto c = testing::recurrent_case<double>(shape, 3, 2, 17);
      const std::vector<double> all = testing::hidden_jacobians(c.weights, c.states);
      for (std::size_t t = 1; t <= 3; ++t) {
        const std::vector<double> inputs(c.inputs.begin() + static_cast<std::ptrdiff_t>((t - 1) * 6),
                                         c.inputs.begin() + static_cast<std::ptrdiff_t>(t * 6));
        for (std::size_t row = 0; row < h; ++row) {
          std::vector<double> above(c.states.at(t - 1).begin(), c.states.at(t - 1).end());
          std::vector<double> below = above;
          for (std::size_t b = 0; b < 2; ++b) {
            above[b * h + row] += kStep;
            below[b * h + row] -= kStep;
          }
          const auto high = run_forward<double>(c.weights, inputs, 1, 2, above);
          const auto low = run_forward<double>(c.weights, inputs, 1, 2, below);
          for (std::size_t b = 0; b < 2; ++b) {
            for (std::size_t col = 0; col < h; ++col) {
              const double want = (high.at(1)[b * h + col] - low.at(1)[b * h + col]) / (2 * kStep);
              const double found = all[(((t - 1) * 2 + b) * h + row) * h + col];
              ASSERT_NEAR(found, want, 1e-8) << testing::describe(shape, t, b) << " at " << row << ", " << col;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace upsweep
