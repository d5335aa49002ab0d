#include "study/rank_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

/// Ranks that take a made-up time for what they get; rank 0 has none, as in a job.
class Ranks {
 public:
  Ranks(const StudyFile& study, std::size_t ranks, std::vector<bool> is_open = {})
      : factory_(study, "test"),
        units_(factory_, is_open.empty() ? std::vector<bool>(factory_.grid().points(), true) : is_open, ranks + 1),
        free_at_(ranks + 1, 0),
        seconds_(ranks + 1) {}

  double count_seconds = 0;  ///< of a model that a rank has not counted
  double point_seconds = 0;

  /// Hands out and takes back, as the clock says, until no rank holds a unit.
  void run() {
    while (true) {
      for (std::size_t rank = 1; rank < free_at_.size(); ++rank) {
        if (sizes_of_.count(rank) == 0) hand_out(rank);
      }
      if (sizes_of_.empty()) return;
      auto first = sizes_of_.begin();
      for (auto held = sizes_of_.begin(); held != sizes_of_.end(); ++held) {
        if (free_at_[held->first] < free_at_[first->first]) first = held;
      }
      now_ = free_at_[first->first];
      units_.took(first->first, first->second, seconds_[first->first]);
      sizes_of_.erase(first);
    }
  }

  std::map<std::uint64_t, std::set<std::size_t>> ranks_of;   ///< a model
  std::map<std::uint64_t, std::vector<std::size_t>> pieces;  ///< sizes, by model
  std::multiset<std::uint64_t> handed_out;
  [[nodiscard]] double now() const { return now_; }

 private:
  void hand_out(std::size_t rank) {
    const std::vector<std::uint64_t> unit = units_.next(rank);
    if (unit.empty()) return;
    const std::uint64_t model = factory_.model_number(unit.front());
    for (const std::uint64_t position : unit) EXPECT_EQ(factory_.model_number(position), model);
    handed_out.insert(unit.begin(), unit.end());
    pieces[model].push_back(unit.size());
    seconds_[rank] =
        static_cast<double>(unit.size()) * point_seconds + (ranks_of[model].insert(rank).second ? count_seconds : 0);
    free_at_[rank] = now_ + seconds_[rank];
    sizes_of_[rank] = unit.size();
  }

  PointFactory factory_;
  RankUnits units_;
  std::vector<double> free_at_;
  std::vector<double> seconds_;
  std::map<std::size_t, std::size_t> sizes_of_;  ///< of the unit that a rank holds
  double now_ = 0;
};

class RankUnitsOf : public testing::SeededTest {};

TEST_F(RankUnitsOf, NetworksHandEveryOpenPointOutOnceHoweverLongPointsTake) {
  for (int round = 0; round < 20; ++round) {
    const auto models = static_cast<int>(between(1, 12));
    const auto points = static_cast<int>(between(1, 40));
    std::vector<bool> is_open(static_cast<std::size_t>(models * points));
    std::multiset<std::uint64_t> expected;
    for (std::uint64_t i = 0; i < is_open.size(); ++i) {
      is_open[i] = chance(0.8);
      if (is_open[i]) expected.insert(i);
    }
    Ranks ranks(network_study(models, points), between(1, 6), is_open);
    ranks.count_seconds = static_cast<double>(between(0, 100)) / 50;
    ranks.point_seconds = static_cast<double>(between(0, 100)) / 100;
    ranks.run();
    EXPECT_EQ(ranks.handed_out, expected);
  }
}

TEST_F(RankUnitsOf, NetworksLeaveEachModelToOneRankWhereCountingItIsTheWork) {
  Ranks ranks(network_study(9, 60), 4);
  ranks.count_seconds = 10;
  ranks.point_seconds = 1e-3;
  ranks.run();
  ASSERT_EQ(ranks.ranks_of.size(), 9U);
  for (const auto& [model, its_ranks] : ranks.ranks_of) EXPECT_EQ(its_ranks.size(), 1U) << model;
  EXPECT_EQ(ranks.handed_out.size(), 540U);
}

TEST_F(RankUnitsOf, NetworksSpreadOneModelOverAllRanksWhereItsPointsAreTheWork) {
  Ranks ranks(network_study(1, 400), 4);
  ranks.count_seconds = 1;
  ranks.point_seconds = 0.5;
  ranks.run();
  EXPECT_EQ(ranks.ranks_of.at(0).size(), 4U);
  EXPECT_LT(ranks.now(), 400 * 0.5 / 4 * 1.2) << "seconds, with the start that one rank makes alone";
  EXPECT_GE(ranks.now(), 400 * 0.5 / 4);
}

TEST_F(RankUnitsOf, NetworksEndTogetherWhereTheLastModelIsLong) {
  // Four ranks and five models: the last one would take four times as long alone.
  Ranks ranks(network_study(5, 100), 4);
  ranks.count_seconds = 0.1;
  ranks.point_seconds = 0.1;
  ranks.run();
  EXPECT_LT(ranks.now(), 500 * 0.1 / 4 * 1.2);
}

TEST_F(RankUnitsOf, NetworksHoldFewPointsWhileTheyAreSlowAndHundredsWhereTheyAreFast) {
  Ranks slow(network_study(1, 60), 1);
  slow.point_seconds = 1;
  slow.run();
  EXPECT_EQ(slow.pieces.at(0).front(), 4U);
  EXPECT_EQ(slow.pieces.at(0).back(), 1U);
  Ranks fast(network_study(1, 2000), 1);
  fast.point_seconds = 1e-6;
  fast.run();
  EXPECT_THAT(fast.pieces.at(0), ::testing::Contains(256U));
  EXPECT_THAT(fast.pieces.at(0), ::testing::Each(::testing::Le(256U)));
}

TEST_F(RankUnitsOf, ChainsHandNeighboursToWhoeverAsks) {
  const StudyFile study = chain_study("axes: [{path: model.chain.length, range: {from: 1, to: 200}}]");
  const PointFactory factory(study, "test");
  RankUnits units(factory, std::vector<bool>(200, true), 3);
  std::vector<std::uint64_t> handed_out;
  for (std::size_t turn = 0;; ++turn) {
    const auto unit = units.next(1 + turn % 2);
    if (unit.empty()) break;
    handed_out.insert(handed_out.end(), unit.begin(), unit.end());
    units.took(1 + turn % 2, unit.size(), 0.5);
  }
  std::vector<std::uint64_t> every(200);
  std::iota(every.begin(), every.end(), std::uint64_t{0});
  EXPECT_EQ(handed_out, every);
}

TEST_F(RankUnitsOf, NothingOpenAreNone) {
  const StudyFile study = network_study(2, 2);
  const PointFactory factory(study, "test");
  RankUnits units(factory, std::vector<bool>(4, false), 2);
  EXPECT_TRUE(units.next(1).empty());
  units.took(1, 0, 0);
  EXPECT_TRUE(units.next(1).empty());
}

}  // namespace
}  // namespace upsweep
