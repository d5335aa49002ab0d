#include "row_programs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "kernels/host_teams.hpp"
#include "sum_programs.hpp"
#include "support/battery.hpp"
#include "support/random.hpp"
#include "team_bins.hpp"
#include "upsweep/backend/schedule_plan.hpp"

namespace upsweep::kernels {
namespace {

/// Dense, row-major.
struct Dense {
  Index rows = 0;
  Index cols = 0;
  std::vector<double> entries;

  Dense(Index r, Index c) : rows(r), cols(c), entries(std::size_t{r} * c, 0) {}
  double& at(Index r, Index c) { return entries[std::size_t{r} * cols + c]; }
  double at(Index r, Index c) const { return entries[std::size_t{r} * cols + c]; }
  friend bool operator==(const Dense&, const Dense&) = default;
};

template <class T>
Dense to_dense(const Layout& layout, const std::vector<T>& values) {
  Dense dense(layout.rows, layout.cols);
  for (Index r = 0; r < layout.rows; ++r) {
    for (Index i = 0; i < layout.row_nnz(r); ++i) {
      dense.at(r, layout.columns(r)[i]) = values[layout.value_begin[r] + i];
    }
  }
  return dense;
}

Dense multiply_dense(const Dense& x, const Dense& y) {
  Dense c(x.rows, y.cols);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index k = 0; k < x.cols; ++k) {
      for (Index j = 0; j < y.cols; ++j) c.at(i, j) += x.at(i, k) * y.at(k, j);
    }
  }
  return c;
}

StructureView view(const Layout& layout) {
  return {layout.value_begin.data(), layout.list_begin.data(), layout.lists->columns.data()};
}

/// The plan of the one product X·Y, or of X·gradient where `y` is null.
SchedulePlan plan_of(const std::shared_ptr<const Pattern>& x, const std::shared_ptr<const Pattern>& y) {
  Schedule schedule;
  JacobianChain chain;
  chain.gradient_length = y ? y->cols() : x->cols();
  if (y) chain.jacobians.push_back(y);
  chain.jacobians.push_back(x);
  const ValueId later = y ? 2 : 1;
  schedule.length = chain.length();
  schedule.levels = 1;
  schedule.combines.push_back({Phase::up, 0, later - 1, later, later, later - 1, later});
  return plan_schedule(schedule, chain);
}

template <class T>
OperandsView<T> operands(const SchedulePlan& plan, const std::vector<T>& x, const std::vector<T>& y,
                         std::vector<T>& c) {
  const PlannedOp& op = plan.ops.front();
  OperandsView<T> view_of;
  view_of.x = view(*plan.layouts[op.later]);
  if (plan.layouts[op.earlier]) view_of.y = view(*plan.layouts[op.earlier]);
  if (plan.layouts[op.target]) view_of.c = view(*plan.layouts[op.target]);
  view_of.x_values = x.data();
  view_of.y_values = y.data();
  view_of.c_values = c.data();
  return view_of;
}

template <SumStorage kStorage, class T>
void run_storage(ProductForm form, const testing::ThreadTeam& team, const OperandsView<T>& op, const RowTeam& rows,
                 unsigned char* scratch) {
  if (form == ProductForm::general) {
    run_with_members(General<kStorage>(), team, op, rows, scratch);
  } else {
    run_with_members(SingleColumns<kStorage>(), team, op, rows, scratch);
  }
}

/// Every bin, its teams one after the other; scratch is exactly as large as the bin says.
template <class T>
void run_bins(ProductForm form, const Layout& x, const std::vector<TeamBin>& bins, const testing::ThreadTeam& team,
              const OperandsView<T>& op, std::vector<std::uint64_t>& memory) {
  for (const TeamBin& bin : bins) {
    ASSERT_LE(bin.shared_bytes, memory.size() * sizeof(std::uint64_t));
    auto* const scratch = reinterpret_cast<unsigned char*>(memory.data() + memory.size()) - bin.shared_bytes;
    for (const Index number : bin.teams) {
      const Index begin = x.team_begin[number];
      const RowTeam rows{x.team_rows.data() + begin, x.team_begin[number + std::size_t{1}] - begin};
      switch (bin.storage) {
        case SumStorage::scratch:
          run_storage<SumStorage::scratch>(form, team, op, rows, scratch);
          break;
        case SumStorage::result:
          run_storage<SumStorage::result>(form, team, op, rows, scratch);
          break;
        case SumStorage::result_search:
          run_storage<SumStorage::result_search>(form, team, op, rows, scratch);
          break;
      }
      team.sync();  // on a GPU every team has scratch of its own
    }
  }
}

class RowPrograms : public testing::SeededTest {
 protected:
  template <class T>
  std::vector<T> integers(std::uint64_t count) {
    std::vector<T> numbers(count);
    for (T& number : numbers) number = static_cast<T>(between(0, 8)) - 4;
    return numbers;
  }

  /// X·Y by the programs of `form`, compared with the definition.
  template <class T>
  void expect_product(const SchedulePlan& plan, ProductForm form, std::size_t threads, std::uint64_t shared_limit) {
    const Layout& x = *plan.layouts[plan.ops.front().later];
    const Layout& y = *plan.layouts[plan.ops.front().earlier];
    const Layout& c = *plan.layouts[plan.ops.front().target];
    const std::vector<T> x_values = integers<T>(x.nnz());
    const std::vector<T> y_values = integers<T>(y.nnz());
    std::vector<T> c_values(c.nnz(), std::numeric_limits<T>::quiet_NaN());
    const OperandsView<T> op = operands(plan, x_values, y_values, c_values);
    std::vector<TeamBin> bins;
    if (form == ProductForm::general || form == ProductForm::single_columns) {
      bins = bin_teams(form, x, y, c, sizeof(T), {shared_limit, 1});
    }
    std::vector<std::uint64_t> memory(shared_limit / sizeof(std::uint64_t));
    testing::run_team(threads, [&](const testing::ThreadTeam& team) {
      if (form == ProductForm::scale_rows) {
        for (Index r = 0; r < c.rows; ++r) scale_rows_program(team, op, r);
      } else if (form == ProductForm::scale_columns) {
        for (Index r = 0; r < c.rows; ++r) scale_columns_program(team, op, r);
      } else {
        run_bins(form, x, bins, team, op, memory);
      }
    });
    EXPECT_EQ(to_dense(c, c_values), multiply_dense(to_dense(x, x_values), to_dense(y, y_values)))
        << "form " << static_cast<int>(form) << ", " << threads << " threads, " << shared_limit << " bytes, "
        << sizeof(T) << " bytes a value";
  }

  /// Every form that fits, several widths, and scratch so small that every kind of storage is met.
  void expect_products(const Pattern& x_pattern, const Pattern& y_pattern, std::size_t threads) {
    const auto x = std::make_shared<const Pattern>(x_pattern);
    const auto y = std::make_shared<const Pattern>(y_pattern);
    const SchedulePlan plan = plan_of(x, y);
    std::vector<ProductForm> forms = {ProductForm::general};
    if (plan.ops.front().form != ProductForm::general) forms.push_back(plan.ops.front().form);
    if (y->max_row_nnz() <= 1 && forms.back() != ProductForm::single_columns) {
      forms.push_back(ProductForm::single_columns);
    }
    for (const ProductForm form : forms) {
      for (const std::uint64_t limit : {std::uint64_t{1} << 16, std::uint64_t{1024}, std::uint64_t{896}}) {
        expect_product<float>(plan, form, threads, limit);
      }
      expect_product<double>(plan, form, threads, std::uint64_t{1} << 16);
      expect_product<double>(plan, form, threads, 1040);
    }
  }
};

TEST_F(RowPrograms, AreTheDefinitionForAPairOfAwkwardPatternsAndOneThread) {
  for (const auto& x : testing::battery(45)) {
    for (const auto& y : testing::battery(45)) {
      SCOPED_TRACE(x.name + " times " + y.name);
      expect_products(x.pattern, y.pattern, 1);
    }
  }
}

TEST_F(RowPrograms, AreTheDefinitionForAPairOfAwkwardPatternsAndThreeThreads) {
  for (const auto& x : testing::battery(21)) {
    for (const auto& y : testing::battery(21)) {
      SCOPED_TRACE(x.name + " times " + y.name);
      expect_products(x.pattern, y.pattern, 3);
    }
  }
}

TEST_F(RowPrograms, AreTheDefinitionForRandomPatterns) {
  for (int round = 0; round < 30; ++round) {
    const auto size = [&] { return static_cast<Index>(between(1, 90)); };
    const Index m = size();
    const Index k = size();
    const Index n = size();
    const Pattern x = random_pattern(m, k, chance(0.3) ? 0.05 : 0.5);
    const Pattern y = random_pattern(k, n, chance(0.3) ? 0.02 : 0.4);
    expect_products(x, y, between(1, 4));
  }
}

TEST_F(RowPrograms, AreTheDefinitionForVectors) {
  for (const std::size_t threads : {1, 4}) {
    for (const auto& [name, pattern] : testing::battery(45)) {
      const SchedulePlan plan = plan_of(std::make_shared<const Pattern>(pattern), nullptr);
      const Layout& x = *plan.layouts[1];
      const std::vector<float> x_values = integers<float>(x.nnz());
      const std::vector<float> vector = integers<float>(x.cols);
      std::vector<float> result(x.rows, std::numeric_limits<float>::quiet_NaN());
      const OperandsView<float> op = operands(plan, x_values, vector, result);
      testing::run_team(threads, [&](const testing::ThreadTeam& team) {
        for (Index r = 0; r < x.rows; ++r) vector_program(team, op, r);
      });
      Dense column(x.cols, 1);
      column.entries.assign(vector.begin(), vector.end());
      const Dense expected = multiply_dense(to_dense(x, x_values), column);
      EXPECT_EQ(std::vector<double>(result.begin(), result.end()), expected.entries) << name << ", " << threads;
    }
  }
}

TEST_F(RowPrograms, MeetEveryKindOfStorage) {
  const auto wide = std::make_shared<const Pattern>(random_pattern(30, 30, 0.5));
  const auto y = std::make_shared<const Pattern>(random_pattern(30, 4000, 0.2));
  const SchedulePlan plan = plan_of(wide, y);
  const auto storage = [&](std::uint64_t limit) {
    return bin_teams(ProductForm::general, *plan.layouts[2], *plan.layouts[1], *plan.layouts[3], 4, {limit, 1})[0]
        .storage;
  };
  EXPECT_EQ(storage(1 << 16), SumStorage::scratch);
  EXPECT_EQ(storage(4096), SumStorage::result);
  EXPECT_EQ(storage(1024), SumStorage::result_search);
  for (const std::uint64_t limit : {1 << 16, 4096, 1024}) expect_product<float>(plan, ProductForm::general, 2, limit);
}

TEST(SearchLookup, FindsEveryColumn) {
  std::vector<Index> columns;
  for (Index c = 3; columns.size() < 70; c += 1 + c % 5) {
    columns.push_back(c);
    testing::TeamState state(1);
    const SearchLookup lookup(columns.data(), static_cast<Index>(columns.size()), nullptr);
    for (Index p = 0; p < columns.size(); ++p) {
      EXPECT_EQ(lookup.position(testing::ThreadTeam(state, 0), columns[p]), p) << columns.size();
    }
  }
}

}  // namespace
}  // namespace upsweep::kernels
