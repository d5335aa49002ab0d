#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/recurrent/cell.hpp"

namespace upsweep {

/// A batch of sequences through a cell. T is float or double.
template <class T>
struct SequenceBatch {
  CellWeights<T> weights;
  std::size_t steps = 0;              ///< T
  std::vector<T> inputs;              ///< [t][b][input], t = 0..T - 1
  std::vector<std::uint32_t> labels;  ///< [b], each below the number of classes
};

/// Inputs of mean 0 and variance 1 (uniform) and labels, by position: the same on every machine.
template <class T>
[[nodiscard]] SequenceBatch<T> random_batch(const CellWeights<T>& weights, std::size_t steps, std::size_t batch,
                                            std::uint64_t seed);

}  // namespace upsweep
