#include "backend/adding_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "backend/product_kernels.hpp"
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

/// X·Y of random numbers, with rows of Y asked for ahead or not.
template <class T>
class AddedRows {
 public:
  AddedRows(const std::function<double()>& number, const Pattern& x, const Pattern& y)
      : product_(multiply(std::make_shared<const Pattern>(x), std::make_shared<const Pattern>(y), Keep::structure)),
        x_(layouts_.make(x)),
        y_(layouts_.make(y)),
        c_(layouts_.make(*product_.pattern)),
        order_(adding_order(*x_, *y_, *c_, sizeof(T))) {
    for (std::uint64_t i = 0; i < x.nnz(); ++i) x_values_.push_back(static_cast<T>(number()));
    for (std::uint64_t i = 0; i < y.nnz(); ++i) y_values_.push_back(static_cast<T>(number()));
  }
  [[nodiscard]] bool is_far() const { return order_.y_is_far; }
  [[nodiscard]] std::vector<T> values(bool is_far) {
    order_.y_is_far = is_far;
    std::vector<T> c(c_->nnz(), T{-1});
    ProductTask<T> task{ProductForm::general, x_.get(), y_.get(), c_.get(), &order_};
    task.x_values = x_values_.data();
    task.y_values = y_values_.data();
    task.c_values = c.data();
    Scratch<T> scratch;
    compute_units(task, 0, task.units(), scratch);
    return c;
  }
  /// By the definition, in double precision, where C has an entry.
  [[nodiscard]] std::vector<double> defined() const {
    std::vector<double> c;
    for (Index r = 0; r < c_->rows; ++r) {
      std::vector<double> row(c_->cols, 0);
      for (Index e = 0; e < x_->row_nnz(r); ++e) {
        const Index k = x_->columns(r)[e];
        const double factor = x_values_[x_->value_begin[r] + e];
        for (Index i = 0; i < y_->row_nnz(k); ++i) row[y_->columns(k)[i]] += factor * y_values_[y_->value_begin[k] + i];
      }
      for (const Index column : c_->columns(r)) c.push_back(row[column]);
    }
    return c;
  }
  [[nodiscard]] std::size_t largest_team() const {
    std::size_t most = 0;
    for (std::size_t t = 0; t < x_->teams(); ++t)
      most = std::max<std::size_t>(most, x_->team_begin[t + 1] - x_->team_begin[t]);
    return most;
  }
  [[nodiscard]] bool has_runs() const { return std::ranges::find(order_.y_is_run, true) != order_.y_is_run.end(); }

 private:
  LayoutMaker layouts_;
  Product product_;
  std::shared_ptr<const Layout> x_;
  std::shared_ptr<const Layout> y_;
  std::shared_ptr<const Layout> c_;
  AddingOrder order_;
  std::vector<T> x_values_;
  std::vector<T> y_values_;
};

template <class T>
void expect_the_product(AddedRows<T>& rows, double accepted) {
  const std::vector<T> far = rows.values(true);
  EXPECT_EQ(far, rows.values(false)) << "asking for rows ahead changes no number";
  const std::vector<double> defined = rows.defined();
  ASSERT_EQ(far.size(), defined.size());
  for (std::size_t i = 0; i < far.size(); ++i) ASSERT_NEAR(far[i], defined[i], accepted) << "entry " << i;
}

// Rows of Y of no entry to beyond what is asked for ahead, with gaps or as runs, in the order of columns or not; rows
// of X alone and in teams.
TEST_F(AddingOrderTest, RowsOfYAddUpToTheProductWhetherTheyAreAskedForAheadOrNot) {
  const auto gaps = static_cast<Index>(between(2, 5));
  const auto number = [this] { return normal(); };
  for (const bool runs : {false, true}) {
    for (const Index cols : {700U, 1100U}) {
      for (const Index members : {1U, 4U}) {
        SCOPED_TRACE(::testing::Message() << "runs " << runs << ", " << cols << " columns, teams of " << members);
        const Pattern distinct = testing::pattern_where(6, 40, [](Index r, Index c) { return (r + c) % 5 < 2; });
        std::vector<Index> numbers;
        for (Index r = 0; r < 6 * members; ++r) numbers.push_back(r / members);
        const Pattern x(6 * members, 40, std::move(numbers), distinct.store());
        const Pattern y = testing::pattern_where(
            40, cols, [&](Index r, Index c) { return c < 30 * r && c >= r % 4 && (runs || (c + r) % gaps > 0); });
        AddedRows<float> singles(number, x, y);
        EXPECT_EQ(singles.largest_team(), members);
        EXPECT_EQ(singles.has_runs(), runs);
        expect_the_product(singles, 1e-4);
        AddedRows<double> doubles(number, x, y);
        expect_the_product(doubles, 1e-12);
      }
    }
  }
}

// Of runs the numbers are read alone, of other rows their columns too.
TEST_F(AddingOrderTest, YIsFarWhereWhatIsReadOfItIsMoreThanThreeQuartersOf2MiB) {
  const Pattern x = testing::pattern_where(2, 500, [](Index, Index c) { return c % 7 == 0; });
  const auto is_far = [&](Index cols, Index step) {
    const Pattern y = testing::pattern_where(500, cols, [&](Index, Index c) { return c % step == 0; });
    return std::pair(AddedRows<float>([this] { return normal(); }, x, y).is_far(),
                     AddedRows<double>([this] { return normal(); }, x, y).is_far());
  };
  EXPECT_EQ(is_far(700, 1), std::pair(false, true)) << "1.3 and 2.7 MiB of numbers";
  EXPECT_EQ(is_far(850, 1), std::pair(true, true)) << "1.6 and 3.2 MiB of numbers";
  EXPECT_EQ(is_far(740, 2), std::pair(false, true)) << "1.4 and 2.1 MiB of numbers and columns";
  EXPECT_EQ(is_far(820, 2), std::pair(true, true)) << "1.6 and 2.3 MiB of numbers and columns";
}

}  // namespace
}  // namespace upsweep
