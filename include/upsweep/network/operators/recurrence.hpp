#pragma once

#include "upsweep/network/operator_weights.hpp"
#include "upsweep/network/structure.hpp"

namespace upsweep {

/// The cell of a recurrent layer.
enum class RecurrentCell : std::uint8_t { rnn, gru, lstm };

/// A recurrent layer over all its steps, [steps, features] → [steps, hidden]: the states of all steps from zero ones. A
/// step depends on the inputs up to its own; with `reversed` on those from its own on.
struct Recurrence {
  static constexpr OperatorTraits kTraits{"recurrence", Structure::mixing, JacobianNumbers::input};

  RecurrentCell cell = RecurrentCell::rnn;
  std::uint64_t hidden = 1;
  bool reversed = false;

  static constexpr void settings(auto& self, auto& in) {
    in.choice("cell", self.cell, {"rnn", "gru", "lstm"});
    in.required("hidden_size", self.hidden);
    in.setting("reversed", self.reversed);
  }
  [[nodiscard]] Shape shape(std::span<const Shape> in) const;
  [[nodiscard]] SharedRows rows(const Operator& op, std::size_t) const;
  [[nodiscard]] std::uint64_t entries(const Operator& op, std::size_t) const;
  [[nodiscard]] std::uint64_t baseline_flops(const Operator& op, std::size_t) const;
  /// Not modelled: throws std::invalid_argument.
  [[nodiscard]] std::vector<double> value(const Operator& op, const OperatorWeights&,
                                          std::span<const std::span<const double>> inputs) const;
  [[nodiscard]] double slope(const Operator&, const OperatorWeights&, std::size_t, const MixingSample&, std::size_t,
                             std::size_t) const {
    return 0;
  }
};

}  // namespace upsweep
