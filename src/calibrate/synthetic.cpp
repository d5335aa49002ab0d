#include "upsweep/calibrate/synthetic.hpp"

#include <fmt/format.h>

#include <numeric>

#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

using PatternPtr = std::shared_ptr<const Pattern>;

/// A hash of a position that serves as a random number in [0, 1): the same on every machine.
double chance(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = a * 0x9e3779b97f4a7c15ULL + b * 0xc2b2ae3d27d4eb4fULL + c * 0x165667b19e3779f9ULL + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/// The weights that a stencil keeps. The gaps are the same at every place, as those of a pruned kernel are.
class Kernel {
 public:
  Kernel(const SyntheticProduct& product, std::uint64_t salt) : side_(product.side), kept_(product.channels) {
    const std::int64_t reach = product.reach;
    for (Index from = 0; from < product.channels; ++from) {
      for (Index to = 0; to < product.channels; ++to) {
        std::uint64_t tap = 0;
        for (std::int64_t dy = -reach; dy <= reach; ++dy) {
          for (std::int64_t dx = -reach; dx <= reach; ++dx, ++tap) {
            if (chance(salt + from, to, tap) < product.kept) kept_[from].push_back({to, dy, dx});
          }
        }
      }
    }
  }

  /// Appends the columns that a row meets, ascending.
  void append_columns(Index row, std::vector<Index>& columns) const {
    const Index places = side_ * side_;
    const std::int64_t y = row % places / side_;
    const std::int64_t x = row % side_;
    const auto inside = [&](std::int64_t at) { return at >= 0 && at < std::int64_t{side_}; };
    for (const Tap& tap : kept_[row / places]) {
      if (!inside(y + tap.dy) || !inside(x + tap.dx)) continue;
      columns.push_back(tap.to * places + static_cast<Index>((y + tap.dy) * side_ + x + tap.dx));
    }
  }

 private:
  struct Tap {
    Index to;
    std::int64_t dy;
    std::int64_t dx;
  };
  Index side_;
  std::vector<std::vector<Tap>> kept_;  // per channel of the row
};

Pattern stencil(const SyntheticProduct& product, std::uint64_t salt) {
  const Index rows = product.channels * product.side * product.side;
  const Index share = product.teams ? kTeamRows : 1;
  const Kernel kernel(product, salt);
  Pattern distinct = build_pattern(
      rows / share, rows, 0, [&](Index r, std::vector<Index>& columns) { kernel.append_columns(r * share, columns); });
  if (!product.teams) return distinct;
  std::vector<Index> numbers(rows);
  for (Index r = 0; r < rows; ++r) numbers[r] = r / share;
  return {rows, rows, std::move(numbers), distinct.store()};
}

/// One entry per row: four rows to a column, as under a pooling.
Pattern pooled(Index rows) {
  return build_pattern(rows, rows / 4, rows, [](Index r, std::vector<Index>& columns) { columns.push_back(r / 4); });
}

Pattern full(Index rows, Index cols) {
  return build_pattern(rows, cols, 0, [cols](Index, std::vector<Index>& columns) {
    columns.resize(cols);
    std::iota(columns.begin(), columns.end(), Index{0});
  });
}

/// About `entries` random places in each row.
Pattern scattered(Index rows, Index cols, Index entries) {
  const double kept = static_cast<double>(entries) / static_cast<double>(cols);
  return build_pattern(rows, cols, 0, [=](Index r, std::vector<Index>& columns) {
    for (Index c = 0; c < cols; ++c) {
      if (chance(2000003, r, c) < kept) columns.push_back(c);
    }
  });
}

/// A quarter of the rows, each alone.
SyntheticProduct quarter(SyntheticProduct product) {
  product.side /= 2;
  product.teams = false;
  return product;
}

template <class T>
NumericChain<T> with_numbers(JacobianChain structure) {
  NumericChain<T> chain{std::move(structure), {}, {}};
  // Small fractions with both signs; their sums and products stay far from overflow and from subnormal numbers.
  const auto number = [](std::uint64_t i) { return static_cast<T>(static_cast<double>(i * 37 % 64) - 31.5) / T{64}; };
  for (std::uint64_t i = 0; i < chain.structure.gradient_length; ++i) chain.gradient.push_back(number(i));
  for (const PatternPtr& pattern : chain.structure.jacobians) {
    std::vector<T>& values = chain.values.emplace_back(pattern->nnz());
    for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = number(i + 7);
  }
  return chain;
}

/// X and Y of a matrix product.
std::pair<PatternPtr, PatternPtr> factors(const SyntheticProduct& product) {
  const auto made = [](Pattern pattern) { return std::make_shared<const Pattern>(std::move(pattern)); };
  const Index size = product.channels * product.side * product.side;
  switch (product.family) {
    case Family::scale_columns:
      return {made(stencil(product, 1)), made(Pattern::diagonal(size))};
    case Family::scale_rows:
      if (!product.teams) return {made(Pattern::diagonal(size)), made(stencil(product, 2))};
      return {made(pooled(size)), made(stencil(quarter(product), 2))};
    case Family::single_columns:
      return {made(stencil(product, 1)), made(pooled(size))};
    case Family::runs:
      return {made(stencil(product, 1)), made(full(size, product.columns))};
    default: {
      if (product.entries > 0)
        return {made(stencil(product, 1)), made(scattered(size, product.columns, product.entries))};
      SyntheticProduct y = product;
      y.teams = false;
      return {made(stencil(product, 1)), made(stencil(y, 1000003))};
    }
  }
}

}  // namespace

template <class T>
SyntheticRun<T> make_synthetic(const SyntheticProduct& product) {
  SyntheticRun<T> run;
  run.schedule.name = product.name;
  JacobianChain structure;
  if (product.family == Family::vector) {
    structure.jacobians = {std::make_shared<const Pattern>(stencil(product, 1))};
    run.schedule.length = 2;
    run.schedule.combines = {{Phase::up, 0, 0, 1, 1, 0, 1}};
    run.schedule.results = {kIdentity, 0};
  } else {
    auto [x, y] = factors(product);
    structure.jacobians = {std::move(y), std::move(x)};
    run.schedule.length = 3;
    run.schedule.combines = {{Phase::up, 0, 1, 2, 2, 1, 2}};
    run.schedule.results = {kIdentity, 0, 0};
  }
  run.schedule.levels = 1;
  structure.gradient_length = structure.jacobians.front()->cols();
  run.chain = with_numbers<T>(std::move(structure));
  return run;
}

template <class T>
SyntheticRun<T> make_latency_run(std::size_t levels, std::size_t width) {
  SyntheticRun<T> run;
  run.schedule.name = fmt::format("{} levels of {} empty ops", levels, width);
  run.schedule.length = 2;
  run.schedule.levels = levels;
  run.schedule.results = {kIdentity, 0};
  for (std::uint32_t level = 0; level < levels; ++level) {
    for (std::size_t i = 0; i < width; ++i) run.schedule.combines.push_back({Phase::up, level, 0, 1, 1, 0, 1});
  }
  JacobianChain structure;
  structure.gradient_length = 1;
  structure.jacobians = {std::make_shared<const Pattern>(Pattern::diagonal(1))};
  run.chain = with_numbers<T>(std::move(structure));
  return run;
}

NumericChain<float> make_stream_chain(std::size_t matrices) {
  const SyntheticProduct factor{"", Family::general, kStreamRows / 64, 8, 2, 1};
  JacobianChain structure;
  structure.gradient_length = kStreamRows;
  auto [x, y] = factors(factor);
  structure.jacobians = {std::move(y), std::move(x)};
  for (std::size_t i = 0; i < matrices; ++i)
    structure.jacobians.push_back(std::make_shared<const Pattern>(full(kStreamRows, kStreamRows)));
  return with_numbers<float>(std::move(structure));
}

Schedule stream_schedule(std::size_t matrices, std::size_t pauses) {
  Schedule schedule;
  schedule.name = fmt::format("{} matrices, {} pauses", matrices, pauses);
  schedule.length = matrices + 3;
  schedule.results.assign(schedule.length, kIdentity);
  std::uint32_t level = 0;
  for (; level < pauses; ++level) schedule.combines.push_back({Phase::up, level, 1, 2, 2, 1, 2});
  ValueId gradient = 0;
  for (std::size_t i = 0; i < matrices; ++i, ++level) {
    const auto matrix = static_cast<ValueId>(i + 3);
    schedule.combines.push_back(
        {Phase::middle, level, Combine::kReduction, matrix, Combine::kReduction, gradient, matrix});
    gradient = static_cast<ValueId>(schedule.length + schedule.combines.size() - 1);
  }
  schedule.levels = level;
  return schedule;
}

template <class T>
SyntheticRun<T> make_cold_run(std::uint64_t bytes) {
  const std::uint64_t pairs = bytes / (std::uint64_t{kColdRows} * kColdRows * sizeof(T)) + 1;
  const auto matrix = std::make_shared<const Pattern>(full(kColdRows, kColdRows));
  JacobianChain structure;
  structure.gradient_length = kColdRows;
  for (std::uint64_t pair = 0; pair < pairs; ++pair) {
    // Each has places of its own, as those of a network.
    structure.jacobians.push_back(std::make_shared<const Pattern>(Pattern::diagonal(kColdRows)));
    structure.jacobians.push_back(matrix);
  }
  return {with_numbers<T>(std::move(structure)), linear_schedule(2 * pairs + 1), 0};
}

template SyntheticRun<float> make_cold_run<float>(std::uint64_t);
template SyntheticRun<double> make_cold_run<double>(std::uint64_t);
template SyntheticRun<float> make_synthetic<float>(const SyntheticProduct&);
template SyntheticRun<double> make_synthetic<double>(const SyntheticProduct&);
template SyntheticRun<float> make_latency_run<float>(std::size_t, std::size_t);
template SyntheticRun<double> make_latency_run<double>(std::size_t, std::size_t);

}  // namespace upsweep
