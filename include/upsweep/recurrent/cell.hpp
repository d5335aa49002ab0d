#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep {

enum class CellKind : std::uint8_t { rnn, gru };

/// What an rnn applies to its sums; a gru has gates of its own.
enum class Nonlinearity : std::uint8_t { tanh, relu };

/// "rnn" or "gru".
[[nodiscard]] std::string to_string(CellKind kind);
/// "tanh" or "relu".
[[nodiscard]] std::string to_string(Nonlinearity nonlinearity);

/// A recurrent cell of one layer with a linear head on its last hidden state.
struct CellShape {
  CellKind kind = CellKind::rnn;
  Nonlinearity nonlinearity = Nonlinearity::tanh;  ///< of an rnn
  std::size_t input = 1;                           ///< elements of x_t, at least 1
  std::size_t hidden = 1;                          ///< h: elements of h_t, at least 1
  std::size_t classes = 1;                         ///< outputs of the head, at least 1

  /// Sums per hidden element: 1 for an rnn, 3 (r, z, n) for a gru.
  [[nodiscard]] std::size_t gates() const { return kind == CellKind::gru ? 3 : 1; }

  friend bool operator==(const CellShape&, const CellShape&) = default;
};

/// Throws std::invalid_argument where an extent is 0.
void require_valid(const CellShape& shape);

/// Of the arrays of CellWeights, in their order.
inline constexpr std::array<const char*, 6> kParameterNames{"w_ih", "w_hh", "b_ih", "b_hh", "w_head", "b_head"};

/// The parameters of a cell and its head, or the gradient with respect to them. T is float or double.
///
/// Layout and gate order (r, z, n, one block of `hidden` rows after the other) are PyTorch's; b_hn stands inside of the
/// reset gate: n = tanh(W_in x + b_in + r ∘ (W_hn h + b_hn)).
/// Source: Wang, "BPPSA" (thesis, 2020), Equations 4.2 and 4.3; torch.nn.RNN, torch.nn.GRU.
template <class T>
struct CellWeights {
  CellShape shape;
  std::vector<T> w_ih;    ///< (gates · hidden) × input, row-major
  std::vector<T> w_hh;    ///< (gates · hidden) × hidden, row-major
  std::vector<T> b_ih;    ///< gates · hidden
  std::vector<T> b_hh;    ///< gates · hidden
  std::vector<T> w_head;  ///< classes × hidden, row-major
  std::vector<T> b_head;  ///< classes

  /// The six arrays in the order above, for code that treats all parameters alike.
  [[nodiscard]] std::array<std::span<T>, 6> arrays();
  [[nodiscard]] std::array<std::span<const T>, 6> arrays() const;

  friend bool operator==(const CellWeights&, const CellWeights&) = default;
};

/// Weights of this shape, all 0.
template <class T>
[[nodiscard]] CellWeights<T> zero_weights(const CellShape& shape);

/// Weights from U(-1/sqrt(hidden), 1/sqrt(hidden)), as PyTorch initialises a cell and a linear layer of `hidden`
/// inputs.
///
/// The same seed gives the same fp32 numbers on every machine; fp64 weights are those fp32 numbers. Each of the six
/// arrays has a stream of its own. Throws std::invalid_argument where an extent is 0.
template <class T>
[[nodiscard]] CellWeights<T> initial_weights(const CellShape& shape, std::uint64_t seed);

/// The same weights in double precision, exactly.
template <class T>
[[nodiscard]] CellWeights<double> to_double(const CellWeights<T>& weights);

/// Throws std::invalid_argument where an array has not the length that the shape says.
template <class T>
void require_valid(const CellWeights<T>& weights);

}  // namespace upsweep
