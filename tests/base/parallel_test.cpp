#include "upsweep/base/parallel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

namespace upsweep {
namespace {

TEST(Parallel, EveryIndexIsVisitedOnceAndItsWritesAreSeenByTheCaller) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    std::vector<int> visits(count, 0);
    parallel_chunks(count, 3, [&](std::size_t begin, std::size_t end, std::size_t slot) {
      EXPECT_LT(slot, parallel_slots());
      for (std::size_t i = begin; i < end; ++i) ++visits[i];
    });
    EXPECT_THAT(visits, ::testing::Each(1)) << "count " << count;
  }
}

// ThreadSanitizer watches here: what a chunk has touched must be the caller's again after an exception as well.
TEST(Parallel, ExceptionOfAChunkReachesTheCallerWhoOwnsEverythingAgain) {
  for (int round = 0; round < 100; ++round) {
    auto values = std::make_unique<std::vector<int>>(64, 1);
    EXPECT_THROW(parallel_chunks(64, 1,
                                 [&](std::size_t begin, std::size_t end, std::size_t) {
                                   for (std::size_t i = begin; i < end; ++i) (*values)[i] = 2;
                                   throw std::runtime_error("a chunk failed");
                                 }),
                 std::runtime_error);
    values->assign(64, 3);
    values.reset();
  }
}

}  // namespace
}  // namespace upsweep
