#include "backend/adding_order.hpp"

#include <gtest/gtest.h>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

class AddingOrderTest : public testing::SeededTest {};

/// Steps at rows of Y that the kernels take for runs, once per team.
std::uint64_t run_steps_of(const Layout& x, const Layout& y, const AddingOrder& order) {
  std::uint64_t steps = 0;
  for (std::size_t team = 0; team < x.teams(); ++team) {
    for (const Index k : x.columns(x.team_rows[x.team_begin[team]])) steps += order.y_is_run[k] ? y.row_nnz(k) : 0;
  }
  return steps;
}

// Of few columns and of many, where sums keep the order of columns only if runs make up for it.
TEST_F(AddingOrderTest, TakesAsManyStepsForRunsAsTheMachineModelCounts) {
  std::size_t kept = 0;
  std::size_t reordered = 0;
  for (std::size_t round = 0; round < 36; ++round) {  // twice each width and each share of rows with gaps
    const Index cols = std::vector<Index>{9, 200, 1500}[round / 6 % 3];
    const auto gaps = static_cast<Index>(1 + round % 6);
    const auto x = std::make_shared<const Pattern>(random_pattern(20, 30, 0.3));
    const auto y = std::make_shared<const Pattern>(
        testing::pattern_where(30, cols, [&](Index r, Index c) { return c >= r % 4 && (r % gaps > 0 || c % 3 > 0); }));
    const Product product = multiply(x, y, Keep::structure);
    OpProfile op;
    op.m = 20;
    op.k = 30;
    op.n = cols;
    op.steps = product.steps;
    LayoutMaker layouts;
    const auto x_layout = layouts.make(*x);
    const auto y_layout = layouts.make(*y);
    for (const unsigned value_bytes : {4U, 8U}) {
      const AddingOrder order = adding_order(*x_layout, *y_layout, *layouts.make(*product.pattern), value_bytes);
      const ProductSteps counted = op_work(op, 1, value_bytes).steps;
      EXPECT_EQ(run_steps_of(*x_layout, *y_layout, order), counted.single_run_steps + counted.team_run_steps);
      ++(order.position.empty() ? kept : reordered);
    }
  }
  EXPECT_GT(kept, 0U);
  EXPECT_GT(reordered, 0U);
}

}  // namespace
}  // namespace upsweep
