#include "upsweep/study/work_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "network_study.hpp"
#include "support/chain_studies.hpp"
#include "support/random.hpp"

namespace upsweep {
namespace {

using testing::chain_study;
using testing::network_study;

std::vector<std::vector<std::uint64_t>> all_of(WorkUnits& units) {
  std::vector<std::vector<std::uint64_t>> list;
  for (auto unit = units.next(); !unit.empty(); unit = units.next()) list.push_back(unit);
  return list;
}

class WorkUnitsOf : public testing::SeededTest {};

TEST_F(WorkUnitsOf, AChainHandEveryOpenPointOutOnceAscending) {
  const StudyFile study = chain_study(
      "axes: [{path: workers, range: {from: 1, to: 64}}, "
      "{path: model.chain.length, range: {from: 1, to: 20}}]");
  const PointFactory factory(study, "test");
  std::vector<bool> is_open(factory.grid().points());
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < is_open.size(); ++i) {
    is_open[i] = chance(0.4);
    if (is_open[i]) expected.push_back(i);
  }
  WorkUnits units(factory, is_open);
  std::vector<std::uint64_t> handed_out;
  for (auto unit = units.next(); !unit.empty(); unit = units.next()) {
    handed_out.insert(handed_out.end(), unit.begin(), unit.end());
    units.took(unit.size(), static_cast<double>(between(0, 1000)) / 100);
  }
  EXPECT_EQ(handed_out, expected);
  EXPECT_TRUE(units.next().empty());
}

TEST_F(WorkUnitsOf, AChainGrowUntilTheyTakeHalfASecondAndShrinkWhenPointsAreSlow) {
  const StudyFile study = chain_study("axes: [{path: model.chain.length, range: {from: 1, to: 60000}}]");
  const PointFactory factory(study, "test");
  WorkUnits units(factory, std::vector<bool>(factory.grid().points(), true));
  const auto next_after = [&](std::size_t points, double seconds) {
    units.took(points, seconds);
    return units.next().size();
  };
  EXPECT_EQ(units.next().size(), 64U);
  EXPECT_EQ(next_after(64, 0.064), 128U);  // a millisecond a point: 500 are wanted, in steps of two
  EXPECT_EQ(next_after(128, 0.128), 256U);
  EXPECT_EQ(next_after(256, 0.256), 500U);
  EXPECT_EQ(next_after(500, 0.5), 500U);
  for (int i = 0; i < 5; ++i) static_cast<void>(next_after(1000, 1e-6));
  EXPECT_EQ(next_after(1000, 1e-6), 8192U);  // no more than that, however fast they are
  EXPECT_EQ(next_after(8192, 1e6), 4096U);
  for (int i = 0; i < 12; ++i) units.took(1, 100);
  EXPECT_EQ(next_after(1, 100), 1U);
}

TEST_F(WorkUnitsOf, NetworksHoldOneModelAndAtMost256Points) {
  const StudyFile study = network_study(3, 600);
  const PointFactory factory(study, "test");
  WorkUnits units(factory, std::vector<bool>(1800, true));
  std::vector<std::uint64_t> handed_out;
  std::vector<std::size_t> sizes;
  for (auto unit = units.next(); !unit.empty(); unit = units.next()) {
    for (const std::uint64_t position : unit) {
      EXPECT_EQ(factory.model_number(position), factory.model_number(unit.front()));
    }
    handed_out.insert(handed_out.end(), unit.begin(), unit.end());
    sizes.push_back(unit.size());
    units.took(unit.size(), 1e-6);
  }
  EXPECT_THAT(sizes, ::testing::ElementsAre(8, 16, 32, 64, 128, 256, 96, 256, 256, 88, 256, 256, 88));
  std::sort(handed_out.begin(), handed_out.end());
  std::vector<std::uint64_t> every(1800);
  std::iota(every.begin(), every.end(), std::uint64_t{0});
  EXPECT_EQ(handed_out, every);
}

TEST_F(WorkUnitsOf, NetworksShrinkToOnePointWherePointsAreSlow) {
  const StudyFile study = network_study(1, 40);
  for (const std::size_t threads : {1U, 2U}) {
    const PointFactory factory(study, "test");
    WorkUnits units(factory, std::vector<bool>(40, true), threads);
    std::size_t last = 0;
    for (auto unit = units.next(); !unit.empty(); unit = units.next()) {
      EXPECT_LE(unit.size(), 8U) << "nobody knows yet how long they take";
      last = unit.size();
      units.took(last, static_cast<double>(last));
    }
    EXPECT_EQ(last, 1U) << threads;
  }
}

TEST_F(WorkUnitsOf, NetworksForThreadsThatShareACacheTakeTurnsAmongModels) {
  const StudyFile study = network_study(
      "axes: [{path: model.operators.fc1.out_features, range: {from: 1, to: 10}}, "
      "{path: workers, range: {from: 1, to: 40}}]");
  const PointFactory factory(study, "test");
  std::vector<bool> is_open(400);
  std::set<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < is_open.size(); ++i) {
    is_open[i] = chance(0.8);
    if (is_open[i]) expected.insert(i);
  }
  WorkUnits units(factory, is_open, 2);
  std::set<std::uint64_t> handed_out;
  std::vector<std::uint64_t> models;
  for (const auto& unit : all_of(units)) {
    models.push_back(factory.model_number(unit.front()));
    for (const std::uint64_t position : unit) {
      EXPECT_TRUE(handed_out.insert(position).second);
      EXPECT_EQ(factory.model_number(position), models.back());
    }
  }
  EXPECT_EQ(handed_out, expected);
  ASSERT_GE(models.size(), 4U);
  EXPECT_EQ(std::set<std::uint64_t>(models.begin(), models.begin() + 4).size(), 4U);
}

TEST_F(WorkUnitsOf, NothingOpenAreNone) {
  const StudyFile chains = chain_study("axes: [{path: workers, values: [1, 2]}]");
  const PointFactory factory(chains, "test");
  EXPECT_TRUE(WorkUnits(factory, {false, false}).next().empty());
  const StudyFile networks = network_study("axes: [{path: workers, values: [1, 2]}]");
  const PointFactory other(networks, "test");
  EXPECT_TRUE(WorkUnits(other, {false, false}).next().empty());
}

}  // namespace
}  // namespace upsweep
