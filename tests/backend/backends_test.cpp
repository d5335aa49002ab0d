#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "support/battery.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"
#include "upsweep/backend/schedule_plan.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/devices/registry.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/scan/execute.hpp"
#include "upsweep/search/depth.hpp"

namespace upsweep::backends_test {
namespace {

using ::testing::HasSubstr;
using PatternPtr = std::shared_ptr<const Pattern>;

/// C = X·Y in the first level, C·gradient in the second, so that a wrong place of a number in C shows in the result.
Schedule product_then_vector() {
  Schedule schedule;
  schedule.name = "X Y g";
  schedule.length = 3;
  schedule.levels = 2;
  schedule.combines = {{Phase::up, 0, 1, 2, 2, 1, 2}, {Phase::down, 1, 0, 2, 2, 0, 3}};
  schedule.results = {kIdentity, 0, 4};
  return schedule;
}

/// a[0] ⋄ a[1] in the first level and the product of the other two in no result: a dead combine.
Schedule with_dead_combine() {
  Schedule schedule = product_then_vector();
  schedule.combines[1].later = 1;
  schedule.results = {kIdentity, 0, 4};
  return schedule;
}

/// Random chains with small integers: sums stay below 2^24, so that results are exact in every order.
class ChainTest : public testing::SeededTest {
 protected:
  template <class T>
  NumericChain<T> with_integers(JacobianChain structure, std::int64_t most) {
    NumericChain<T> chain{std::move(structure), {}, {}};
    const auto number = [&] {
      return static_cast<T>(static_cast<std::int64_t>(between(0, static_cast<std::uint64_t>(2 * most))) - most);
    };
    for (std::uint64_t i = 0; i < chain.structure.gradient_length; ++i) chain.gradient.push_back(number());
    for (const PatternPtr& pattern : chain.structure.jacobians) {
      std::vector<T>& values = chain.values.emplace_back(pattern->nnz());
      std::generate(values.begin(), values.end(), number);
    }
    return chain;
  }

  /// A row with at most `most` entries.
  std::vector<Index> some_columns(Index cols, std::uint64_t most) {
    std::vector<Index> columns;
    const std::uint64_t count = between(0, std::min<std::uint64_t>(most, cols));
    while (columns.size() < count) {
      const auto column = static_cast<Index>(between(0, cols - std::uint64_t{1}));
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
    }
    std::sort(columns.begin(), columns.end());
    return columns;
  }

  Pattern random_rows(Index rows, Index cols, std::uint64_t most) {
    CsrPattern csr{rows, cols, {0}, {}};
    for (Index r = 0; r < rows; ++r) {
      const std::vector<Index> columns = some_columns(cols, most);
      csr.indices.insert(csr.indices.end(), columns.begin(), columns.end());
      csr.indptr.push_back(csr.indices.size());
    }
    return Pattern::from_csr(csr);
  }

  /// Rows that share their columns 2 to 9 times, next to each other or far apart, some of them empty.
  Pattern shared_rows(Index rows, Index cols, std::uint64_t most) {
    const Pattern distinct = random_rows(rows, cols, most);
    std::vector<Index> numbers;
    while (numbers.size() < rows) {
      const auto number = chance(0.1) ? Pattern::kEmptyRow : static_cast<Index>(between(0, rows - std::uint64_t{1}));
      numbers.insert(numbers.end(), between(2, 9), number);
    }
    numbers.resize(rows);
    if (chance(0.3)) {
      for (std::size_t i = numbers.size(); i > 1; --i) std::swap(numbers[i - 1], numbers[between(0, i - 1)]);
    }
    return {rows, cols, std::move(numbers), distinct.store()};
  }

  /// One of the kinds of Jacobians that networks have.
  Pattern some_jacobian(Index rows, Index cols) {
    switch (between(0, 4)) {
      case 0:
        return rows == cols ? Pattern::diagonal(rows) : random_rows(rows, cols, 1);
      case 1:
        return random_rows(rows, cols, 1);
      case 2:
      case 3:
        return shared_rows(rows, cols, 3);
      default:
        return random_rows(rows, cols, 3);
    }
  }

  /// `links` rectangular Jacobians; sizes repeat, so that diagonals come in, and are 1 at times.
  JacobianChain random_structure(std::size_t links, Index most_size) {
    const auto size = [&] { return chance(0.15) ? Index{1} : static_cast<Index>(between(1, most_size)); };
    JacobianChain chain;
    Index cols = size();
    chain.gradient_length = cols;
    for (std::size_t i = 0; i < links; ++i) {
      const Index rows = chance(0.4) ? cols : size();
      chain.jacobians.push_back(std::make_shared<const Pattern>(some_jacobian(rows, cols)));
      cols = rows;
    }
    return chain;
  }
};

void expect_same(const Measurement& found, const Measurement& wanted) {
  EXPECT_EQ(found.results, wanted.results);
  ASSERT_EQ(found.ops.size(), wanted.ops.size());
  for (std::size_t id = 0; id < wanted.ops.size(); ++id) {
    EXPECT_EQ(found.ops[id].nnz, wanted.ops[id].nnz) << "op " << id;
    EXPECT_EQ(found.ops[id].products, wanted.ops[id].products) << "op " << id;
    EXPECT_EQ(found.ops[id].structure_digest, wanted.ops[id].structure_digest) << "op " << id;
  }
}

class Backends : public ChainTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    const Availability availability = backend_->availability();
    if (!availability.available) GTEST_SKIP() << availability.reason;
    workers_.push_back(1);
    if (backend_->facts().workers > 1) workers_.push_back(backend_->facts().workers);
  }

  /// Under both executions and with one and all workers the same as the reference.
  template <class T>
  void expect_reference(const Schedule& schedule, const NumericChain<T>& chain) {
    const Measurement wanted = reference_->run(schedule, chain, {});
    for (const Execution execution : {Execution::level, Execution::dag}) {
      for (const std::size_t workers : workers_) {
        RunOptions options;
        options.execution = execution;
        options.workers = workers;
        SCOPED_TRACE(schedule.name + (execution == Execution::dag ? ", dag, " : ", level, ") + std::to_string(workers) +
                     " workers, " + std::to_string(sizeof(T)) + " bytes a value");
        expect_same(backend_->run(schedule, chain, options), wanted);
      }
    }
  }

  template <class T>
  void expect_reference_on_pairs(Index n) {
    for (const auto& x : testing::battery(n)) {
      for (const auto& y : testing::battery(n)) {
        SCOPED_TRACE(x.name + " times " + y.name);
        const JacobianChain structure{
            n, {std::make_shared<const Pattern>(y.pattern), std::make_shared<const Pattern>(x.pattern)}};
        expect_reference(product_then_vector(), with_integers<T>(structure, 2));
      }
    }
  }

  NumericChain<float> three_diagonals() {
    const PatternPtr diagonal = std::make_shared<const Pattern>(Pattern::diagonal(5));
    return with_integers<float>({5, {diagonal, diagonal, diagonal}}, 3);
  }

  std::unique_ptr<Backend> backend_ = make_backend(GetParam());
  std::unique_ptr<Backend> reference_ = make_backend("reference");
  std::vector<std::size_t> workers_;
};

TEST_P(Backends, EqualTheReferenceOnEveryPairOfTheBatteryInFp32) { expect_reference_on_pairs<float>(45); }

TEST_P(Backends, EqualTheReferenceOnEveryPairOfTheBatteryInFp64) { expect_reference_on_pairs<double>(45); }

TEST_P(Backends, EqualTheReferenceWhereOneOpIsCutIntoManyParts) {
  const Index n = 150;
  for (const auto& [name, pattern] : testing::battery(n)) {
    if (pattern.nnz() < 3 * std::uint64_t{n}) continue;
    SCOPED_TRACE(name);
    const PatternPtr x = std::make_shared<const Pattern>(pattern);
    expect_reference(product_then_vector(), with_integers<float>({n, {x, x}}, 1));
  }
}

TEST_P(Backends, EqualTheReferenceOnRandomChainsAtEveryDepth) {
  for (int round = 0; round < 25; ++round) {
    const JacobianChain structure = random_structure(between(1, 8), 60);
    const NumericChain<float> single = with_integers<float>(structure, 1);
    const NumericChain<double> both = with_integers<double>(structure, 3);
    for (const Schedule& schedule : depth_candidates(structure.length())) {
      expect_reference(schedule, single);
      expect_reference(schedule, both);
    }
  }
}

TEST_P(Backends, EqualTheReferenceOnRowsThatShareTheirColumns) {
  for (int round = 0; round < 40; ++round) {
    const auto size = [&] { return static_cast<Index>(between(1, 90)); };
    const Index m = size();
    const Index k = size();
    const Index n = size();
    const std::uint64_t most = std::vector<std::uint64_t>{1, 4, 20}[between(0, 2)];
    const PatternPtr x = std::make_shared<const Pattern>(shared_rows(m, k, most));
    const PatternPtr y = std::make_shared<const Pattern>(chance(0.5) ? shared_rows(k, n, most) : random_rows(k, n, 9));
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    expect_reference(product_then_vector(), with_integers<float>({n, {y, x}}, 2));
    expect_reference(product_then_vector(), with_integers<double>({n, {y, x}}, 2));
  }
}

TEST_P(Backends, EqualTheReferenceOnOneRowAndOneColumn) {
  for (const auto& [m, k, n] : std::vector<std::array<Index, 3>>{
           {1, 1, 1}, {1, 70, 1}, {70, 1, 70}, {1, 70, 70}, {70, 70, 1}, {1, 1, 70}, {70, 1, 1}}) {
    SCOPED_TRACE(std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n));
    const PatternPtr x = std::make_shared<const Pattern>(random_pattern(m, k, 0.6));
    const PatternPtr y = std::make_shared<const Pattern>(random_pattern(k, n, 0.6));
    expect_reference(product_then_vector(), with_integers<float>({n, {y, x}}, 3));
    expect_reference(blelloch_schedule(3), with_integers<double>({n, {y, x}}, 3));
  }
}

TEST_P(Backends, ExecuteDeadCombinesToo) {
  const JacobianChain structure = random_structure(2, 40);
  expect_reference(with_dead_combine(), with_integers<float>(structure, 2));
}

TEST_P(Backends, GiveTheSameWhenTheyRunAgain) {
  const NumericChain<float> chain = with_integers<float>(random_structure(7, 50), 1);
  const Schedule schedule = blelloch_schedule(8);
  const Measurement first = backend_->run(schedule, chain, {});
  static_cast<void>(backend_->run(linear_schedule(4), three_diagonals(), {}));
  RunOptions options;
  options.repetitions = 3;
  const Measurement again = backend_->run(schedule, chain, options);
  expect_same(again, first);
  EXPECT_EQ(again.repetitions, 3U);
}

TEST_P(Backends, RunAgainByTheirOwnPlan) {
  const NumericChain<float> chain = three_diagonals();
  const Schedule schedule = blelloch_schedule(4);
  RunOptions options;
  EXPECT_EQ(backend_->run(schedule, chain, options).plan, nullptr) << "plans are large, and nobody asked";
  options.keep_plan = true;
  const Measurement first = backend_->run(schedule, chain, options);
  options.plan = first.plan;
  const Measurement again = backend_->run(schedule, chain, options);
  expect_same(again, first);
  EXPECT_EQ(again.plan_bytes, first.plan_bytes);
  EXPECT_EQ(first.plan != nullptr, GetParam() == "cpu");
  EXPECT_EQ(again.plan, first.plan);
}

TEST_F(ChainTest, APlanOfAnotherRunIsRefused) {
  JacobianChain structure;
  structure.gradient_length = 3;
  for (int i = 0; i < 3; ++i) structure.jacobians.push_back(std::make_shared<const Pattern>(Pattern::diagonal(3)));
  const NumericChain<float> chain = with_integers<float>(structure, 3);
  structure.jacobians[1] =
      std::make_shared<const Pattern>(testing::pattern_where(3, 3, [](Index, Index) { return true; }));
  const NumericChain<float> larger = with_integers<float>(structure, 3);
  const auto cpu = make_backend("cpu");
  const Schedule schedule = linear_schedule(4);
  RunOptions options;
  options.keep_plan = true;
  options.plan = cpu->run(schedule, chain, options).plan;
  const auto refused = [&](const Schedule& other, const NumericChain<float>& numbers) {
    return testing::refusal_of<std::invalid_argument>([&] { return cpu->run(other, numbers, options); });
  };
  EXPECT_THAT(refused(blelloch_schedule(4), chain),
              HasSubstr("a plan of another run: " + std::to_string(schedule.combines.size()) + " ops, expected"));
  EXPECT_THAT(refused(schedule, larger), HasSubstr("3 numbers in a Jacobian, expected 9"));
  Schedule turned = schedule;
  for (Combine& combine : turned.combines) ++combine.level;
  ++turned.levels;
  EXPECT_THAT(refused(turned, chain), HasSubstr("0 is the level of an op, expected 1"));
}

TEST_P(Backends, HandBackNoResultsWhereNobodyWantsThem) {
  RunOptions options;
  options.keep_results = false;
  EXPECT_TRUE(backend_->run(linear_schedule(4), three_diagonals(), options).results.empty());
}

TEST_P(Backends, TimeEveryOpAndEveryLevelButNoLevelWithoutBarriers) {
  const Schedule schedule = blelloch_schedule(4);
  RunOptions options;
  const Measurement level = backend_->run(schedule, three_diagonals(), options);
  EXPECT_EQ(level.level_seconds.size(), schedule.levels);
  EXPECT_LE(level.fastest_seconds, level.seconds);
  options.execution = Execution::dag;
  const Measurement dag = backend_->run(schedule, three_diagonals(), options);
  EXPECT_TRUE(dag.level_seconds.empty()) << "backend.hpp: empty under Execution::dag";
  for (const Measurement* measurement : {&level, &dag}) {
    ASSERT_EQ(measurement->ops.size(), schedule.combines.size());
    for (const OpMeasurement& op : measurement->ops) EXPECT_GE(op.seconds, 0);
  }
}

TEST_P(Backends, RefuseAScheduleOfAnotherLength) {
  EXPECT_THROW(static_cast<void>(backend_->run(linear_schedule(5), three_diagonals(), {})), std::invalid_argument);
}

TEST_P(Backends, RefuseAChainWhoseShapesDoNotFit) {
  NumericChain<float> chain = three_diagonals();
  chain.structure.gradient_length = 7;
  chain.gradient.resize(7);
  EXPECT_THROW(static_cast<void>(backend_->run(linear_schedule(4), chain, {})), std::invalid_argument);
}

TEST_P(Backends, RefuseAMemoryLimitThatDoesNotSuffice) {
  RunOptions options;
  options.memory_limit = 1;
  const NumericChain<float> chain =
      with_integers<float>({40,
                            {std::make_shared<const Pattern>(random_pattern(50, 40, 0.5)),
                             std::make_shared<const Pattern>(random_pattern(30, 50, 0.5))}},
                           1);
  EXPECT_THROW(static_cast<void>(backend_->run(product_then_vector(), chain, options)), BackendError);
  options.memory_limit = std::uint64_t{1} << 30;
  EXPECT_NO_THROW(static_cast<void>(backend_->run(product_then_vector(), chain, options)));
}

INSTANTIATE_TEST_SUITE_P(All, Backends, ::testing::ValuesIn(backend_names(Ability::networks)), [](const auto& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// Dense, row-major, with its structure.
struct Dense {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> entries;
  std::vector<bool> present;

  Dense(std::size_t r, std::size_t c) : rows(r), cols(c), entries(r * c, 0), present(r * c, false) {}
};

/// later × earlier by the definition; adds the matched pairs up.
Dense multiply_dense(const Dense& x, const Dense& y, std::uint64_t& pairs) {
  Dense c(x.rows, y.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    for (std::size_t k = 0; k < x.cols; ++k) {
      for (std::size_t j = 0; j < y.cols; ++j) {
        if (!x.present[i * x.cols + k] || !y.present[k * y.cols + j]) continue;
        ++pairs;
        c.present[i * c.cols + j] = true;
        c.entries[i * c.cols + j] += x.entries[i * x.cols + k] * y.entries[k * y.cols + j];
      }
    }
  }
  return c;
}

template <class T>
std::vector<Dense> dense_array(const NumericChain<T>& chain) {
  std::vector<Dense> array = {Dense(chain.gradient.size(), 1)};
  array[0].entries.assign(chain.gradient.begin(), chain.gradient.end());
  array[0].present.assign(chain.gradient.size(), true);
  for (std::size_t i = 0; i < chain.values.size(); ++i) {
    const Pattern& pattern = *chain.structure.jacobians[i];
    Dense& matrix = array.emplace_back(pattern.rows(), pattern.cols());
    std::size_t next = 0;
    for (Index r = 0; r < pattern.rows(); ++r) {
      pattern.row(r).for_each([&](Index c) {
        matrix.entries[r * matrix.cols + c] = static_cast<double>(chain.values[i][next++]);
        matrix.present[r * matrix.cols + c] = true;
      });
    }
  }
  return array;
}

using ReferenceBackend = ChainTest;

TEST_F(ReferenceBackend, IsTheDenseDefinitionOnTinyInputs) {
  const std::unique_ptr<Backend> reference = make_backend("reference");
  for (int round = 0; round < 200; ++round) {
    const NumericChain<double> chain = with_integers<double>(random_structure(between(1, 6), 5), 3);
    for (const Schedule& schedule : depth_candidates(chain.structure.length())) {
      const Measurement found = reference->run(schedule, chain, {});
      std::vector<bool> is_vector(schedule.values(), false);
      is_vector[0] = true;
      std::vector<std::uint64_t> pairs;
      std::vector<std::uint64_t> nnz;
      const auto combine = [&](const Dense& earlier, const Dense& later) {
        const std::size_t id = pairs.size();
        pairs.push_back(0);
        Dense c = multiply_dense(later, earlier, pairs.back());
        // A vector is dense: it has all its elements, and all of X's entries meet one.
        if (is_vector[schedule.combines[id].earlier]) {
          is_vector[schedule.value_of(id)] = true;
          c.present.assign(c.present.size(), true);
        }
        nnz.push_back(static_cast<std::uint64_t>(std::count(c.present.begin(), c.present.end(), true)));
        return c;
      };
      const auto wanted = execute<Dense>(schedule, dense_array(chain), combine);
      ASSERT_EQ(found.results.size(), wanted.size());
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        EXPECT_EQ(found.results[k], wanted[k] ? wanted[k]->entries : std::vector<double>()) << "result " << k;
      }
      for (std::size_t id = 0; id < found.ops.size(); ++id) {
        EXPECT_EQ(found.ops[id].products, pairs[id]) << schedule.name << ", op " << id;
        EXPECT_EQ(found.ops[id].nnz, nnz[id]) << schedule.name << ", op " << id;
      }
    }
  }
}

TEST(ReferenceBackend2x2, GivesTheHandComputedProduct) {
  // X = (1 2; . 3), Y = (. 4; 5 .), g = (10, 100): X Y = (10 4; 15 .).
  const auto x = std::make_shared<const Pattern>(Pattern::from_csr({2, 2, {0, 2, 3}, {0, 1, 1}}));
  const auto y = std::make_shared<const Pattern>(Pattern::from_csr({2, 2, {0, 1, 2}, {1, 0}}));
  const NumericChain<float> chain{{2, {y, x}}, {10, 100}, {{4, 5}, {1, 2, 3}}};
  const Measurement found = make_backend("reference")->run(product_then_vector(), chain, {});
  EXPECT_EQ(found.results, (std::vector<std::vector<double>>{{}, {10, 100}, {500, 150}}));
  EXPECT_EQ(found.ops[0].nnz, 3U);
  EXPECT_EQ(found.ops[0].products, 3U);
  EXPECT_EQ(found.ops[0].structure_digest, structure_digest(Pattern::from_csr({2, 2, {0, 2, 3}, {0, 1, 0}})));
  EXPECT_EQ(found.ops[1].nnz, 2U);
  EXPECT_EQ(found.ops[1].products, 3U);
  EXPECT_EQ(found.ops[1].structure_digest, 0U);
}

std::string refusal(const Backend& backend, const RunOptions& options) {
  const auto diagonal = std::make_shared<const Pattern>(Pattern::diagonal(9));
  const std::vector<double> nine(9, 1);
  const NumericChain<double> chain{{9, {diagonal, diagonal, diagonal}}, nine, {nine, nine, nine}};
  return testing::refusal_of<BackendError>([&] { return backend.run(blelloch_schedule(4), chain, options); });
}

TEST(BackendRegistry, ThrowsTheReasonOfABackendThatIsNotAvailable) {
  bool all = true;
  for (const std::string& name : backend_names(Ability::networks)) {
    const std::unique_ptr<Backend> backend = make_backend(name);
    EXPECT_EQ(backend->name(), name);
    const Availability availability = backend->availability();
    EXPECT_EQ(availability.reason.empty(), availability.available) << name;
    if (availability.available) continue;
    all = false;
    EXPECT_THAT(refusal(*backend, {}), HasSubstr(availability.reason)) << name;
    EXPECT_THROW(static_cast<void>(backend->facts()), BackendError) << name;
  }
  if (all) GTEST_SKIP() << "every backend is available here";
}

TEST(BackendRegistry, RefusesAnUnknownNameAndSaysWhichThereAre) {
  try {
    static_cast<void>(make_backend("gpgpu"));
    FAIL() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "'gpgpu' is no backend of networks of operators, accepted are reference, cpu, eigen, cuda, cusparse, "
                 "cusparse-reuse");
  }
}

TEST(CpuBackend, RefusesNoneAndTooManyWorkers) {
  const std::unique_ptr<Backend> cpu = make_backend("cpu");
  RunOptions options;
  for (const std::size_t workers : {std::size_t{0}, parallel_slots() + 1, std::size_t{100'000}}) {
    options.workers = workers;
    EXPECT_THAT(refusal(*cpu, options),
                HasSubstr(std::to_string(workers) + " workers, accepted are 1 to " + std::to_string(parallel_slots())));
  }
}

TEST(CpuBackend, SaysHowMuchMemoryItNeedsAndHowMuchItMay) {
  RunOptions options;
  options.memory_limit = 17;
  const std::string message = refusal(*make_backend("cpu"), options);
  EXPECT_THAT(message, HasSubstr("hybrid:1 need "));
  EXPECT_THAT(message, HasSubstr("accepted are at most 17"));
  const std::size_t at = message.find("need ");
  ASSERT_NE(at, std::string::npos);
  options.memory_limit = std::stoull(message.substr(at + 5));
  EXPECT_EQ(refusal(*make_backend("cpu"), options), "accepted") << "the figure that it named";
  --options.memory_limit;
  EXPECT_NE(refusal(*make_backend("cpu"), options), "accepted") << "one byte less";
}

}  // namespace
}  // namespace upsweep::backends_test
