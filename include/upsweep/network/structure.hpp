#pragma once

#include <cstdint>
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

template <class K>
concept PoolingOperator = ChoosingOperator<K> || AveragingOperator<K>;

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
  static_assert(field_count<K>() == setting_count<K>(), "settings() names every field of the operator once");
  static_assert(!WeightedOperator<K> || ParametricOperator<K>, "parameters() is missing: the shape of the weight");
  return true;
}

}  // namespace upsweep
