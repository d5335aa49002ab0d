#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "upsweep/training/data_parallel.hpp"

namespace upsweep::testing {

/// A data-parallel step of equal layers.
[[nodiscard]] inline DataParallel equal_data_parallel(double forward, double output, double weight,
                                                      std::vector<double> synchronisation) {
  const std::size_t layers = synchronisation.size();
  return {std::vector<double>(layers, forward), std::vector<double>(layers, output),
          std::vector<double>(layers, weight), std::move(synchronisation), true};
}

/// Makespan of a compute order without gaps and a sequence of layers on the link, by the words of section 5.
[[nodiscard]] inline double makespan_of(const DataParallel& step, const std::vector<StepOp>& order,
                                        const std::vector<std::size_t>& sequence) {
  std::vector<double> weight_end(step.layers(), 0), sync_end(step.layers(), 0);
  double now = 0, link = 0;
  for (const StepOp& op : order) {
    now += step.cost(op);
    if (op.kind == StepOpKind::weight_gradient) weight_end[op.layer] = now;
  }
  for (const std::size_t layer : sequence)
    link = sync_end[layer] = std::max(link, weight_end[layer]) + step.synchronisation[layer];
  for (std::size_t layer = 0; layer < step.layers(); ++layer)
    now = std::max(now, sync_end[layer]) + step.forward[layer];
  return now;
}

/// The smallest makespan of all orders of O and W in which gradients come before what needs them, and all sequences.
[[nodiscard]] inline double brute_force_optimum(const DataParallel& step) {
  std::vector<std::size_t> sequence;
  std::vector<StepOp> ops;
  for (std::uint32_t layer = 0; layer < step.layers(); ++layer) {
    for (const StepOpKind kind : {StepOpKind::output_gradient, StepOpKind::weight_gradient}) {
      if (step.cost({kind, layer, 0}) > 0) ops.push_back({kind, layer, 0});
    }
    if (step.weight_gradient[layer] > 0) sequence.push_back(layer);
  }
  double best = 1e300;
  std::vector<StepOp> order;
  std::vector<bool> used(ops.size(), false);
  const std::function<void()> extend = [&] {
    if (order.size() == ops.size()) {
      std::ranges::sort(sequence);
      do best = std::min(best, makespan_of(step, order, sequence));
      while (std::ranges::next_permutation(sequence).found);
      return;
    }
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const StepOp above{StepOpKind::output_gradient, ops[i].layer + 1, 0};
      const bool has_gradient = ops[i].layer + 1 == step.layers() || std::ranges::find(order, above) != order.end();
      if (used[i] || !has_gradient) continue;
      used[i] = true;
      order.push_back(ops[i]);
      extend();
      order.pop_back();
      used[i] = false;
    }
  };
  extend();
  return best;
}

}  // namespace upsweep::testing
