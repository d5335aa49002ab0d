#pragma once

#include <cstddef>

namespace upsweep {

/// What a gru's step keeps of `count` numbers each: hidden states of the same samples, one after the other.
template <class T>
struct GruStep {
  const T* before;  ///< h_{t-1}
  const T* r;
  const T* z;
  const T* n;
  const T* m;
};

/// deltas[i] = g[i] · f'(sum of element i): the gradient with respect to the sums W x + W h + b, from the states h =
/// f(sum). Off where h is 0; tanh' as (1 - h)(1 + h), which cancels nothing.
void tanh_deltas(const float* g, const float* h, float* deltas, std::size_t count);
void tanh_deltas(const double* g, const double* h, double* deltas, std::size_t count);
void relu_deltas(const float* g, const float* h, float* deltas, std::size_t count);
void relu_deltas(const double* g, const double* h, double* deltas, std::size_t count);

/// The same of a gru for `samples` of `h` elements each: deltas[b][gate][i] with respect to the hidden sums R, Z, M
/// (thesis, Equation 4.3), and where `input_n` is not null input_n[b][i], with respect to N. Those of R and Z are the
/// same for the inputs' sums.
void gru_deltas(const float* g, const GruStep<float>& step, float* deltas, float* input_n, std::size_t samples,
                std::size_t h);
void gru_deltas(const double* g, const GruStep<double>& step, double* deltas, double* input_n, std::size_t samples,
                std::size_t h);

/// to[i] += x[i] · y[i].
void add_products(const float* x, const float* y, float* to, std::size_t count);
void add_products(const double* x, const double* y, double* to, std::size_t count);

/// A step of the forward pass for `count` hidden elements, of one or more samples: `from_input` = W_ih x and
/// `from_hidden` = W_hh h_{t-1}, `count` numbers for each gate, one gate after the other. Return whether all results
/// are finite.
///
/// The functions are our own, of the four basic operations, to some units in the last place: the same on every machine.
bool tanh_step(const float* from_input, const float* from_hidden, const float* bias, float* h, std::size_t count);
bool tanh_step(const double* from_input, const double* from_hidden, const double* bias, double* h, std::size_t count);
bool relu_step(const float* from_input, const float* from_hidden, const float* bias, float* h, std::size_t count);
bool relu_step(const double* from_input, const double* from_hidden, const double* bias, double* h, std::size_t count);

/// Where a gru's step writes, `count` numbers each.
template <class T>
struct GruResult {
  T* r;
  T* z;
  T* n;
  T* m;
  T* h;
};

/// `bias`, 4 · count numbers, has the b_ih of n last, which stand outside of the reset gate: b_ih + b_hh of r, of z;
/// b_hh of n; b_ih of n.
bool gru_step(const float* from_input, const float* from_hidden, const float* bias, const float* before,
              const GruResult<float>& to, std::size_t count);
bool gru_step(const double* from_input, const double* from_hidden, const double* bias, const double* before,
              const GruResult<double>& to, std::size_t count);

}  // namespace upsweep
