#include "upsweep/grid/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/random.hpp"

namespace upsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::ThrowsMessage;

using GridTest = testing::SeededTest;

TEST(Grid, CountsRowMajorWithTheLastAxisFastest) {
  const Grid grid({2, 3});
  EXPECT_EQ(grid.points(), 6U);
  EXPECT_EQ(grid.axes(), 2U);
  EXPECT_THAT(grid.at(0), ElementsAre(0, 0));
  EXPECT_THAT(grid.at(1), ElementsAre(0, 1));
  EXPECT_THAT(grid.at(3), ElementsAre(1, 0));
  EXPECT_THAT(grid.at(5), ElementsAre(1, 2));
  EXPECT_EQ(grid.stride(0), 3U);
  EXPECT_EQ(grid.stride(1), 1U);
  EXPECT_THAT(grid.lines(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(grid.lines(1), ElementsAre(0, 3));
}

TEST(Grid, WithoutAxesIsOnePoint) {
  const Grid grid({});
  EXPECT_EQ(grid.points(), 1U);
  EXPECT_TRUE(grid.at(0).empty());
  EXPECT_EQ(grid.position({}), 0U);
}

TEST(Grid, RefusesToBeEmptyOrEndless) {
  EXPECT_THAT(
      [] {
        Grid({3, 0});
      },
      ThrowsMessage<std::invalid_argument>("an empty grid: axis 1 has no values, accepted is at least 1"));
  EXPECT_THAT([] { Grid({100'000'001}); },
              ThrowsMessage<std::invalid_argument>("a grid of 100000001 points, accepted are at most 100000000"));
  EXPECT_THAT(
      [] {
        Grid({std::size_t{1} << 40, std::size_t{1} << 40});
      },
      ThrowsMessage<std::invalid_argument>("a grid of 1.2089258196146292e+24 points, accepted are at most 100000000"));
  EXPECT_EQ(Grid({100'000'000}).points(), kMostPoints);
}

TEST(Grid, OfAxesHasTheirSizes) {
  const AxisColumn two{"workers", false, {axis_value(1), axis_value(2)}};
  const AxisColumn one{"batch", false, {axis_value(1)}};
  const Grid grid = grid_of({{"workers", {two, two}}, {"batch", {one}}});
  EXPECT_EQ(grid.axes(), 2U);
  EXPECT_EQ(grid.size(0), 2U);
  EXPECT_EQ(grid.size(1), 1U);
  EXPECT_EQ(grid.points(), 2U);
}

TEST_F(GridTest, PositionsAndCoordinatesAreInverse) {
  for (int i = 0; i < 20; ++i) {
    std::vector<std::size_t> sizes(between(1, 5));
    std::ranges::generate(sizes, [this] { return between(1, 5); });
    const Grid grid(sizes);
    Coordinates before;
    for (std::uint64_t position = 0; position < grid.points(); ++position) {
      const Coordinates coordinates = grid.at(position);
      EXPECT_EQ(grid.position(coordinates), position);
      EXPECT_LT(before, coordinates);
      before = coordinates;
    }
    EXPECT_EQ(static_cast<std::size_t>(before[0]) + 1, sizes[0]);
  }
}

TEST_F(GridTest, LinesHaveEveryPointOnceWhateverTheAxis) {
  const Grid grid({between(1, 4), between(1, 4), between(1, 4)});
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
    std::vector<int> visits(grid.points());
    const std::vector<std::uint64_t> firsts = grid.lines(axis);
    EXPECT_TRUE(std::ranges::is_sorted(firsts));
    for (const std::uint64_t first : firsts) {
      Coordinates coordinates = grid.at(first);
      for (std::uint32_t place = 0; place < grid.size(axis); ++place) {
        coordinates[axis] = place;
        EXPECT_EQ(grid.position(coordinates), first + place * grid.stride(axis));
        ++visits[first + place * grid.stride(axis)];
      }
    }
    EXPECT_TRUE(std::ranges::all_of(visits, [](int times) { return times == 1; })) << "axis " << axis;
  }
}

}  // namespace
}  // namespace upsweep
