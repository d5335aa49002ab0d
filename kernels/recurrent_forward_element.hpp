#pragma once

#include <cmath>

#include "recurrent_factors.hpp"
#include "recurrent_forward_view.hpp"

/// One hidden element of one step, forwards. exp and tanh are those of the platform, to a few units in the last place.
/// Source: thesis, Equations 4.2 and 4.3.
namespace upsweep::kernels {

/// What a step does with the sums of an element.
template <class T, CellKind kKind>
struct ElementForward;

template <class T>
struct ElementForward<T, CellKind::rnn> {
  static constexpr unsigned kGates = 1;

  /// Writes h_t and returns it; `at` is the element's place in h_{t-1}. `is_finite` becomes false where it is not.
  UPSWEEP_HOST_DEVICE static T finish(const ForwardView<T>& view, std::uint64_t at, const T (&from_input)[kGates],
                                      const T (&from_hidden)[kGates], T /*hidden_bias*/, T /*before*/,
                                      bool& is_finite) {
    const T sum = from_input[0] + from_hidden[0];
    T after = 0;
    if (view.is_relu) {
      after = sum <= 0 ? T(0) : sum;  // NaN stays
    } else {
      after = std::tanh(sum);
    }
    view.states[at + view.stride()] = after;
    if (!(after * 0 == 0)) is_finite = false;
    return after;
  }
};

template <class T>
struct ElementForward<T, CellKind::gru> {
  static constexpr unsigned kGates = 3;

  UPSWEEP_HOST_DEVICE static T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }

  /// The same, with its gates.
  UPSWEEP_HOST_DEVICE static T finish(const ForwardView<T>& view, std::uint64_t at, const T (&from_input)[kGates],
                                      const T (&from_hidden)[kGates], T hidden_bias, T before, bool& is_finite) {
    const T r = sigmoid(from_input[0] + from_hidden[0]);
    const T z = sigmoid(from_input[1] + from_hidden[1]);
    const T m = from_hidden[2] + hidden_bias;
    const T n = std::tanh(from_input[2] + r * m);
    const T after = (1 - z) * n + z * before;
    view.r[at] = r;
    view.z[at] = z;
    view.m[at] = m;
    view.n[at] = n;
    view.states[at + view.stride()] = after;
    if (!(after * 0 == 0 && m * 0 == 0)) is_finite = false;
    return after;
  }
};

/// The sums from the inputs of one element at the coming steps, read ahead since memory takes longer than a step.
template <class T, CellKind kKind, unsigned kAhead>
class SumsAhead {
 public:
  static constexpr unsigned kGates = ElementForward<T, kKind>::kGates;

  /// From step 1 on, where element `at` stands in h_0; reads nothing where it `is_there` not.
  UPSWEEP_HOST_DEVICE void start(const ForwardView<T>& view, std::uint64_t at, bool is_there) {
    at_ = at;
    left_ = is_there ? view.steps : 0;
    UPSWEEP_UNROLL
    for (unsigned i = 0; i < kAhead; ++i) read(view, sums_[i]);
  }
  /// Those of the next step.
  UPSWEEP_HOST_DEVICE void next(const ForwardView<T>& view, T (&to)[kGates]) {
    UPSWEEP_UNROLL
    for (unsigned gate = 0; gate < kGates; ++gate) {
      to[gate] = sums_[0][gate];
      UPSWEEP_UNROLL
      for (unsigned i = 1; i < kAhead; ++i) sums_[i - 1][gate] = sums_[i][gate];
    }
    read(view, sums_[kAhead - 1]);
  }

 private:
  UPSWEEP_HOST_DEVICE void read(const ForwardView<T>& view, T (&to)[kGates]) {
    UPSWEEP_UNROLL
    for (unsigned gate = 0; gate < kGates; ++gate) to[gate] = left_ == 0 ? T(0) : view.template sums<kKind>(gate)[at_];
    if (left_ == 0) return;
    at_ += view.stride();
    --left_;
  }

  T sums_[kAhead][kGates];
  std::uint64_t at_ = 0;
  std::uint64_t left_ = 0;  // steps that are not read yet
};

}  // namespace upsweep::kernels
