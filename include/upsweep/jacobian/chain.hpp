#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/jacobian/patterns.hpp"

namespace upsweep {

/// The scan array as structure: a[0] is a dense vector, a[i] = jacobians[i - 1].
struct JacobianChain {
  std::uint64_t gradient_length = 0;                      ///< elements of x_n
  std::vector<std::shared_ptr<const Pattern>> jacobians;  ///< length n: J_n^T, ..., J_1^T

  /// Length N = n + 1 of the scan array.
  [[nodiscard]] std::size_t length() const { return jacobians.size() + 1; }
};

/// Checks that neighbours fit: cols(a[1]) = gradient_length, cols(a[i + 1]) = rows(a[i]).
/// Throws std::invalid_argument that names the position and both sizes; also for an empty chain.
void check_chain(const JacobianChain& chain);

/// Throws OperatorError (its index is a position in network.operators()) at the operator at which the guaranteed
/// patterns of a network would no longer fit into `memory_limit` bytes, about.
void require_pattern_memory(const Network& network, const NetworkWeights& weights, std::uint64_t memory_limit);

/// The chain of a network in the guaranteed pattern. Views are left out.
[[nodiscard]] JacobianChain guaranteed_chain(const Network& network, const NetworkWeights& weights);

/// The chains of a network at concrete inputs, made one at a time; what no input changes is shared.
class SampleChains {
 public:
  /// Builds the parts that are the same for all inputs. `network` and `weights` must outlive this object; `weights` has
  /// the values of every conv2d and linear.
  SampleChains(const Network& network, const NetworkWeights& weights);

  /// The chain at input `x` (length: elements of the network's input), from a forward pass in double precision.
  ///
  /// Throws OperatorError (its index is a position in network.operators()) where the output of an operator is NaN or
  /// infinite.
  [[nodiscard]] JacobianChain at(std::span<const double> x) const;

 private:
  const Network& network_;
  const NetworkWeights& weights_;
  std::vector<std::shared_ptr<const Pattern>> fixed_;  // by operator; null for views and what depends on the input
};

}  // namespace upsweep
