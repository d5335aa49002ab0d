#pragma once

#include "recurrent_cell_view.hpp"

/// The derivatives of one step, element by element: ∂h_t/∂h_{t-1} has the rows
///   sum over gates q of factor q of i · (row q · hidden + i of W_hh), plus factor `gates` of i on the diagonal (gru).
/// Source: thesis, Equations 4.2 to 4.4.
namespace upsweep::kernels {

/// What an element keeps of a step; zeros stand for an element that is not there.
template <class T, CellKind kKind>
struct ElementStates;

template <class T>
struct ElementStates<T, CellKind::rnn> {
  static constexpr unsigned kGates = 1;
  static constexpr unsigned kFactors = 1;

  T after = 0;

  /// `at` is the element's place in h_{t-1}.
  [[nodiscard]] UPSWEEP_HOST_DEVICE static ElementStates load(const CellView<T>& cell, std::uint64_t at) {
    return {cell.states[at + cell.stride()]};
  }
  UPSWEEP_HOST_DEVICE void factors(bool is_relu, T (&to)[kFactors]) const {
    const T of_tanh = (1 - after) * (1 + after);
    to[0] = is_relu ? static_cast<T>(after > 0) : of_tanh;
  }
};

template <class T>
struct ElementStates<T, CellKind::gru> {
  static constexpr unsigned kGates = 3;
  static constexpr unsigned kFactors = 4;

  T before = 0;
  T r = 0;
  T z = 0;
  T n = 0;
  T m = 0;

  [[nodiscard]] UPSWEEP_HOST_DEVICE static ElementStates load(const CellView<T>& cell, std::uint64_t at) {
    return {cell.states[at], cell.r[at], cell.z[at], cell.n[at], cell.m[at]};
  }
  UPSWEEP_HOST_DEVICE void factors(bool /*is_relu*/, T (&to)[kFactors]) const {
    const T sum_n = (1 - z) * (1 - n) * (1 + n);
    to[0] = sum_n * m * r * (1 - r);
    to[1] = (before - n) * z * (1 - z);
    to[2] = sum_n * r;
    to[3] = z;
  }
};

/// The states of one element at the coming steps, read ahead since memory takes longer than a step.
template <class T, CellKind kKind, unsigned kAhead>
class StatesAhead {
 public:
  using States = ElementStates<T, kKind>;

  /// Element `at_first` (its place in h_{from - 1}) from step range.from on; reads nothing where it `is_there` not.
  UPSWEEP_HOST_DEVICE void start(const CellView<T>& cell, std::uint64_t at_first, StepRange range, bool is_there) {
    at_ = at_first;
    left_ = is_there ? range.from - range.to : 0;
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < kAhead; ++i) read(cell, states_[i]);
  }
  /// Those of the next step.
  [[nodiscard]] UPSWEEP_HOST_DEVICE States next(const CellView<T>& cell) {
    const States now = states_[0];
    UPSWEEP_UNROLL
    for (unsigned i = 1; i < kAhead; ++i) states_[i - 1] = states_[i];
    read(cell, states_[kAhead - 1]);
    return now;
  }

 private:
  UPSWEEP_HOST_DEVICE void read(const CellView<T>& cell, States& to) {
    if (left_ == 0) {
      to = States{};
      return;
    }
    to = States::load(cell, at_);
    at_ -= cell.stride();  // may wrap behind the last step, and is not used then
    --left_;
  }

  States states_[kAhead];
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;  // steps that are not read yet
};

}  // namespace upsweep::kernels
