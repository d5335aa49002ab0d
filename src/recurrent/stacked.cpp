#include "upsweep/recurrent/stacked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "stacked_stages.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/scan/builders.hpp"
#include "upsweep/sparse/product.hpp"

namespace upsweep {
namespace {

constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 39U;

void require_valid(const StackedShape& shape) {
  const auto require = [](const char* what, std::uint64_t value, std::uint64_t most) {
    if (value < 1 || value > most)
      throw std::invalid_argument(fmt::format("a stack of layers has {} {}, accepted are 1 to {}", value, what, most));
  };
  require("layers", shape.layers, kMostLayers);
  require("steps", shape.steps, kMostSteps);
  require("hidden elements", shape.hidden, ~std::uint64_t{0});
}

/// The depth that the scan has: 0 where there is no choice.
std::uint32_t actual_depth(const StackedShape& shape, const StackedMethod& method) {
  if (method.kind == StackedKind::wavefront || method.scan != TimeScan::hybrid || shape.steps < 2) return 0;
  return std::min(method.depth, max_depth(shape.steps + 1));
}

/// FLOPs of one operation on matrices and one on vectors; the first is `hidden` of the second.
struct OpCosts {
  std::uint64_t matrix = 0;
  std::uint64_t vector = 0;
};

OpCosts addition_costs(std::uint64_t hidden) { return {checked_mul(hidden, hidden), hidden}; }

OpCosts product_costs(std::uint64_t hidden) {
  const std::uint64_t vector = checked_mul(2, checked_mul(hidden, hidden));
  return {checked_mul(vector, hidden), vector};
}

/// Costs of products and additions. Where no matrices are multiplied, what that would cost may exceed 64 bits.
OpCosts product_costs_of(const StackedProfile& profile) {
  if (profile.products.matrix > 0) return product_costs(profile.shape.hidden);
  return {0, checked_mul(2, checked_mul(profile.shape.hidden, profile.shape.hidden))};
}

std::uint64_t flops(const StackedOps& ops, const OpCosts& costs) {
  return checked_add(checked_mul(ops.matrix, costs.matrix), checked_mul(ops.vector, costs.vector));
}

std::uint64_t dearest(const StackedOps& ops, const OpCosts& costs) {
  return ops.matrix > 0 ? costs.matrix : ops.vector > 0 ? costs.vector : 0;
}

void add_times(StackedOps& sum, const StackedOps& ops, std::uint64_t times) {
  add_to(sum.matrix, checked_mul(times, ops.matrix));
  add_to(sum.vector, checked_mul(times, ops.vector));
}

void count_operations(StackedProfile& profile) {
  for (const StackedStage& stage : profile.stages) {
    add_to(profile.levels, stage.repeat);
    add_to(profile.addition_levels, checked_mul(stage.repeat, stage.additions.size()));
    add_times(profile.products, stage.products, stage.repeat);
    profile.widest = std::max(profile.widest, checked_add(stage.products.matrix, stage.products.vector));
    for (const StackedOps& level : stage.additions) {
      add_times(profile.additions, level, stage.repeat);
      profile.widest = std::max(profile.widest, checked_add(level.matrix, level.vector));
    }
  }
}

void count_flops(StackedProfile& profile) {
  const OpCosts products = product_costs_of(profile);
  const OpCosts additions = addition_costs(profile.shape.hidden);
  profile.flops = flops(profile.products, products);
  profile.addition_flops = flops(profile.additions, additions);
  profile.per_step_flops = dearest(profile.products, products);
  for (const StackedStage& stage : profile.stages) {
    std::uint64_t path = dearest(stage.products, products);
    for (const StackedOps& level : stage.additions) add_to(path, dearest(level, additions));
    add_to(profile.critical_path_flops, checked_mul(stage.repeat, path));
  }
}

/// Blocks that are kept beside the given ones: transitions above their diagonal, which is given; products whose
/// operands the vectors need later. All others overwrite an operand.
std::uint64_t kept_blocks(const StackedProfile& profile) {
  const StackedShape& shape = profile.shape;
  if (profile.method.kind == StackedKind::layers_then_time)
    return checked_mul(shape.steps - 1, shape.layers * (shape.layers - 1) / 2);
  return profile.method.kind == StackedKind::products_ahead ? profile.products.matrix : 0;
}

std::uint64_t memory_bytes(const StackedProfile& profile) {
  const StackedShape& shape = profile.shape;
  const std::uint64_t block = checked_mul(shape.hidden, shape.hidden);
  std::uint64_t largest = 0;
  for (const StackedStage& stage : profile.stages) {
    largest = std::max(largest, checked_add(checked_mul(stage.products.matrix, block),
                                            checked_mul(stage.products.vector, shape.hidden)));
  }
  std::uint64_t values = stacked_jacobian_values(shape);
  add_to(values, checked_mul(kept_blocks(profile), block));
  add_to(values, checked_mul(checked_mul(shape.layers, shape.steps), shape.hidden));
  return checked_mul(profile.value_bytes, checked_add(values, largest));
}

/// Time of a level: list scheduling, matrices first. Since a matrix takes as long as `hidden` vectors, workers that
/// are done with theirs fill the time until the others are, too, without a gap.
std::uint64_t level_time(const StackedOps& ops, const OpCosts& costs, std::uint64_t hidden, std::uint64_t workers) {
  const auto rounds = [workers](std::uint64_t count) { return count / workers + (count % workers > 0 ? 1U : 0U); };
  const std::uint64_t matrices = checked_mul(rounds(ops.matrix), costs.matrix);
  const std::uint64_t idle = ops.matrix % workers > 0 ? workers - ops.matrix % workers : 0;
  const std::uint64_t needed = ops.vector / hidden + (ops.vector % hidden > 0 ? 1U : 0U);
  if (needed <= idle) return matrices;
  return checked_add(matrices, checked_mul(rounds(ops.vector - idle * hidden), costs.vector));
}

StackedOps of_batch(const StackedOps& ops, std::uint64_t batch) {
  return {checked_mul(ops.matrix, batch), checked_mul(ops.vector, batch)};
}

}  // namespace

std::string to_string(const StackedMethod& method) {
  const auto name = [&]() -> const char* {
    switch (method.kind) {
      case StackedKind::wavefront:
        return "wavefront";
      case StackedKind::layers_then_time:
        return "layers-then-time";
      case StackedKind::layer_by_layer:
        return "layer-by-layer";
      case StackedKind::products_ahead:
        return "products-ahead";
    }
    throw std::logic_error("unknown way to solve a stack of layers");
  };
  if (method.kind == StackedKind::wavefront) return name();
  if (method.scan == TimeScan::kogge_stone) return fmt::format("{}/kogge-stone", name());
  return method.depth == 0 ? fmt::format("{}/linear", name()) : fmt::format("{}/hybrid:{}", name(), method.depth);
}

std::string to_string(StackedPhase phase) {
  switch (phase) {
    case StackedPhase::wavefront:
      return "wavefront";
    case StackedPhase::layers:
      return "layers";
    case StackedPhase::right_side:
      return "right-side";
    case StackedPhase::up:
      return "up";
    case StackedPhase::middle:
      return "middle";
    case StackedPhase::down:
      return "down";
    case StackedPhase::rounds:
      return "rounds";
  }
  throw std::logic_error("unknown phase of a stack of layers");
}

StackedProfile profile_stacked(const StackedShape& shape, const StackedMethod& method, unsigned value_bytes) {
  require_valid(shape);
  if (value_bytes != 4 && value_bytes != 8)
    throw std::invalid_argument(fmt::format("values of {} bytes, accepted are 4 and 8", value_bytes));
  StackedProfile profile;
  profile.shape = shape;
  profile.method = method;
  profile.method.depth = actual_depth(shape, method);
  profile.value_bytes = value_bytes;
  profile.stages = stacked_stages(shape, profile.method);
  count_operations(profile);
  count_flops(profile);
  profile.memory_bytes = memory_bytes(profile);
  return profile;
}

std::vector<std::uint64_t> stacked_stage_makespans(const StackedProfile& profile, std::uint64_t workers,
                                                   std::uint64_t batch) {
  if (workers == 0) throw std::invalid_argument("makespans of a stack need at least 1 worker");
  const std::uint64_t hidden = profile.shape.hidden;
  const OpCosts products = product_costs_of(profile);
  const OpCosts additions = addition_costs(hidden);
  std::vector<std::uint64_t> makespans;
  for (const StackedStage& stage : profile.stages) {
    std::uint64_t time = level_time(of_batch(stage.products, batch), products, hidden, workers);
    for (const StackedOps& level : stage.additions)
      add_to(time, level_time(of_batch(level, batch), additions, hidden, workers));
    makespans.push_back(checked_mul(stage.repeat, time));
  }
  return makespans;
}

StageFlops stage_flops(const StackedProfile& profile, const StackedStage& stage) {
  StageFlops sum;
  const auto add = [&sum](const StackedOps& ops, const OpCosts& costs) {
    add_to(sum.matrix, checked_mul(ops.matrix, costs.matrix));
    add_to(sum.vector, checked_mul(ops.vector, costs.vector));
  };
  add(stage.products, product_costs_of(profile));
  for (const StackedOps& level : stage.additions) add(level, addition_costs(profile.shape.hidden));
  return sum;
}

Makespan stacked_makespan(const StackedProfile& profile, std::uint64_t workers, std::uint64_t batch) {
  Makespan makespan;
  for (const std::uint64_t time : stacked_stage_makespans(profile, workers, batch)) add_to(makespan.flops, time);
  for (const StackedStage& stage : profile.stages) {
    const StackedOps all = of_batch(stage.products, batch);
    const std::uint64_t unit = level_time({0, checked_add(all.matrix, all.vector)}, {0, 1}, 1, workers);
    add_to(makespan.unit, checked_mul(stage.repeat, unit));
  }
  return makespan;
}

SharedWork shared_work(const StackedProfile& profile) {
  const OpCosts products = product_costs_of(profile);
  const OpCosts additions = addition_costs(profile.shape.hidden);
  SharedWork work;
  const auto add = [&](std::uint64_t times, const StackedOps& ops, const OpCosts& costs, std::uint64_t span) {
    const SharedLevel level{times, flops(ops, costs), ops.matrix + ops.vector > 0 ? span : 0};
    add_to(work.flops, checked_mul(times, level.flops));
    add_to(work.span_path, checked_mul(times, level.span));
    work.levels.push_back(level);
  };
  for (const StackedStage& stage : profile.stages) {
    add(stage.repeat, stage.products, products,
        product_span(checked_mul(profile.shape.hidden, profile.shape.hidden), profile.shape.hidden));
    for (const StackedOps& level : stage.additions) add(stage.repeat, level, additions, 1);
  }
  return work;
}

std::uint64_t stacked_jacobian_values(const StackedShape& shape) {
  require_valid(shape);
  const std::uint64_t blocks =
      checked_add(checked_mul(shape.layers, shape.steps - 1), checked_mul(shape.layers - 1, shape.steps));
  return checked_mul(blocks, checked_mul(shape.hidden, shape.hidden));
}

}  // namespace upsweep
