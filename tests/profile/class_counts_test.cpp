#include <gtest/gtest.h>

#include "support/random_images.hpp"
#include "support/sanitized.hpp"
#include "upsweep/io/model_file.hpp"
#include "upsweep/jacobian/chain.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::class_counts_test {
namespace {

class ClassCountsTest : public testing::RandomImagesTest {};

void expect_same(const ScheduleProfile& classes, const ScheduleProfile& rows) {
  SCOPED_TRACE(rows.schedule.name);
  EXPECT_EQ(classes.value_bytes, rows.value_bytes);
  ASSERT_EQ(classes.ops.size(), rows.ops.size());
  for (std::size_t id = 0; id < rows.ops.size(); ++id) {
    const OpProfile& a = classes.ops[id];
    const OpProfile& b = rows.ops[id];
    const auto counts = [](const OpProfile& op) {
      return std::vector<std::uint64_t>{op.m,        op.k,     op.n,     op.left_nnz,   op.right_nnz,   op.nnz,
                                        op.products, op.flops, op.bytes, op.left_bytes, op.right_bytes, op.span};
    };
    EXPECT_EQ(counts(a), counts(b)) << "op " << id;
    EXPECT_EQ(a.steps, b.steps) << "op " << id;
  }
}

Analysis analyse_by(PatternForm form, const Network& network, const NetworkWeights& weights) {
  const std::size_t length = network.links().size() + 1;
  std::vector<Schedule> schedules = depth_candidates(length);
  for (Schedule& scheme : scheme_candidates(length, 3)) schedules.push_back(std::move(scheme));
  return analyse({network, weights}, PatternKind::guaranteed, std::move(schedules), {}, form);
}

void expect_same_counts(const Network& network, const NetworkWeights& weights) {
  const Analysis classes = analyse_by(PatternForm::classes, network, weights);
  const Analysis rows = analyse_by(PatternForm::rows, network, weights);
  ASSERT_EQ(classes.schedules.size(), rows.schedules.size());
  for (std::size_t s = 0; s < rows.schedules.size(); ++s) expect_same(classes.schedules[s], rows.schedules[s]);
  EXPECT_EQ(classes.network.linear_flops, rows.network.linear_flops);
  EXPECT_EQ(classes.network.build_values, rows.network.build_values);
  EXPECT_EQ(rows.network.pattern_classes, rows.network.pattern_rows);
  ASSERT_EQ(classes.network.links.size(), rows.network.links.size());
  for (std::size_t i = 0; i < rows.network.links.size(); ++i) {
    const LinkProfile& a = classes.network.links[i];
    const LinkProfile& b = rows.network.links[i];
    EXPECT_EQ(a.nnz, b.nnz) << "link " << i;
    EXPECT_EQ(a.formation.products, b.formation.products) << "link " << i;
    EXPECT_EQ(a.formation.additions, b.formation.additions) << "link " << i;
    EXPECT_EQ(a.formation.peak_bytes, b.formation.peak_bytes) << "link " << i;
  }
}

TEST_F(ClassCountsTest, AreThoseOfRowsOnRandomNetworks) {
  for (int round = 0; round < 60; ++round) {
    const Network network = random_network(between(1, 9));
    SCOPED_TRACE(describe(network));
    expect_same_counts(network, random_masks(network));
  }
}

TEST_F(ClassCountsTest, AreThoseOfRowsWithoutMasks) {
  for (int round = 0; round < 30; ++round) {
    const Network network = random_network(between(4, 12));
    SCOPED_TRACE(describe(network));
    expect_same_counts(network, NetworkWeights(network.operators().size()));
  }
}

TEST_F(ClassCountsTest, AreThoseOfRowsWithBranches) {
  for (int round = 0; round < 60; ++round) {
    const Network network = random_branches(between(1, 5));
    SCOPED_TRACE(describe(network));
    expect_same_counts(network, chance(0.3) ? NetworkWeights(network.operators().size()) : random_masks(network));
  }
}

TEST(ClassCounts, AreThoseOfRowsOnShippedModels) {
  for (const char* name : {"lenet5", "lenet5-cifar10", "mlp-mnist", "vgg11-quarter-pruned90", "vgg11-cifar10-pruned97",
                           "two-streams", "inception-block", "densenet-block"}) {
    SCOPED_TRACE(name);
    if (testing::kIsSanitized && std::string(name) == "vgg11-cifar10-pruned97") continue;  // as the quarter, but longer
    const Model model =
        load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name + ".yaml"), Numbers::structure);
    expect_same_counts(model.network, model.weights);
  }
}

TEST(ClassCounts, OfADenseBlockTakeLittleMemory) {
  std::vector<OperatorSpec> specs;
  std::vector<std::string> features{kInputName};
  for (const char* layer : {"1", "2", "3", "4"}) {
    const std::string name = layer;
    const std::vector<std::string> before{features.size() == 1 ? features.front() : specs.back().name};
    specs.push_back({"conv" + name, Conv2d{4, {3, 3}, {1, 1}, {1, 1}}, before});
    features.push_back("conv" + name);
    specs.push_back({"concat" + name, Concat{}, features});
  }
  const Network network({128, 32, 32}, specs);
  const JacobianChain chain =
      guaranteed_chain(network, NetworkWeights(specs.size()), StepPatterns::drop, PatternForm::classes);
  ASSERT_EQ(chain.jacobians.size(), 1U);
  ASSERT_TRUE(chain.jacobians.front()->classes());
  // Each input channel goes on beside what all of them lead to: 128 channels at 9 x 9 kinds of positions, with a window
  // of 9 x 9 positions of 144 channels each, would be 20 MiB.
  EXPECT_LT(chain.jacobians.front()->memory(), std::size_t{2} << 20);
}

TEST(ClassCounts, OfRealSizeAreSmall) {
  const Model model =
      load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/vgg16-imagenet.yaml"), Numbers::structure);
  const Analysis analysis = analyse({model.network, model.weights}, PatternKind::guaranteed,
                                    depth_candidates(model.network.links().size() + 1));
  EXPECT_STREQ(analysis.network.counted_by(), "classes");
  EXPECT_LT(analysis.network.pattern_classes * 100, analysis.network.pattern_rows);
  // Kernel positions of 3 with padding 1 pair 3n - 2 positions along an axis of n.
  const std::uint64_t places = (3 * 224 - 2) * (3 * 224 - 2);
  EXPECT_EQ(analysis.network.operators[2].nnz, places * 64 * 64);
}

}  // namespace
}  // namespace upsweep::class_counts_test
