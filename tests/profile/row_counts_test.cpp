#include <gtest/gtest.h>

#include "profile/range_products.hpp"
#include "support/random_images.hpp"
#include "upsweep/base/memory.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::row_counts_test {
namespace {

/// Patterns at concrete inputs, counted row by row, beside the products formed.
class RowCountsTest : public testing::RandomImagesTest {
 protected:
  SampleInputs random_inputs(const Network& network, std::size_t count) {
    SampleInputs inputs{count, elements(network.input()), {}};
    for (std::size_t i = 0; i < inputs.count * inputs.length; ++i)
      inputs.values.push_back(static_cast<double>(between(0, 2000)) / 1000 - 1);
    return inputs;
  }
};

std::vector<Schedule> all_schedules(const Network& network) {
  const std::size_t length = network.links().size() + 1;
  std::vector<Schedule> schedules = depth_candidates(length);
  for (Schedule& scheme : scheme_candidates(length, 3)) schedules.push_back(std::move(scheme));
  return schedules;
}

void expect_same(const ScheduleProfile& mine, const ScheduleProfile& formed, bool with_steps) {
  SCOPED_TRACE(formed.schedule.name);
  EXPECT_EQ(mine.value_bytes, formed.value_bytes);
  ASSERT_EQ(mine.ops.size(), formed.ops.size());
  for (std::size_t id = 0; id < formed.ops.size(); ++id) {
    const auto counts = [](const OpProfile& op) {
      return std::vector<std::uint64_t>{op.m,        op.k,     op.n,     op.left_nnz,   op.right_nnz,   op.nnz,
                                        op.products, op.flops, op.bytes, op.left_bytes, op.right_bytes, op.span};
    };
    EXPECT_EQ(counts(mine.ops[id]), counts(formed.ops[id])) << "op " << id;
    if (with_steps) {
      EXPECT_EQ(mine.ops[id].steps, formed.ops[id].steps) << "op " << id;
    }
  }
}

/// `with_steps`: how rows form teams too, which depends on the order of products where these happen to select rows.
void expect_same_counts(const NetworkView& view, bool with_steps) {
  const Analysis formed = analyse(view, PatternKind::sample, all_schedules(view.network), {}, PatternForm::rows);
  for (const std::uint64_t formed_pairs : {std::uint64_t{0}, CountLimits().formed_pairs}) {
    SCOPED_TRACE(formed_pairs == 0 ? "rows counted one by one" : "formed of elements by classes");
    CountLimits limits;
    limits.formed_pairs = formed_pairs;
    const Analysis rows =
        analyse(view, PatternKind::sample, all_schedules(view.network), {}, PatternForm::classes, &limits);
    ASSERT_EQ(rows.schedules.size(), formed.schedules.size());
    for (std::size_t s = 0; s < formed.schedules.size(); ++s)
      expect_same(rows.schedules[s], formed.schedules[s], with_steps);
    EXPECT_EQ(rows.network.linear_flops, formed.network.linear_flops);
    EXPECT_EQ(rows.network.build_values, formed.network.build_values);
  }
}

TEST_F(RowCountsTest, AreThoseOfFormedProductsOnRandomNetworks) {
  for (int round = 0; round < 60; ++round) {
    const Network network = random_network(between(1, 9));
    SCOPED_TRACE(describe(network));
    NetworkWeights weights = chance(0.2) ? NetworkWeights(network.operators().size()) : random_masks(network);
    fill_he_normal(network, 1, weights);
    const SampleInputs inputs = random_inputs(network, between(1, 2));
    expect_same_counts({network, weights, &inputs}, false);
  }
}

TEST_F(RowCountsTest, AreThoseOfFormedProductsWithBranches) {
  for (int round = 0; round < 30; ++round) {
    const Network network = random_branches(between(1, 5));
    SCOPED_TRACE(describe(network));
    NetworkWeights weights = random_masks(network);
    fill_he_normal(network, 1, weights);
    const SampleInputs inputs = random_inputs(network, 1);
    expect_same_counts({network, weights, &inputs}, false);
  }
}

/// The products of all hybrids of LeNet-5 at an input.
class WayOfCounting : public ::testing::Test {
 protected:
  WayOfCounting()
      : model_(load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/lenet5.yaml"), Numbers::needed)),
        chain_(SampleChains(model_.network, model_.weights, PatternForm::at_input).at(*model_.sample, 0)) {
    for (const Schedule& schedule : depth_candidates(chain_.length())) plan_.add(schedule, value_ranges(schedule));
  }

  [[nodiscard]] ProductPlan::Counts count(const CountLimits& limits) const { return count(limits, chain_); }
  [[nodiscard]] ProductPlan::Counts count(const CountLimits& limits, const JacobianChain& chain) const {
    std::vector<ProductPlan::Spent> spent(plan_.terms().size());
    return plan_.count(chain, limits, spent);
  }
  [[nodiscard]] bool has_all(const ProductPlan::Counts& counts) const {
    bool all = true;
    for (std::size_t s = 0; s < plan_.terms().size(); ++s) all = all && plan_.has_all(s, counts);
    return all;
  }
  void expect_counts_of_formed(const ProductPlan::Counts& counts) const {
    const ProductPlan::Counts formed = count({});
    EXPECT_TRUE(has_all(counts));
    EXPECT_EQ(counts.nnz, formed.nnz);
    EXPECT_EQ(counts.max_row_nnz, formed.max_row_nnz);
    for (std::size_t s = 0; s < formed.products.size(); ++s)
      EXPECT_EQ(counts.products[s].products, formed.products[s].products) << "split " << s;
  }

  Model model_;
  JacobianChain chain_;
  ProductPlan plan_;
};

TEST_F(WayOfCounting, IsByProductsThatFit) {
  EXPECT_FALSE(count({}).by_rows);
  const JacobianChain guaranteed = guaranteed_chain(model_.network, model_.weights);
  EXPECT_FALSE(count({.formed_pairs = 0}, guaranteed).by_rows) << "whose products are formed whatever they take";
}

TEST_F(WayOfCounting, IsByRowsWhereFormingIsNotAskedForOrTakesTooLong) {
  for (const std::uint64_t formed_pairs : {0U, 1U, 100'000U}) {
    const ProductPlan::Counts counts = count({.formed_pairs = formed_pairs});
    EXPECT_TRUE(counts.by_rows) << formed_pairs;
    expect_counts_of_formed(counts);
  }
}

TEST_F(WayOfCounting, IsByRowsWhereProductsDoNotFitIntoMemory) {
  const ProductPlan::Counts counts = [&] {
    const MemoryCeiling ceiling(held_memory() + (std::uint64_t{8} << 20));
    return count({});
  }();
  EXPECT_TRUE(counts.by_rows);
  expect_counts_of_formed(counts);
}

TEST_F(WayOfCounting, OfWhatIsRefusedAnywayIsByProductsButForEstimates) {
  const ProductPlan::Counts refused = count({.pairs = 100'000});
  EXPECT_FALSE(refused.by_rows) << "rows would take no less";
  EXPECT_FALSE(has_all(refused));
  const ProductPlan::Counts estimated = count({.pairs = 100'000, .estimate = EstimateSettings{}});
  EXPECT_TRUE(estimated.by_rows) << "estimates are made of rows";
  EXPECT_TRUE(has_all(estimated));
}

TEST(RowCounts, AreThoseOfFormedProductsOnShippedModels) {
  for (const char* name : {"lenet5", "lenet5-cifar10", "mlp-mnist", "vgg11-quarter-pruned90", "two-streams",
                           "inception-block", "densenet-block"}) {
    SCOPED_TRACE(name);
    const Model model =
        load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name + ".yaml"), Numbers::needed);
    SampleInputs first = *model.sample;
    first.count = 1;
    expect_same_counts({model.network, model.weights, &first}, true);
  }
}

}  // namespace
}  // namespace upsweep::row_counts_test
