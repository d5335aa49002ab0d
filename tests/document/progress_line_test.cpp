#include "upsweep/document/progress_line.hpp"

#include <gtest/gtest.h>

namespace upsweep {
namespace {

using namespace std::chrono_literals;

const ProgressLine::Clock::time_point kStart = ProgressLine::Clock::time_point() + 1h;

TEST(ProgressLine, SaysAfterTwoSecondsHowLongItTookAndWillTake) {
  ProgressLine line;
  EXPECT_EQ(line.next("counting: 10 of 110", kStart), "counting: 10 of 110");
  EXPECT_EQ(line.next("counting: 20 of 110", kStart + 1s), "counting: 20 of 110");
  EXPECT_EQ(line.next("counting: 35 of 110", kStart + 10s), "counting: 35 of 110, 10.0 s, about 30.0 s left");
  EXPECT_EQ(line.next("counting: 110 of 110", kStart + 70s), "counting: 110 of 110, 1 min 10 s");
}

TEST(ProgressLine, CountsFromTheFirstLineOn) {
  ProgressLine line;
  EXPECT_EQ(line.next("12 of 80 points", kStart), "12 of 80 points");
  EXPECT_EQ(line.next("30 of 80 points", kStart + 9s), "30 of 80 points, 9.0 s, about 25.0 s left");
}

TEST(ProgressLine, IsNotWrittenOftenerThanOneCanRead) {
  ProgressLine line;
  EXPECT_TRUE(line.next("input 1 of 9", kStart));
  EXPECT_FALSE(line.next("input 2 of 9", kStart + 50ms));
  EXPECT_TRUE(line.next("input 3 of 9", kStart + 100ms));
  EXPECT_TRUE(line.next("drawing", kStart + 101ms)) << "other work is shown at once";
}

TEST(ProgressLine, GivesNoEstimateOfWhatSaysNotHowMuchIsDone) {
  ProgressLine line;
  EXPECT_EQ(line.next("drawing", kStart), "drawing");
  EXPECT_EQ(line.next("drawing", kStart + 3s), "drawing, 3.0 s");
  EXPECT_EQ(line.next("two of them of 3", kStart + 4s), "two of them of 3");
  EXPECT_EQ(line.next("two of them of 3", kStart + 7s), "two of them of 3, 3.0 s");
  EXPECT_EQ(line.next("99999999999999999999 of 3", kStart + 8s), "99999999999999999999 of 3");
}

TEST(ProgressLine, BeginsAgainWithOtherWork) {
  ProgressLine line;
  EXPECT_EQ(line.next("running (1 of 2), step 1 of 9", kStart), "running (1 of 2), step 1 of 9");
  EXPECT_EQ(line.next("running (2 of 2), step 1 of 9", kStart + 9s), "running (2 of 2), step 1 of 9");
  EXPECT_EQ(line.next("running (2 of 2), step 3 of 9", kStart + 13s),
            "running (2 of 2), step 3 of 9, 4.0 s, about 12.0 s left");
}

}  // namespace
}  // namespace upsweep
