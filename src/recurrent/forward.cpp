#include "upsweep/recurrent/forward.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "aligned_array.hpp"
#include "dense_kernels.hpp"
#include "elementwise.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep {
namespace {

/// A matrix transposed, its rows padded to whole vectors.
template <class T>
AlignedArray<T> transposed(const std::vector<T>& matrix, std::size_t rows, std::size_t cols) {
  const std::size_t width = padded<T>(rows);
  AlignedArray<T> result(cols * width);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols; ++c) result.data()[c * width + r] = matrix[r * cols + c];
  }
  return result;
}

/// The biases as the steps of a cell add them, gate by gate, each as often as there are samples; of a gru as gru_step()
/// wants them.
template <class T>
std::vector<T> tiled_bias(const CellWeights<T>& weights, std::size_t samples) {
  const std::size_t h = weights.shape.hidden;
  std::vector<T> bias(weights.b_hh);
  const std::size_t shared = weights.shape.kind == CellKind::gru ? 2 * h : h;
  for (std::size_t i = 0; i < shared; ++i) bias[i] += weights.b_ih[i];
  for (std::size_t i = shared; i < weights.b_ih.size(); ++i) bias.push_back(weights.b_ih[i]);
  std::vector<T> tiled;
  for (std::size_t gate = 0; gate < bias.size(); gate += h) {
    for (std::size_t i = 0; i < samples * h; ++i) tiled.push_back(bias[gate + i % h]);
  }
  return tiled;
}

/// Where the first state that is not finite stands.
struct Fault {
  std::size_t step;
  std::size_t sample;

  [[nodiscard]] bool before(const Fault& other) const {
    return step != other.step ? step < other.step : sample < other.sample;
  }
};

template <class T>
class SampleWorker {
 public:
  SampleWorker(const CellWeights<T>& weights, std::span<const T> inputs, ForwardStates<T>& states)
      : shape_(weights.shape),
        weights_(weights),
        w_ih_(transposed(weights.w_ih, shape_.gates() * shape_.hidden, shape_.input)),
        w_hh_(transposed(weights.w_hh, shape_.gates() * shape_.hidden, shape_.hidden)),
        inputs_(inputs),
        states_(states) {}

  /// Samples [begin, end) through all steps, or up to the first fault.
  [[nodiscard]] std::optional<Fault> run(std::size_t begin, std::size_t end) const {
    const std::size_t count = (end - begin) * shape_.hidden;
    const std::vector<T> bias = tiled_bias(weights_, end - begin);
    std::vector<T> from_input(shape_.gates() * count);
    std::vector<T> from_hidden(shape_.gates() * count);
    for (std::size_t t = 1; t <= states_.steps; ++t) {
      const std::size_t row = (t - 1) * states_.batch + begin;
      multiply_gates(w_ih_, inputs_.data() + row * shape_.input, shape_.input, end - begin, from_input.data());
      multiply_gates(w_hh_, states_.hidden.data() + row * shape_.hidden, shape_.hidden, end - begin,
                     from_hidden.data());
      if (!step(row * shape_.hidden, count, from_input.data(), from_hidden.data(), bias.data())) {
        return Fault{t, first_fault(row, end - begin) % states_.batch};
      }
    }
    return std::nullopt;
  }

 private:
  /// to[gate][sample][i] = row `gate · h + i` of the weights · x of the sample; x of `length` numbers each.
  void multiply_gates(const AlignedArray<T>& weights, const T* x, std::size_t length, std::size_t samples,
                      T* to) const {
    const std::size_t h = shape_.hidden;
    const std::size_t width = padded<T>(shape_.gates() * h);
    for (std::size_t gate = 0; gate < shape_.gates(); ++gate) {
      multiply(SmallProduct<T>{x, length, 1, weights.data() + gate * h, width, to + gate * samples * h, h, samples,
                               length, h});
    }
  }

  /// One step of samples whose h_{t-1} starts at `at` and has `count` numbers; whether all is finite.
  [[nodiscard]] bool step(std::size_t at, std::size_t count, const T* from_input, const T* from_hidden,
                          const T* bias) const {
    const T* before = states_.hidden.data() + at;
    T* after = states_.hidden.data() + at + states_.batch * shape_.hidden;
    if (shape_.kind == CellKind::gru) {
      const GruResult<T> to{states_.r.data() + at, states_.z.data() + at, states_.n.data() + at, states_.m.data() + at,
                            after};
      return gru_step(from_input, from_hidden, bias, before, to, count);
    }
    if (shape_.nonlinearity == Nonlinearity::relu) return relu_step(from_input, from_hidden, bias, after, count);
    return tanh_step(from_input, from_hidden, bias, after, count);
  }

  /// The first of `samples` rows from `row` on of h_{t-1} whose h_t, or m, is not finite.
  [[nodiscard]] std::size_t first_fault(std::size_t row, std::size_t samples) const {
    const std::size_t h = shape_.hidden;
    for (std::size_t i = row * h; i < (row + samples) * h; ++i) {
      if (!std::isfinite(states_.hidden[i + states_.batch * h])) return i / h;
      if (!states_.m.empty() && !std::isfinite(states_.m[i])) return i / h;
    }
    throw std::logic_error("a step found a number that is not finite, and then did not");
  }

  CellShape shape_;
  const CellWeights<T>& weights_;
  AlignedArray<T> w_ih_;
  AlignedArray<T> w_hh_;
  std::span<const T> inputs_;
  ForwardStates<T>& states_;
};

}  // namespace

NonFiniteState::NonFiniteState(std::size_t step, std::size_t sample)
    : std::runtime_error(
          fmt::format("the hidden state of sample {} is NaN or infinite from step {} on, accepted are finite numbers",
                      sample, step)),
      step_(step),
      sample_(sample) {}

template <class T>
void run_forward(const CellWeights<T>& weights, std::span<const T> inputs, std::size_t steps, std::size_t batch,
                 std::span<const T> initial, ForwardStates<T>& states) {
  require_valid(weights);
  if (steps == 0 || batch == 0) {
    throw std::invalid_argument(fmt::format("{} steps of {} samples, accepted is 1 or more", steps, batch));
  }
  require_length("inputs", inputs.size(), steps * batch * weights.shape.input);
  if (!initial.empty()) require_length("initial hidden states", initial.size(), batch * weights.shape.hidden);
  set_sizes(weights.shape, steps, batch, states);
  if (initial.empty()) {
    std::fill_n(states.hidden.begin(), batch * weights.shape.hidden, T(0));
  } else {
    std::copy(initial.begin(), initial.end(), states.hidden.begin());
  }
  const SampleWorker<T> worker(weights, inputs, states);
  std::mutex guard;
  std::optional<Fault> first;
  const std::size_t slots = parallel_threads();
  parallel_chunks(batch, (batch + slots - 1) / slots, [&](std::size_t begin, std::size_t end, std::size_t) {
    const std::optional<Fault> fault = worker.run(begin, end);
    const std::scoped_lock lock(guard);
    if (fault && (!first || fault->before(*first))) first = fault;
  });
  if (first) throw NonFiniteState(first->step, first->sample);
}

template <class T>
ForwardStates<T> run_forward(const CellWeights<T>& weights, std::span<const T> inputs, std::size_t steps,
                             std::size_t batch, std::span<const T> initial) {
  ForwardStates<T> states;
  run_forward(weights, inputs, steps, batch, initial, states);
  return states;
}

template <class T>
void require_fitting(const CellWeights<T>& weights, const ForwardStates<T>& states) {
  require_valid(weights);
  if (!(weights.shape == states.shape))
    throw std::invalid_argument("the weights and the states are of different cells");
  const std::size_t kept = states.steps * states.batch * states.shape.hidden;
  require_length("hidden states", states.hidden.size(), kept + states.batch * states.shape.hidden);
  if (states.shape.kind != CellKind::gru) return;
  for (const std::vector<T>* gate : {&states.r, &states.z, &states.n, &states.m}) {
    require_length("gates of the states", gate->size(), kept);
  }
}

template void run_forward<float>(const CellWeights<float>&, std::span<const float>, std::size_t, std::size_t,
                                 std::span<const float>, ForwardStates<float>&);
template void run_forward<double>(const CellWeights<double>&, std::span<const double>, std::size_t, std::size_t,
                                  std::span<const double>, ForwardStates<double>&);
template ForwardStates<float> run_forward<float>(const CellWeights<float>&, std::span<const float>, std::size_t,
                                                 std::size_t, std::span<const float>);
template ForwardStates<double> run_forward<double>(const CellWeights<double>&, std::span<const double>, std::size_t,
                                                   std::size_t, std::span<const double>);
template void require_fitting<float>(const CellWeights<float>&, const ForwardStates<float>&);
template void require_fitting<double>(const CellWeights<double>&, const ForwardStates<double>&);

}  // namespace upsweep
