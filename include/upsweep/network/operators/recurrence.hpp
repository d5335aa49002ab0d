#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// The cell of a recurrent layer.
enum class RecurrentCell : std::uint8_t { rnn, gru, lstm };

/// Entries of the Jacobian of a recurrent layer: of every step of the input, those of the steps that it reaches.
struct RecurrentSlopes {
  std::size_t steps = 0;
  std::size_t features = 0;
  std::size_t hidden = 0;
  bool reversed = false;
  std::vector<double> numbers;  ///< [step][feature][steps from it on][hidden], by the order in which the layer goes

  [[nodiscard]] double operator()(std::size_t row, std::size_t column) const;
};

/// A recurrent layer over all its steps, [steps, features] → [steps, hidden]: the states of all steps from zero ones. A
/// step depends on the inputs up to its own; with `reversed` on those from its own on.
///
/// Weight [gates · hidden, features + hidden], for the input and the state before; two biases of gates · hidden, one
/// after the other. Gates in PyTorch's order: r, z, n of gru, i, f, g, o of lstm. `reset_after`: the reset gate
/// multiplies what the matrix of n makes of the state, as in PyTorch and cuDNN; else the state.
/// Masks leave the pattern as it is: one step later everything may have met.
/// Source: the formulas in PyTorch's documentation of RNN, GRU and LSTM; Cho et al., 2014, for the other reset.
struct Recurrence {
  static constexpr OperatorTraits kTraits{"recurrence", Structure::mixing, JacobianNumbers::input};

  RecurrentCell cell = RecurrentCell::rnn;
  std::uint64_t hidden = 1;
  bool reversed = false;
  bool relu = false;  ///< of rnn, instead of tanh
  bool reset_after = true;
  bool bias = true;

  static constexpr void settings(auto& self, auto& in) {
    in.choice("cell", self.cell, {"rnn", "gru", "lstm"});
    in.required("hidden_size", self.hidden);
    in.setting("reversed", self.reversed);
    in.choice("nonlinearity", self.relu, {"tanh", "relu"});
    in.setting("reset_after", self.reset_after);
    in.setting("bias", self.bias);
  }
  [[nodiscard]] std::uint64_t gates() const {
    return cell == RecurrentCell::rnn ? 1 : cell == RecurrentCell::gru ? 3 : 4;
  }
  [[nodiscard]] Shape shape(std::span<const Shape> in) const;
  [[nodiscard]] OperatorParameters parameters(const Shape& in) const;
  [[nodiscard]] SharedRows rows(const Operator& op, std::size_t) const;
  [[nodiscard]] std::uint64_t entries(const Operator& op, std::size_t) const;
  [[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::size_t) const;
  [[nodiscard]] std::vector<double> value(const Operator& op, const OperatorWeights& weights,
                                          std::span<const std::span<const double>> inputs) const;
  /// All entries at once. Cost: steps² / 2 · gates · hidden² · features multiplications. Throws CountOverflow.
  [[nodiscard]] RecurrentSlopes slopes(const Operator& op, const OperatorWeights& weights, std::size_t,
                                       const MixingSample& sample) const;
  /// Not modelled: throws std::invalid_argument, since recurrent models are what is trained.
  void add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample>,
                           std::span<double>) const;
};

}  // namespace upsweep
