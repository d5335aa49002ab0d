#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "figure/made_study.hpp"
#include "support/random.hpp"
#include "upsweep/figure/study_figures.hpp"

namespace upsweep::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class SpyFigure : public SeededTest {
 protected:
  StoredPicture picture(std::uint32_t rows, std::uint32_t cols, double filled) {
    StoredPicture made;
    made.first = made.last = 1;
    made.name = "conv1";
    made.rows = 10 * rows;
    made.cols = 7 * cols;
    made.nnz = 5;
    made.grid_rows = rows;
    made.grid_cols = cols;
    for (std::uint32_t i = 0; i < rows * cols; ++i)
      made.cells.push_back(chance(filled) ? static_cast<std::uint8_t>(between(1, 255)) : std::uint8_t{0});
    return made;
  }
};

/// The darkest shade that the paths of a picture paint on each cell of a grid, row by row; 0: none.
std::vector<int> painted(const Figure& figure, std::size_t index, int rows, int cols) {
  std::vector<int> shades(static_cast<std::size_t>(rows * cols), 0);
  for (const FigureData& row : rows_of(figure, "shades")) {
    if (row["index"] != index) continue;
    int x = 0, y = 0, dx = 0, dy = 0, width = 0, height = 0, back = 0, up = 0, length = 0;
    const auto path = row["path"].get<std::string>();
    for (std::size_t at = 0; at < path.size(); at += static_cast<std::size_t>(length)) {
      const int read =
          std::sscanf(path.c_str() + at, "m%d %dh%dv%dh-%dv-%d%n", &dx, &dy, &width, &height, &back, &up, &length);
      EXPECT_EQ(read, 6) << path.substr(at, 40);
      if (read != 6) return {};
      EXPECT_EQ(back, width);
      EXPECT_EQ(up, height);
      x += dx;
      y += dy;
      for (int i = y; i < y + height; ++i) {
        for (int j = x; j < x + width; ++j) {
          int& shade = shades.at(static_cast<std::size_t>(i * cols + j));
          EXPECT_LT(shade, row["shade"].get<int>()) << "palest first, each once";
          shade = row["shade"];
        }
      }
    }
  }
  return shades;
}

TEST_F(SpyFigure, EveryCellHasTheShadeOfItsShare) {
  const auto rows = static_cast<std::uint32_t>(between(1, 40));
  const auto cols = static_cast<std::uint32_t>(between(1, 40));
  const std::vector<StoredPicture> pictures = {picture(rows, cols, 0.4), picture(cols, rows, 1)};
  const std::optional<Figure> figure = spy_figure(pictures);
  ASSERT_TRUE(figure);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const StoredPicture& one = pictures[i];
    const std::vector<int> shades =
        painted(*figure, i, static_cast<int>(one.grid_rows), static_cast<int>(one.grid_cols));
    ASSERT_EQ(shades.size(), one.cells.size());
    for (std::size_t cell = 0; cell < shades.size(); ++cell) {
      const double share = one.cells[cell] / 255.0;  // an upper bound of the share
      EXPECT_EQ(shades[cell] > 0, one.cells[cell] > 0);
      EXPECT_EQ(shades[cell] >= 4, share > 0.2) << one.cells[cell];
      EXPECT_EQ(shades[cell] >= 6, share > 0.9) << one.cells[cell];
    }
  }
  EXPECT_THAT(figure->signals["shade_labels"], SizeIs(6));
}

TEST_F(SpyFigure, TwentyFourPicturesOfNoiseStaySmallAndNoEntryIsLost) {
  std::vector<StoredPicture> pictures;
  for (int i = 0; i < 24; ++i) pictures.push_back(picture(64, 63, 0.3));
  const std::optional<Figure> figure = spy_figure(pictures);
  ASSERT_TRUE(figure);
  EXPECT_LT(to_json(*figure).dump().size(), 200'000U);
  EXPECT_THAT(figure->caption, HasSubstr("24 pictures drawn with larger cells than stored"));
  const std::vector<int> shades = painted(*figure, 5, 64, 63);
  ASSERT_THAT(shades, SizeIs(64U * 63U));
  for (std::size_t cell = 0; cell < shades.size(); ++cell) {
    if (pictures[5].cells[cell] == 0) continue;
    EXPECT_GT(shades[cell], 0);
  }
}

TEST_F(SpyFigure, ManyJacobiansLeaveRoomForSixProducts) {
  std::vector<StoredPicture> pictures;
  for (std::uint32_t i = 0; i < 60; ++i) {
    pictures.push_back(picture(4, 4, 1));
    pictures.back().name = fmt::format("{}", i);
    if (i >= 50) pictures.back().last = 2;
  }
  const std::vector<FigureData> shown = rows_of(*spy_figure(pictures), "pictures");
  ASSERT_THAT(shown, SizeIs(24));
  EXPECT_EQ(shown[17]["name"], "17");
  EXPECT_EQ(shown[18]["name"], "50");
  EXPECT_EQ(shown[23]["name"], "55");
  EXPECT_THAT(spy_figure(pictures)->caption, HasSubstr("The first 18 of 50 Jacobians and 6 of 10 products"));
  pictures.resize(51);
  EXPECT_EQ(rows_of(*spy_figure(pictures), "pictures")[23]["name"], "50") << "one product, 23 Jacobians";
}

TEST_F(SpyFigure, AtMostTwentyFourPicturesJacobiansFirst) {
  std::vector<StoredPicture> pictures;
  for (std::uint32_t i = 0; i < 30; ++i) {
    pictures.push_back(picture(4, 4, 1));
    pictures.back().last = i % 2 == 0 ? 2 : 1;
    pictures.back().name = fmt::format("{}", i);
  }
  const std::optional<Figure> figure = spy_figure(pictures);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> shown = rows_of(*figure, "pictures");
  ASSERT_THAT(shown, SizeIs(24));
  EXPECT_EQ(shown[0]["name"], "1");
  EXPECT_EQ(shown[14]["name"], "29");
  EXPECT_EQ(shown[15]["name"], "0");
  EXPECT_THAT(figure->caption, HasSubstr("The first 15 of 15 Jacobians and 9 of 15 products"));
}

TEST_F(SpyFigure, SidesAreTrueToScaleUpToFourToOne) {
  std::vector<StoredPicture> pictures = {picture(4, 8, 1), picture(1, 64, 1), picture(64, 1, 1)};
  pictures[0].rows = 100;
  pictures[0].cols = 200;
  const std::optional<Figure> figure = spy_figure(pictures);
  ASSERT_TRUE(figure);
  const std::vector<FigureData> shown = rows_of(*figure, "pictures");
  EXPECT_EQ(shown[0]["width"], 1);
  EXPECT_EQ(shown[0]["height"], 0.5);
  EXPECT_EQ(shown[1]["height"], 0.25);
  EXPECT_EQ(shown[2]["width"], 0.25);
  EXPECT_EQ(shown[0]["shape"], "100 × 200");
  EXPECT_THAT(shown[0]["about"].get<std::string>(), HasSubstr("a cell is 25 × 25 places"));
}

TEST_F(SpyFigure, NothingWithoutPictures) {
  EXPECT_FALSE(spy_figure({}));
  StoredPicture broken = picture(4, 4, 1);
  broken.cells.pop_back();
  EXPECT_FALSE(spy_figure(std::vector{broken}));
}

}  // namespace
}  // namespace upsweep::testing
