#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/jacobian/chain.hpp"

namespace upsweep {

/// The scan array with numbers. T is float or double.
template <class T>
struct NumericChain {
  JacobianChain structure;
  std::vector<T> gradient;             ///< a[0]; length structure.gradient_length
  std::vector<std::vector<T>> values;  ///< values[i]: numbers of structure.jacobians[i], row by row, columns ascending
};

/// The loss gradient of softmax cross-entropy with respect to the logits `output`: softmax(output) - one_hot(label).
/// Throws std::invalid_argument where label >= output.size().
[[nodiscard]] std::vector<double> softmax_cross_entropy_gradient(std::span<const double> output, std::size_t label);

/// Writes the transposed Jacobian of `op` at `x` into `values` (length pattern.nnz()), on several threads.
///
/// `pattern` is a part of the guaranteed pattern of `op`; an entry that is 0 at this input is written as 0. Rounds to T
/// once. Needs `values` of conv2d and linear. Throws std::invalid_argument for wrong lengths, std::overflow_error where
/// a number does not fit into T.
template <class T>
void fill_jacobian_values(const Operator& op, const OperatorWeights& weights, std::span<const double> x,
                          const Pattern& pattern, std::span<T> values);

/// The same with respect to one of the `inputs` that the operator reads.
template <class T>
void fill_jacobian_values(const Operator& op, const OperatorWeights& weights,
                          std::span<const std::span<const double>> inputs, std::size_t input, const Pattern& pattern,
                          std::span<T> values);

/// Weights that the rows of a convolution go over and that reach no output from there, off the image, for each that
/// does, were all of them kept; 0 of any other operator.
[[nodiscard]] double misses_per_value(const Operator& op);

/// A chain whose gradient (length gradient_length, rounded to T) is there, and whose Jacobians have no numbers yet.
///
/// `structure` comes from guaranteed_chain() or SampleChains::at(). Throws OperatorError where a number does not fit
/// into T, std::invalid_argument for wrong lengths.
template <class T>
[[nodiscard]] NumericChain<T> chain_without_values(const Network& network, JacobianChain structure,
                                                   std::span<const double> gradient);

/// Writes the numbers of one link (0 is the network's first), as every iteration of training must. `inputs` comes from
/// link_inputs(). The numbers of a block are formed in double precision and rounded to T once; they need the
/// activations inside, which are computed again here: see fill_block(). Throws OperatorError where a number does not
/// fit into T.
template <class T>
void fill_link(const Network& network, const NetworkWeights& weights, const std::vector<std::vector<double>>& inputs,
               std::size_t link, NumericChain<T>& chain);

/// fill_link() of a block whose activations are there, from block_activations(). Throws alike.
template <class T>
void fill_block(const Network& network, const NetworkWeights& weights,
                const std::vector<std::vector<double>>& activations, std::size_t link, NumericChain<T>& chain);

/// chain_without_values() with the numbers of all links. Throws alike.
template <class T>
[[nodiscard]] NumericChain<T> numeric_chain(const Network& network, const NetworkWeights& weights,
                                            const std::vector<std::vector<double>>& inputs, JacobianChain structure,
                                            std::span<const double> gradient);

}  // namespace upsweep
