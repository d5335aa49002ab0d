#include <gtest/gtest.h>

#include <optional>

#include "upsweep/base/memory.hpp"

namespace upsweep {
namespace {

TEST(MemoryCeiling, OfSeveralAtATimeTheSmallestHoldsWhateverTheirOrder) {
  const std::uint64_t before = held_memory();
  const auto fits = [](std::size_t bytes) {
    try {
      HeldMemory held;
      held.add(bytes);
      return true;
    } catch (const OutOfRoom&) {
      return false;
    }
  };
  std::optional<MemoryCeiling> large(before + 1000);
  std::optional<MemoryCeiling> small(before + 100);
  EXPECT_FALSE(fits(500));
  large.reset();  // not the last that was made
  EXPECT_FALSE(fits(500));
  small.reset();
  EXPECT_TRUE(fits(500)) << "nothing stays";
}

}  // namespace
}  // namespace upsweep
