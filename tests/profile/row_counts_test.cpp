#include <gtest/gtest.h>

#include "support/random_images.hpp"
#include "upsweep/io/model_file.hpp"
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
