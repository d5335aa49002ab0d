#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/jacobian/block.hpp"
#include "upsweep/jacobian/patterns.hpp"
#include "upsweep/network/sample.hpp"

namespace upsweep {

/// The scan array as structure: a[0] is a dense vector, a[i] = jacobians[i - 1].
struct JacobianChain {
  std::uint64_t gradient_length = 0;                      ///< elements of x_n
  std::vector<std::shared_ptr<const Pattern>> jacobians;  ///< length n: J_n^T, ..., J_1^T
  /// How the Jacobians of blocks are formed: length n, null for single operators; empty without blocks.
  std::vector<std::shared_ptr<const BlockPlan>> blocks = {};
  /// The patterns are those at a concrete input, for counts: rows of their products are no shifts of each other, so
  /// that each row is counted, and none is kept where that would take too much.
  bool is_at_input = false;

  /// The plan of jacobians[i], or null.
  [[nodiscard]] const BlockPlan* block(std::size_t i) const { return blocks.empty() ? nullptr : blocks[i].get(); }

  /// Length N = n + 1 of the scan array.
  [[nodiscard]] std::size_t length() const { return jacobians.size() + 1; }
};

/// Checks that neighbours fit: cols(a[1]) = gradient_length, cols(a[i + 1]) = rows(a[i]).
/// Throws std::invalid_argument that names the position and both sizes; also for an empty chain.
void check_chain(const JacobianChain& chain);

/// Throws OperatorError (its index is a position in network.operators()) at the operator at which the guaranteed
/// patterns of a network would no longer fit into `memory_limit` bytes, about. A block counts with its operators and
/// every step of its formation, by the mean lengths of rows, as if no two paths met. `form` as in guaranteed_chain();
/// by classes the formation of blocks is not counted, whose classes are known only once it is made.
void require_pattern_memory(const Network& network, const NetworkWeights& weights, std::uint64_t memory_limit,
                            PatternForm form = PatternForm::rows);

/// The chain of a network in the guaranteed pattern. Views are left out, a block is one element: see form_block().
/// `steps`: numeric_chain() needs those of blocks, counts do not. `form`: counts need classes alone, numbers need rows.
[[nodiscard]] JacobianChain guaranteed_chain(const Network& network, const NetworkWeights& weights,
                                             StepPatterns steps = StepPatterns::keep,
                                             PatternForm form = PatternForm::rows);

/// The chains of a network at concrete inputs, made one at a time; what no input changes is shared.
class SampleChains {
 public:
  /// Builds the parts that are the same for all inputs. `network` and `weights` must outlive this object; `weights` has
  /// the values of every conv2d and linear. `form`: counts take at_input, numbers need rows.
  SampleChains(const Network& network, const NetworkWeights& weights, PatternForm form = PatternForm::rows);

  /// The chain at input `x` (length: elements of the network's input), from a forward pass in double precision; `steps`
  /// as in guaranteed_chain(). A block consists of the sample patterns of its operators.
  ///
  /// Throws OperatorError (its index is a position in network.operators()) where the output of an operator is NaN or
  /// infinite.
  [[nodiscard]] JacobianChain at(std::span<const double> x, StepPatterns steps = StepPatterns::keep) const;
  /// The chain at input i of a sample, or, where its patterns are drawn, number i of these.
  [[nodiscard]] JacobianChain at(const SampleInputs& sample, std::size_t i,
                                 StepPatterns steps = StepPatterns::keep) const;

 private:
  [[nodiscard]] JacobianChain at(std::span<const double> x, const std::vector<std::vector<double>>& outputs,
                                 StepPatterns steps) const;

  const Network& network_;
  const NetworkWeights& weights_;
  PatternForm form_;  // rows or at_input
  /// By operator and input; none for views, joins and what depends on the input.
  std::vector<std::vector<std::shared_ptr<const Pattern>>> fixed_;
};

}  // namespace upsweep
