#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "support/app.hpp"
#include "upsweep/app/search.hpp"

namespace upsweep::testing {
namespace {

TEST(OptimalOrders, LeaveTheSearchAsItIsWhereTheyAreStopped) {
  SearchRequest request;
  request.model = std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml";
  request.schemes = SchemeChoice::optimal;
  Said said;
  Watch watch = said.watch();
  std::atomic<bool> stop = false;
  watch.stop = &stop;
  const auto progress = watch.progress;
  watch.progress = [&](const std::string& doing) {
    if (doing.starts_with("counting products for orders")) stop = true;
    progress(doing);
  };
  const SearchOutcome outcome = run_quietly(request, watch);
  EXPECT_TRUE(outcome.is_interrupted);
  const auto& result = std::get<SearchResult>(outcome.result);
  EXPECT_EQ(result.size(), outcome.analysis->schedules.size());
  EXPECT_GT(result.schemes.size(), 5U);
  for (const Candidate& scheme : result.schemes) EXPECT_EQ(scheme.order, "");
  EXPECT_EQ(said.notes.back(), "interrupted: the best order of products was not found by then");
}

}  // namespace
}  // namespace upsweep::testing
