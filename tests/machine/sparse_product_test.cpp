#include "upsweep/machine/sparse_product.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

PublishedRates made_up_rates(const std::string& library = "cuSPARSE") {
  PublishedRates rates;
  rates.library = library;
  rates.unit_s = {1e-4, 1e-9, 2e-9, 3e-9, 1e-11, 2e-11, 3e-11, 4e-11};
  rates.interval = {0.5, 2};
  return rates;
}

Machine made_up_gpu() {
  Machine machine;
  machine.name = "made up";
  machine.kind = MachineKind::gpu;
  Rates rates;
  rates.op_latency_s = 1e-6;
  for (TypeRates* type : {&rates.fp32, &rates.fp64}) {
    type->mm.flops_per_s = type->mv.flops_per_s = 1e12;
    type->mm.bytes_per_s = type->mv.bytes_per_s = 1e11;
  }
  machine.rates = {rates};
  machine.small_products = SmallProducts{.multiprocessors = 10, .clock_hz = 1e9};
  machine.published = {made_up_rates()};
  return machine;
}

OpWork sparse_work() {
  OpWork work;
  work.flops = 2 * 5000;
  work.bytes = 1000;
  work.steps.teams = 100;
  work.sizes = {100, 200, 300, 700, 900, 5000, 2000};
  return work;
}

class ProductWorkTest : public testing::SeededTest {};

TEST_F(ProductWorkTest, PutsEveryRowAndProductIntoOneBinOrBetweenTwo) {
  for (int round = 0; round < 200; ++round) {
    ProductSizes sizes;
    sizes.rows = between(1, 1'000'000);
    sizes.inner = sizes.cols = between(1, 1'000'000);
    sizes.left_nnz = between(1, 10'000'000);
    sizes.right_nnz = between(1, 10'000'000);
    sizes.products = between(1, 4'000'000'000);
    sizes.nnz = chance(0.3) ? 0 : between(1, sizes.products);
    const std::vector<double> work = product_work(sizes);
    ASSERT_EQ(work.size(), published_units(PublishedKind::product).size());
    const auto rows = static_cast<double>(sizes.rows);
    const auto products = static_cast<double>(sizes.products);
    EXPECT_EQ(work[0], 1);
    EXPECT_NEAR(work[1] + work[2] + work[3], rows, 1e-9 * rows);
    EXPECT_NEAR(work[4] + work[5] + work[6], products, 1e-9 * products);
    for (const double count : work) EXPECT_GE(count, 0);
    EXPECT_LE(work[7], products);
  }
}

TEST(ProductWork, ShortMiddleAndLongRowsAreThoseOfTheResult) {
  const auto of_rows = [](std::uint64_t row) {
    return product_work({1000, 1000, 1000, 5000, 5000, 5'000'000, 1000 * row});
  };
  EXPECT_GT(of_rows(20)[1], 990);
  EXPECT_GT(of_rows(350)[2], 990);
  EXPECT_GT(of_rows(5000)[3], 990);
}

TEST(ProductSeconds, OfMoreProductsThanTheLibraryCountsAreNone) {
  PublishedRates rates = made_up_rates();
  ProductSizes sizes{1000, 1000, 1000, 5000, 5000, 2'147'483'647, 100'000};
  rates.most_products = 2'147'483'647;
  EXPECT_TRUE(product_seconds(rates, sizes).has_value());
  ++sizes.products;
  EXPECT_FALSE(product_seconds(rates, sizes).has_value());
}

TEST(OpTimeOfALibrary, TakesTheWholeDeviceOneProductAfterTheOther) {
  const Machine machine = made_up_gpu();
  const OpWork work = sparse_work();
  const OpTime time = op_time(machine, work, {});
  const double seconds = *product_seconds(machine.published.front(), work.sizes);
  EXPECT_DOUBLE_EQ(time.machine_s, seconds);
  EXPECT_DOUBLE_EQ(time.alone_s, 1e-6 + seconds);
}

TEST(OpTimeOfALibrary, LeavesVectorsAndDenseProductsToTheDatasheet) {
  const Machine machine = made_up_gpu();
  const Machine sheet = with_library(machine, kRoofline);
  OpWork vector = sparse_work();
  vector.is_mv = true;
  OpWork dense = sparse_work();
  dense.sizes = {20, 20, 20, 400, 400, 8000, 400};
  for (const OpWork& work : {vector, dense}) {
    EXPECT_EQ(op_time(machine, work, {}).alone_s, op_time(sheet, work, {}).alone_s);
  }
  EXPECT_GT(op_time(machine, sparse_work(), {}).alone_s, op_time(sheet, sparse_work(), {}).alone_s);
}

TEST(WithLibrary, NamesThoseThatThereAre) {
  Machine machine = made_up_gpu();
  machine.published.push_back(made_up_rates("TileSpGEMM"));
  EXPECT_EQ(machine.product_rates()->library, "cuSPARSE");
  EXPECT_EQ(with_library(machine, "TileSpGEMM").product_rates()->library, "TileSpGEMM");
  EXPECT_EQ(with_library(machine, kRoofline).product_rates(), nullptr);
  for (const auto& [asked, hint] : {std::pair{"other", ""}, std::pair{"cusparse", ": did you mean cuSPARSE?"}}) {
    try {
      static_cast<void>(with_library(machine, asked));
      FAIL();
    } catch (const std::invalid_argument& error) {
      EXPECT_EQ(error.what(), std::string("library is ") + asked + ", and the machine made up has no rates of it" +
                                  hint + ", accepted are roofline, TileSpGEMM, cuSPARSE");
    }
  }
}

TEST(AtBound, HasProductsByTheirIntervalAndTheDatasheetAtMostTwiceAsLong) {
  const Machine machine = made_up_gpu();
  const double seconds = op_time(machine, sparse_work(), {}).machine_s;
  EXPECT_DOUBLE_EQ(op_time(*at_bound(machine, false), sparse_work(), {}).machine_s, 0.5 * seconds);
  EXPECT_DOUBLE_EQ(op_time(*at_bound(machine, true), sparse_work(), {}).machine_s, 2 * seconds);
  OpWork vector = sparse_work();
  vector.is_mv = true;
  const double sheet = op_time(machine, vector, {}).machine_s;
  EXPECT_DOUBLE_EQ(op_time(*at_bound(machine, false), vector, {}).machine_s, sheet);
  EXPECT_DOUBLE_EQ(op_time(*at_bound(machine, true), vector, {}).machine_s, kRooflineSlack * sheet);
  EXPECT_FALSE(at_bound(with_library(machine, kRoofline), true).has_value());
}

TEST(CarriedProducts, AreScaledByBandwidthAndMultiprocessorsTimesClockAndLessCertain) {
  const Machine from = made_up_gpu();
  Machine to = made_up_gpu();
  to.rates.front().fp64.mm.bytes_per_s *= 4;
  to.small_products->multiprocessors = 20;
  const PublishedRates& rates = from.published.front();
  const PublishedRates carried = carried_products(rates, from, to);
  const std::vector<double> factors = {1, 0.25, 0.5, 0.5, 0.25, 0.5, 0.5, 0.25};
  for (std::size_t i = 0; i < factors.size(); ++i)
    EXPECT_DOUBLE_EQ(carried.unit_s[i], factors[i] * rates.unit_s[i]) << published_units(PublishedKind::product)[i];
  EXPECT_LT(carried.interval.low, rates.interval.low);
  EXPECT_GT(carried.interval.high, rates.interval.high);
  EXPECT_TRUE(carried.from.rows.empty());
  EXPECT_THAT(carried.from.carried_from, HasSubstr("cuSPARSE of made up"));
  EXPECT_DOUBLE_EQ(device_distance(from, to), std::log(4) + std::log(2));
  EXPECT_DOUBLE_EQ(carried.interval.high, kCarriedFactor * rates.interval.high) << "from a distance of 1 on";
  // A device that is next to it is less uncertain; the same device not at all.
  Machine near = made_up_gpu();
  near.rates.front().fp64.mm.bytes_per_s *= std::exp(0.5);
  EXPECT_DOUBLE_EQ(carried_products(rates, from, near).interval.high, std::sqrt(kCarriedFactor) * rates.interval.high);
  EXPECT_DOUBLE_EQ(carried_products(rates, from, from).interval.high, rates.interval.high);
}

}  // namespace
}  // namespace upsweep
