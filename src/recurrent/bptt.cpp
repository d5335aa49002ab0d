#include "upsweep/recurrent/bptt.hpp"

#include <algorithm>
#include <vector>

#include "step_jacobians.hpp"
#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

/// Derivatives of the loss with respect to the hidden sums of one sample at step t, by the chain rule through
/// Equations 4.2 and 4.3 of the thesis; and in `direct` what reaches h_{t-1} past the sums.
template <class T>
void chain_rule(const ForwardStates<T>& states, std::size_t at, const T* g, std::vector<T>& sums,
                std::vector<T>& direct) {
  const std::size_t h = states.shape.hidden;
  for (std::size_t i = 0; i < h; ++i) {
    const T before = states.hidden[at + i];
    const T after = states.hidden[at + states.batch * h + i];
    direct[i] = 0;
    if (states.shape.kind == CellKind::gru) {
      const T r = states.r[at + i];
      const T z = states.z[at + i];
      const T n = states.n[at + i];
      const T to_n = g[i] * (1 - z);
      const T to_sum_n = to_n * (1 - n) * (1 + n);
      const T to_r = to_sum_n * states.m[at + i];
      const T to_z = g[i] * (before - n);
      sums[i] = to_r * r * (1 - r);
      sums[h + i] = to_z * z * (1 - z);
      sums[2 * h + i] = to_sum_n * r;
      direct[i] = g[i] * z;
    } else if (states.shape.nonlinearity == Nonlinearity::relu) {
      sums[i] = after > 0 ? g[i] : T(0);
    } else {
      sums[i] = g[i] * (1 - after) * (1 + after);
    }
  }
}

}  // namespace

template <class T>
void bptt_reference(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                    std::span<T> gradients) {
  require_backward(weights, states, last, gradients);
  const std::size_t h = weights.shape.hidden;
  std::vector<T> sums(weights.shape.gates() * h);
  std::vector<T> direct(h);
  std::copy(last.begin(), last.end(), gradients.begin() + static_cast<std::ptrdiff_t>(gradients.size() - last.size()));
  for (std::size_t t = states.steps; t > 0; --t) {
    for (std::size_t b = 0; b < states.batch; ++b) {
      const std::size_t at = ((t - 1) * states.batch + b) * h;
      chain_rule(states, at, gradients.data() + at + states.batch * h, sums, direct);
      for (std::size_t j = 0; j < h; ++j) {
        T sum = direct[j];
        for (std::size_t i = 0; i < sums.size(); ++i) sum += weights.w_hh[i * h + j] * sums[i];
        gradients[at + j] = sum;
      }
    }
  }
}

template <class T>
void bptt(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
          std::span<T> gradients) {
  require_backward(weights, states, last, gradients);
  std::copy(last.begin(), last.end(), gradients.begin() + static_cast<std::ptrdiff_t>(gradients.size() - last.size()));
  const BackwardSteps<T> steps(weights, states);
  // As few chunks as there are threads: each walks along all steps, and rows of several samples are read as a whole.
  const std::size_t threads = parallel_threads();
  parallel_chunks(states.batch, (states.batch + threads - 1) / threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    StepScratch<T> scratch(weights.shape, end - begin);
                    steps.take_vectors(states.steps, 0, begin, end, gradients.data(), scratch);
                  });
}

std::uint64_t bptt_flops(const CellShape& shape, std::size_t steps, std::size_t batch) {
  const std::uint64_t product = checked_mul(2 * shape.gates(), checked_mul(shape.hidden, shape.hidden));
  return checked_mul(product, checked_mul(steps, batch));
}

template void bptt_reference<float>(const CellWeights<float>&, const ForwardStates<float>&, std::span<const float>,
                                    std::span<float>);
template void bptt_reference<double>(const CellWeights<double>&, const ForwardStates<double>&, std::span<const double>,
                                     std::span<double>);
template void bptt<float>(const CellWeights<float>&, const ForwardStates<float>&, std::span<const float>,
                          std::span<float>);
template void bptt<double>(const CellWeights<double>&, const ForwardStates<double>&, std::span<const double>,
                           std::span<double>);

}  // namespace upsweep
