#include "upsweep/recurrent/cell.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "upsweep/network/random.hpp"

namespace upsweep {
namespace {

std::array<std::size_t, 6> lengths_of(const CellShape& shape) {
  const std::size_t rows = shape.gates() * shape.hidden;
  return {rows * shape.input, rows * shape.hidden, rows, rows, shape.classes * shape.hidden, shape.classes};
}

}  // namespace

std::string to_string(CellKind kind) { return kind == CellKind::gru ? "gru" : "rnn"; }

std::string to_string(Nonlinearity nonlinearity) { return nonlinearity == Nonlinearity::relu ? "relu" : "tanh"; }

void require_valid(const CellShape& shape) {
  if (shape.input > 0 && shape.hidden > 0 && shape.classes > 0) return;
  throw std::invalid_argument(
      fmt::format("a cell of {} inputs, {} hidden elements and {} classes, accepted is 1 or more", shape.input,
                  shape.hidden, shape.classes));
}

template <class T>
std::array<std::span<T>, 6> CellWeights<T>::arrays() {
  return {w_ih, w_hh, b_ih, b_hh, w_head, b_head};
}

template <class T>
std::array<std::span<const T>, 6> CellWeights<T>::arrays() const {
  return {w_ih, w_hh, b_ih, b_hh, w_head, b_head};
}

template <class T>
CellWeights<T> zero_weights(const CellShape& shape) {
  require_valid(shape);
  const auto lengths = lengths_of(shape);
  const auto zeros = [&](std::size_t array) { return std::vector<T>(lengths[array]); };
  return {shape, zeros(0), zeros(1), zeros(2), zeros(3), zeros(4), zeros(5)};
}

template <class T>
CellWeights<T> initial_weights(const CellShape& shape, std::uint64_t seed) {
  CellWeights<T> weights = zero_weights<T>(shape);
  const double bound = 1 / std::sqrt(static_cast<double>(shape.hidden));
  const auto arrays = weights.arrays();
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    const UniformStream uniform(seed, kParameterNames[array]);
    for (std::size_t i = 0; i < arrays[array].size(); ++i) {
      arrays[array][i] = static_cast<T>(static_cast<float>((2 * uniform(i) - 1) * bound));
    }
  }
  return weights;
}

template <class T>
CellWeights<double> to_double(const CellWeights<T>& weights) {
  CellWeights<double> result = zero_weights<double>(weights.shape);
  const auto from = weights.arrays();
  const auto to = result.arrays();
  for (std::size_t array = 0; array < to.size(); ++array) {
    for (std::size_t i = 0; i < to[array].size(); ++i) to[array][i] = static_cast<double>(from[array][i]);
  }
  return result;
}

template <class T>
void require_valid(const CellWeights<T>& weights) {
  require_valid(weights.shape);
  const auto lengths = lengths_of(weights.shape);
  const auto arrays = weights.arrays();
  for (std::size_t array = 0; array < arrays.size(); ++array) {
    if (arrays[array].size() == lengths[array]) continue;
    throw std::invalid_argument(
        fmt::format("{}: {} numbers, accepted are {}", kParameterNames[array], arrays[array].size(), lengths[array]));
  }
}

template struct CellWeights<float>;
template struct CellWeights<double>;
template CellWeights<float> zero_weights<float>(const CellShape&);
template CellWeights<double> zero_weights<double>(const CellShape&);
template CellWeights<float> initial_weights<float>(const CellShape&, std::uint64_t);
template CellWeights<double> initial_weights<double>(const CellShape&, std::uint64_t);
template CellWeights<double> to_double<float>(const CellWeights<float>&);
template CellWeights<double> to_double<double>(const CellWeights<double>&);
template void require_valid<float>(const CellWeights<float>&);
template void require_valid<double>(const CellWeights<double>&);

}  // namespace upsweep
