#include "study/image_line.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <thread>
#include <vector>

#include "upsweep/base/error.hpp"
#include "upsweep/profile/analysis_codec.hpp"
#include "upsweep/scan/schedule_name.hpp"
#include "upsweep/study/count_cache.hpp"

namespace upsweep::image_line_test {
namespace {

/// Strides that do not divide all sizes, a padding, pruned weights, a block.
std::string text(std::uint64_t height, std::uint64_t width, bool is_flat = false) {
  return "input: [2, " + std::to_string(height) + ", " + std::to_string(width) +
         "]\n"
         "weights: {init: he_normal, seed: 3, prune: {method: magnitude_global, sparsity: 0.8}}\n"
         "operators:\n"
         "  - conv2d: {name: conv1, out_channels: 6, kernel: 3, padding: 1, bias: false}\n"
         "  - relu: {name: relu1}\n"
         "  - maxpool2d: {name: pool1, kernel: 2, stride: 2}\n"
         "  - conv2d: {name: conv2, out_channels: 6, kernel: 3, padding: 1}\n"
         "  - add: {name: sum, inputs: [conv2, pool1]}\n"
         "  - relu: {name: relu2}\n"
         "  - conv2d: {name: conv3, out_channels: 4, kernel: 5, stride: 2, padding: 2}\n" +
         (is_flat ? "  - flatten\n  - linear: {out_features: 5}\n" : "");
}

Model model(std::uint64_t height, std::uint64_t width, bool is_flat = false) {
  std::istringstream in(text(height, width, is_flat));
  return load_network(parse_yaml(in, "made.yaml"), Numbers::structure);
}

const std::vector<std::string> kSchedules = {"linear", "hybrid:1", "kogge-stone"};

std::string direct(const Model& mine) {
  std::vector<Schedule> list;
  for (const std::string& name : kSchedules)
    list.push_back(make_schedule(parse_schedule(name), mine.network.links().size() + 1));
  return encode_analysis(
      analyse({mine.network, mine.weights, nullptr, mine.value_bytes}, PatternKind::guaranteed, list));
}

std::vector<ImageSize> squares(std::uint64_t first, std::uint64_t step, std::size_t count) {
  std::vector<ImageSize> sizes;
  for (std::size_t i = 0; i < count; ++i) sizes.push_back({first + i * step, first + i * step});
  return sizes;
}

/// Asks a cache for networks at these sizes, with as many threads, and compares all that comes with direct counts.
CountStatistics ask(const std::vector<ImageSize>& sizes, std::size_t threads, bool is_flat = false) {
  CountCache cache({}, std::uint64_t{1} << 30);
  std::vector<std::shared_ptr<const Analysis>> got(sizes.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> team;
  for (std::size_t t = 0; t < threads; ++t) {
    team.emplace_back([&] {
      for (std::size_t i = next++; i < sizes.size(); i = next++) {
        got[i] = cache.counted(model(sizes[i].height, sizes[i].width, is_flat), PatternKind::guaranteed, kSchedules, {},
                               [&] { return sizes; });
      }
    });
  }
  team.clear();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(encode_analysis(*got[i]), direct(model(sizes[i].height, sizes[i].width, is_flat)))
        << sizes[i].height << " x " << sizes[i].width;
    for (const ScheduleProfile& schedule : got[i]->schedules) {
      const std::vector<LevelProfile> levels = level_profiles(schedule);
      for (std::size_t level = 0; level < levels.size(); ++level)
        EXPECT_EQ(schedule.levels[level].flops_max, levels[level].flops_max);
    }
  }
  return cache.statistics();
}

TEST(ImageLine, GivesWhatCountingGivesAtEverySize) {
  for (const std::size_t threads : {1, 3}) {
    const CountStatistics statistics = ask(squares(8, 4, 60), threads);
    EXPECT_EQ(statistics.asked, 60U);
    EXPECT_EQ(statistics.counted + statistics.by_formula, 60U);
    EXPECT_GE(statistics.by_formula, 45U);
  }
}

TEST(ImageLine, GoesAlongHeightsWidthsAndRatios) {
  std::vector<ImageSize> tall;
  std::vector<ImageSize> wide;
  std::vector<ImageSize> slanted;
  for (std::uint64_t i = 0; i < 30; ++i) {
    tall.push_back({12 + 4 * i, 20});
    wide.push_back({20, 12 + 4 * i});
    slanted.push_back({8 + 8 * i, 12 + 12 * i});
  }
  for (const auto& sizes : {tall, wide, slanted}) EXPECT_GE(ask(sizes, 1).by_formula, 15U);
}

TEST(ImageLine, HasResiduesOfTheStrideApart) {
  // Four residues of 15 sizes each.
  const CountStatistics statistics = ask(squares(9, 1, 60), 2);
  EXPECT_GE(statistics.by_formula, 10U);
  EXPECT_EQ(statistics.counted + statistics.by_formula, 60U);
}

TEST(ImageLine, CountsWhereThereIsNoFormula) {
  EXPECT_EQ(ask(squares(8, 4, 6), 1).by_formula, 0U) << "few sizes";
  // The last weight, and with it the pruning of all, is another at each size.
  EXPECT_EQ(ask(squares(8, 4, 12), 2, true).by_formula, 0U);
}

TEST(ImageLine, LeavesOutSizesThatCannotBeCounted) {
  // Sizes below 4 have no pooling, and those past a limit are refused.
  const std::vector<ImageSize> sizes = squares(4, 4, 40);
  const auto line = line_through({40, 40}, sizes, 4);
  ASSERT_TRUE(line.has_value());
  ImageLine images(*line);
  const Model any = model(8, 8);
  std::atomic<int> counts = 0;
  const ImageLine::Count count = [&](ImageSize size) {
    ++counts;
    if (size.height > 100) throw InputError("too large");
    const Model mine = model(size.height, size.width);
    return analyse({mine.network, mine.weights, nullptr, mine.value_bytes}, PatternKind::guaranteed,
                   {make_schedule(parse_schedule("linear"), mine.network.links().size() + 1)});
  };
  EXPECT_EQ(images.at({120, 120}, count).analysis, nullptr) << "it is counted by itself, which says why not";
  const ImageLine::Found found = images.at({80, 80}, count);
  ASSERT_NE(found.analysis, nullptr);
  EXPECT_TRUE(found.is_by_formula);
  EXPECT_EQ(encode_analysis(*found.analysis), encode_analysis(count({80, 80})));
}

TEST(ImageLine, IsHalvedWhereCountsBend) {
  const std::vector<ImageSize> sizes = squares(8, 4, 120);
  ImageLine images(*line_through({8, 8}, sizes, 4));
  const ImageLine::Count count = [&](ImageSize size) {
    const Model mine = model(8, 8);
    Analysis analysis = analyse({mine.network, mine.weights, nullptr, mine.value_bytes}, PatternKind::guaranteed,
                                {make_schedule(parse_schedule("linear"), mine.network.links().size() + 1)});
    analysis.network.build_bytes = size.height * size.width + (size.height > 300 ? 8 * size.height : 0);
    return analysis;
  };
  std::size_t by_formula = 0;
  for (const ImageSize& size : sizes) {
    const ImageLine::Found found = images.at(size, count);
    if (found.analysis == nullptr) continue;
    by_formula += found.is_by_formula ? 1 : 0;
    EXPECT_EQ(found.analysis->network.build_bytes, count(size).network.build_bytes) << size.height;
  }
  EXPECT_GT(by_formula, 60U);
}

TEST(ImageLine, PolynomialsAreExact) {
  const auto value = [](std::uint64_t h, std::uint64_t w) { return 5 + 7 * h + 11 * h * w; };
  const std::array<CountAtSize, 3> slanted = {
      {{{4, 6}, value(4, 6)}, {{8, 12}, value(8, 12)}, {{20, 30}, value(20, 30)}}};
  const auto polynomial = polynomial_through(slanted, ImageLineKind::ratio);
  ASSERT_TRUE(polynomial.has_value());
  EXPECT_EQ(*polynomial, (ImagePolynomial{{5, 7, 0, 11}, 1}));
  const std::array<CountAtSize, 3> bent = {{{{4, 6}, 1}, {{5, 6}, 2}, {{6, 6}, 4}}};
  EXPECT_EQ(polynomial_through(bent, ImageLineKind::width), std::nullopt) << "no polynomial of degree 1";
  const std::array<CountAtSize, 3> straight = {{{{6, 4}, 9}, {{6, 6}, 12}, {{6, 10}, 18}}};
  EXPECT_EQ(polynomial_through(straight, ImageLineKind::height), (ImagePolynomial{{6, 0, 3, 0}, 2}));
}

}  // namespace
}  // namespace upsweep::image_line_test
