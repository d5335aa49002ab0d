#include "upsweep/validate/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/validate/rank_agreement.hpp"

namespace upsweep::compare_test {
namespace {

using ::testing::HasSubstr;

using Vector = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDirectRoundings = 20;

double unit_roundoff(unsigned value_bytes) { return value_bytes == 8 ? 0x1p-53 : 0x1p-24; }

/// The bound as compare.hpp words it.
double bound_of(double roundings, double u, double magnitude, double deviation) {
  return std::min(roundings * u / (1 - roundings * u) * magnitude, kSpread * std::sqrt(roundings) * u * deviation);
}

/// A schedule over a random chain with results that are right to the last bit.
struct Case {
  JacobianChain chain;
  Schedule schedule;
  std::vector<ExpectedOp> expected;
  DirectGradients direct;
  std::vector<Vector> results;

  [[nodiscard]] ValueComparison compare(unsigned value_bytes = 4) const {
    return compare_values(schedule, expected, direct, kDirectRoundings, results, value_bytes);
  }
  /// The activation whose gradient stands at a position of the scan array.
  [[nodiscard]] std::size_t activation(std::size_t position) const { return schedule.length - position; }
  /// The combine that made it; a[0] is handed on.
  [[nodiscard]] std::optional<std::size_t> op(std::size_t position) const {
    const ValueId value = schedule.results[position];
    return value < schedule.length ? std::nullopt : std::optional<std::size_t>(value - schedule.length);
  }
  [[nodiscard]] double bound(std::size_t position, std::size_t element, unsigned value_bytes) const {
    const double magnitude = direct.magnitude[activation(position)][element];
    const double deviation = direct.deviation[activation(position)][element];
    const double roundings = op(position) ? expected[*op(position)].roundings : 1;
    return bound_of(roundings, unit_roundoff(value_bytes), magnitude, deviation) +
           bound_of(kDirectRoundings, 0x1p-53, magnitude, deviation);
  }
  [[nodiscard]] std::vector<OpMeasurement> executed() const {
    std::vector<OpMeasurement> ops;
    for (const ExpectedOp& one : expected) ops.push_back({0, one.nnz, one.products, one.structure_digest});
    return ops;
  }
};

class CompareTest : public testing::SeededTest {
 protected:
  Case random_case(std::size_t links, std::uint32_t depth) {
    Case made;
    Index cols = size();
    made.chain.gradient_length = cols;
    for (std::size_t i = 0; i < links; ++i) {
      const Index rows = size();
      made.chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(rows, cols, 0.4)));
      cols = rows;
    }
    made.schedule = hybrid_schedule(links + 1, depth);
    made.expected = expected_ops(made.schedule, made.chain);
    made.direct.gradient.resize(links + 1);
    made.direct.magnitude.resize(links + 1);
    made.direct.deviation.resize(links + 1);
    made.results.resize(links + 1);
    for (std::size_t position = 1; position <= links; ++position) {
      const std::size_t count = position == 1 ? made.chain.gradient_length : made.chain.jacobians[position - 2]->rows();
      const std::size_t activation = made.activation(position);
      for (std::size_t i = 0; i < count; ++i) {
        const double g = normal();
        made.direct.gradient[activation].push_back(g);
        made.direct.magnitude[activation].push_back(std::fabs(g) * (1 + static_cast<double>(between(0, 9))));
        // Sometimes the worst case is the smaller bound, sometimes the random one.
        made.direct.deviation[activation].push_back(std::fabs(g) * (chance(0.5) ? 1 : 1000));
      }
      made.results[position] = made.direct.gradient[activation];
    }
    // Not compared: the gradient with respect to the input of the network.
    made.direct.gradient[0] = made.direct.magnitude[0] = made.direct.deviation[0] = {1};
    return made;
  }

  Case random_case() { return random_case(between(2, 12), static_cast<std::uint32_t>(between(0, 4))); }

  Index size() { return static_cast<Index>(between(1, 12)); }

  /// A position with elements, and one of those.
  std::pair<std::size_t, std::size_t> somewhere(const Case& one) {
    const std::size_t position = between(1, one.schedule.length - 1);
    return {position, between(0, one.results[position].size() - 1)};
  }
};

TEST_F(CompareTest, AcceptsWhatIsRight) {
  for (int round = 0; round < 30; ++round) {
    const Case one = random_case();
    EXPECT_FALSE(compare_structure(one.schedule, one.expected, one.executed()).has_value());
    const ValueComparison values = one.compare();
    EXPECT_FALSE(values.mismatch.has_value()) << values.mismatch->what;
    EXPECT_EQ(values.worst_share, 0);
    EXPECT_EQ(values.worst_relative, 0);
    std::size_t elements = 0;
    for (const Vector& result : one.results) elements += result.size();
    EXPECT_EQ(values.elements, elements);
  }
}

TEST_F(CompareTest, NamesTheFirstOpWithAWrongCountOrStructure) {
  using Change = std::function<void(OpMeasurement&)>;
  const std::vector<std::pair<Change, std::string>> changes = {
      {[](OpMeasurement& op) { ++op.nnz; }, "nnz is"},
      {[](OpMeasurement& op) { --op.products; }, "the number of products is"},
      {[](OpMeasurement& op) { op.structure_digest ^= 1; }, "but some in other places"}};
  for (int round = 0; round < 20; ++round) {
    const Case one = random_case();
    for (const auto& [change, text] : changes) {
      std::vector<OpMeasurement> ops = one.executed();
      const std::size_t first = between(0, ops.size() - 1);
      for (std::size_t id = first; id < ops.size(); id += 2) change(ops[id]);
      const auto mismatch = compare_structure(one.schedule, one.expected, ops);
      ASSERT_TRUE(mismatch.has_value()) << text;
      EXPECT_EQ(mismatch->op, first);
      EXPECT_THAT(mismatch->what, HasSubstr("op " + std::to_string(first) + " of " + one.schedule.name + " ("));
      EXPECT_THAT(mismatch->what, HasSubstr(text));
      EXPECT_THAT(mismatch->what, HasSubstr("expected"));
    }
  }
}

TEST_F(CompareTest, FindsAnOpTooFewAndOneTooMany) {
  const Case one = random_case();
  std::vector<OpMeasurement> ops = one.executed();
  ops.pop_back();
  const std::string count = std::to_string(one.expected.size());
  EXPECT_THAT(compare_structure(one.schedule, one.expected, ops)->what, HasSubstr("executed, expected " + count));
  ops.resize(one.expected.size() + 1);
  EXPECT_THAT(compare_structure(one.schedule, one.expected, ops)->what, HasSubstr("executed, expected " + count));
}

TEST_F(CompareTest, FindsAnElementOffByTwiceItsBoundAndNamesItsOp) {
  for (int round = 0; round < 200; ++round) {
    Case one = random_case();
    const auto [position, element] = somewhere(one);
    for (const unsigned value_bytes : {4U, 8U}) {
      Case wrong = one;
      const double bound = one.bound(position, element, value_bytes);
      wrong.results[position][element] += (chance(0.5) ? 2 : -2) * bound;
      const ValueComparison found = wrong.compare(value_bytes);
      ASSERT_TRUE(found.mismatch.has_value()) << "position " << position << ", element " << element;
      EXPECT_EQ(found.mismatch->op, one.op(position));
      EXPECT_THAT(found.mismatch->what, HasSubstr("element " + std::to_string(element) + " is "));
      EXPECT_THAT(found.mismatch->what, HasSubstr("result " + std::to_string(position) + " of " + one.schedule.name));
      if (one.op(position)) {
        EXPECT_THAT(found.mismatch->what, HasSubstr("op " + std::to_string(*one.op(position)) + " of "));
      }
      // The difference is itself rounded, to a unit in the last place of the gradient.
      EXPECT_NEAR(found.worst_share, 2, 0.3);
    }
  }
}

TEST_F(CompareTest, AcceptsAnElementOffByHalfOfItsBound) {
  for (int round = 0; round < 100; ++round) {
    Case one = random_case();
    for (std::size_t position = 1; position < one.schedule.length; ++position) {
      for (std::size_t i = 0; i < one.results[position].size(); ++i) {
        one.results[position][i] += (chance(0.5) ? 0.5 : -0.5) * one.bound(position, i, 4);
      }
    }
    const ValueComparison found = one.compare();
    EXPECT_FALSE(found.mismatch.has_value()) << found.mismatch->what;
    EXPECT_NEAR(found.worst_share, 0.5, 1e-6);
    EXPECT_LE(found.worst_relative, found.loosest_bound);
    EXPECT_GT(found.worst_relative, 0);
  }
}

TEST_F(CompareTest, AcceptsLessWithFp64) {
  for (int round = 0; round < 50; ++round) {
    Case one = random_case();
    const auto [position, element] = somewhere(one);
    EXPECT_LT(one.bound(position, element, 8), 1e-6 * one.bound(position, element, 4));
    one.results[position][element] += 0.5 * one.bound(position, element, 4);
    EXPECT_FALSE(one.compare(4).mismatch.has_value());
    EXPECT_TRUE(one.compare(8).mismatch.has_value());
    EXPECT_LT(one.compare(8).loosest_bound, one.compare(4).loosest_bound);
  }
}

TEST_F(CompareTest, SaysWhereAnErrorIsWithinTheWorstCase) {
  for (const double times : {1.0, 1e9}) {
    Case one = random_case();
    const auto [position, element] = somewhere(one);
    const std::size_t activation = one.activation(position);
    const double roundings = one.op(position) ? one.expected[*one.op(position)].roundings : 1;
    // A worst case that is far above what random signs give.
    one.direct.magnitude[activation][element] = 1e6;
    one.direct.deviation[activation][element] = 1;
    one.results[position][element] += times * 0.5 * roundings * unit_roundoff(4) * 1e6;
    const auto mismatch = one.compare().mismatch;
    ASSERT_TRUE(mismatch.has_value());
    EXPECT_EQ(mismatch->what.find("it is within the worst case") != std::string::npos, times == 1) << mismatch->what;
  }
}

TEST_F(CompareTest, FindsWhatIsNotFinite) {
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    for (int round = 0; round < 20; ++round) {
      Case one = random_case();
      const auto [position, element] = somewhere(one);
      one.results[position][element] = bad;
      const ValueComparison found = one.compare();
      ASSERT_TRUE(found.mismatch.has_value()) << bad;
      EXPECT_EQ(found.mismatch->op, one.op(position));
      EXPECT_EQ(found.worst_share, kInfinity);
    }
  }
}

TEST_F(CompareTest, FindsWhatIsNotFiniteEvenWhereTheBoundIsInfinite) {
  // compare.hpp: "A result that is NaN or infinite is out of any bound."
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
    Case one = random_case();
    const auto [position, element] = somewhere(one);
    one.direct.magnitude[one.activation(position)][element] = kInfinity;
    one.direct.deviation[one.activation(position)][element] = kInfinity;
    one.results[position][element] = bad;
    EXPECT_TRUE(one.compare().mismatch.has_value()) << bad;
  }
}

TEST_F(CompareTest, FindsASwappedPairOfResults) {
  for (int round = 0; round < 50; ++round) {
    Case one = random_case(between(3, 12), static_cast<std::uint32_t>(between(0, 4)));
    const std::size_t a = between(1, one.schedule.length - 2);
    const std::size_t b = between(a + 1, one.schedule.length - 1);
    std::swap(one.results[a], one.results[b]);
    const ValueComparison found = one.compare();
    ASSERT_TRUE(found.mismatch.has_value()) << a << " and " << b;
    EXPECT_EQ(found.mismatch->op, one.op(a)) << "the first in scan order";
  }
}

TEST_F(CompareTest, FindsAResultOfAnotherLength) {
  Case one = random_case();
  const std::size_t position = somewhere(one).first;
  const std::size_t right = one.results[position].size();
  one.results[position].push_back(0);
  const auto mismatch = one.compare().mismatch;
  ASSERT_TRUE(mismatch.has_value());
  EXPECT_EQ(mismatch->op, one.op(position));
  EXPECT_THAT(mismatch->what, HasSubstr(std::to_string(right + 1) + " elements, expected " + std::to_string(right)));
  one.results.pop_back();
  EXPECT_THROW(static_cast<void>(one.compare()), std::invalid_argument);
}

TEST_F(CompareTest, ExpectsWhatTheProfileCounts) {
  for (int round = 0; round < 20; ++round) {
    const JacobianChain chain = random_case(between(1, 10), 0).chain;
    for (const ScheduleProfile& profile : profile_schedules(depth_candidates(chain.length()), chain, 4)) {
      const std::vector<ExpectedOp> expected = expected_ops(profile.schedule, chain);
      ASSERT_EQ(expected.size(), profile.ops.size());
      for (std::size_t id = 0; id < expected.size(); ++id) {
        EXPECT_EQ(expected[id].nnz, profile.ops[id].nnz) << profile.schedule.name << ", op " << id;
        EXPECT_EQ(expected[id].products, profile.ops[id].products) << profile.schedule.name << ", op " << id;
        EXPECT_EQ(expected[id].structure_digest == 0, profile.ops[id].is_mv);
      }
    }
  }
}

TEST(ExpectedOps, CountTheRoundingsOnAPath) {
  const auto made = [](const CsrPattern& csr) { return std::make_shared<const Pattern>(Pattern::from_csr(csr)); };
  const auto two = made({2, 3, {0, 2, 3}, {0, 1, 2}});     // at most 2 entries per row
  const auto three = made({2, 3, {0, 3, 3}, {0, 1, 2}});   // 3
  const auto one = made({3, 2, {0, 1, 2, 3}, {0, 1, 0}});  // 1
  const JacobianChain chain{3, {two, one, three}};
  EXPECT_EQ(direct_roundings(chain), 1 + (1 + 2) + (1 + 1) + (1 + 3));
  // Folded: op 0 = two · g with 1 + 1 + 2, op 1 = one · (op 0) with 4 + 1 + 1.
  const std::vector<ExpectedOp> linear = expected_ops(linear_schedule(4), chain);
  ASSERT_EQ(linear.size(), 2U);
  EXPECT_EQ(linear[0].roundings, 4);
  EXPECT_EQ(linear[1].roundings, 6);
  EXPECT_EQ(linear[1].nnz, 3U);
  EXPECT_EQ(linear[1].products, 3U);
  EXPECT_THROW(static_cast<void>(expected_ops(linear_schedule(3), chain)), std::invalid_argument);
}

TEST(Spearman, OfHandComputedRankings) {
  EXPECT_EQ(spearman({1, 2, 3}, {10, 20, 1000}), 1);
  EXPECT_EQ(spearman({1, 2, 3, 4}, {9, 7, 5, 1}), -1);
  EXPECT_EQ(spearman({1, 2, 3}, {1, 3, 2}), 0.5);
  // Ranks 1, 2.5, 2.5, 4 and 1, 2, 3, 4: covariance 4.5, variances 4.5 and 5.
  EXPECT_DOUBLE_EQ(spearman({1, 5, 5, 7}, {1, 2, 3, 4}).value(), 4.5 / std::sqrt(4.5 * 5));
  EXPECT_EQ(spearman({2, 2, 2}, {1, 2, 3}), std::nullopt) << "one of them does not vary";
  EXPECT_EQ(spearman({1, 2, 3}, {4, 4, 4}), std::nullopt);
  EXPECT_EQ(spearman({1}, {1}), std::nullopt);
  EXPECT_EQ(spearman({}, {}), std::nullopt);
}

TEST(Regret, IsWhatThePredictedChoiceCosts) {
  EXPECT_EQ(regret({3, 1, 2}, {10, 6, 4}), 0.5);
  EXPECT_EQ(regret({3, 2, 1}, {10, 6, 4}), 0);
  EXPECT_EQ(regret({1, 1}, {6, 4}), 0.5) << "ties go to the first";
  EXPECT_EQ(regret({}, {}), std::nullopt);
}

}  // namespace
}  // namespace upsweep::compare_test
