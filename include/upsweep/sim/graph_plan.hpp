#pragma once

#include <cstddef>
#include <vector>

#include "upsweep/network/network.hpp"

namespace upsweep {

/// A gradient, or the part of one that a concat hands on: `count` numbers of a buffer.
struct GradientPart {
  std::size_t buffer = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

/// J^T of an operator times a gradient, or the sum of gradients that several operators have handed to one output.
struct PlannedTask {
  static constexpr std::size_t kSum = ~std::size_t{0};

  std::size_t op = kSum;            ///< position of the operator of a product
  std::vector<GradientPart> reads;  ///< one, or the summands: at least two, of one length
  std::size_t target = 0;           ///< the buffer that it writes, all of it
  std::size_t input = 0;            ///< of a product: with respect to which input
};

/// Tasks by topological level: those of a level read what earlier levels have written.
using TaskLevels = std::vector<std::vector<PlannedTask>>;

/// Plain back-propagation over the graph, as buffers and tasks that write one each.
struct GraphPlan {
  std::vector<std::size_t> buffer_sizes;    ///< in numbers; the first one has the loss gradient
  TaskLevels levels;                        ///< the tasks that graph_backprop_tasks() counts
  TaskLevels input_levels;                  ///< the gradient of the network's input and of views and joins of it
  std::vector<GradientPart> of_link_input;  ///< length links + 1; the last is the loss gradient
};

/// Plans it: from the last operator to the first, each with its inputs in their order.
[[nodiscard]] GraphPlan plan_graph_backprop(const Network& network);

/// Whether a Jacobian of the operator at a position is read in `levels`; only in `input_levels` otherwise. Not for
/// views and joins. `needed` comes from needs_gradient().
[[nodiscard]] bool hands_to_needed(const Network& network, const std::vector<bool>& needed, std::size_t position);

}  // namespace upsweep
