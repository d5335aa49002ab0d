#include <gtest/gtest.h>
#include <unistd.h>

#include "upsweep/devices/registry.hpp"

namespace upsweep {
namespace {

// Virtual machines often have no files of caches; a calibration without the near ones knows no rows out of them.
TEST(ProcessorFacts, CachesAreKnownWhereTheProcessorNamesThem) {
  const DeviceFacts facts = make_backend("cpu")->facts();
  const auto is_named = [](int cache) { return sysconf(cache) > 0; };
  EXPECT_TRUE(!is_named(_SC_LEVEL1_DCACHE_SIZE) || facts.first_cache_bytes > 0);
  EXPECT_TRUE(!is_named(_SC_LEVEL2_CACHE_SIZE) || facts.near_cache_bytes > facts.first_cache_bytes);
  EXPECT_TRUE(!is_named(_SC_LEVEL3_CACHE_SIZE) || facts.cache_bytes > facts.near_cache_bytes);
}

}  // namespace
}  // namespace upsweep
