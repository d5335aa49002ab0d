#include "upsweep/profile/cost_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace upsweep::testing::cost_table_test {
namespace {

using ::testing::ElementsAre;

TEST(Modules, AreTheFirstPartsOfNames) {
  EXPECT_EQ(module_of("layer1.0.conv1", 1), "layer1");
  EXPECT_EQ(module_of("layer1.0.conv1", 2), "layer1.0");
  EXPECT_EQ(module_of("layer1.0.conv1", 9), "layer1.0.conv1");
  EXPECT_EQ(module_of("fc", 3), "fc");
}

TEST(Modules, OfExportedNamesCountRepeatedPartsOnce) {
  EXPECT_EQ(module_of("/layer1/layer1.0/conv1/Conv", 2), "layer1.0");
  EXPECT_EQ(module_of("/layer1/layer1.0/conv1/Conv", 9), "layer1.0.conv1.Conv");
  EXPECT_EQ(module_of("layer1.layer1.0.downsample.downsample.0.Conv", 4), "layer1.0.downsample.0");
  EXPECT_EQ(module_of("features/features.1/conv/conv.0/conv.0.0/Conv", 5), "features.1.conv.0.0");
  EXPECT_EQ(module_of("features.0.0", 3), "features.0.0") << "numbers repeat nothing";
  EXPECT_EQ(module_of("block.block", 2), "block.block") << "the last part is the operator";
}

TEST(CostTable, SumsModulesInTheOrderInWhichTheyBegin) {
  const Network network({4}, {{"a.fc", Linear{3}, {}}, {"b", Relu{}, {}}, {"a.last", Linear{2, false}, {{"b"}}}});
  const CostTable table = count_costs(network, find_conventions("all"), 2, 8, 1);
  EXPECT_THAT(table.modules, ElementsAre("a", "b", "a"));
  ASSERT_EQ(table.by_module.size(), 2U);
  EXPECT_EQ(table.by_module[0].operators, 2U);
  EXPECT_EQ(table.by_module[0].costs[0].costs, (Costs{21, 36, 72, 24, 72, 96, 8 * 2 * 5}));
  EXPECT_EQ(table.by_module[1].costs[0].costs, (Costs{0, 0, 6, 6, 0, 6, 8 * 2 * 3}));
  EXPECT_EQ(table.totals[0].costs, (Costs{21, 36, 78, 30, 72, 102, 8 * 2 * 8}));
  EXPECT_EQ(table.totals[4].unknown, 1U) << "Calculon knows no relu";
  EXPECT_EQ(table.totals[4].costs.parameters, 18U);
}

TEST(CostTable, OfNumbersThatAreAddedKnowsNoModule) {
  const Network network({4}, {{"fc", Linear{3, false}, {}}, {"shift", Shifting{3}, {}}});
  const CostTable table = count_costs(network, find_conventions("all"), 1, 4, 1);
  EXPECT_EQ(table.totals[0].costs.parameters, 15U);
  for (std::size_t tool = 1; tool < 4; ++tool) {
    EXPECT_EQ(table.totals[tool].unknown, 1U) << table.conventions[tool]->name;
    EXPECT_EQ(table.totals[tool].costs.parameters, 12U);
  }
}

}  // namespace
}  // namespace upsweep::testing::cost_table_test
