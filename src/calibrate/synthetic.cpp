#include "upsweep/calibrate/synthetic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

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
      SyntheticProduct y = product;
      y.teams = false;
      return {made(stencil(product, 1)), made(stencil(y, 1000003))};
    }
  }
}

/// Stencils of one kind for a family.
struct Stencil {
  Index channels;
  Index reach;
  double kept;
  Index columns = 0;    ///< of Y, where its rows are full
  Index most_rows = 0;  ///< 0: as many as activations have

  /// Entries of a row, about.
  [[nodiscard]] double row_entries() const {
    return std::max(1.0, channels * (2.0 * reach + 1) * (2.0 * reach + 1) * kept);
  }
  /// Entries of a row of the product of two of them, about: as many of the places within twice the reach as so many
  /// random products hit.
  [[nodiscard]] double product_row_entries() const {
    const double within = channels * (4.0 * reach + 1) * (4.0 * reach + 1);
    return within * (1 - std::exp(-row_entries() * row_entries() / within));
  }
};

/// Chooses the side so that the product stays in the cache, or leaves it far behind; adds nothing where no side does.
/// Sides are powers of two, as those of images mostly are: columns of neighbouring channels then compete for the same
/// lines of a cache, which costs more than any other size.
class SetBuilder {
 public:
  SetBuilder(std::uint64_t cache_bytes, unsigned value_bytes)
      : cache_(static_cast<double>(cache_bytes)), entry_bytes_(value_bytes + 4), row_bytes_(4 + 2 * value_bytes) {}

  void add(Family family, const char* text, const Stencil& stencil, bool teams, bool in_cache) {
    const std::optional<Index> side = side_of(family, stencil, teams, in_cache);
    if (!side) return;
    SyntheticProduct product{"",           family, stencil.channels, *side,          stencil.reach,
                             stencil.kept, teams,  in_cache,         stencil.columns};
    product.name =
        fmt::format("{}, {} channels of {} x {}, reach {}, {:.0f} % kept{}{}", text, stencil.channels, *side, *side,
                    stencil.reach, stencil.kept * 100,
                    stencil.columns > 0 ? fmt::format(", {} columns", stencil.columns) : "", teams ? ", teams" : "");
    set_.push_back(std::move(product));
  }
  [[nodiscard]] std::vector<SyntheticProduct> finish() { return std::move(set_); }

 private:
  [[nodiscard]] std::optional<Index> side_of(Family family, const Stencil& stencil, bool teams, bool in_cache) const {
    const bool adds_up = family == Family::general || family == Family::single_columns || family == Family::runs;
    double row_entries = stencil.row_entries();
    if (family == Family::general) row_entries += stencil.product_row_entries();
    if (family == Family::runs) row_entries += 2 * stencil.columns;
    if (family == Family::scale_columns || family == Family::scale_rows) row_entries *= 2;
    if (family == Family::vector) row_entries += row_bytes_ / entry_bytes_;
    const double row_bytes = row_entries * entry_bytes_;
    // Several channels are as large as activations are. A cache of hundreds of MiB needs more than that to be left.
    const double usual_cache = 1 << 26;
    const double larger = std::max(1.0, cache_ / usual_cache);
    const double most_rows =
        stencil.channels == 1 ? kMostMade * (teams ? kTeamRows : 1.0) : larger * (adds_up ? 1 << 15 : 1 << 17);
    const double most = stencil.most_rows > 0 && in_cache ? stencil.most_rows : most_rows;
    // A single channel is streamed through, so that its length does not matter, nor has it neighbours whose columns
    // compete: any side does that teams divide, and powers of two may all be too small or too large.
    if (!in_cache && stencil.channels == 1) {
      const double rows = kTimesCache * cache_ / row_bytes;
      return rows <= most_rows ? std::optional(2 * static_cast<Index>(std::ceil(std::sqrt(rows) / 2))) : std::nullopt;
    }
    std::optional<Index> fitting;
    for (Index side = 4; side <= 4096; side *= 2) {
      const double rows = static_cast<double>(stencil.channels) * side * side;
      const double bytes = rows * row_bytes;
      if (rows > most) break;
      if (!in_cache && bytes >= kTimesCache * cache_) return bytes <= 16 * cache_ ? std::optional(side) : std::nullopt;
      if (in_cache && bytes <= (adds_up ? 0.8 : 0.35) * cache_) fitting = side;
    }
    return fitting;
  }

  /// What leaves the cache far behind.
  static constexpr double kTimesCache = 4;
  /// Distinct rows, of which more take longer to make and to plan than a calibration should.
  static constexpr double kMostMade = 1 << 24;

  double cache_;
  double entry_bytes_;
  double row_bytes_;  ///< of a row besides its entries: where it begins, an element of the vector and of the result
  std::vector<SyntheticProduct> set_;
};

}  // namespace

std::vector<SyntheticProduct> synthetic_products(std::uint64_t cache_bytes, unsigned value_bytes, MachineKind kind) {
  const Stencil streams[] = {{1, 0, 1},    {1, 1, 1},    {8, 1, 0.3},    {64, 1, 0.03},  {16, 2, 0.5}, {128, 1, 0.3},
                             {64, 1, 0.8}, {64, 1, 0.1}, {256, 1, 0.15}, {512, 1, 0.15}, {256, 1, 1},  {512, 1, 1}};
  const Stencil sums[] = {{4, 1, 0.5},   {16, 1, 0.3}, {32, 1, 0.05},  {64, 1, 0.03},  {64, 1, 0.1}, {16, 2, 0.3},
                          {128, 1, 0.1}, {32, 1, 0.5}, {256, 1, 0.06}, {128, 1, 0.03}, {64, 1, 0.3}, {32, 2, 0.1}};
  // Sums of a row that fit the first cache, whatever Y takes.
  const Stencil narrow[] = {{4, 2, 1, 0, 1024},    {6, 2, 1, 0, 1536},     {16, 2, 1, 0, 1024},
                            {32, 2, 0.7, 0, 2048}, {64, 1, 0.35, 0, 1024}, {128, 2, 0.8, 0, 2048}};
  SetBuilder set(cache_bytes, value_bytes);
  for (const bool in_cache : {true, false}) {
    for (const Stencil& stencil : streams) {
      set.add(Family::scale_columns, "scale columns", stencil, false, in_cache);
      for (const bool teams : {false, true}) {
        if (stencil.channels > 1) set.add(Family::scale_rows, "scale rows", stencil, teams, in_cache);
        set.add(Family::vector, "matrix times vector", stencil, teams, in_cache);
        if (stencil.channels > 1) set.add(Family::single_columns, "single columns", stencil, teams, in_cache);
      }
    }
    for (const Stencil& stencil : sums) {
      for (const bool teams : {false, true}) set.add(Family::general, "general", stencil, teams, in_cache);
    }
  }
  if (kind == MachineKind::cpu) {
    for (const Stencil& stencil : narrow) {
      for (const bool teams : {false, true}) set.add(Family::general, "general", stencil, teams, true);
    }
    // Y in the near cache of a worker, in the last one, and out of it.
    const Stencil runs[] = {{4, 1, 1, 16, 1024}, {16, 2, 0.3, 84, 1024}, {64, 1, 0.1, 10, 4096}, {16, 1, 1, 120, 1024},
                            {4, 1, 0.5, 1024},   {16, 2, 0.3, 400},      {64, 1, 0.1, 800},      {256, 1, 0.03, 100}};
    for (const Stencil& stencil : runs) {
      for (const bool teams : {false, true}) set.add(Family::runs, "runs", stencil, teams, true);
    }
    for (const Stencil& stencil : {Stencil{4, 1, 0.5, 1600}, Stencil{16, 2, 0.1, 2000}}) {
      for (const bool teams : {false, true}) set.add(Family::runs, "runs", stencil, teams, false);
    }
  }
  if (kind == MachineKind::gpu) {
    for (const bool in_cache : {true, false}) {
      for (const Stencil& stencil : {Stencil{512, 0, 0.5}, Stencil{1024, 0, 0.5}, Stencil{2048, 0, 0.2}}) {
        for (const bool teams : {false, true}) set.add(Family::general, "general", stencil, teams, in_cache);
      }
    }
  }
  return set.finish();
}

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
