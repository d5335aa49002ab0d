#include "upsweep/search/candidate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace upsweep {
namespace {

/// The best of candidates with these scores, in the order of a search: shallow ones first.
Choice best_of(const std::vector<double>& scores) {
  std::vector<Candidate> candidates(scores.size());
  std::vector<const Candidate*> pointers;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    candidates[i].score = scores[i];
    candidates[i].feasible = true;
    pointers.push_back(&candidates[i]);
  }
  return choose(pointers);
}

TEST(Choose, GivesATieUpToTheRoundingOfSumsToTheShallowerScan) {
  const double seconds = 3.8e-4;
  const Choice tie = best_of({1, seconds, seconds * (1 - 1e-15)});
  EXPECT_EQ(tie.best, 1U);
  EXPECT_EQ(tie.margin, 0) << "and never a negative margin";
  EXPECT_EQ(best_of({1, seconds, seconds * (1 - 1e-9)}).best, 2U) << "that is no rounding";
}

TEST(Choose, TakesTheLeastFlopsHoweverManyTheyAre) {
  EXPECT_EQ(best_of({5e13 + 2, 5e13 + 1, 5e13 + 2}).best, 1U) << "counts are exact";
}

}  // namespace
}  // namespace upsweep
