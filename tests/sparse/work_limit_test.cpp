#include <gtest/gtest.h>

#include <atomic>

#include "support/random.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep::work_limit_test {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

class WorkLimitTest : public testing::SeededTest {
 protected:
  PatternPtr random(Index rows, Index cols, double density) {
    return std::make_shared<Pattern>(random_pattern(rows, cols, density));
  }
  /// The rows of a pattern as those of an image, each a class of its own.
  static PatternPtr by_classes(const PatternPtr& pattern, const ImageShape& rows, const ImageShape& cols) {
    const RowPartition each(
        {AxisClasses::each(rows.channels), AxisClasses::each(rows.height), AxisClasses::each(rows.width)});
    return std::make_shared<Pattern>(
        std::make_shared<RowClasses>(build_classes(rows, cols, each, [&](Index r, std::vector<Index>& columns) {
          pattern->for_each(r, [&](Index column) { columns.push_back(column); });
        })));
  }
};

TEST_F(WorkLimitTest, AMeterChangesNoCountAndNoStructure) {
  for (int round = 0; round < 20; ++round) {
    const PatternPtr x = random(static_cast<Index>(between(1, 300)), 70, chance(0.5) ? 0.02 : 0.5);
    const PatternPtr y = random(70, static_cast<Index>(between(1, 300)), chance(0.5) ? 0.02 : 0.5);
    WorkMeter meter;
    const Product metered = multiply(x, y, Keep::structure, &meter);
    const Product plain = multiply(x, y, Keep::structure);
    EXPECT_EQ(metered.products, plain.products);
    EXPECT_EQ(metered.nnz, plain.nnz);
    EXPECT_TRUE(*metered.pattern == *plain.pattern);
  }
}

TEST_F(WorkLimitTest, AProductThatTakesMoreIsRefusedWithAboutWhatItTakes) {
  const PatternPtr x = random(3000, 200, 0.1);
  const PatternPtr y = random(200, 3000, 0.01);
  WorkMeter all;
  static_cast<void>(multiply(x, y, Keep::structure, &all));
  ASSERT_GT(all.done(), 3000U);
  WorkMeter enough(2 * all.done());
  EXPECT_NO_THROW(static_cast<void>(multiply(x, y, Keep::structure, &enough)));
  WorkMeter some(all.done() / 2);
  try {
    static_cast<void>(multiply(x, y, Keep::structure, &some));
    FAIL() << "it takes twice of that";
  } catch (const WorkLimitReached& limit) {
    EXPECT_GT(limit.steps(), all.done() / 2);
    EXPECT_LT(limit.steps(), 2 * all.done());
  }
}

TEST_F(WorkLimitTest, RowsOfClassesThatHaveToBeWrittenOutAreSteps) {
  const PatternPtr x_rows = random(24, 24, 0.5);
  const PatternPtr y_rows = random(24, 24, 0.5);
  // The columns of X are another image than the rows of Y.
  const PatternPtr x = by_classes(x_rows, {2, 3, 4}, {4, 3, 2});
  const PatternPtr y = by_classes(y_rows, {2, 3, 4}, {24, 1, 1});
  const std::uint64_t entries = x->nnz() + y->nnz();
  WorkMeter meter;
  const ProductCounts counts = count_products(*x, *y, &meter);
  EXPECT_EQ(counts.products, count_products(*x_rows, *y_rows).products);
  EXPECT_EQ(counts.steps, count_products(*x_rows, *y_rows).steps);
  EXPECT_EQ(count_products(*x, *y).products, counts.products) << "without a meter";
  EXPECT_GE(meter.done(), entries);

  WorkMeter same;
  static_cast<void>(count_products(*x, *by_classes(y_rows, {4, 3, 2}, {24, 1, 1}), &same));
  EXPECT_EQ(same.done(), 0U) << "classes that fit are counted as they are";

  WorkMeter too_few(meter.done() - 1);
  EXPECT_THROW(static_cast<void>(count_products(*x, *y, &too_few)), WorkLimitReached);
  WorkMeter none(x->nnz() / 2);
  try {
    static_cast<void>(multiply(x, y, Keep::counts, &none));
    FAIL() << "it takes a step for every entry";
  } catch (const WorkLimitReached& limit) {
    EXPECT_GE(limit.steps(), x->nnz());
    EXPECT_EQ(none.done(), 0U) << "it is not begun";
  }
}

TEST_F(WorkLimitTest, RowsThatShareTheirStorageAreWrittenOutOnce) {
  const PatternPtr x = random(6, 24, 0.5);
  // The rows of another image.
  const PatternPtr y = by_classes(random(24, 24, 0.5), {2, 3, 4}, {24, 1, 1});
  // Both channels have the same rows.
  AxisClasses both = AxisClasses::one(2);
  both.twin_of = {0, 0};
  const RowPartition twins({both, AxisClasses::each(3), AxisClasses::each(2)});
  const auto twice = std::make_shared<Pattern>(std::make_shared<RowClasses>(
      build_classes({2, 3, 2}, {4, 3, 2}, twins, [&](Index r, std::vector<Index>& columns) {
        x->for_each(r % 6, [&](Index column) { columns.push_back(column); });
      })));
  ASSERT_EQ(twice->nnz(), 2 * x->nnz());
  WorkMeter of_twins;
  static_cast<void>(count_products(*twice, *y, &of_twins));
  WorkMeter of_one;
  static_cast<void>(count_products(*by_classes(x, {1, 3, 2}, {4, 3, 2}), *y, &of_one));
  EXPECT_GT(of_one.done(), 0U);
  EXPECT_EQ(of_twins.done(), of_one.done());
}

TEST_F(WorkLimitTest, AFlagStopsAProduct) {
  const std::atomic<bool> stop = true;
  WorkMeter meter(WorkMeter::kNoLimit, &stop);
  EXPECT_THROW(static_cast<void>(multiply(random(50, 50, 0.5), random(50, 50, 0.5), Keep::counts, &meter)),
               Interrupted);
}

TEST_F(WorkLimitTest, MemoryPastTheCeilingIsRefusedAndGivenBack) {
  const std::uint64_t before = held_memory();
  {
    const PatternPtr x = random(2000, 300, 0.3);
    const PatternPtr y = random(300, 2000, 0.05);
    const std::uint64_t held = held_memory();
    EXPECT_GT(held, before);
    {
      const MemoryCeiling ceiling(held + 1000);
      try {
        static_cast<void>(multiply(x, y, Keep::structure));
        FAIL() << "2000 rows of 2000 columns fit into no 1000 bytes";
      } catch (const OutOfRoom& room) {
        EXPECT_GT(room.held(), room.most());
      }
      EXPECT_EQ(held_memory(), held);
    }
    const Product product = multiply(x, y, Keep::structure);
    EXPECT_GE(held_memory(), held + product.pattern->store()->memory());
  }
  EXPECT_EQ(held_memory(), before);
}

}  // namespace
}  // namespace upsweep::work_limit_test
