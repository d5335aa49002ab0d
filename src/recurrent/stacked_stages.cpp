#include "stacked_stages.hpp"

#include <algorithm>
#include <bit>

#include "upsweep/base/checked.hpp"
#include "upsweep/profile/homogeneous.hpp"

namespace upsweep {
namespace {

/// By how much `value` is larger than `least`, at least 0.
std::uint64_t above(std::uint64_t least, std::uint64_t value) { return value > least ? value - least : 0; }

std::vector<TimeScanLevel> kogge_stone_levels(std::uint64_t steps) {
  std::vector<TimeScanLevel> levels;
  for (std::uint64_t half = 1; half < steps; half *= 2)
    levels.push_back({StackedPhase::rounds, 1, above(2 * half, steps), std::min(half, steps - half)});
  return levels;
}

StackedPhase phase_of(Phase phase) {
  return phase == Phase::up ? StackedPhase::up : phase == Phase::middle ? StackedPhase::middle : StackedPhase::down;
}

/// StageSums that are made of `terms` products each.
struct StageSums {
  std::uint64_t terms = 1;
  std::uint64_t count = 0;
};

/// Additions per level when every sum adds pairs of what it has.
std::vector<std::uint64_t> addition_levels(std::vector<StageSums> sums) {
  std::vector<std::uint64_t> levels;
  while (true) {
    std::uint64_t additions = 0;
    for (StageSums& sum : sums) {
      additions += sum.terms / 2 * sum.count;
      sum.terms -= sum.terms / 2;
    }
    if (additions == 0) return levels;
    levels.push_back(additions);
  }
}

/// What one product of transitions of k layers takes: their blocks on and above the diagonal are not 0.
struct TriangularCosts {
  std::uint64_t matrix_products = 0;            ///< of blocks, in a product of two transitions
  std::uint64_t vector_products = 0;            ///< of blocks, in a product with a vector
  std::vector<std::uint64_t> matrix_additions;  ///< per level
  std::vector<std::uint64_t> vector_additions;  ///< per level, as many
};

TriangularCosts triangular_costs(std::uint64_t layers) {
  std::vector<StageSums> matrix;
  std::vector<StageSums> vector;
  for (std::uint64_t terms = 1; terms <= layers; ++terms) {
    matrix.push_back({terms, layers + 1 - terms});  // blocks with terms - 1 diagonals to the main one
    vector.push_back({terms, 1});
  }
  return {layers * (layers + 1) * (layers + 2) / 6, layers * (layers + 1) / 2, addition_levels(std::move(matrix)),
          addition_levels(std::move(vector))};
}

/// The scan of transitions over time.
std::vector<StackedStage> transition_scan(const StackedShape& shape, const StackedMethod& method) {
  const TriangularCosts costs = triangular_costs(shape.layers);
  std::vector<StackedStage> stages;
  for (const TimeScanLevel& level : time_scan_levels(shape.steps, method.scan, method.depth)) {
    StackedStage stage{
        level.phase,
        level.repeat,
        {checked_mul(level.matrix, costs.matrix_products), checked_mul(level.vector, costs.vector_products)},
        {}};
    for (std::size_t i = 0; i < costs.matrix_additions.size(); ++i) {
      stage.additions.push_back(
          {checked_mul(level.matrix, costs.matrix_additions[i]), checked_mul(level.vector, costs.vector_additions[i])});
    }
    stages.push_back(std::move(stage));
  }
  return stages;
}

/// Kogge-Stone over the layers of every step at once: what scales Q(j, s) to blocks (i, j) of a transition, and the
/// given gradient to g(i, T). Round r multiplies by ranges of 2^r blocks P and makes those of 2^(r + 1).
std::vector<StackedStage> layers_then_time(const StackedShape& shape, const StackedMethod& method) {
  const std::uint64_t layers = shape.layers;
  std::vector<StackedStage> stages;
  for (std::uint64_t half = 1; half < layers; half *= 2) {
    const std::uint64_t last = std::min(2 * half, layers) - 1;  // diagonals half..last of the transitions are made
    const std::uint64_t blocks = (last - half + 1) * (2 * layers - half - last) / 2;
    const std::uint64_t ranges = above(2 * half, layers);
    const std::uint64_t matrix = checked_add(checked_mul(shape.steps - 1, blocks), checked_mul(shape.steps, ranges));
    stages.push_back({StackedPhase::layers, 1, {matrix, std::min(half, layers - half)}, {}});
  }
  for (StackedStage& stage : transition_scan(shape, method)) stages.push_back(std::move(stage));
  return stages;
}

std::vector<StackedStage> wavefront(const StackedShape& shape) {
  const std::uint64_t layers = shape.layers;
  const std::uint64_t steps = shape.steps;
  const auto stage = [&](std::uint64_t diagonal, std::uint64_t repeat) {
    const std::uint64_t cells = std::min(diagonal, layers - 1) - above(steps, diagonal + 1) + 1;
    const std::uint64_t edges = (diagonal < layers ? 1U : 0U) + (diagonal < steps ? 1U : 0U);  // cells of one product
    StackedStage result{StackedPhase::wavefront, repeat, {0, 2 * cells - edges}, {}};
    if (cells > edges) result.additions.push_back({0, cells - edges});
    return result;
  };
  const auto [least, most] = std::minmax(layers, steps);
  std::vector<StackedStage> stages;
  for (std::uint64_t diagonal = 1; diagonal < least; ++diagonal) stages.push_back(stage(diagonal, 1));
  if (most > least) stages.push_back(stage(least, most - least));
  for (std::uint64_t diagonal = most; diagonal + 1 < layers + steps; ++diagonal) stages.push_back(stage(diagonal, 1));
  return stages;
}

/// Per layer but the last: right sides from the layer above, then a scan of affine maps x -> B x + b, whose combines
/// take B A and B a + b.
std::vector<StackedStage> layer_by_layer(const StackedShape& shape, const StackedMethod& method) {
  const bool is_ahead = method.kind == StackedKind::products_ahead;
  const std::uint64_t others = shape.layers - 1;
  const std::vector<TimeScanLevel> levels = time_scan_levels(shape.steps, method.scan, method.depth);
  std::vector<StackedStage> stages;
  for (const TimeScanLevel& level : levels) {  // the last layer: no right sides, matrices only
    const std::uint64_t matrix = is_ahead ? checked_mul(shape.layers, level.matrix) : level.matrix;
    stages.push_back({level.phase, level.repeat, {matrix, level.vector}, {}});
  }
  if (others == 0) return stages;
  stages.push_back({StackedPhase::right_side, others, {0, shape.steps}, {}});
  for (const TimeScanLevel& level : levels) {
    const StackedOps affine{0, checked_add(level.matrix, level.vector)};
    stages.push_back(
        {level.phase, checked_mul(others, level.repeat), {is_ahead ? 0 : level.matrix, affine.vector}, {affine}});
  }
  return stages;
}

}  // namespace

std::uint32_t ceil_log2(std::uint64_t n) { return static_cast<std::uint32_t>(std::bit_width(n - 1)); }

std::vector<TimeScanLevel> time_scan_levels(std::uint64_t steps, TimeScan scan, std::uint32_t depth) {
  if (steps < 2) return {};
  if (scan == TimeScan::kogge_stone) return kogge_stone_levels(steps);
  std::vector<TimeScanLevel> levels;
  for (const LevelRun& run : profile_homogeneous(fused_chain(1, steps), depth, 4).runs) {
    const HomogeneousLevel& first = run.cycle.front();  // of dense elements all levels of a run are alike
    TimeScanLevel level{phase_of(first.profile.phase), run.levels, 0, 0};
    for (const OpRun& ops : first.runs) {
      if (!ops.dead) (ops.is_mv ? level.vector : level.matrix) += ops.count;
    }
    if (level.matrix + level.vector > 0) levels.push_back(level);
  }
  return levels;
}

std::vector<StackedStage> stacked_stages(const StackedShape& shape, const StackedMethod& method) {
  switch (method.kind) {
    case StackedKind::wavefront:
      return wavefront(shape);
    case StackedKind::layers_then_time:
      return layers_then_time(shape, method);
    case StackedKind::layer_by_layer:
    case StackedKind::products_ahead:
      break;
  }
  return layer_by_layer(shape, method);
}

}  // namespace upsweep
