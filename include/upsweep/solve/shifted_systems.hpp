#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "upsweep/solve/backward_system.hpp"

namespace upsweep {

/// The systems of a mini-batch (Naumov 2018, Equations 15 and 16): samples share the couplings, i. e. the weights, and
/// differ in the diagonal E and in the loss gradient.
///
/// Vectors of unknowns of all samples stand one after the other, that of sample 0 first.
template <class T>
class ShiftedSystems {
 public:
  /// Takes the scaled form of the first sample's chain; add() takes the others.
  explicit ShiftedSystems(NumericChain<T> first);

  /// Throws std::invalid_argument that names the first Jacobian which differs and is no diagonal, as that of a
  /// max-pool.
  void add(const NumericChain<T>& sample);

  [[nodiscard]] std::size_t samples() const { return systems_.size(); }
  [[nodiscard]] const BackwardSystem<T>& system(std::size_t sample) const { return systems_[sample]; }
  /// Numbers of one sample's vector of unknowns.
  [[nodiscard]] std::size_t unknowns() const { return systems_.front().unknowns(); }

  /// The solutions of all samples; each the one that substitute() gives, bit by bit.
  ///
  /// Every row of a coupling is read once for all samples.
  [[nodiscard]] std::vector<T> substitute() const;

  /// One Jacobi sweep of all samples; each the one that jacobi_sweep() gives. Shapes: samples() vectors of unknowns.
  void sweep(std::span<const T> v, std::span<T> next) const;

 private:
  /// Block row k of all samples.
  void solve_rows(std::size_t k, std::span<const T> v, std::span<T> next) const;

  std::vector<BackwardSystem<T>> systems_;
};

}  // namespace upsweep
