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
