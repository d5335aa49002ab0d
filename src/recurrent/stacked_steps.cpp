#include "upsweep/recurrent/stacked_steps.hpp"

#include "stacked_stages.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep {
namespace {

std::uint64_t levels_of_scan(std::uint64_t steps, const StackedMethod& method) {
  if (method.scan == TimeScan::kogge_stone) return ceil_log2(steps);
  return 2 * std::uint64_t{method.depth} + (steps >> method.depth) - 1;
}

}  // namespace

StackedSteps predicted_steps(const StackedShape& shape, const StackedMethod& method) {
  const std::uint64_t layers = shape.layers;
  if (method.kind == StackedKind::wavefront) {
    const std::uint64_t sum = checked_add(layers, shape.steps);
    const bool has_sums = layers > 1 && shape.steps > 1;
    return {sum - 2, has_sums ? sum - 3 : 0, "k + T - 2; additions k + T - 3"};
  }
  const std::uint64_t scan = levels_of_scan(shape.steps, method);
  if (method.kind == StackedKind::layers_then_time) {
    const std::uint64_t rounds = ceil_log2(layers);
    return {checked_add(rounds, scan), checked_mul(rounds, scan), "lg k + L; additions L lg k"};
  }
  return {checked_add(checked_mul(layers, scan), layers - 1), checked_mul(layers - 1, scan),
          "k L + k - 1; additions (k - 1) L"};
}

}  // namespace upsweep
