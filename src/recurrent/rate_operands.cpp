#include "rate_operands.hpp"

#include <algorithm>

#include "upsweep/base/checked.hpp"
#include "upsweep/network/random.hpp"

namespace upsweep {
namespace {

/// Numbers from (low, high).
template <class T>
void fill(std::vector<T>& numbers, const UniformStream& uniform, double low, double high) {
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<T>(low + (high - low) * uniform(i));
}

/// I - 2 v v^T / v^T v, a reflection: dense, and its products keep the length of a vector.
template <class T>
void set_reflection(std::size_t h, const UniformStream& uniform, std::vector<T>& matrix) {
  double square = 0;
  for (std::size_t i = 0; i < h; ++i) square += (uniform(i) + 0.1) * (uniform(i) + 0.1);
  for (std::size_t i = 0; i < h; ++i) {
    for (std::size_t j = 0; j < h; ++j) {
      const double dyad = (uniform(i) + 0.1) * (uniform(j) + 0.1) / square;
      matrix[i * h + j] = static_cast<T>((i == j ? 1 : 0) - 2 * dyad);
    }
  }
}

}  // namespace

template <class T>
RateOperands<T> rate_operands(const CellShape& shape, std::size_t steps, std::size_t batch, std::uint64_t seed) {
  RateOperands<T> operands{initial_weights<T>(shape, seed), {}, {}, {}, {}};
  const std::size_t count = steps * batch * shape.hidden;
  ForwardStates<T>& states = operands.states;
  states.shape = shape;
  states.steps = steps;
  states.batch = batch;
  states.hidden.resize(count + batch * shape.hidden);
  fill(states.hidden, UniformStream(seed, "hidden"), 1e-4, 1e-3);
  if (shape.kind == CellKind::gru) {
    for (std::vector<T>* gate : {&states.r, &states.z, &states.n, &states.m}) gate->resize(count);
    fill(states.r, UniformStream(seed, "r"), 0.1, 0.9);
    fill(states.z, UniformStream(seed, "z"), 1 - 1 / static_cast<double>(steps + 9), 1);
    fill(states.n, UniformStream(seed, "n"), -0.9, 0.9);
    fill(states.m, UniformStream(seed, "m"), -0.9, 0.9);
  } else {
    set_reflection(shape.hidden, UniformStream(seed, "reflection"), operands.weights.w_hh);
  }
  operands.inputs.resize(steps * batch * shape.input);
  fill(operands.inputs, UniformStream(seed, "inputs"), -1, 1);
  operands.last.resize(batch * shape.hidden);
  fill(operands.last, UniformStream(seed, "last"), 0.1, 1);
  operands.gradients.resize(states.hidden.size());
  return operands;
}

std::uint64_t sequence_bytes_per_step(const CellShape& shape, std::size_t batch, unsigned value_bytes) {
  // Of a gru the gradients, h_{t-1} and four gates.
  const std::uint64_t arrays = shape.kind == CellKind::gru ? 6 : 2;
  return checked_mul(arrays * value_bytes, checked_mul(batch, shape.hidden));
}

std::uint64_t jacobian_bytes_per_step(const CellShape& shape, std::size_t batch, unsigned value_bytes) {
  return checked_mul(checked_mul(value_bytes, batch), checked_mul(shape.hidden, shape.hidden));
}

void CacheSweep::run() {
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kLine = 64;
  unsigned sum = 0;
  for (std::size_t page = 0; page < memory_.size(); page += kPage) {
    const bool written = page / kPage % 2 == 0;
    for (std::size_t i = page; i < std::min(memory_.size(), page + kPage); i += kLine) {
      sum += memory_[i];
      if (written) ++memory_[i];
    }
  }
  // The sum is used, so that no read can be left out.
  if (!memory_.empty()) memory_[0] = static_cast<unsigned char>(sum);
}

template struct RateOperands<float>;
template struct RateOperands<double>;
template RateOperands<float> rate_operands<float>(const CellShape&, std::size_t, std::size_t, std::uint64_t);
template RateOperands<double> rate_operands<double>(const CellShape&, std::size_t, std::size_t, std::uint64_t);

}  // namespace upsweep
