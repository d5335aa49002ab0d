#include "upsweep/base/edit_distance.hpp"

#include <gtest/gtest.h>

namespace upsweep {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("modle", "model"), 1U) << "a swap of neighbours";
  EXPECT_EQ(edit_distance("ca", "abc"), 3U) << "no letter twice";
}

TEST(EditDistance, AHintIsOfANameThatMayBeMeant) {
  const std::vector<std::string> names = {"study-front", "study-map", "timeline", "depth"};
  EXPECT_EQ(hint_of("Depth", names), ": did you mean depth?");
  EXPECT_EQ(hint_of("time", names), ": did you mean timeline?") << "a beginning";
  EXPECT_EQ(hint_of("dpeth", names), ": did you mean depth?") << "a slip";
  EXPECT_EQ(hint_of("fronts", names), ": did you mean study-front?") << "a slip in a part";
  EXPECT_EQ(hint_of("fron", names), ": did you mean study-front?") << "the beginning of a part";
  EXPECT_EQ(hint_of("stduy", names), ": did you mean study-front?") << "the first of equals";
  EXPECT_EQ(hint_of("ma", names), "") << "too short for a part";
  EXPECT_EQ(hint_of("depth", names), "") << "is a name";
  EXPECT_EQ(hint_of("zigzag", names), "");
  EXPECT_EQ(hint_of(std::string(65, 'd'), names), "");
}

TEST(EditDistance, TheNearestNameIsThereHoweverFar) {
  const std::vector<std::string> names = {"workers", "batch"};
  EXPECT_EQ(nearest_name("machine.workers", names), "workers");
  EXPECT_EQ(nearest_name("zigzag", names), "batch");
}

}  // namespace
}  // namespace upsweep
