#pragma once

#include <span>
#include <vector>

#include "upsweep/network/network.hpp"
#include "upsweep/network/weights.hpp"

namespace upsweep {

/// Gradients by plain back-propagation, with what bounds the rounding of any other way to compute them.
///
/// Shapes: links + 1 entries. Entry i has the length of the input of link i and belongs to the gradient with respect to
/// it; the last entry has the length of the network's output and belongs to the loss gradient.
struct DirectGradients {
  std::vector<std::vector<double>> gradient;

  /// At least |gradient|, element by element, and never 0.
  ///
  /// Computed with unit roundoff u, in whatever order the Jacobians are multiplied, an element differs from the exact
  /// one by about u · magnitude · (the number of roundings on a path from the loss to it), plus terms in u²; underflow
  /// of fp32 to subnormal numbers included, overflow not. May be infinite where the sums are.
  /// A worst case: where sums cancel, it outgrows the gradient with every link, and far from the loss of a deep dense
  /// network it bounds nothing useful.
  ///
  /// Rule: |J_i^T| ··· |J_n^T| · |loss gradient|, the sum over all paths of absolute values, those through the branches
  /// of a block included; plus, for every activation on the way, the same with its derivative replaced by what the
  /// terms of its formula have more in absolute value than their sum (tanh: 1 + t² instead of 1 - t²), since a rounding
  /// error is one of the terms. One activation at a time: the errors of two are second order, and products of all would
  /// grow without bound. Plus the smallest normal fp32 number times the sum of all magnitudes nearer to the loss (at
  /// least 1), for every element and link: the underflow of an entry of any product of Jacobians. Inside a block every
  /// operator's output counts as a link's.
  std::vector<std::vector<double>> magnitude;

  /// How large a random error of relative size 1 in every number on the way would be: at least |gradient|, never 0.
  ///
  /// Rounding errors have both signs and hardly depend on each other, so that they add up like the steps of a random
  /// walk (Higham and Mary, "A New Approach to Probabilistic Rounding Error Analysis", SIAM J. Sci. Comput. 41, 2019).
  /// An element then differs from the exact one by about u · deviation · sqrt(roundings on a path), a few times that at
  /// most, also where the sums cancel and `magnitude` says nothing.
  ///
  /// Rule: the square root of d_i, where d_n = g_n² and d_i = max((J_i ∘ J_i)^T · d_{i+1}, g_i²) with the gradient g_i;
  /// for an activation also at least (terms of its derivative · g_{i+1})². Joins hand d back as it is. Where an output
  /// feeds several operators, the square roots of what they hand back are added, not d itself: their errors come from
  /// one join, so that they are no independent steps, and by Minkowski's inequality the sum of deviations holds for
  /// any dependence between branches.
  std::vector<std::vector<double>> deviation;
};

/// Back-propagation by the definition of each operator, in double precision: the oracle for everything that multiplies
/// Jacobians. It forms none and shares no code with those that do; only the activations inside blocks come from
/// forward(), as those between links do from link_inputs().
///
/// Inside a block gradients go from operator to operator against the order of the data: an add hands its gradient to
/// each of its inputs, a concat to each its part, and what several operators hand to one output is summed.
///
/// Shapes: `weights` one entry per operator, with the `values` of every conv2d and linear, zeros where pruned; `inputs`
/// from link_inputs(); `loss_gradient` the elements of the network's output.
/// At a kink the derivative is that of the left side; a max-pool hands its gradient to the first of its largest inputs
/// in row-major order of the window.
/// Throws std::invalid_argument for wrong lengths.
/// Cost: four times the multiplications of the forward pass, windows in the padding included, and the forward pass of
/// blocks once more; three doubles per element of the inputs of links, five for each inside the block at hand. The
/// result does not depend on the number of threads. Not to be called from a chunk of parallel_chunks().
[[nodiscard]] DirectGradients direct_backprop(const Network& network, const NetworkWeights& weights,
                                              const std::vector<std::vector<double>>& inputs,
                                              std::span<const double> loss_gradient);

}  // namespace upsweep
