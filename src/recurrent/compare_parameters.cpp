#include "upsweep/recurrent/compare_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

/// The derivative of a hidden element with respect to one of its sums, and the absolute values of its terms.
struct Slope {
  double value = 0;
  double terms = 0;
};

Slope times(const Slope& a, const Slope& b) { return {a.value * b.value, a.terms * b.terms}; }
/// x(1 - x), and of 1 - x².
Slope sigmoid_slope(double x) { return {x * (1 - x), std::fabs(x) * (1 + std::fabs(x))}; }
Slope tanh_slope(double x) { return {(1 - x) * (1 + x), 1 + x * x}; }

/// Slopes of one sum: as the inputs see it and as the hidden states do.
struct SumSlopes {
  Slope input;
  Slope hidden;
};

/// Of gate `gate`, at element `at` of the arrays of gates; `before` and `after` are h_{t-1} and h_t.
template <class T>
SumSlopes sum_slopes(const ForwardStates<T>& states, std::size_t gate, std::size_t at, double before, double after) {
  if (states.shape.kind == CellKind::rnn) {
    const Slope slope = states.shape.nonlinearity == Nonlinearity::tanh
                            ? tanh_slope(after)
                            : Slope{after > 0 ? 1.0 : 0.0, after > 0 ? 1.0 : 0.0};
    return {slope, slope};
  }
  const double r = states.r[at];
  const double z = states.z[at];
  const double n = states.n[at];
  const double m = states.m[at];
  const Slope candidate = times({1 - z, 1 + std::fabs(z)}, tanh_slope(n));
  if (gate == 0) {
    const Slope slope = times(times(candidate, {m, std::fabs(m)}), sigmoid_slope(r));
    return {slope, slope};
  }
  if (gate == 1) {
    const Slope slope = times({before - n, std::fabs(before) + std::fabs(n)}, sigmoid_slope(z));
    return {slope, slope};
  }
  return {candidate, times(candidate, {r, std::fabs(r)})};
}

/// RoundedSums of terms c · g · x: the gradient, of |c · x| · bound of g, and of |c| · |g| · |x|.
struct RoundedSums {
  explicit RoundedSums(std::size_t count) : gradient(count), carried(count), own(count) {}

  void add(std::size_t i, const Slope& c, double g, double g_bound, double x) {
    gradient[i] += c.value * g * x;
    const double weight = std::fabs(c.value * x);
    if (weight > 0) carried[i] += weight * g_bound;  // 0 times infinity is 0
    own[i] += c.terms * std::fabs(g * x);
  }

  std::vector<double> gradient;
  std::vector<double> carried;
  std::vector<double> own;
};

double rounding(std::size_t terms, double u) {
  const double k = static_cast<double>(terms) + 16;
  return std::min(worst_rounding(k, u), random_rounding(k, u, 3));
}

/// Writes a row of a matrix and an element of a bias.
void write_row(const RoundedSums& sums, double relative, std::size_t row, std::size_t width,
               std::vector<double> CellWeights<double>::*matrix, std::vector<double> CellWeights<double>::*bias,
               ParameterOracle& oracle) {
  for (std::size_t i = 0; i <= width; ++i) {
    const double bound = sums.carried[i] + relative * sums.own[i];
    if (i < width) {
      (oracle.gradient.*matrix)[row * width + i] = sums.gradient[i];
      (oracle.bound.*matrix)[row * width + i] = bound;
    } else {
      (oracle.gradient.*bias)[row] = sums.gradient[i];
      (oracle.bound.*bias)[row] = bound;
    }
  }
}

/// All gradients of one sum of the cell: its row of W_ih and of W_hh, and its biases.
template <class T>
void fill_row(std::size_t row, const ForwardStates<T>& states, std::span<const T> inputs,
              const HiddenGradientOracle& hidden, const std::vector<double>& bounds, ParameterOracle& oracle) {
  const std::size_t h = states.shape.hidden;
  const std::size_t width = states.shape.input;
  const std::size_t stride = states.batch * h;
  RoundedSums from_input(width + 1);
  RoundedSums from_hidden(h + 1);
  for (std::size_t s = 0; s < states.steps * states.batch; ++s) {  // step s / batch + 1 of sample s % batch
    const std::size_t at = s * h + row % h;
    const double g = hidden.gradient[at + stride];
    const double g_bound = bounds[at + stride];
    const SumSlopes slopes = sum_slopes(states, row / h, at, states.hidden[at], states.hidden[at + stride]);
    for (std::size_t i = 0; i < width; ++i) from_input.add(i, slopes.input, g, g_bound, inputs[s * width + i]);
    from_input.add(width, slopes.input, g, g_bound, 1);
    for (std::size_t i = 0; i < h; ++i) from_hidden.add(i, slopes.hidden, g, g_bound, states.hidden[s * h + i]);
    from_hidden.add(h, slopes.hidden, g, g_bound, 1);
  }
  const double relative = rounding(states.steps * states.batch, kOracleRoundoff<T>);
  write_row(from_input, relative, row, width, &CellWeights<double>::w_ih, &CellWeights<double>::b_ih, oracle);
  write_row(from_hidden, relative, row, h, &CellWeights<double>::w_hh, &CellWeights<double>::b_hh, oracle);
}

template <class T>
void fill_head(const ForwardStates<T>& states, const HeadResult<T>& head, ParameterOracle& oracle) {
  const std::size_t h = states.shape.hidden;
  const std::size_t classes = states.shape.classes;
  const double relative = rounding(states.batch, kOracleRoundoff<T>);
  for (std::size_t c = 0; c < classes; ++c) {
    RoundedSums sums(h + 1);
    for (std::size_t b = 0; b < states.batch; ++b) {
      const double g = head.logits_gradient[b * classes + c];
      for (std::size_t i = 0; i < h; ++i) sums.add(i, {1, 1}, g, 0, states.at(states.steps)[b * h + i]);
      sums.add(h, {1, 1}, g, 0, 1);
    }
    write_row(sums, relative, c, h, &CellWeights<double>::w_head, &CellWeights<double>::b_head, oracle);
  }
}

}  // namespace

template <class T>
ParameterOracle parameter_oracle(const CellWeights<T>& weights, const ForwardStates<T>& states,
                                 std::span<const T> inputs, const HiddenGradientOracle& hidden,
                                 const HeadResult<T>& head) {
  require_fitting(weights, states);
  require_length("inputs", inputs.size(), states.steps * states.batch * states.shape.input);
  require_length("gradients of the logits", head.logits_gradient.size(), states.batch * states.shape.classes);
  const std::vector<double> bounds = hidden_gradient_bounds(states, hidden);
  ParameterOracle oracle{zero_weights<double>(states.shape), zero_weights<double>(states.shape)};
  parallel_chunks(states.shape.gates() * states.shape.hidden, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t row = begin; row < end; ++row) fill_row(row, states, inputs, hidden, bounds, oracle);
  });
  fill_head(states, head, oracle);
  return oracle;
}

template <class T>
ParameterComparison compare_parameters(const ParameterOracle& oracle, const CellWeights<T>& found) {
  if (!(found.shape == oracle.gradient.shape))
    throw std::invalid_argument("parameter gradients of another shape than the oracle");
  require_valid(found);
  ParameterComparison comparison;
  for (std::size_t a = 0; a < kParameterNames.size(); ++a) {
    const std::span<const double> expected = oracle.gradient.arrays()[a];
    double scale = std::numeric_limits<float>::min();
    for (const double x : expected) scale = std::max(scale, std::fabs(x));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // A result of type T is rounded to it at last, as far as it may have underflowed.
      const double allowed = oracle.bound.arrays()[a][i] + (std::is_same_v<T, float> ? 0x1p-149 : 0x1p-1074);
      const auto value = static_cast<double>(found.arrays()[a][i]);
      if (comparison.add(value, expected[i], allowed, scale) || comparison.mismatch) continue;
      comparison.mismatch =
          fmt::format("gradient of {}: element {} is {:.9g}, expected {:.9g}, accepted is a difference of {:.3g}",
                      kParameterNames[a], i, value, expected[i], allowed);
    }
  }
  return comparison;
}

template ParameterOracle parameter_oracle<float>(const CellWeights<float>&, const ForwardStates<float>&,
                                                 std::span<const float>, const HiddenGradientOracle&,
                                                 const HeadResult<float>&);
template ParameterOracle parameter_oracle<double>(const CellWeights<double>&, const ForwardStates<double>&,
                                                  std::span<const double>, const HiddenGradientOracle&,
                                                  const HeadResult<double>&);
template ParameterComparison compare_parameters<float>(const ParameterOracle&, const CellWeights<float>&);
template ParameterComparison compare_parameters<double>(const ParameterOracle&, const CellWeights<double>&);

}  // namespace upsweep
