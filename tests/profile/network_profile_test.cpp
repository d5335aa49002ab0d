#include "upsweep/profile/network_profile.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "upsweep/io/model_file.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep {
namespace {

Model load(const std::string& name, Numbers numbers = Numbers::structure) {
  return load_network(read_yaml(std::string(UPSWEEP_SOURCE_DIR) + "/models/" + name + ".yaml"), numbers);
}

Analysis analyse_all_depths(const Model& model, PatternKind pattern) {
  return analyse({model.network, model.weights, model.sample ? &*model.sample : nullptr, model.value_bytes}, pattern,
                 depth_candidates(model.network.links().size() + 1));
}

Operator make(const OperatorKind& kind, const Shape& in) { return {"op", kind, in, infer_shape(kind, in)}; }

TEST(BaselineFlops, FollowTheRuleOfEachKind) {
  EXPECT_EQ(baseline_flops(make(Conv2d{64, {3, 3}, {1, 1}, {1, 1}}, {3, 32, 32}), 0), 2U * 1'696'512)
      << "unpruned, whatever the mask";
  EXPECT_EQ(baseline_flops(make(Linear{10}, {84}), 5), 2U * 840);
  EXPECT_EQ(baseline_flops(make(Relu{}, {4, 2, 2}), 9), 16U + 9) << "elements plus the entries of the pattern shown";
  EXPECT_EQ(baseline_flops(make(BatchNorm2d{}, {4, 2, 2}), 16), 32U);
  EXPECT_EQ(baseline_flops(make(MaxPool2d{{2, 2}, {2, 2}}, {4, 2, 2}), 16), 16U + 4);
  EXPECT_EQ(baseline_flops(make(AdaptiveAvgPool2d{{1, 1}}, {4, 2, 2}), 16), 16U + 4);
  EXPECT_EQ(baseline_flops(make(Flatten{}, {4, 2, 2}), 0), 0U);
}

// Independently computed figures of the pruned VGG-11, guaranteed pattern.
TEST(Analysis, OfThePrunedVgg11HasThePublishedFigures) {
  const Model model = load("vgg11-cifar10-pruned97");
  const Analysis analysis = analyse_all_depths(model, PatternKind::guaranteed);
  const std::vector<std::uint64_t> flops = {26'061'648, 154'415'588, 1'501'451'584, 327'620'917'788, 327'620'917'788};
  const std::vector<std::uint64_t> level_paths = {26'061'648, 130'442'588, 1'182'950'528, 326'466'044'842,
                                                  326'466'044'842};
  const std::vector<std::uint64_t> dag_paths = {26'061'648, 99'627'536, 989'776'096, 326'309'135'146, 326'309'135'146};
  const std::vector<std::uint64_t> live_flops = {26'061'648, 151'544'034, 1'498'580'030, 326'817'939'080,
                                                 326'817'939'080};
  ASSERT_EQ(analysis.schedules.size(), flops.size());
  for (std::size_t depth = 0; depth < flops.size(); ++depth) {
    const Totals all = totals(analysis.schedules[depth], Scope::all);
    EXPECT_EQ(all.flops, flops[depth]) << depth;
    EXPECT_EQ(all.critical_path_level, level_paths[depth]) << depth;
    EXPECT_EQ(all.critical_path_dag, dag_paths[depth]) << depth;
    EXPECT_EQ(totals(analysis.schedules[depth], Scope::live).flops, live_flops[depth]) << depth;
  }
  EXPECT_EQ(analysis.network.linear_flops, flops[0]);
  EXPECT_EQ(pram_profile(analysis.schedules[0], 1).peak_live_bytes, 105'592'208U);
  EXPECT_EQ(pram_profile(analysis.schedules[2], 3).dag->flops, 993'184'522U);
  EXPECT_EQ(pram_profile(analysis.schedules[2], 3).level.flops, 1'187'686'084U);
}

TEST(Analysis, OfTheQuarterVgg11AtItsInputsHasAShorterPathThanPlainBackPropagation) {
  const Model model = load("vgg11-quarter-pruned90", Numbers::needed);
  const Analysis analysis = analyse_all_depths(model, PatternKind::sample);
  EXPECT_EQ(analysis.network.inputs, 4U);
  EXPECT_EQ(totals(analysis.schedules[1], Scope::all).critical_path_dag, 4U * 2'445'006);
  EXPECT_EQ(analysis.network.linear_flops, 12'778'422U) << "4 times 3 194 605.5";
}

TEST(Analysis, CountsWhatBuildingTheChainWrites) {
  const Model model = load("lenet5");
  const Analysis analysis = analyse_all_depths(model, PatternKind::guaranteed);
  std::uint64_t values = 0;
  for (std::size_t i = 1; i < model.network.links().size(); ++i)
    values += analysis.network.operators[model.network.links()[i]].nnz;
  EXPECT_EQ(analysis.network.build_values, values);
  EXPECT_EQ(analysis.network.build_bytes, 4 * values);
  EXPECT_EQ(analysis.network.linear_flops, 2 * values);
}

/// x → in, then in + relu(f(in)), then out.
Network residual() {
  return {{2},
          {{"in", Linear{3}, {}},
           {"f", Linear{3}, {}},
           {"act", Relu{}, {}},
           {"sum", Add{}, {{"in", "act"}}},
           {"out", Linear{2}, {}}}};
}

TEST(BaselineFlops, OfAJoinAreNone) {
  const Network network = residual();
  EXPECT_EQ(baseline_flops(network.operators()[3], 0), 0U);
  EXPECT_EQ(needs_gradient(network), std::vector<bool>(5, true));
  EXPECT_EQ(reader_counts(network), (std::vector<std::size_t>{2, 1, 1, 1, 0}));
}

TEST(NeedsGradient, OfTheInputsViewsAndJoinsIsFalse) {
  const Network network({2}, {{"drop", Dropout{}, {}},
                              {"twice", Concat{}, {{"input", "drop"}}},
                              {"fc", Linear{2}, {}},
                              {"sum", Add{}, {{"fc", "input"}}}});
  EXPECT_EQ(needs_gradient(network), (std::vector<bool>{false, false, true, true}));
}

TEST(Analysis, OfABlockCountsItsFormationApart) {
  const Network network = residual();
  NetworkWeights weights(5);
  weights[1].kept = {0, 1, 0, 0, 0, 1, 0, 0, 0};
  const Analysis analysis = analyse({network, weights}, PatternKind::guaranteed, depth_candidates(4));
  const NetworkProfile& profile = analysis.network;
  ASSERT_EQ(profile.links.size(), 3U);
  const LinkProfile& block = profile.links[1];
  EXPECT_EQ(block.rows, 3U);
  EXPECT_EQ(block.cols, 3U);
  EXPECT_EQ(block.nnz, 5U) << "I and two entries beside it";
  EXPECT_EQ(block.bytes, csr_bytes(3, 5, 4));
  EXPECT_EQ(block.formation.products, 2U);
  EXPECT_EQ(block.formation.product_flops, 4U);
  EXPECT_EQ(block.formation.additions, 0U);
  EXPECT_EQ(block.formation.flops(), 4U);
  EXPECT_TRUE(profile.links[0].formation.steps.empty());
  EXPECT_EQ(profile.operators[1].nnz, 2U) << "operators keep their own figures";
  EXPECT_EQ(profile.operators[3].rows, 0U);
  EXPECT_EQ(profile.build_values, 5U + 6);
  EXPECT_EQ(profile.linear_flops, 2U * (5 + 6));
  EXPECT_EQ(profile.formation_flops, 4U);
  EXPECT_EQ(profile.addition_flops, 3U);
  EXPECT_EQ(profile.baseline_flops, 2U * 9 + (3 + 3) + 2 * 6 + 3);
  for (const ScheduleProfile& schedule : analysis.schedules) EXPECT_EQ(schedule.ops.front().right_nnz, 6U);
}

TEST(Analysis, OfBlocksAtInputsIsTheSumOverThem) {
  const Network network = residual();
  NetworkWeights weights(5);
  for (const std::size_t o : {0, 1, 4}) {
    const Operator& op = network.operators()[o];
    weights[o].values.assign(elements(*weight_shape(op.kind, op.in_shape)), 1);
  }
  const auto at = [&](const SampleInputs& sample) {
    return analyse({network, weights, &sample}, PatternKind::sample, depth_candidates(4));
  };
  // The first input turns every ReLU on, the second every one off: J = I.
  const NetworkProfile on = at({1, 2, {1, 1}}).network;
  const NetworkProfile off = at({1, 2, {-1, -1}}).network;
  const NetworkProfile both = at({2, 2, {1, 1, -1, -1}}).network;
  EXPECT_EQ(on.links[1].nnz, 9U);
  EXPECT_EQ(on.links[1].formation.products, 9U);
  EXPECT_EQ(off.links[1].nnz, 3U);
  EXPECT_EQ(off.links[1].formation.flops(), 0U);
  EXPECT_EQ(both.links[1].nnz, 12U);
  EXPECT_EQ(both.formation_flops, on.formation_flops + off.formation_flops);
  EXPECT_EQ(both.addition_flops, on.addition_flops + off.addition_flops);
  EXPECT_EQ(both.baseline_flops, on.baseline_flops + off.baseline_flops);
  EXPECT_EQ(both.linear_flops, on.linear_flops + off.linear_flops);
  EXPECT_EQ(both.links[1].formation.peak_bytes, on.links[1].formation.peak_bytes) << "the most of any input";
}

TEST(Analysis, OfASampleNeedsInputs) {
  const Model model = load("vgg11-cifar10-pruned97");
  EXPECT_THROW(static_cast<void>(analyse_all_depths(model, PatternKind::sample)), std::invalid_argument);
}

}  // namespace
}  // namespace upsweep
