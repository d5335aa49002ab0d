#include <fmt/format.h>

#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/sim/graph_backprop.hpp"
#include "upsweep/validate/graph_run.hpp"

namespace upsweep {

ValueComparison compare_graph_run(const GraphRun& run, const DirectGradients& direct, double direct_roundings,
                                  unsigned value_bytes) {
  if (run.gradients.size() != direct.gradient.size())
    throw std::invalid_argument("the run and the direct gradients have different lengths");
  ValueComparison comparison;
  for (std::size_t i = run.gradients.size(); i-- > 0 && !comparison.mismatch;) {
    const ComputedGradient computed{
        i, run.roundings[i], fmt::format("plain BP over the graph, the gradient with respect to activation {}", i), {}};
    compare_gradient(computed, run.gradients[i], direct, direct_roundings, value_bytes, comparison);
  }
  return comparison;
}

std::optional<Mismatch> compare_graph_counts(const GraphRun& run, const Network& network,
                                             const NetworkProfile& profile) {
  const GraphWork counted = simulate_graph(graph_backprop_tasks(network, profile), 1);
  if (run.flops == counted.flops && run.levels == counted.steps) return std::nullopt;
  return Mismatch{std::nullopt, fmt::format("plain BP over the graph: {} FLOPs in {} levels, expected {} in {}",
                                            run.flops, run.levels, counted.flops, counted.steps)};
}

template <class T>
GraphValidation validate_graph(const GraphAtInput& at, const NetworkProfile& profile, const DirectGradients& direct,
                               double direct_roundings, const RunOptions& options) {
  GraphValidation validation;
  try {
    validation.run = run_graph_backprop<T>(at, options);
  } catch (const OperatorError& error) {
    validation.skipped = error.what();
    return validation;
  }
  validation.mismatch = compare_graph_counts(validation.run, at.network, profile);
  if (!validation.mismatch) {
    validation.values = compare_graph_run(validation.run, direct, direct_roundings, sizeof(T));
    validation.mismatch = validation.values.mismatch;
  }
  validation.run.gradients.clear();
  return validation;
}

template GraphValidation validate_graph<float>(const GraphAtInput&, const NetworkProfile&, const DirectGradients&,
                                               double, const RunOptions&);
template GraphValidation validate_graph<double>(const GraphAtInput&, const NetworkProfile&, const DirectGradients&,
                                                double, const RunOptions&);

std::uint64_t graph_jacobian_bytes(const NetworkProfile& profile, unsigned value_bytes) {
  std::uint64_t bytes = 0;
  for (const OperatorProfile& op : profile.operators)
    add_to(bytes, checked_mul(op.nnz, value_bytes + std::uint64_t{sizeof(Index)}));
  return bytes;
}

}  // namespace upsweep
