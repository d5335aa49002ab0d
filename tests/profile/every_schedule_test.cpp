#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/validate/expectation.hpp"

namespace upsweep {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

/// Chains in which diagonals and row selections stand everywhere, so that many ranges share one structure.
class ProfileOfEverySchedule : public testing::SeededTest {
 protected:
  /// At most one entry per row; without `full`, some rows have none.
  Pattern selection(Index rows, Index cols, bool full) {
    CsrPattern csr{rows, cols, {0}, {}};
    for (Index r = 0; r < rows; ++r) {
      if (full || chance(0.7)) csr.indices.push_back(static_cast<Index>(between(0, cols - std::uint64_t{1})));
      csr.indptr.push_back(csr.indices.size());
    }
    return Pattern::from_csr(csr);
  }

  Pattern some_jacobian(Index rows, Index cols) {
    switch (between(0, 3)) {
      case 0:
        return selection(rows, cols, chance(0.5));
      case 1:
        return rows == cols ? Pattern::diagonal(rows) : selection(rows, cols, true);
      default:
        return random_pattern(rows, cols, 0.25);
    }
  }

  /// As networks have them: diagonals, whole or with some entries off, poolings that copy every element to `copies`
  /// places, and others with more than an entry in a row.
  Pattern network_jacobian(Index cols, std::uint64_t copies) {
    CsrPattern csr{static_cast<Index>(cols * copies), cols, {0}, {}};
    const bool is_whole = chance(0.5);
    for (Index r = 0; r < csr.rows; ++r) {
      if (is_whole || chance(0.8)) csr.indices.push_back(r % cols);
      csr.indptr.push_back(csr.indices.size());
    }
    return Pattern::from_csr(csr);
  }

  JacobianChain random_chain(std::size_t jacobians) {
    JacobianChain chain;
    auto cols = static_cast<Index>(between(2, 14));
    chain.gradient_length = cols;
    for (std::size_t i = 0; i < jacobians; ++i) {
      const Index rows = chance(0.5) ? cols : static_cast<Index>(between(2, 14));
      chain.jacobians.push_back(std::make_shared<const Pattern>(some_jacobian(rows, cols)));
      cols = rows;
    }
    return chain;
  }

  JacobianChain network_chain(std::size_t jacobians) {
    JacobianChain chain{8, {}};
    Index cols = 8;
    for (std::size_t i = 0; i < jacobians; ++i) {
      if (chance(0.6)) {
        chain.jacobians.push_back(
            std::make_shared<const Pattern>(network_jacobian(cols, cols < 30 && chance(0.3) ? 2 : 1)));
      } else {
        const auto rows = static_cast<Index>(between(8, 16));
        chain.jacobians.push_back(std::make_shared<const Pattern>(random_pattern(rows, cols, 0.6)));
      }
      cols = chain.jacobians.back()->rows();
    }
    return chain;
  }
};

std::vector<Schedule> all_schedules(std::size_t length) {
  std::vector<Schedule> all = depth_candidates(length);
  for (Schedule& scheme : testing::schemes(length)) all.push_back(std::move(scheme));
  return all;
}

TEST_F(ProfileOfEverySchedule, CountsWhatTheDefinitionSaysInOneCall) {
  for (int round = 0; round < 12; ++round) {
    const JacobianChain chain = random_chain(between(1, 24));
    for (const ScheduleProfile& profile : profile_schedules(all_schedules(chain.length()), chain, 4)) {
      SCOPED_TRACE(profile.schedule.name + ", length " + std::to_string(chain.length()));
      const std::vector<ExpectedOp> expected = expected_ops(profile.schedule, chain);
      for (std::size_t id = 0; id < expected.size(); ++id) {
        EXPECT_EQ(profile.ops[id].nnz, expected[id].nnz) << "op " << id;
        EXPECT_EQ(profile.ops[id].products, expected[id].products) << "op " << id;
      }
    }
  }
}

/// Calls compare(id, later operand, product, null of a vector) for each combine, multiplied as the schedule says;
/// nothing is shared.
template <class Compare>
void for_each_product(const ScheduleProfile& profile, const JacobianChain& chain, const Compare& compare) {
  const Schedule& schedule = profile.schedule;
  std::vector<PatternPtr> values(schedule.values());
  for (std::size_t i = 1; i < chain.length(); ++i) values[i] = chain.jacobians[i - 1];
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    const PatternPtr& later = values[schedule.combines[id].later];
    if (profile.ops[id].is_mv) {
      compare(id, *later, nullptr);
      continue;
    }
    const Product product = multiply(later, values[schedule.combines[id].earlier], Keep::structure);
    compare(id, *later, &product);
    values[schedule.value_of(id)] = product.pattern;
  }
}

void expect_steps_of_products(const ScheduleProfile& profile, const JacobianChain& chain) {
  for_each_product(profile, chain, [&](std::size_t id, const Pattern& later, const Product* product) {
    EXPECT_EQ(profile.ops[id].steps, product == nullptr ? steps_with_dense_vector(later) : product->steps)
        << "op " << id;
  });
}

/// All that does not depend on which rows share their storage.
void expect_steps_but_for_teams(const JacobianChain& chain) {
  for (const ScheduleProfile& profile : profile_schedules(all_schedules(chain.length()), chain, 8)) {
    SCOPED_TRACE(profile.schedule.name + ", length " + std::to_string(chain.length()));
    for_each_product(profile, chain, [&](std::size_t id, const Pattern&, const Product* product) {
      if (product == nullptr) return;
      const OpProfile& op = profile.ops[id];
      EXPECT_EQ(op.nnz, product->nnz) << "op " << id;
      EXPECT_EQ(op.products, product->products) << "op " << id;
      EXPECT_EQ(op.steps.scaled_columns, product->steps.scaled_columns) << "op " << id;
      EXPECT_EQ(op.steps.scaled_rows, product->steps.scaled_rows) << "op " << id;
    });
  }
}

/// Whether the product of some neighbours selects rows, or is a diagonal, though not all of them do. Then it depends on
/// the order of the products which rows share their storage (see RangeStructures), and with it the teams of the steps:
/// the entries of selected rows are shared by the operand that they are selected from, those of a sum of rows by the
/// other one. Networks do not have it; random chains have it now and then.
bool selects_rows_by_chance(const JacobianChain& chain) {
  for (std::size_t first = 0; first < chain.jacobians.size(); ++first) {
    PatternPtr product = chain.jacobians[first];
    bool all_select = product->max_row_nnz() <= 1;
    for (std::size_t last = first + 1; last < chain.jacobians.size(); ++last) {
      all_select = all_select && chain.jacobians[last]->max_row_nnz() <= 1;
      product = multiply(chain.jacobians[last], product, Keep::structure).pattern;
      if (product->max_row_nnz() <= 1 && !all_select) return true;
    }
  }
  return false;
}

TEST_F(ProfileOfEverySchedule, HasTheStepsOfTheProductsAsTheyAreExecuted) {
  int compared = 0;
  int others = 0;
  for (int attempts = 0; compared < 12; ++attempts) {
    ASSERT_LT(attempts, 1000) << "hardly a chain that can be compared";
    const JacobianChain chain = network_chain(between(1, 24));
    if (selects_rows_by_chance(chain)) {
      if (++others <= 4) expect_steps_but_for_teams(chain);
      continue;
    }
    ++compared;
    for (const ScheduleProfile& profile : profile_schedules(all_schedules(chain.length()), chain, 8)) {
      SCOPED_TRACE(profile.schedule.name + ", length " + std::to_string(chain.length()));
      expect_steps_of_products(profile, chain);
    }
  }
}

TEST_F(ProfileOfEverySchedule, GivesRecursiveDoublingTheFiguresOfKoggeStone) {
  const JacobianChain chain = random_chain(21);
  const auto profiles = profile_schedules({kogge_stone_schedule(22), recursive_doubling_schedule(22)}, chain, 4);
  for (std::size_t level = 0; level < profiles[0].levels.size(); ++level) {
    EXPECT_EQ(profiles[0].levels[level].flops_sum, profiles[1].levels[level].flops_sum) << level;
    EXPECT_EQ(profiles[0].levels[level].flops_max, profiles[1].levels[level].flops_max) << level;
  }
}

}  // namespace
}  // namespace upsweep
