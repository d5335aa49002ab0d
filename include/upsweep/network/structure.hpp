#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "upsweep/network/settings.hpp"
#include "upsweep/network/shape.hpp"

namespace upsweep {

struct ImageWindows;
struct Operator;
struct OperatorParameters;
struct OperatorSample;
struct OperatorWeights;
struct WeightedWindows;

/// How the elements of an operator's output depend on those of its input. The code of a structure does what the
/// operators of that structure share.
enum class Structure : std::uint8_t {
  elementwise,  ///< each on the one at its own position: a diagonal Jacobian
  view,         ///< the same elements, listed but no link of the chain: no Jacobian of its own
  window,       ///< on a window of an image
  contraction,  ///< on all of them, by a matrix
  join,         ///< the elements of several inputs, added or one after the other: no Jacobian of its own
  mixing,       ///< on groups of elements of one or several inputs: a Jacobian for each input, by rows that many share
};

/// What the numbers of an operator's Jacobian depend on.
enum class JacobianNumbers : std::uint8_t {
  fixed,    ///< on nothing
  weights,  ///< on weights: the operator is affine
  input,    ///< on the input, at which any may be 0
  chosen,   ///< on the input, which chooses entries: the others are none of the sample pattern
};

/// What a join does with its inputs.
enum class JoinRule : std::uint8_t { sum, parts };

/// Rows of a transposed Jacobian, each of which many inputs may share.
struct SharedRows {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};  ///< number of a row without entries

  std::vector<std::uint32_t> number_of;  ///< by element of the input: a number below `count`, or kNone; empty: its own
  std::uint32_t count = 0;               ///< rows that differ
  /// Appends the columns of a row, ascending, by its number.
  std::function<void(std::uint32_t number, std::vector<std::uint32_t>& columns)> write;
};

/// What a mixing operator met in one sample.
struct MixingSample {
  std::span<const std::span<const double>> inputs;  ///< elements of each input
  std::span<const double> output;                   ///< elements of out_shape
};

/// What every operator states.
struct OperatorTraits {
  const char* name;  ///< in model files
  Structure structure;
  JacobianNumbers numbers;
};

template <class K>
concept ElementwiseOperator = K::kTraits.structure == Structure::elementwise;
template <class K>
concept ViewOperator = K::kTraits.structure == Structure::view;
template <class K>
concept WindowOperator = K::kTraits.structure == Structure::window;
template <class K>
concept ContractionOperator = K::kTraits.structure == Structure::contraction;
template <class K>
concept JoinOperator = K::kTraits.structure == Structure::join;

/// Reads one or several activations and states its Jacobian with respect to each: rows(op, input), entries(op, input)
/// and baseline_flops(op, input); value(op, weights, inputs), and slope(op, weights, input, sample, row, column), or,
/// where entries are computed together, slopes(op, weights, input, sample), which gives a function of row and column.
template <class K>
concept MixingOperator = K::kTraits.structure == Structure::mixing;

/// Moves elements without a FLOP: no link of the chain, but a factor of the link behind it.
template <class K>
concept MovingOperator = MixingOperator<K> && requires {
  &K::indices;
};

/// Without a Jacobian of its own.
template <class K>
concept CopyingOperator = ViewOperator<K> || JoinOperator<K>;

template <class K>
concept AffineOperator = K::kTraits.numbers == JacobianNumbers::fixed || K::kTraits.numbers == JacobianNumbers::weights;

/// Takes the largest input of each window.
template <class K>
concept ChoosingOperator = WindowOperator<K> && requires {
  &K::chosen;
};

/// Takes the mean of each window.
template <class K>
concept AveragingOperator = WindowOperator<K> && requires {
  &K::divisors;
};

/// Combines the inputs of each window by fixed numbers.
template <class K>
concept CombiningOperator = WindowOperator<K> && requires {
  &K::coefficients;
};

/// A window without a weight.
template <class K>
concept PoolingOperator = ChoosingOperator<K> || AveragingOperator<K> || CombiningOperator<K>;

/// Multiplies by a weight: a contraction, or a window that is no pooling.
template <class K>
concept WeightedOperator = (ContractionOperator<K> || WindowOperator<K>)&&!PoolingOperator<K>;

/// Has numbers that are learned or read from files; an elementwise operator has them per channel.
template <class K>
concept ParametricOperator = requires {
  &K::parameters;
};

/// Checks what the code of no structure would miss.
template <class K>
consteval bool is_complete() {
#if !defined(__clang__)  // clang 14 makes no vector, as index maps have, in a constant
  static_assert(field_count<K>() == setting_count<K>(), "settings() names every field of the operator once");
#endif
  static_assert(!WeightedOperator<K> || ParametricOperator<K>, "parameters() is missing: the shape of the weight");
  return true;
}

}  // namespace upsweep
