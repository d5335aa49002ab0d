#include "elementwise.hpp"

#include <bit>
#include <cstdint>

#include "vectorised.hpp"

namespace upsweep {
namespace {

/// What exp needs to know of a floating-point type.
template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  static constexpr int kMantissa = 23;
  static constexpr Bits kBias = 127;
  static constexpr int kTerms = 8;       // of the series of exp, up to (ln 2 / 2)^8 / 8!
  static constexpr float kLargest = 87;  // exp(87) is finite, exp(-87) normal
  static constexpr float kRound = 0x1.8p23F;
  static constexpr float kLn2High = 0x1.62ep-1F;  // 12 bits: k · kLn2High is exact
  static constexpr float kLn2Low = 0x1.0bfbe8p-15F;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  static constexpr int kMantissa = 52;
  static constexpr Bits kBias = 1023;
  static constexpr int kTerms = 14;
  static constexpr double kLargest = 700;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1;  // 32 bits
  static constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
};

/// exp(x) = scale · (1 + rest), with rest near 0 accurate relative to itself. |x| is at most Format<T>::kLargest, or
/// NaN.
template <class T>
struct Exp {
  T scale;
  T rest;
};

template <class T>
[[gnu::always_inline]] inline Exp<T> exp_parts(T x) {
  using F = Format<T>;
  using Bits = typename F::Bits;
  const T shifted = x * T(1.4426950408889634) + F::kRound;  // the lowest bits of its mantissa are the integer
  const T k = shifted - F::kRound;
  const T y = (x - k * F::kLn2High) - k * F::kLn2Low;
  T sum = 1;  // 1 + y/2 · (1 + y/3 · (...)), so that rest = y · sum
#pragma GCC unroll 16
  for (int i = F::kTerms; i >= 2; --i) sum = 1 + sum * y * T(1.0 / i);
  const Bits exponent = (std::bit_cast<Bits>(shifted) + F::kBias) << F::kMantissa;
  return {std::bit_cast<T>(exponent), y * sum};
}

template <class T>
[[gnu::always_inline]] inline T clamped(T x, T limit) {
  x = x > limit ? limit : x;  // NaN stays
  return x < -limit ? -limit : x;
}

/// 1 / (1 + exp(-x)), from -x within the limits of exp.
template <class T>
[[gnu::always_inline]] inline T sigmoid_of_negative(T x) {
  const Exp<T> e = exp_parts(x);
  return 1 / (1 + (e.scale + e.scale * e.rest));
}

template <class T>
[[gnu::always_inline]] inline T tanh_of(T x) {
  // tanh |x| = m / (m + 2) with m = exp(2 |x|) - 1, which is accurate near 0; beyond 22 the result is 1 in any case.
  const T magnitude = x < 0 ? -x : x;
  const T twice = 2 * (magnitude > 22 ? T(22) : magnitude);
  const Exp<T> e = exp_parts(twice);
  const T m = e.scale * e.rest + (e.scale - 1);
  const T result = m / (m + 2);
  return x < 0 ? -result : result;
}

/// Whether all numbers are finite.
template <class T>
[[gnu::always_inline]] inline bool all_finite(const T* x, std::size_t count) {
  typename Format<T>::Bits bad = 0;
  for (std::size_t i = 0; i < count; ++i) bad |= x[i] * 0 == 0 ? 0 : 1;  // NaN else
  return bad == 0;
}

template <class T>
[[gnu::always_inline]] inline void tanh_deltas_of(const T* g, const T* h, T* deltas, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) deltas[i] = g[i] * ((1 - h[i]) * (1 + h[i]));
}

template <class T>
[[gnu::always_inline]] inline void relu_deltas_of(const T* g, const T* h, T* deltas, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) deltas[i] = h[i] > 0 ? g[i] : T(0);
}

template <class T>
[[gnu::always_inline]] inline void gru_deltas_of(const T* g, const GruStep<T>& step, T* __restrict deltas,
                                                 T* __restrict input_n, std::size_t samples, std::size_t h) {
  for (std::size_t b = 0; b < samples; ++b) {
    T* __restrict to = deltas + b * 3 * h;
    for (std::size_t i = 0; i < h; ++i) {
      const std::size_t at = b * h + i;
      const T r = step.r[at];
      const T z = step.z[at];
      const T n = step.n[at];
      const T sum_n = g[at] * (1 - z) * ((1 - n) * (1 + n));
      to[i] = sum_n * step.m[at] * (r * (1 - r));
      to[h + i] = g[at] * (step.before[at] - n) * (z * (1 - z));
      to[2 * h + i] = sum_n * r;
      if (input_n != nullptr) input_n[at] = sum_n;
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void add_products_of(const T* x, const T* y, T* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += x[i] * y[i];
}

template <class T>
[[gnu::always_inline]] inline bool tanh_step_of(const T* from_input, const T* from_hidden, const T* bias,
                                                T* __restrict h, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) h[i] = tanh_of(from_input[i] + bias[i] + from_hidden[i]);
  return all_finite(h, count);
}

template <class T>
[[gnu::always_inline]] inline bool relu_step_of(const T* from_input, const T* from_hidden, const T* bias,
                                                T* __restrict h, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const T sum = from_input[i] + bias[i] + from_hidden[i];
    h[i] = sum <= 0 ? T(0) : sum;  // NaN stays
  }
  return all_finite(h, count);
}

template <class T>
[[gnu::always_inline]] inline bool gru_step_of(const T* from_input, const T* from_hidden, const T* bias,
                                               const T* before, const GruResult<T>& to, std::size_t count) {
  T* __restrict r = to.r;
  T* __restrict z = to.z;
  T* __restrict n = to.n;
  T* __restrict m = to.m;
  T* __restrict h = to.h;
  // In short loops, which compilers vectorise; in one they would branch.
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at_z = count + i;
    r[i] = clamped(-(from_input[i] + bias[i] + from_hidden[i]), Format<T>::kLargest);
    z[i] = clamped(-(from_input[at_z] + bias[at_z] + from_hidden[at_z]), Format<T>::kLargest);
  }
  for (std::size_t i = 0; i < count; ++i) r[i] = sigmoid_of_negative(r[i]);
  for (std::size_t i = 0; i < count; ++i) z[i] = sigmoid_of_negative(z[i]);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at_n = 2 * count + i;
    m[i] = from_hidden[at_n] + bias[at_n];
    n[i] = from_input[at_n] + bias[at_n + count] + r[i] * m[i];
  }
  for (std::size_t i = 0; i < count; ++i) n[i] = tanh_of(n[i]);
  for (std::size_t i = 0; i < count; ++i) h[i] = (1 - z[i]) * n[i] + z[i] * before[i];
  return all_finite(h, count) && all_finite(m, count);
}

}  // namespace

UPSWEEP_VECTORISED void tanh_deltas(const float* g, const float* h, float* deltas, std::size_t count) {
  tanh_deltas_of(g, h, deltas, count);
}
UPSWEEP_VECTORISED void relu_deltas(const float* g, const float* h, float* deltas, std::size_t count) {
  relu_deltas_of(g, h, deltas, count);
}
UPSWEEP_VECTORISED void gru_deltas(const float* g, const GruStep<float>& step, float* deltas, float* input_n,
                                   std::size_t samples, std::size_t h) {
  gru_deltas_of(g, step, deltas, input_n, samples, h);
}
UPSWEEP_VECTORISED void add_products(const float* x, const float* y, float* to, std::size_t count) {
  add_products_of(x, y, to, count);
}
UPSWEEP_VECTORISED bool tanh_step(const float* from_input, const float* from_hidden, const float* bias, float* h,
                                  std::size_t count) {
  return tanh_step_of(from_input, from_hidden, bias, h, count);
}
UPSWEEP_VECTORISED bool relu_step(const float* from_input, const float* from_hidden, const float* bias, float* h,
                                  std::size_t count) {
  return relu_step_of(from_input, from_hidden, bias, h, count);
}
UPSWEEP_VECTORISED bool gru_step(const float* from_input, const float* from_hidden, const float* bias,
                                 const float* before, const GruResult<float>& to, std::size_t count) {
  return gru_step_of(from_input, from_hidden, bias, before, to, count);
}

UPSWEEP_VECTORISED void tanh_deltas(const double* g, const double* h, double* deltas, std::size_t count) {
  tanh_deltas_of(g, h, deltas, count);
}
UPSWEEP_VECTORISED void relu_deltas(const double* g, const double* h, double* deltas, std::size_t count) {
  relu_deltas_of(g, h, deltas, count);
}
UPSWEEP_VECTORISED void gru_deltas(const double* g, const GruStep<double>& step, double* deltas, double* input_n,
                                   std::size_t samples, std::size_t h) {
  gru_deltas_of(g, step, deltas, input_n, samples, h);
}
UPSWEEP_VECTORISED void add_products(const double* x, const double* y, double* to, std::size_t count) {
  add_products_of(x, y, to, count);
}
UPSWEEP_VECTORISED bool tanh_step(const double* from_input, const double* from_hidden, const double* bias, double* h,
                                  std::size_t count) {
  return tanh_step_of(from_input, from_hidden, bias, h, count);
}
UPSWEEP_VECTORISED bool relu_step(const double* from_input, const double* from_hidden, const double* bias, double* h,
                                  std::size_t count) {
  return relu_step_of(from_input, from_hidden, bias, h, count);
}
UPSWEEP_VECTORISED bool gru_step(const double* from_input, const double* from_hidden, const double* bias,
                                 const double* before, const GruResult<double>& to, std::size_t count) {
  return gru_step_of(from_input, from_hidden, bias, before, to, count);
}

}  // namespace upsweep
