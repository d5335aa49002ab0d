#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "support/random.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/kernels/backends.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/execute.hpp"

namespace upsweep {
namespace {

using MakeBackend = std::unique_ptr<Backend> (*)();

/// Dense, row-major.
struct Matrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> entries;
};

Matrix multiply_matrices(const Matrix& x, const Matrix& y) {
  Matrix c{x.rows, y.cols, std::vector<double>(x.rows * y.cols, 0)};
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t k = 0; k < x.cols; ++k) {
      const double factor = x.entries[i * x.cols + k];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < y.cols; ++j) c.entries[i * c.cols + j] += factor * y.entries[k * y.cols + j];
    }
  }
  return c;
}

template <class T>
std::vector<Matrix> dense_array(const NumericChain<T>& chain) {
  std::vector<Matrix> array;
  array.push_back({chain.gradient.size(), 1, {chain.gradient.begin(), chain.gradient.end()}});
  for (std::size_t i = 0; i < chain.values.size(); ++i) {
    const Pattern& pattern = *chain.structure.jacobians[i];
    Matrix matrix{pattern.rows(), pattern.cols(), std::vector<double>(std::size_t{pattern.rows()} * pattern.cols(), 0)};
    std::size_t next = 0;
    for (Index r = 0; r < pattern.rows(); ++r) {
      pattern.row(r).for_each(
          [&](Index c) { matrix.entries[std::size_t{r} * pattern.cols() + c] = chain.values[i][next++]; });
    }
    array.push_back(std::move(matrix));
  }
  return array;
}

class GpuBackends : public testing::SeededTest, public ::testing::WithParamInterface<MakeBackend> {
 protected:
  /// A pattern of one of the kinds that networks give, with at most four entries per row: numbers stay small.
  Pattern some_pattern(Index rows, Index cols) {
    const std::uint64_t kind = between(0, 5);
    const std::uint64_t most = between(1, 4);
    std::vector<Index> shared;
    return [&] {
      CsrPattern csr{rows, cols, {0}, {}};
      for (Index r = 0; r < rows; ++r) {
        std::vector<Index> columns;
        if (kind == 0 || (kind == 1 && r % 3 != 0)) columns = {r % cols};
        if (kind >= 2 && !(kind == 3 && chance(0.3))) {
          for (std::uint64_t i = 0; i < most; ++i) columns.push_back(static_cast<Index>(between(0, cols - 1)));
        }
        if (kind >= 4) {  // groups of equal rows
          if (r % 7 == 0) shared = columns;
          columns = shared;
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        csr.indices.insert(csr.indices.end(), columns.begin(), columns.end());
        csr.indptr.push_back(csr.indices.size());
      }
      return Pattern::from_csr(csr);
    }();
  }

  template <class T>
  std::vector<T> signs(std::uint64_t count) {
    std::vector<T> numbers(count);
    for (T& number : numbers) number = chance(0.5) ? T{1} : T{-1};
    return numbers;
  }

  template <class T>
  NumericChain<T> chain_of(std::vector<Pattern> patterns) {
    NumericChain<T> chain;
    chain.structure.gradient_length = patterns.front().cols();
    chain.gradient = signs<T>(patterns.front().cols());
    for (Pattern& pattern : patterns) {
      chain.values.push_back(signs<T>(pattern.nnz()));
      chain.structure.jacobians.push_back(std::make_shared<const Pattern>(std::move(pattern)));
    }
    return chain;
  }

  template <class T>
  NumericChain<T> random_chain(std::size_t length) {
    std::vector<Pattern> patterns;
    auto cols = static_cast<Index>(between(1, 70));
    for (std::size_t i = 1; i < length; ++i) {
      const bool square = chance(0.5);
      const auto rows = square ? cols : static_cast<Index>(between(1, 70));
      patterns.push_back(square && chance(0.4) ? Pattern::diagonal(cols) : some_pattern(rows, cols));
      cols = rows;
    }
    return chain_of<T>(std::move(patterns));
  }

  template <class T>
  void expect_exact(const Backend& backend, const Schedule& schedule, const NumericChain<T>& chain,
                    Execution execution) {
    RunOptions options;
    options.workers = 3;
    options.execution = execution;
    options.repetitions = 2;
    const Measurement measured = backend.run(schedule, chain, options);
    const auto expected = execute(schedule, dense_array(chain), [](const Matrix& earlier, const Matrix& later) {
      return multiply_matrices(later, earlier);
    });
    SCOPED_TRACE(schedule.name + " over " + std::to_string(schedule.length));
    ASSERT_EQ(measured.results.size(), expected.size());
    EXPECT_TRUE(measured.results[0].empty());
    for (std::size_t k = 1; k < expected.size(); ++k) EXPECT_EQ(measured.results[k], expected[k]->entries) << k;
    expect_counts(measured, schedule, chain.structure);
    EXPECT_EQ(measured.level_seconds.size(), execution == Execution::level ? schedule.levels : 0);
    EXPECT_EQ(measured.repetitions, 2U);
    EXPECT_TRUE(measured.seconds > 0 || schedule.combines.empty());
    EXPECT_LE(measured.fastest_seconds, measured.seconds);
  }

  static void expect_counts(const Measurement& measured, const Schedule& schedule, const JacobianChain& chain) {
    const SchedulePlan plan = plan_schedule(schedule, chain);
    ASSERT_EQ(measured.ops.size(), plan.ops.size());
    for (std::size_t id = 0; id < plan.ops.size(); ++id) {
      const PlannedOp& op = plan.ops[id];
      const Layout* const layout = plan.layouts[op.target].get();
      EXPECT_EQ(measured.ops[id].nnz, plan.length[op.target]) << id;
      EXPECT_EQ(measured.ops[id].products, op.products) << id;
      EXPECT_EQ(measured.ops[id].structure_digest, layout == nullptr ? 0 : structure_digest(*layout)) << id;
    }
  }

  template <class T>
  void expect_exact_at_every_depth() {
    const std::unique_ptr<Backend> backend = GetParam()();
    if (!backend->availability().available) GTEST_SKIP() << backend->availability().reason;
    for (const std::size_t length : {2, 3, 5, 8, 9}) {
      const NumericChain<T> chain = random_chain<T>(length);
      for (std::uint32_t depth = 0; depth <= max_depth(length); ++depth) {
        const Schedule schedule = hybrid_schedule(length, depth);
        expect_exact(*backend, schedule, chain, Execution::level);
        expect_exact(*backend, schedule, chain, Execution::dag);
      }
    }
  }

  /// Rows of C from a few entries to more than any device has shared memory for.
  template <class T>
  void expect_exact_with_long_rows() {
    const std::unique_ptr<Backend> backend = GetParam()();
    if (!backend->availability().available) GTEST_SKIP() << backend->availability().reason;
    // Columns for a bitmap that fits into shared memory while the sums of a row do not, and for one that does not.
    for (const Index cols : {Index{150000}, Index{1100000}}) {
      const auto first = [](Index r, std::vector<Index>& columns) { columns = {r % 5}; };
      const auto wide = [cols](Index r, std::vector<Index>& columns) {
        const Index step = r < 4 ? 3 : 1000 * (r + 1);
        for (Index c = r; c < cols; c += step) columns.push_back(c);
      };
      const auto mixing = [](Index r, std::vector<Index>& columns) {
        for (Index c = r % 8; c < 12; c += 1 + r % 5) columns.push_back(c);
      };
      std::vector<Pattern> patterns;
      patterns.push_back(build_pattern(cols, 5, 0, first));
      patterns.push_back(build_pattern(12, cols, 0, wide));
      patterns.push_back(build_pattern(12, 12, 0, mixing));
      expect_exact(*backend, blelloch_schedule(4), chain_of<T>(std::move(patterns)), Execution::level);
    }
  }
};

TEST_P(GpuBackends, AreExactAtEveryDepthInSinglePrecision) { expect_exact_at_every_depth<float>(); }
TEST_P(GpuBackends, AreExactAtEveryDepthInDoublePrecision) { expect_exact_at_every_depth<double>(); }
TEST_P(GpuBackends, AreExactWithLongRowsInSinglePrecision) { expect_exact_with_long_rows<float>(); }
TEST_P(GpuBackends, AreExactWithLongRowsInDoublePrecision) { expect_exact_with_long_rows<double>(); }

TEST_P(GpuBackends, StateBothFiguresWhereTheMemoryLimitIsTooLow) {
  const std::unique_ptr<Backend> backend = GetParam()();
  if (!backend->availability().available) GTEST_SKIP() << backend->availability().reason;
  RunOptions options;
  options.memory_limit = 17;
  const NumericChain<float> chain = random_chain<float>(5);
  try {
    static_cast<void>(backend->run(blelloch_schedule(5), chain, options));
    FAIL() << "no error";
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("the memory limit is 17 bytes"));
  }
}

TEST_P(GpuBackends, SayWhyTheyAreNotAvailable) {
  const std::unique_ptr<Backend> backend = GetParam()();
  const Availability availability = backend->availability();
  if (availability.available) {
    EXPECT_EQ(availability.reason, "");
    EXPECT_FALSE(backend->facts().device.empty());
    return;
  }
  EXPECT_NE(availability.reason, "");
  const NumericChain<double> chain = random_chain<double>(4);
  for (const bool facts : {false, true}) {
    try {
      if (facts) {
        static_cast<void>(backend->facts());
      } else {
        static_cast<void>(backend->run(linear_schedule(4), chain, {}));
      }
      FAIL() << "no error";
    } catch (const BackendError& error) {
      EXPECT_EQ(error.what(), availability.reason);
    }
  }
}

std::string backend_name(const ::testing::TestParamInfo<MakeBackend>& info) {
  std::string name = info.param()->name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Each, GpuBackends,
                         ::testing::Values(&make_cuda_backend, &make_cusparse_backend, &make_cusparse_reuse_backend),
                         backend_name);

}  // namespace
}  // namespace upsweep
