#include "upsweep/scaling/memory_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace upsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(BppsaWorkerBytes, IsAShareOfTheJacobiansAndAtLeastOne) {
  EXPECT_EQ(bppsa_worker_bytes(1000, 1, 3280), 3'280'000);
  EXPECT_EQ(bppsa_worker_bytes(1000, 16, 3280), 205'000);  // 62.5 Jacobians
  EXPECT_EQ(bppsa_worker_bytes(1000, 1000, 3280), 3280);
  EXPECT_EQ(bppsa_worker_bytes(1000, 100'000, 3280), 3280);
}

TEST(BppsaWorkerBytes, NeverGrowsWithTheWorkers) {
  for (std::uint64_t workers = 1; workers < 200; ++workers)
    EXPECT_LE(bppsa_worker_bytes(100, workers + 1, 8), bppsa_worker_bytes(100, workers, 8));
}

TEST(PipelineWorkerBytes, AddsLayersOfTheWorkerAndMicroBatches) {
  EXPECT_EQ(pipeline_worker_bytes(100, 1, 80), 101 * 80);
  EXPECT_EQ(pipeline_worker_bytes(100, 4, 80), 29 * 80);
  EXPECT_EQ(pipeline_worker_bytes(100, 10, 80), 20 * 80);
  EXPECT_EQ(pipeline_worker_bytes(100, 25, 80), 29 * 80);
  EXPECT_EQ(pipeline_worker_bytes(100, 100, 80), 101 * 80);
}

TEST(PipelineWorkerBytes, IsSmallestForAsManyWorkersAsTheRootOfTheLayers) {
  for (const std::uint64_t layers : {1, 4, 49, 144, 10'000}) {
    const auto best = static_cast<std::uint64_t>(std::sqrt(layers));
    for (std::uint64_t workers = 1; workers < 2 * best; ++workers)
      EXPECT_GE(pipeline_worker_bytes(layers, workers, 4), pipeline_worker_bytes(layers, best, 4)) << workers;
  }
}

TEST(PipelineWorkerBytes, GrowsLinearlyWhereBppsaNeedsNoMore) {
  // A pipeline over n layers on n workers holds n + 1 activations, the scan one Jacobian.
  EXPECT_EQ(pipeline_worker_bytes(4096, 4096, 1), 4097);
  EXPECT_EQ(bppsa_worker_bytes(4096, 4096, 1), 1);
}

TEST(MemoryModels, RefuseNothingToShareAndNobodyToShareIt) {
  EXPECT_THAT([] { static_cast<void>(bppsa_worker_bytes(0, 4, 8)); },
              ThrowsMessage<std::invalid_argument>("0 Jacobians on 4 workers, accepted is at least 1 of both"));
  EXPECT_THAT([] { static_cast<void>(pipeline_worker_bytes(4, 0, 8)); },
              ThrowsMessage<std::invalid_argument>("4 layers on 0 workers, accepted is at least 1 of both"));
  EXPECT_THAT([] { static_cast<void>(bppsa_worker_bytes(1, 1, std::nan(""))); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("nan bytes")));
  EXPECT_THROW(static_cast<void>(pipeline_worker_bytes(1, 1, -1)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
