#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/random.hpp"
#include "support/schedules.hpp"
#include "upsweep/backend/planned_scan.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/search/depth.hpp"
#include "upsweep/validate/compare.hpp"

namespace upsweep {
namespace {

/// Random chains and their gradients by plain back-propagation.
class EverySchedule : public testing::SeededTest {
 protected:
  /// Random sparse Jacobians of changing sizes, diagonals among them; numbers that neither grow nor vanish.
  NumericChain<double> random_chain(std::size_t jacobians) {
    NumericChain<double> chain;
    auto cols = static_cast<Index>(between(1, 9));
    chain.structure.gradient_length = cols;
    for (std::size_t i = 0; i < jacobians; ++i) {
      const bool is_diagonal = chance(0.3);
      const Index rows = is_diagonal ? cols : static_cast<Index>(between(1, 9));
      chain.structure.jacobians.push_back(std::make_shared<const Pattern>(
          is_diagonal ? Pattern::diagonal(rows) : without_empty_rows(rows, cols, chance(0.5) ? 0.2 : 0.8)));
      cols = rows;
    }
    chain.gradient = normals(chain.structure.gradient_length, 1);
    for (const auto& pattern : chain.structure.jacobians) {
      const double per_row = static_cast<double>(std::max<std::uint64_t>(pattern->nnz(), 1)) / pattern->rows();
      chain.values.push_back(normals(pattern->nnz(), 1 / std::sqrt(per_row)));
    }
    return chain;
  }

  /// A pattern with an entry in every row, so that no gradient vanishes.
  Pattern without_empty_rows(Index rows, Index cols, double density) {
    CsrPattern csr{rows, cols, {0}, {}};
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c < cols; ++c) {
        if (c == r % cols || chance(density)) csr.indices.push_back(c);
      }
      csr.indptr.push_back(csr.indices.size());
    }
    return Pattern::from_csr(csr);
  }

  std::vector<double> normals(std::size_t count, double scale) {
    std::vector<double> numbers(count);
    // Exact in fp32, so that both number types start with the same.
    for (double& number : numbers) number = static_cast<double>(static_cast<float>(scale * normal()));
    return numbers;
  }
};

NumericChain<float> in_fp32(const NumericChain<double>& chain) {
  NumericChain<float> single{chain.structure, {chain.gradient.begin(), chain.gradient.end()}, {}};
  for (const std::vector<double>& values : chain.values) single.values.emplace_back(values.begin(), values.end());
  return single;
}

/// `pattern` with map(value) for its values, times x.
template <class Map>
std::vector<double> times(const Pattern& pattern, const std::vector<double>& values, const std::vector<double>& x,
                          const Map& map) {
  std::vector<double> y(pattern.rows(), 0);
  std::size_t at = 0;
  for (Index r = 0; r < pattern.rows(); ++r) {
    pattern.row(r).for_each([&](Index c) { y[r] += map(values[at++]) * x[c]; });
  }
  return y;
}

/// Folded from the loss, with the sums that DirectGradients defines for links without a formula of their own.
DirectGradients plain_back_propagation(const NumericChain<double>& chain) {
  const auto magnitude = [](std::vector<double> v) {
    for (double& x : v) x = std::fabs(x) + static_cast<double>(std::numeric_limits<float>::min());
    return v;
  };
  const auto squares = [](std::vector<double> v) {
    for (double& x : v) x *= x;
    return v;
  };
  std::vector<double> g = chain.gradient;
  std::vector<double> m = magnitude(g);
  std::vector<double> d = squares(g);
  DirectGradients direct;
  for (std::size_t i = 0;; ++i) {
    direct.gradient.push_back(g);
    direct.magnitude.push_back(m);
    std::vector<double> deviation(d.size());
    for (std::size_t e = 0; e < d.size(); ++e) {
      deviation[e] = std::sqrt(d[e]) + static_cast<double>(std::numeric_limits<float>::min());
    }
    direct.deviation.push_back(std::move(deviation));
    if (i == chain.values.size()) break;
    const Pattern& pattern = *chain.structure.jacobians[i];
    const std::vector<double>& values = chain.values[i];
    g = times(pattern, values, g, [](double x) { return x; });
    m = magnitude(times(pattern, values, m, [](double x) { return std::fabs(x); }));
    d = times(pattern, values, d, [](double x) { return x * x; });
    for (std::size_t e = 0; e < d.size(); ++e) d[e] = std::max(d[e], g[e] * g[e]);
  }
  for (auto* of : {&direct.gradient, &direct.magnitude, &direct.deviation}) std::reverse(of->begin(), of->end());
  return direct;
}

std::vector<Schedule> all_schedules(std::size_t length) {
  std::vector<Schedule> all = depth_candidates(length);
  for (Schedule& scheme : testing::schemes(length)) all.push_back(std::move(scheme));
  return all;
}

template <class T>
void expect_gradients(const Backend& backend, const Schedule& schedule, const NumericChain<T>& chain,
                      const DirectGradients& direct, const RunOptions& options) {
  SCOPED_TRACE(backend.name() + ", " + schedule.name + ", length " + std::to_string(schedule.length) +
               (options.execution == Execution::dag ? ", dag" : ", level"));
  const std::vector<ExpectedOp> expected = expected_ops(schedule, chain.structure);
  const Measurement found = backend.run(schedule, chain, options);
  const auto structure = compare_structure(schedule, expected, found.ops);
  EXPECT_FALSE(structure.has_value()) << structure->what;
  const auto values =
      compare_values(schedule, expected, direct, direct_roundings(chain.structure), found.results, sizeof(T));
  EXPECT_FALSE(values.mismatch.has_value()) << values.mismatch->what;
}

TEST_F(EverySchedule, GivesTheGradientsOfPlainBackPropagation) {
  const std::unique_ptr<Backend> reference = make_backend("reference");
  const std::unique_ptr<Backend> cpu = make_backend("cpu");
  RunOptions options;
  options.workers = cpu->facts().workers;
  for (const std::size_t jacobians : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 9U, 13U, 70U}) {
    const NumericChain<double> chain = random_chain(jacobians);
    const NumericChain<float> single = in_fp32(chain);
    const DirectGradients direct = plain_back_propagation(chain);
    for (const Schedule& schedule : all_schedules(chain.structure.length())) {
      options.execution = chance(0.5) ? Execution::dag : Execution::level;
      expect_gradients(*reference, schedule, chain, direct, options);
      expect_gradients(*cpu, schedule, chain, direct, options);
      expect_gradients(*cpu, schedule, single, direct, options);
    }
  }
}

TEST_F(EverySchedule, GivesTheGradientsOfPlainBackPropagationAtEveryLengthUpToSeventy) {
  const std::unique_ptr<Backend> cpu = make_backend("cpu");
  for (std::size_t jacobians = 1; jacobians <= 70; ++jacobians) {
    const NumericChain<double> chain = random_chain(jacobians);
    const DirectGradients direct = plain_back_propagation(chain);
    // Each schedule at every 6th length.
    const std::vector<Schedule> all = all_schedules(chain.structure.length());
    for (std::size_t s = jacobians % 6; s < all.size(); s += 6) expect_gradients(*cpu, all[s], chain, direct, {});
  }
}

TEST_F(EverySchedule, IsPlannedForManyRunsToo) {
  for (const std::size_t jacobians : {1U, 6U, 11U}) {
    const NumericChain<double> chain = random_chain(jacobians);
    const DirectGradients direct = plain_back_propagation(chain);
    std::vector<std::span<const double>> array{chain.gradient};
    for (const std::vector<double>& values : chain.values) array.emplace_back(values);
    for (const Schedule& schedule : all_schedules(chain.structure.length())) {
      SCOPED_TRACE(schedule.name);
      const PlannedScan<double> plan(schedule, chain.structure);
      PlannedScan<double>::Workspace workspace = plan.make_workspace();
      plan.run(array, workspace);
      std::vector<std::vector<double>> results(schedule.length);
      for (std::size_t k = 1; k < schedule.length; ++k) {
        const std::span<const double> result = plan.result(k, workspace);
        results[k].assign(result.begin(), result.end());
      }
      const auto values = compare_values(schedule, expected_ops(schedule, chain.structure), direct,
                                         direct_roundings(chain.structure), results, 8);
      EXPECT_FALSE(values.mismatch.has_value()) << values.mismatch->what;
    }
  }
}

TEST_F(EverySchedule, IsFoundOutWhenItTakesAWrongOperand) {
  // The comparisons above must be able to fail: on diagonals of one size, where every operand fits everywhere.
  const auto diagonal = std::make_shared<const Pattern>(Pattern::diagonal(6));
  NumericChain<double> chain{{6, std::vector<std::shared_ptr<const Pattern>>(9, diagonal)}, normals(6, 1), {}};
  for (int i = 0; i < 9; ++i) chain.values.push_back(normals(6, 1));
  const DirectGradients direct = plain_back_propagation(chain);
  for (Schedule schedule : testing::schemes(chain.structure.length())) {
    const std::vector<ExpectedOp> expected = expected_ops(schedule, chain.structure);
    schedule.combines.back().later = 9;  // a[9], which no schedule reads
    const Measurement found = make_backend("cpu")->run(schedule, chain, {});
    EXPECT_TRUE(compare_values(schedule, expected, direct, direct_roundings(chain.structure), found.results, 8)
                    .mismatch.has_value())
        << schedule.name;
  }
}

}  // namespace
}  // namespace upsweep
