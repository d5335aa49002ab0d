#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/solve/system_shape.hpp"

namespace upsweep {

/// A transposed Jacobian between two blocks of unknowns, with its numbers.
template <class T>
struct Coupling {
  std::shared_ptr<const Pattern> pattern;
  std::vector<T> values;             ///< length nnz, row by row
  std::vector<std::uint64_t> begin;  ///< length rows + 1: where a row begins in `values`
};

/// Back-propagation as an upper block bi-diagonal system (Naumov 2018, Equations 14 and 19), scaled by its diagonal:
///
///     v(k) - S(k) J(k)^T v(k + 1) = 0  for k < l,    v(l) = S(l) ε
///
/// with S = E^-1 = diag(f'), or 1 in the unit form. It multiplies by f' and never divides, so that f' = 0 is fine.
/// T is float, double, or std::uint64_t, the ring of integers modulo 2^64, in which all is exact.
/// Vectors of unknowns hold the blocks one after the other, block 0 first.
template <class T>
class BackwardSystem {
 public:
  /// Throws std::invalid_argument for an empty chain, and for values or neighbours that do not fit.
  BackwardSystem(NumericChain<T> chain, SystemForm form);

  /// The same couplings, shared, with the diagonal and the loss gradient of another sample (Equation 16).
  ///
  /// Throws std::invalid_argument that names the first Jacobian outside the diagonals which differs, as that of a
  /// max-pool does.
  [[nodiscard]] BackwardSystem shifted(const NumericChain<T>& chain) const;

  [[nodiscard]] SystemForm form() const { return form_; }
  [[nodiscard]] const SystemShape& shape() const { return shape_; }
  [[nodiscard]] std::size_t blocks() const { return shape_.blocks.size(); }
  /// l, the number of off-diagonal blocks.
  [[nodiscard]] std::size_t couplings() const { return shape_.couplings(); }
  [[nodiscard]] std::size_t unknowns() const { return offsets_.back(); }
  /// Where block `k` begins in a vector of unknowns; offset(blocks()) is its length.
  [[nodiscard]] std::size_t offset(std::size_t k) const { return offsets_[k]; }
  /// Block `k` of a vector of unknowns.
  template <class Number>
  [[nodiscard]] std::span<Number> block(std::span<Number> v, std::size_t k) const {
    return v.subspan(offsets_[k], offsets_[k + 1] - offsets_[k]);
  }
  /// The coupling of block `k` < l to block k + 1.
  [[nodiscard]] const Coupling<T>& coupling(std::size_t k) const { return *couplings_[k]; }
  /// The diagonal of S(k), length of the block; empty where it is 1.
  [[nodiscard]] const std::vector<T>& scale(std::size_t k) const { return scales_[k]; }
  /// The right side of the last block, S(l) ε; that of all others is 0.
  [[nodiscard]] const std::vector<T>& last_right_side() const { return right_side_; }

  /// The right side as a vector of unknowns: the start of the iterations.
  [[nodiscard]] std::vector<T> right_side() const;

  /// Writes S(k) J(k)^T v(k + 1) for k < l, S(l) ε for k = l, into `row`: block row k solved for v(k).
  ///
  /// Shapes: `next` block k + 1 (not read for k = l), `row` block k; they may not overlap.
  void solve_row(std::size_t k, std::span<const T> next, std::span<T> row) const;

 private:
  BackwardSystem() = default;
  void set_diagonal(const NumericChain<T>& chain);

  SystemForm form_ = SystemForm::unit;
  SystemShape shape_;
  std::vector<std::size_t> offsets_;                           // length blocks + 1
  std::vector<std::shared_ptr<const Coupling<T>>> couplings_;  // length l
  std::vector<std::vector<T>> scales_;                         // length blocks
  std::vector<T> right_side_;
};

/// The direct solution, block after block from the loss: plain back-propagation.
template <class T>
[[nodiscard]] std::vector<T> substitute(const BackwardSystem<T>& system);

/// One Jacobi sweep (Naumov 2018, Equation 37): every block of `next` from the blocks of `v`, all at once.
///
/// Shapes: both one vector of unknowns, not the same. From whatever start, l + 1 sweeps give the solution of
/// substitute(), bit by bit, since every sweep makes one more block from the loss on final; from right_side() l do.
/// More is not to be had: a sweep carries information over one block only.
template <class T>
void jacobi_sweep(const BackwardSystem<T>& system, std::span<const T> v, std::span<T> next);

}  // namespace upsweep
