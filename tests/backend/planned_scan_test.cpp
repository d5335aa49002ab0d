#include "upsweep/backend/planned_scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "support/random.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/scan/builders.hpp"

namespace upsweep {
namespace {

using ::testing::HasSubstr;

class PlannedScans : public testing::SeededTest {
 protected:
  /// Random sparse Jacobians of changing sizes, diagonals among them, with random numbers.
  NumericChain<double> random_chain(std::size_t jacobians) {
    NumericChain<double> chain;
    auto cols = static_cast<Index>(between(1, 12));
    chain.structure.gradient_length = cols;
    for (std::size_t i = 0; i < jacobians; ++i) {
      const bool is_diagonal = chance(0.3);
      const Index rows = is_diagonal ? cols : static_cast<Index>(between(1, 12));
      chain.structure.jacobians.push_back(std::make_shared<const Pattern>(
          is_diagonal ? Pattern::diagonal(rows) : random_pattern(rows, cols, chance(0.5) ? 0.2 : 0.8)));
      cols = rows;
    }
    set_numbers(chain);
    return chain;
  }

  void set_numbers(NumericChain<double>& chain) {
    chain.gradient.resize(chain.structure.gradient_length);
    for (double& value : chain.gradient) value = normal();
    chain.values.resize(chain.structure.jacobians.size());
    for (std::size_t i = 0; i < chain.values.size(); ++i) {
      chain.values[i].resize(chain.structure.jacobians[i]->nnz());
      for (double& value : chain.values[i]) value = normal();
    }
  }
};

std::vector<std::span<const double>> array_of(const NumericChain<double>& chain) {
  std::vector<std::span<const double>> array{chain.gradient};
  for (const std::vector<double>& values : chain.values) array.emplace_back(values);
  return array;
}

void expect_results_of_reference(const Schedule& schedule, const NumericChain<double>& chain,
                                 const PlannedScan<double>& plan, const PlannedScan<double>::Workspace& workspace) {
  const Measurement reference = make_backend("reference")->run(schedule, chain, {});
  for (std::size_t k = 1; k < chain.structure.length(); ++k) {
    const std::span<const double> result = plan.result(k, workspace);
    ASSERT_EQ(result.size(), reference.results[k].size()) << "position " << k;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double accepted = reference.results[k][i];
      EXPECT_NEAR(result[i], accepted, 1e-9 * (1 + std::fabs(accepted))) << "position " << k << ", element " << i;
    }
  }
}

TEST_F(PlannedScans, OnePlanGivesTheResultsOfEveryChainOfItsStructure) {
  for (const std::size_t jacobians : {1U, 2U, 3U, 5U, 8U, 11U}) {
    NumericChain<double> chain = random_chain(jacobians);
    for (std::uint32_t depth = 0; depth <= max_depth(jacobians + 1); ++depth) {
      SCOPED_TRACE(::testing::Message() << jacobians << " Jacobians, depth " << depth);
      const Schedule schedule = hybrid_schedule(jacobians + 1, depth);
      const PlannedScan<double> plan(schedule, chain.structure);
      PlannedScan<double>::Workspace workspace = plan.make_workspace();
      for (int run = 0; run < 2; ++run) {
        set_numbers(chain);
        plan.run(array_of(chain), workspace);
        expect_results_of_reference(schedule, chain, plan, workspace);
      }
    }
  }
}

TEST_F(PlannedScans, WhatOnlyDeadCombinesReadNeedNoNumbers) {
  const NumericChain<double> chain = random_chain(11);
  const Schedule schedule = blelloch_schedule(12);
  const PlannedScan<double> plan(schedule, chain.structure);
  std::vector<std::span<const double>> array = array_of(chain);
  EXPECT_FALSE(plan.reads(11)) << "the gradient of the network's input is no result";
  EXPECT_TRUE(plan.reads(0));
  array[11] = {};
  PlannedScan<double>::Workspace workspace = plan.make_workspace();
  plan.run(array, workspace);
  expect_results_of_reference(schedule, chain, plan, workspace);
}

TEST_F(PlannedScans, CountTheProductsThatTheyExecute) {
  const NumericChain<double> chain = random_chain(6);
  const PlannedScan<double> linear(linear_schedule(7), chain.structure);
  std::uint64_t flops = 0;  // every product is a matrix times a vector; the last Jacobian is not used
  for (std::size_t i = 0; i + 1 < chain.values.size(); ++i) flops += 2 * chain.values[i].size();
  EXPECT_EQ(linear.flops(), flops);
}

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(PlannedScans, RejectNumbersThatDoNotFit) {
  const NumericChain<double> chain = random_chain(3);
  const PlannedScan<double> plan(linear_schedule(4), chain.structure);
  PlannedScan<double>::Workspace workspace = plan.make_workspace();
  std::vector<std::span<const double>> array = array_of(chain);
  array.pop_back();
  EXPECT_THAT(error_of([&] { plan.run(array, workspace); }), HasSubstr("a scan array of 3 elements, accepted are 4"));
  array = array_of(chain);
  array[0] = {};
  EXPECT_THAT(error_of([&] { plan.run(array, workspace); }), HasSubstr("element 0 of the scan array has 0 numbers"));
  EXPECT_THAT(error_of([&] { PlannedScan<double>(linear_schedule(5), chain.structure); }),
              HasSubstr("expected the same length"));
}

}  // namespace
}  // namespace upsweep
