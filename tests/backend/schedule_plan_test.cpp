#include "upsweep/backend/schedule_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep::schedule_plan_test {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

class SchedulePlanTest : public testing::SeededTest {
 protected:
  /// Every row of a random store used 0 to 9 times, in any order, with empty rows among them.
  Pattern shared_rows(Index stored, Index cols, double density) {
    const Pattern distinct = random_pattern(stored, cols, density);
    std::vector<Index> numbers;
    for (Index number = 0; number < stored; ++number) numbers.insert(numbers.end(), between(0, 9), number);
    numbers.insert(numbers.end(), between(1, 3), Pattern::kEmptyRow);
    for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[between(0, i - 1)]);
    const auto rows = static_cast<Index>(numbers.size());
    return {rows, cols, std::move(numbers), distinct.store()};
  }

  JacobianChain random_chain(std::size_t links, Index least, Index most, double density) {
    const auto size = [&] { return static_cast<Index>(between(least, most)); };
    JacobianChain chain;
    Index cols = size();
    chain.gradient_length = cols;
    for (std::size_t i = 0; i < links; ++i) {
      Index rows = size();
      if (chance(0.3)) {
        Pattern shared = shared_rows(std::max<Index>(1, rows / 4), cols, density);
        rows = shared.rows();
        chain.jacobians.push_back(std::make_shared<const Pattern>(std::move(shared)));
      } else {
        chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(rows, cols, density)));
      }
      cols = rows;
    }
    return chain;
  }
};

/// Rows, numbers and teams of a layout against its pattern.
void expect_layout_of(const Layout& layout, const Pattern& pattern) {
  ASSERT_EQ(layout.rows, pattern.rows());
  ASSERT_EQ(layout.cols, pattern.cols());
  ASSERT_EQ(layout.nnz(), pattern.nnz());
  ASSERT_EQ(layout.value_begin.size(), pattern.rows() + std::size_t{1});
  ASSERT_EQ(layout.list_begin.size(), pattern.rows());
  for (Index r = 0; r < pattern.rows(); ++r) {
    std::vector<Index> columns;
    pattern.row(r).for_each([&](Index c) { columns.push_back(c); });
    const std::span<const Index> found = layout.columns(r);
    ASSERT_EQ(std::vector<Index>(found.begin(), found.end()), columns) << "row " << r;
    for (Index other = 0; other < r; ++other) {
      if (columns.empty() || pattern.row_number(other) != pattern.row_number(r)) continue;
      EXPECT_EQ(layout.list_begin[other], layout.list_begin[r]) << "rows with one number share a list";
    }
  }
  std::vector<int> met(pattern.rows(), 0);
  ASSERT_EQ(layout.team_begin.front(), 0U);
  ASSERT_EQ(layout.team_begin.back(), layout.team_rows.size());
  for (std::size_t team = 0; team < layout.teams(); ++team) {
    const Index begin = layout.team_begin[team];
    const Index end = layout.team_begin[team + 1];
    ASSERT_LT(begin, end) << "team " << team;
    EXPECT_LE(end - begin, kTeamRows) << "team " << team;
    for (Index member = begin; member < end; ++member) {
      const Index row = layout.team_rows[member];
      ASSERT_LT(row, pattern.rows());
      ++met[row];
      EXPECT_EQ(layout.list_begin[row], layout.list_begin[layout.team_rows[begin]]);
      EXPECT_EQ(layout.row_nnz(row), layout.row_nnz(layout.team_rows[begin]));
    }
  }
  for (Index r = 0; r < pattern.rows(); ++r) EXPECT_EQ(met[r], pattern.row(r).nnz() > 0 ? 1 : 0) << "row " << r;
}

TEST(Layout, OfEveryAwkwardPatternPutsEveryNonemptyRowInExactlyOneTeam) {
  LayoutMaker maker;
  for (const auto& [name, pattern] : testing::battery(67)) {
    SCOPED_TRACE(name);
    expect_layout_of(*maker.make(pattern), pattern);
  }
}

TEST_F(SchedulePlanTest, LaysOutSharedRowsInTeamsOfAtMostFour) {
  for (int round = 0; round < 50; ++round) {
    const Pattern pattern = shared_rows(static_cast<Index>(between(1, 20)), static_cast<Index>(between(1, 80)), 0.3);
    LayoutMaker maker;
    const auto layout = maker.make(pattern);
    expect_layout_of(*layout, pattern);
    std::vector<std::size_t> uses(pattern.stored_rows(), 0);
    for (Index r = 0; r < pattern.rows(); ++r) {
      if (pattern.row(r).nnz() > 0) ++uses[pattern.row_number(r)];
    }
    std::size_t teams = 0;
    for (const std::size_t use : uses) teams += (use + kTeamRows - 1) / kTeamRows;
    EXPECT_EQ(layout->teams(), teams) << "no team is smaller than it must be";
  }
}

TEST_F(SchedulePlanTest, WritesTheListsOfASharedStoreOutOnce) {
  const Pattern base = random_pattern(40, 60, 0.3);
  std::vector<Index> numbers;
  for (Index r = 0; r < 100; ++r) numbers.push_back(static_cast<Index>(between(0, 39)));
  const Pattern selected(100, 60, numbers, base.store());
  LayoutMaker maker;
  const auto first = maker.make(base);
  const std::uint64_t before = maker.bytes();
  EXPECT_EQ(before, first->lists->bytes() + first->own_bytes());
  const auto second = maker.make(selected);
  EXPECT_EQ(first->lists, second->lists);
  EXPECT_EQ(maker.bytes(), before + second->own_bytes());
}

TEST_F(SchedulePlanTest, DigestsDoNotDependOnHowAPatternIsStored) {
  for (int round = 0; round < 30; ++round) {
    const Pattern shared = shared_rows(static_cast<Index>(between(1, 12)), static_cast<Index>(between(1, 200)), 0.2);
    const Pattern plain = Pattern::from_csr(shared.to_csr());
    LayoutMaker maker;
    const std::uint64_t digest = structure_digest(shared);
    EXPECT_EQ(structure_digest(plain), digest);
    EXPECT_EQ(structure_digest(*maker.make(shared)), digest);
    EXPECT_EQ(structure_digest(*maker.make(plain)), digest);
  }
}

TEST_F(SchedulePlanTest, DigestsTellASingleMovedEntry) {
  for (const auto& [name, pattern] : testing::battery(45)) {
    const CsrPattern csr = pattern.to_csr();
    const std::uint64_t digest = structure_digest(pattern);
    for (Index r = 0; r < csr.rows; ++r) {
      for (std::uint64_t e = csr.indptr[r]; e < csr.indptr[r + 1]; ++e) {
        // One place to the right, where that is free.
        const Index moved = csr.indices[e] + 1;
        if (moved >= csr.cols || (e + 1 < csr.indptr[r + 1] && csr.indices[e + 1] == moved)) continue;
        CsrPattern other = csr;
        other.indices[e] = moved;
        EXPECT_NE(structure_digest(Pattern::from_csr(other)), digest) << name << ", row " << r << ", to " << moved;
      }
      // The last entry of a row to the end of the row before.
      if (r == 0 || csr.indptr[r] == csr.indptr[r + 1]) continue;
      const Index first = csr.indices[csr.indptr[r]];
      if (csr.indptr[r] > csr.indptr[r - 1] && csr.indices[csr.indptr[r] - 1] >= first) continue;
      CsrPattern other = csr;
      ++other.indptr[r];
      EXPECT_NE(structure_digest(Pattern::from_csr(other)), digest) << name << ", row " << r << " to the row before";
    }
  }
}

TEST(StructureDigest, TellsShapesAndSwappedRowsApart) {
  std::set<std::uint64_t> digests;
  for (Index rows = 1; rows <= 20; ++rows) {
    for (Index cols = 1; cols < 20; ++cols) {
      digests.insert(structure_digest(testing::pattern_where(rows, cols, [](Index, Index) { return false; })));
    }
  }
  EXPECT_EQ(digests.size(), std::size_t{20} * 19);
  EXPECT_NE(structure_digest(Pattern::from_csr({2, 3, {0, 1, 3}, {2, 0, 1}})),
            structure_digest(Pattern::from_csr({2, 3, {0, 2, 3}, {0, 1, 2}})));
}

TEST(StructureDigest, TellsAllRowsOfTwelveColumnsApart) {
  std::set<std::uint64_t> digests;
  for (std::uint32_t bits = 0; bits < 1U << 12; ++bits) {
    digests.insert(structure_digest(
        testing::pattern_where(2, 12, [&](Index r, Index c) { return r == 1 && (bits >> c & 1) != 0; })));
  }
  EXPECT_EQ(digests.size(), std::size_t{1} << 12);
}

TEST_F(SchedulePlanTest, TakesAtMostTwiceTheBytesOfOperandsAndResults) {
  for (int round = 0; round < 15; ++round) {
    const JacobianChain chain = random_chain(between(2, 8), 40, 90, 0.7);
    for (const Schedule& schedule : depth_candidates(chain.length())) {
      const SchedulePlan plan = plan_schedule(schedule, chain);
      std::uint64_t bytes = 0;
      for (const auto& layout : plan.layouts) {
        if (layout) bytes += csr_bytes(layout->rows, layout->nnz(), 4);
      }
      EXPECT_LE(plan.bytes, 2 * bytes) << schedule.name;
    }
  }
}

TEST_F(SchedulePlanTest, CountsTheProductsAndEntriesOfTheSymbolicProduct) {
  for (int round = 0; round < 30; ++round) {
    const JacobianChain chain = random_chain(between(1, 7), 1, 40, chance(0.5) ? 0.05 : 0.4);
    for (const Schedule& schedule : depth_candidates(chain.length())) {
      const SchedulePlan plan = plan_schedule(schedule, chain);
      std::vector<PatternPtr> patterns(schedule.values());
      for (std::size_t i = 0; i < chain.jacobians.size(); ++i) patterns[i + 1] = chain.jacobians[i];
      ASSERT_EQ(plan.ops.size(), schedule.combines.size());
      for (std::size_t id = 0; id < plan.ops.size(); ++id) {
        SCOPED_TRACE(schedule.name + ", op " + std::to_string(id));
        const Combine& combine = schedule.combines[id];
        const PlannedOp& op = plan.ops[id];
        const ValueId target = schedule.value_of(id);
        EXPECT_EQ(op.earlier, combine.earlier);
        EXPECT_EQ(op.later, combine.later);
        EXPECT_EQ(op.target, target);
        EXPECT_EQ(op.level, combine.level);
        const PatternPtr& x = patterns[combine.later];
        const PatternPtr& y = patterns[combine.earlier];
        if (y == nullptr) {
          EXPECT_EQ(op.form, ProductForm::vector);
          EXPECT_EQ(op.products, products_with_dense_vector(*x));
          EXPECT_EQ(plan.layouts[target], nullptr);
          EXPECT_EQ(plan.length[target], x->rows());
          continue;
        }
        const Product product = multiply(x, y, Keep::structure);
        patterns[target] = product.pattern;
        EXPECT_EQ(op.products, count_products(*x, *y).products);
        EXPECT_EQ(plan.length[target], product.nnz);
        ASSERT_NE(plan.layouts[target], nullptr);
        expect_layout_of(*plan.layouts[target], *product.pattern);
        EXPECT_EQ(structure_digest(*plan.layouts[target]), structure_digest(*product.pattern));
      }
    }
  }
}

TEST(SchedulePlan, ChoosesTheCheapestFormOfEachProduct) {
  const auto made = [](Pattern pattern) { return std::make_shared<const Pattern>(std::move(pattern)); };
  const PatternPtr dense = made(testing::pattern_where(6, 6, [](Index, Index) { return true; }));
  const PatternPtr diagonal = made(Pattern::diagonal(6));
  const PatternPtr single = made(testing::pattern_where(6, 6, [](Index r, Index c) { return c == r / 2; }));
  const auto form = [](const PatternPtr& x, const PatternPtr& y) {
    Schedule schedule;
    schedule.length = 3;
    schedule.levels = 1;
    schedule.combines = {{Phase::up, 0, 1, 2, 2, 1, 2}};
    schedule.results = {kIdentity, 0, 0};
    return plan_schedule(schedule, {6, {y, x}}).ops.at(0).form;
  };
  EXPECT_EQ(form(dense, diagonal), ProductForm::scale_columns);
  EXPECT_EQ(form(diagonal, dense), ProductForm::scale_rows);
  EXPECT_EQ(form(single, dense), ProductForm::scale_rows);
  EXPECT_EQ(form(dense, single), ProductForm::single_columns);
  EXPECT_EQ(form(dense, dense), ProductForm::general);
}

TEST(SchedulePlan, RefusesWhatDoesNotFitTogether) {
  const auto diagonal = std::make_shared<const Pattern>(Pattern::diagonal(3));
  EXPECT_THROW(static_cast<void>(plan_schedule(linear_schedule(4), {3, {diagonal, diagonal}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(plan_schedule(linear_schedule(3), {4, {diagonal, diagonal}})), std::invalid_argument);
  const auto wide = std::make_shared<const Pattern>(Pattern::diagonal(4));
  EXPECT_THROW(static_cast<void>(plan_schedule(linear_schedule(3), {3, {diagonal, wide}})), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep::schedule_plan_test
