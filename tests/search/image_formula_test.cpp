#include "upsweep/search/image_formula.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_images.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep::image_formula_test {
namespace {

class ImageFormulaTest : public testing::RandomImagesTest {
 protected:
  /// Compares formulas with counts at sizes of their residue that the test draws.
  void expect_counts(const NetworkView& view, const FormulaSettings& settings, const ImageFormulas& found, int sizes,
                     std::uint64_t steps) {
    for (int round = 0; round < sizes; ++round) {
      const ImageSize size{found.smallest.height + found.step * between(0, steps),
                           found.smallest.width + found.step * between(0, steps)};
      SCOPED_TRACE(std::to_string(size.height) + " x " + std::to_string(size.width));
      const std::vector<ImageCount> counts = image_counts(view, settings, size);
      ASSERT_EQ(counts.size(), found.formulas.size());
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const ImageFormula& formula = found.formulas[i];
        EXPECT_EQ(formula.of, counts[i].of);
        if (!formula.polynomial || size.height < formula.from.height || size.width < formula.from.width) continue;
        EXPECT_EQ(formula.polynomial->at(size), counts[i].value) << counts[i].of << " " << counts[i].what;
      }
    }
  }
};

TEST(ImagePolynomial, IsThatThroughFourCounts) {
  // 3 (h - 1) (w - 2) / 2 at odd h and even w.
  const auto value = [](std::uint64_t h, std::uint64_t w) { return 3 * (h - 1) * (w - 2) / 2; };
  const auto found = polynomial_through({{{value(5, 8), value(5, 10)}, {value(7, 8), value(7, 10)}}}, {5, 8}, 2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(*found, (ImagePolynomial{{6, -6, -3, 3}, 2}));
  EXPECT_EQ(found->at({101, 44}), value(101, 44));
  EXPECT_EQ(found->at({2, 1}), std::nullopt) << "negative or no whole number";
}

TEST_F(ImageFormulaTest, EqualsCountsAtTenSizesOfThePrunedVgg11) {
  const Model model = load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/vgg11-cifar10-pruned97.yaml"),
                                   Numbers::structure);
  const NetworkView view{model.network, model.weights};
  FormulaSettings settings;
  settings.schedule = [](std::size_t length) { return hybrid_schedule(length, 1); };
  settings.most_size = 512;
  const ImageFormulas found = image_formulas(view, settings);
  EXPECT_EQ(found.step, 32U);
  for (const ImageFormula& formula : found.formulas) EXPECT_TRUE(formula.polynomial) << formula.of << formula.what;
  expect_counts(view, settings, found, 10, 20);
}

TEST_F(ImageFormulaTest, EqualsCountsOfRandomNetworksFromItsFirstSizeOn) {
  std::size_t with_formula = 0;
  for (int round = 0; round < 12; ++round) {
    const Network network = random_network(between(1, 4));
    SCOPED_TRACE(describe(network));
    const NetworkWeights weights = chance(0.5) ? random_masks(network) : NetworkWeights(network.operators().size());
    const NetworkView view{network, weights};
    FormulaSettings settings;
    settings.schedule = [depth = static_cast<std::uint32_t>(between(0, 2))](std::size_t length) {
      return hybrid_schedule(length, depth);
    };
    settings.most_size = 200;
    try {
      if (accumulated_stride(network) > 12) continue;
      settings.residue = {between(0, 11), between(0, 11)};
      const ImageFormulas found = image_formulas(view, settings);
      for (const ImageFormula& formula : found.formulas) with_formula += formula.polynomial ? 1 : 0;
      expect_counts(view, settings, found, 4, 10);
    } catch (const OperatorError&) {
      continue;  // takes no image of that residue, or a mask belongs to one size
    }
  }
  EXPECT_GT(with_formula, 0U);
}

/// Formulas of a network without masks whose residue is that of {0, 0}.
ImageFormulas formulas_of(const Network& network, std::uint64_t most_size) {
  const NetworkWeights weights(network.operators().size());
  FormulaSettings settings;
  settings.schedule = [](std::size_t length) { return blelloch_schedule(length); };
  settings.most_size = most_size;
  return image_formulas({network, weights}, settings);
}

const ImageFormula& formula_named(const ImageFormulas& found, const std::string& what) {
  return *std::ranges::find(found.formulas, what, &ImageFormula::what);
}

TEST(CriticalPathFormula, IsNoneWhereTheLongestPathChangesWithTheShape) {
  // Products of high kernels cost the more on low images, those of wide kernels on narrow ones.
  const auto conv = [](std::uint64_t y, std::uint64_t x) { return Conv2d{1, {y, x}, {1, 1}, {y / 2, x / 2}}; };
  const std::vector<OperatorSpec> specs = {{"a", conv(1, 3), {}},
                                           {"b", conv(1, 3), {}},
                                           {"c", conv(3, 1), {}},
                                           {"d", conv(3, 1), {}},
                                           {"e", Relu{}, {}}};  // stands beside the gradient: the others are pairs
  const Network network({1, 12, 12}, specs);
  const ImageFormulas found = formulas_of(network, 60);
  EXPECT_TRUE(formula_named(found, "live_flops").polynomial);
  const ImageFormula& level = formula_named(found, "critical_path_level");
  EXPECT_FALSE(level.polynomial) << level.from.height;
}

TEST(CriticalPathFormula, IsThatOfTheLongestPathFromWhereItIsLongest) {
  const Network network({1, 12, 12}, {{"a", Conv2d{1, {3, 3}, {1, 1}, {1, 1}}, {}},
                                      {"b", Conv2d{2, {3, 3}, {1, 1}, {1, 1}}, {}},
                                      {"c", Relu{}, {}},
                                      {"d", Conv2d{1, {5, 5}, {1, 1}, {2, 2}}, {}}});
  const ImageFormulas found = formulas_of(network, 60);
  for (const char* what : {"critical_path_level", "critical_path_dag"}) {
    const ImageFormula& path = formula_named(found, what);
    ASSERT_TRUE(path.polynomial) << what;
    EXPECT_TRUE(path.is_derived);
    EXPECT_GT(path.checks, 0U);
  }
}

TEST_F(ImageFormulaTest, OfAMaskThatBelongsToOneSizeSaysSo) {
  const Network network({1, 4, 4}, {{"flatten", Flatten{}, {}}, {"fc", Linear{2}, {}}});
  NetworkWeights weights(2);
  weights[1].kept.assign(32, 1);
  EXPECT_THROW(static_cast<void>(on_image(network, weights, {5, 5})), OperatorError);
  EXPECT_NO_THROW(static_cast<void>(on_image(network, NetworkWeights(2), {5, 5})));
}

}  // namespace
}  // namespace upsweep::image_formula_test
