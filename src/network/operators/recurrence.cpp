#include "upsweep/network/operators/recurrence.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "upsweep/base/checked.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/network/operator.hpp"

namespace upsweep {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What a step leaves: the values of its gates, the state before and the state.
struct StepState {
  std::vector<double> gates;   ///< after their functions, one after the other; of lstm i, f, g, o
  std::vector<double> inner;   ///< gru with reset_after: what the matrix of n makes of the state, with its bias
  std::vector<double> before;  ///< h
  std::vector<double> cell_before, cell;
  std::vector<double> state;
};

/// The layer with its numbers; step k is the k-th that it goes.
class Layer {
 public:
  Layer(const Recurrence& kind, const Shape& in, const OperatorWeights& weights)
      : kind_(kind), steps_(in[0]), features_(in[1]), hidden_(kind.hidden), weights_(weights) {}

  [[nodiscard]] std::size_t time_of(std::size_t k) const { return kind_.reversed ? steps_ - 1 - k : k; }

  [[nodiscard]] std::vector<StepState> run(std::span<const double> x) const {
    std::vector<StepState> all;
    StepState last;
    last.state.assign(hidden_, 0.0);
    last.cell.assign(hidden_, 0.0);
    for (std::size_t k = 0; k < steps_; ++k) {
      StepState next = step(x.subspan(time_of(k) * features_, features_), last);
      last = next;
      all.push_back(std::move(next));
    }
    return all;
  }

  /// How the states of step k change with one element of the input: `h` and `c` (of lstm) come from the step before,
  /// and `feature` is the element of this step's input, or none.
  void advance(const StepState& at, std::vector<double>& h, std::vector<double>& c, std::ptrdiff_t feature) const {
    std::vector<double> sums(kind_.gates() * hidden_, 0.0);
    const auto from_input = [&](std::size_t row) {
      return feature < 0 ? 0.0 : weight(row, static_cast<std::size_t>(feature));
    };
    const std::size_t plain = kind_.cell == RecurrentCell::gru ? 2 * hidden_ : sums.size();
    for (std::size_t row = 0; row < plain; ++row) sums[row] = from_input(row) + times_state(row, h);
    switch (kind_.cell) {
      case RecurrentCell::rnn:
        for (std::size_t j = 0; j < hidden_; ++j) h[j] = sums[j] * rnn_slope(at.state[j]);
        return;
      case RecurrentCell::gru:
        return advance_gru(at, h, sums, from_input);
      case RecurrentCell::lstm:
        break;
    }
    for (std::size_t j = 0; j < hidden_; ++j) {
      const auto gate = [&](std::size_t g) { return at.gates[g * hidden_ + j]; };
      const auto bend = [&](std::size_t g) { return sums[g * hidden_ + j] * gate(g) * (1 - gate(g)); };
      const double candidate = sums[2 * hidden_ + j] * (1 - gate(2) * gate(2));
      c[j] = bend(0) * gate(2) + gate(0) * candidate + bend(1) * at.cell_before[j] + gate(1) * c[j];
      const double t = std::tanh(at.cell[j]);
      h[j] = bend(3) * t + gate(3) * (1 - t * t) * c[j];
    }
  }

 private:
  [[nodiscard]] double weight(std::size_t row, std::size_t column) const {
    return weights_.values[row * (features_ + hidden_) + column];
  }
  [[nodiscard]] double bias(std::size_t which, std::size_t row) const {
    return weights_.bias.empty() ? 0 : weights_.bias[which * kind_.gates() * hidden_ + row];
  }
  [[nodiscard]] double times_state(std::size_t row, const std::vector<double>& h) const {
    const double* from = weights_.values.data() + row * (features_ + hidden_) + features_;
    double sum = 0;
    for (std::size_t j = 0; j < hidden_; ++j) sum += from[j] * h[j];
    return sum;
  }
  [[nodiscard]] double times_input(std::size_t row, std::span<const double> x) const {
    double sum = bias(0, row);
    for (std::size_t f = 0; f < features_; ++f) sum += weight(row, f) * x[f];
    return sum;
  }
  [[nodiscard]] double rnn_slope(double state) const { return kind_.relu ? (state > 0 ? 1 : 0) : 1 - state * state; }

  [[nodiscard]] StepState step(std::span<const double> x, const StepState& last) const {
    StepState next;
    next.before = last.state;
    next.cell_before = last.cell;
    next.cell.assign(hidden_, 0.0);
    next.state.resize(hidden_);
    next.gates.resize(kind_.gates() * hidden_);
    const std::size_t plain = kind_.cell == RecurrentCell::gru ? 2 * hidden_ : next.gates.size();
    for (std::size_t row = 0; row < plain; ++row)
      next.gates[row] = times_input(row, x) + times_state(row, next.before) + bias(1, row);
    switch (kind_.cell) {
      case RecurrentCell::rnn:
        for (std::size_t j = 0; j < hidden_; ++j)
          next.state[j] = kind_.relu ? std::max(0.0, next.gates[j]) : std::tanh(next.gates[j]);
        break;
      case RecurrentCell::gru:
        gru_step(x, next);
        break;
      case RecurrentCell::lstm:
        for (std::size_t row = 0; row < next.gates.size(); ++row)
          next.gates[row] = row / hidden_ == 2 ? std::tanh(next.gates[row]) : sigmoid(next.gates[row]);
        for (std::size_t j = 0; j < hidden_; ++j) {
          const auto gate = [&](std::size_t g) { return next.gates[g * hidden_ + j]; };
          next.cell[j] = gate(1) * last.cell[j] + gate(0) * gate(2);
          next.state[j] = gate(3) * std::tanh(next.cell[j]);
        }
        break;
    }
    return next;
  }

  void gru_step(std::span<const double> x, StepState& next) const {
    for (std::size_t row = 0; row < 2 * hidden_; ++row) next.gates[row] = sigmoid(next.gates[row]);
    std::vector<double> reset = next.before;
    if (!kind_.reset_after) {
      for (std::size_t j = 0; j < hidden_; ++j) reset[j] *= next.gates[j];
    }
    for (std::size_t j = 0; j < hidden_; ++j) {
      const std::size_t row = 2 * hidden_ + j;
      const double inner = times_state(row, reset) + bias(1, row);
      next.inner.push_back(inner);
      next.gates[row] = std::tanh(times_input(row, x) + (kind_.reset_after ? next.gates[j] * inner : inner));
    }
    for (std::size_t j = 0; j < hidden_; ++j) {
      const double z = next.gates[hidden_ + j];
      next.state[j] = (1 - z) * next.gates[2 * hidden_ + j] + z * next.before[j];
    }
  }

  void advance_gru(const StepState& at, std::vector<double>& h, const std::vector<double>& sums,
                   const auto& from_input) const {
    const auto bend = [&](std::size_t row) { return sums[row] * at.gates[row] * (1 - at.gates[row]); };
    std::vector<double> reset = h;
    if (!kind_.reset_after) {
      for (std::size_t j = 0; j < hidden_; ++j) reset[j] = h[j] * at.gates[j] + at.before[j] * bend(j);
    }
    std::vector<double> next(hidden_);
    for (std::size_t j = 0; j < hidden_; ++j) {
      const std::size_t row = 2 * hidden_ + j;
      const double inner = times_state(row, reset);
      const double n = at.gates[row];
      const double z = at.gates[hidden_ + j];
      const double sum = from_input(row) + (kind_.reset_after ? at.gates[j] * inner + bend(j) * at.inner[j] : inner);
      next[j] = (1 - z) * sum * (1 - n * n) + z * h[j] + bend(hidden_ + j) * (at.before[j] - n);
    }
    h = std::move(next);
  }

  const Recurrence& kind_;
  std::size_t steps_, features_, hidden_;
  const OperatorWeights& weights_;
};

}  // namespace

double RecurrentSlopes::operator()(std::size_t row, std::size_t column) const {
  const auto order = [&](std::size_t time) { return reversed ? steps - 1 - time : time; };
  const std::size_t from = order(row / features);
  const std::size_t to = order(column / hidden);
  // Steps before `from` have steps, steps - 1, ... that they reach.
  const std::size_t before = from * steps - from * (from - 1) / 2;
  const std::size_t place = (before * features + row % features * (steps - from) + to - from) * hidden;
  return numbers[place + column % hidden];
}

Shape Recurrence::shape(std::span<const Shape> in) const {
  require_fit(in.size() == 1 && in[0].size() == 2, in, "one of [steps, features]");
  require_positive("hidden_size", hidden);
  return {in[0][0], hidden};
}

OperatorParameters Recurrence::parameters(const Shape& in) const {
  const std::uint64_t rows = checked_mul(gates(), hidden);
  return {.weight = Shape{rows, checked_add(in[1], hidden)}, .biases = bias ? checked_mul(2, rows) : 0};
}

SharedRows Recurrence::rows(const Operator& op, std::size_t) const {
  SharedRows rows;
  const std::uint64_t features = op.in_shape[1];
  rows.count = static_cast<std::uint32_t>(op.in_shape[0]);
  rows.number_of.resize(elements(op.in_shape));
  for (std::size_t e = 0; e < rows.number_of.size(); ++e) rows.number_of[e] = static_cast<std::uint32_t>(e / features);
  rows.write = [kind = *this, steps = op.in_shape[0]](std::uint32_t t, std::vector<std::uint32_t>& columns) {
    const std::uint64_t begin = kind.reversed ? 0 : t * kind.hidden;
    const std::uint64_t end = kind.reversed ? (t + 1) * kind.hidden : steps * kind.hidden;
    for (std::uint64_t c = begin; c < end; ++c) columns.push_back(static_cast<std::uint32_t>(c));
  };
  return rows;
}

std::uint64_t Recurrence::entries(const Operator& op, std::size_t) const {
  const std::uint64_t steps = op.in_shape[0];
  return checked_mul(checked_mul(steps * (steps + 1) / 2, op.in_shape[1]), hidden);
}

std::uint64_t Recurrence::baseline_flops(const Operator& op, std::size_t) const {
  // Back-propagation through time: two matrices of each gate in every step.
  return checked_mul(2 * gates() * op.in_shape[0], checked_mul(hidden, checked_add(hidden, op.in_shape[1])));
}

std::vector<double> Recurrence::value(const Operator& op, const OperatorWeights& weights,
                                      std::span<const std::span<const double>> inputs) const {
  const Layer layer(*this, op.in_shape, weights);
  std::vector<double> out(elements(op.out_shape));
  const std::vector<StepState> states = layer.run(inputs[0]);
  for (std::size_t k = 0; k < states.size(); ++k)
    std::ranges::copy(states[k].state, out.begin() + static_cast<std::ptrdiff_t>(layer.time_of(k) * hidden));
  return out;
}

RecurrentSlopes Recurrence::slopes(const Operator& op, const OperatorWeights& weights, std::size_t,
                                   const MixingSample& sample) const {
  const Layer layer(*this, op.in_shape, weights);
  const std::vector<StepState> states = layer.run(sample.inputs[0]);
  RecurrentSlopes slopes{op.in_shape[0], op.in_shape[1], hidden, reversed, {}};
  slopes.numbers.resize(entries(op, 0));
  parallel_chunks(elements(op.in_shape), 1, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t row = begin; row < end; ++row) {
      const std::size_t from = row / slopes.features;
      const std::size_t before = from * slopes.steps - from * (from - 1) / 2;
      double* to =
          slopes.numbers.data() + (before * slopes.features + row % slopes.features * (slopes.steps - from)) * hidden;
      std::vector<double> h(hidden, 0.0);
      std::vector<double> c(hidden, 0.0);
      for (std::size_t k = from; k < slopes.steps; ++k, to += hidden) {
        layer.advance(states[k], h, c, k == from ? static_cast<std::ptrdiff_t>(row % slopes.features) : -1);
        std::ranges::copy(h, to);
      }
    }
  });
  return slopes;
}

void Recurrence::add_value_gradients(const Operator&, const OperatorWeights&, std::span<const OperatorSample>,
                                     std::span<double>) const {
  throw std::invalid_argument("gradients of a recurrence's weights are not modelled, accepted are recurrent models");
}

}  // namespace upsweep
