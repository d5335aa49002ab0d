#include "upsweep/recurrent/compare_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "aligned_array.hpp"
#include "dense_kernels.hpp"
#include "step_jacobians.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/bptt.hpp"

namespace upsweep {
namespace {

constexpr double kSpread = 3;  // standard deviations that an error may be away from 0; these are large already

ForwardStates<double> widened(const ForwardStates<float>& states) {
  const auto wide = [](const std::vector<float>& from) { return std::vector<double>(from.begin(), from.end()); };
  return {states.shape,   states.steps,   states.batch,   wide(states.hidden),
          wide(states.r), wide(states.z), wide(states.n), wide(states.m)};
}

const ForwardStates<double>& widened(const ForwardStates<double>& states) { return states; }

/// Absolute values of the factors of one step and sample: of the rows of W_hh, and of the diagonal.
struct Factors {
  std::vector<double> rows;    // gates · h
  std::vector<double> direct;  // h
};

void absolute_factors(const ForwardStates<double>& states, std::size_t at, Factors& factors) {
  const std::size_t h = states.shape.hidden;
  for (std::size_t i = 0; i < h; ++i) {
    const double before = states.hidden[at + i];
    const double after = states.hidden[at + states.batch * h + i];
    factors.direct[i] = 0;
    if (states.shape.kind == CellKind::gru) {
      const double r = states.r[at + i];
      const double z = states.z[at + i];
      const double n = states.n[at + i];
      const double sum_n = std::fabs((1 - z) * (1 - n) * (1 + n));
      factors.rows[i] = sum_n * std::fabs(states.m[at + i] * r * (1 - r));
      factors.rows[h + i] = std::fabs((before - n) * z * (1 - z));
      factors.rows[2 * h + i] = sum_n * std::fabs(r);
      factors.direct[i] = std::fabs(z);
    } else if (states.shape.nonlinearity == Nonlinearity::relu) {
      factors.rows[i] = after > 0 ? 1 : 0;
    } else {
      factors.rows[i] = std::fabs((1 - after) * (1 + after));
    }
  }
}

/// |J|, not transposed: h × h.
void absolute_jacobian(const CellWeights<double>& weights, const Factors& factors, std::vector<double>& jacobian) {
  const std::size_t h = weights.shape.hidden;
  std::fill(jacobian.begin(), jacobian.end(), 0.0);
  for (std::size_t row = 0; row < factors.rows.size(); ++row) {
    for (std::size_t j = 0; j < h; ++j) {
      jacobian[row % h * h + j] += factors.rows[row] * std::fabs(weights.w_hh[row * h + j]);
    }
  }
  for (std::size_t i = 0; i < h; ++i) jacobian[i * h + i] += factors.direct[i];
}

/// The variances of the sum over s >= t of Φ(t, s) e_s, with Φ(t, s) = J_{t+1}^T ··· J_s^T and independent e_s of given
/// variances: the diagonal of C_{t-1} = J_t^T C_t J_t + Diag(variances of e_{t-1}).
class VarianceChain {
 public:
  explicit VarianceChain(std::size_t h) : h_(h), sums_(h * h), half_(h * h) {}

  /// C_t of the step before times J_t, not transposed, from both sides.
  void multiply_by(const double* jacobian) {
    multiply(SmallProduct<double>{sums_.data(), h_, 1, jacobian, h_, half_.data(), h_, h_, h_, h_});
    multiply(SmallProduct<double>{jacobian, 1, h_, half_.data(), h_, sums_.data(), h_, h_, h_, h_});
  }

  /// Adds variances[i] of the own error; replaces them by those of the sum.
  void add(std::vector<double>& variances) {
    for (std::size_t i = 0; i < h_; ++i) variances[i] = sums_.data()[i * h_ + i] += variances[i];
  }

 private:
  std::size_t h_;
  AlignedArray<double> sums_;
  AlignedArray<double> half_;
};

/// The bounds of one sample, from g_T on.
class SampleBounds {
 public:
  SampleBounds(const CellWeights<double>& weights, const ForwardStates<double>& states,
               const BackwardSteps<double>& steps, double smallest, HiddenGradientOracle& oracle)
      : weights_(weights),
        states_(states),
        steps_(steps),
        smallest_(smallest),
        oracle_(oracle),
        h_(weights.shape.hidden),
        factors_{std::vector<double>(weights.shape.gates() * h_), std::vector<double>(h_)},
        absolute_(h_ * h_),
        jacobian_(h_ * h_),
        scratch_(weights.shape, 1) {}

  void fill(std::size_t b) {
    std::array<VarianceChain, 3> chains{VarianceChain(h_), VarianceChain(h_), VarianceChain(h_)};
    // Squares at the step before: of g, then the variances of the chains.
    std::array<std::vector<double>, 4> squares;
    squares.fill(std::vector<double>(h_));
    double nearer_to_loss = 0;
    for (std::size_t t = states_.steps + 1; t-- > 0;) {
      const std::size_t at = (t * states_.batch + b) * h_;
      if (t < states_.steps) {
        absolute_factors(states_, at, factors_);
        absolute_jacobian(weights_, factors_, absolute_);
        steps_.form(t + 1, b, jacobian_.data(), h_, scratch_);
        for (VarianceChain& chain : chains) chain.multiply_by(jacobian_.data());
      }
      fill_magnitudes(t, at, nearer_to_loss);
      const double underflow = smallest_ * std::max(1.0, nearer_to_loss);
      std::vector<double> now(h_);
      for (std::size_t i = 0; i < h_; ++i) {
        const double g = oracle_.gradient[at + i];
        now[i] = g * g + underflow * underflow;
        nearer_to_loss += std::fabs(g);
      }
      advance(chains, squares, std::move(now));
      for (std::size_t i = 0; i < h_; ++i) {
        // Where sums overflow, nothing is known.
        oracle_.deviation[at + i] = std::isnan(squares[3][i]) ? HUGE_VAL : std::sqrt(squares[3][i]);
      }
    }
  }

 private:
  /// Each chain gets the variances of the one before it, and those of an error of size 1 in the last Jacobian alone.
  void advance(std::array<VarianceChain, 3>& chains, std::array<std::vector<double>, 4>& squares,
               std::vector<double> now) const {
    for (std::size_t c = 0; c < chains.size(); ++c) {
      std::vector<double> next(now);
      for (std::size_t i = 0; i < h_; ++i) {
        for (std::size_t j = 0; j < h_; ++j) {
          const double entry = absolute_[i * h_ + j];
          next[j] += entry * entry * squares[c][i];
        }
      }
      squares[c] = std::move(now);
      chains[c].add(next);
      now = std::move(next);
    }
    squares.back() = std::move(now);
  }

  void fill_magnitudes(std::size_t t, std::size_t at, double nearer_to_loss) {
    const std::size_t after = at + states_.batch * h_;
    for (std::size_t j = 0; j < h_; ++j) {
      double magnitude = smallest_ * std::max(1.0, nearer_to_loss);
      if (t == states_.steps) magnitude += std::fabs(oracle_.gradient[at + j]);
      for (std::size_t i = 0; t < states_.steps && i < h_; ++i) {
        const double entry = absolute_[i * h_ + j];
        if (entry > 0) magnitude += entry * oracle_.magnitude[after + i];  // 0 times infinity is 0
      }
      oracle_.magnitude[at + j] = magnitude;
    }
  }

  const CellWeights<double>& weights_;
  const ForwardStates<double>& states_;
  const BackwardSteps<double>& steps_;
  double smallest_;
  HiddenGradientOracle& oracle_;
  std::size_t h_;
  Factors factors_;
  std::vector<double> absolute_;
  AlignedArray<double> jacobian_;
  StepScratch<double> scratch_;
};

/// The bound of an element, for unit roundoff u.
double bound_of(const CellShape& shape, std::size_t steps, double u, double magnitude, double deviation) {
  if (steps == 0) return 0;
  const double per_step = roundings_per_step(shape);
  return std::min(worst_rounding(static_cast<double>(steps) * per_step, u) * magnitude,
                  random_rounding(per_step, u, kSpread) * deviation);
}

}  // namespace

template <class T>
HiddenGradientOracle hidden_gradient_oracle(const CellWeights<T>& weights, const ForwardStates<T>& states,
                                            std::span<const T> last) {
  const CellWeights<double> wide = to_double(weights);
  const ForwardStates<double>& wide_states = widened(states);
  const std::vector<double> wide_last(last.begin(), last.end());
  HiddenGradientOracle oracle;
  oracle.gradient.resize(states.hidden.size());
  oracle.magnitude.resize(states.hidden.size());
  oracle.deviation.resize(states.hidden.size());
  bptt_reference<double>(wide, wide_states, wide_last, oracle.gradient);
  const BackwardSteps<double> steps(wide, wide_states);
  parallel_chunks(states.batch, 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    SampleBounds bounds(wide, wide_states, steps, kSmallestProduct<T>, oracle);
    for (std::size_t b = begin; b < end; ++b) bounds.fill(b);
  });
  return oracle;
}

double roundings_per_step(const CellShape& shape) {
  constexpr double kDerivative = 9;  // of the reset gate's factor, the longest
  constexpr double kForm = 5;        // times a weight, four terms
  return kDerivative + kForm + static_cast<double>(shape.gates() * shape.hidden) + 2;
}

template <class T>
std::vector<double> hidden_gradient_bounds(const ForwardStates<T>& states, const HiddenGradientOracle& oracle) {
  if (oracle.gradient.size() != states.hidden.size()) {
    throw std::invalid_argument(
        fmt::format("{} gradients of the oracle, accepted are {}", oracle.gradient.size(), states.hidden.size()));
  }
  std::vector<double> bounds(oracle.gradient.size());
  const std::size_t stride = states.batch * states.shape.hidden;
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] =
        bound_of(states.shape, states.steps - i / stride, kOracleRoundoff<T>, oracle.magnitude[i], oracle.deviation[i]);
  }
  return bounds;
}

template <class T>
GradientComparison compare_hidden_gradients(const ForwardStates<T>& states, const HiddenGradientOracle& oracle,
                                            std::span<const T> found) {
  if (found.size() != states.hidden.size() || oracle.gradient.size() != states.hidden.size()) {
    throw std::invalid_argument(fmt::format("{} gradients, {} of the oracle, accepted are {}", found.size(),
                                            oracle.gradient.size(), states.hidden.size()));
  }
  GradientComparison comparison;
  const std::vector<double> bounds = hidden_gradient_bounds(states, oracle);
  const std::size_t stride = states.batch * states.shape.hidden;
  for (std::size_t t = states.steps + 1; t-- > 0;) {
    double scale = kSmallestProduct<T>;
    for (std::size_t i = t * stride; i < (t + 1) * stride; ++i) scale = std::max(scale, std::fabs(oracle.gradient[i]));
    for (std::size_t i = t * stride; i < (t + 1) * stride; ++i) {
      const auto value = static_cast<double>(found[i]);
      if (comparison.add(value, oracle.gradient[i], bounds[i], scale) || comparison.mismatch) continue;
      const std::size_t sample = i / states.shape.hidden % states.batch;
      comparison.mismatch = fmt::format(
          "gradient of h_{} of sample {}: element {} is {:.9g}, expected {:.9g}, accepted is a difference of {:.3g}", t,
          sample, i % states.shape.hidden, value, oracle.gradient[i], bounds[i]);
    }
  }
  return comparison;
}

template HiddenGradientOracle hidden_gradient_oracle<float>(const CellWeights<float>&, const ForwardStates<float>&,
                                                            std::span<const float>);
template HiddenGradientOracle hidden_gradient_oracle<double>(const CellWeights<double>&, const ForwardStates<double>&,
                                                             std::span<const double>);
template std::vector<double> hidden_gradient_bounds<float>(const ForwardStates<float>&, const HiddenGradientOracle&);
template std::vector<double> hidden_gradient_bounds<double>(const ForwardStates<double>&, const HiddenGradientOracle&);
template GradientComparison compare_hidden_gradients<float>(const ForwardStates<float>&, const HiddenGradientOracle&,
                                                            std::span<const float>);
template GradientComparison compare_hidden_gradients<double>(const ForwardStates<double>&, const HiddenGradientOracle&,
                                                             std::span<const double>);

}  // namespace upsweep
