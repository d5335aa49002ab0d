#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"

namespace upsweep {

/// Operands of a backward pass through which gradients neither vanish nor explode, so that all numbers stay normal.
template <class T>
struct RateOperands {
  CellWeights<T> weights;
  ForwardStates<T> states;
  std::vector<T> inputs;     ///< [t][b][input]
  std::vector<T> last;       ///< [b][h]
  std::vector<T> gradients;  ///< [t][b][h], t = 0..T
};

/// An rnn gets an orthogonal W_hh and states near 0 (relu: above 0), a gru an update gate that is as near to 1 as the
/// steps ask for. The same seed gives the same numbers.
template <class T>
[[nodiscard]] RateOperands<T> rate_operands(const CellShape& shape, std::size_t steps, std::size_t batch,
                                            std::uint64_t seed);

/// Bytes that a pass without stored Jacobians reads and writes of a step: gradients and what they depend on.
[[nodiscard]] std::uint64_t sequence_bytes_per_step(const CellShape& shape, std::size_t batch, unsigned value_bytes);

/// Bytes of the Jacobians of a step.
[[nodiscard]] std::uint64_t jacobian_bytes_per_step(const CellShape& shape, std::size_t batch, unsigned value_bytes);

/// Displaces what the caches hold.
class CacheSweep {
 public:
  /// For caches of up to `cache_bytes`.
  explicit CacheSweep(std::uint64_t cache_bytes) : memory_(4 * cache_bytes) {}

  /// Reads all and writes every other page: a long pass leaves results behind, as well as operands that it only read.
  void run();

 private:
  std::vector<unsigned char> memory_;
};

}  // namespace upsweep
