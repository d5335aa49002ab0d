#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/network/random.hpp"
#include "upsweep/recurrent/cell.hpp"
#include "upsweep/recurrent/forward.hpp"
#include "upsweep/recurrent/head.hpp"

namespace upsweep::testing {

/// A batch of sequences through a cell with random weights, to the gradient at its end.
template <class T>
struct RecurrentCase {
  CellWeights<T> weights;
  std::vector<T> inputs;              ///< [t][b][input]
  std::vector<T> initial;             ///< [b][h]
  std::vector<std::uint32_t> labels;  ///< [b]
  ForwardStates<T> states;
  HeadResult<T> head;

  [[nodiscard]] std::vector<T> gradients() const { return std::vector<T>(states.hidden.size()); }
};

template <class T>
[[nodiscard]] std::vector<T> uniform_numbers(std::uint64_t seed, const std::string& name, std::size_t count) {
  const UniformStream uniform(seed, name);
  std::vector<T> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<T>(2 * uniform(i) - 1));
  return numbers;
}

template <class T>
[[nodiscard]] RecurrentCase<T> recurrent_case(const CellShape& shape, std::size_t steps, std::size_t batch,
                                              std::uint64_t seed) {
  RecurrentCase<T> result{initial_weights<T>(shape, seed),
                          uniform_numbers<T>(seed, "inputs", steps * batch * shape.input),
                          uniform_numbers<T>(seed, "initial", batch * shape.hidden),
                          {},
                          {},
                          {}};
  for (std::size_t b = 0; b < batch; ++b) {
    result.labels.push_back(static_cast<std::uint32_t>((seed + b) % shape.classes));
  }
  result.states = run_forward<T>(result.weights, result.inputs, steps, batch, result.initial);
  result.head = run_head<T>(result.weights, result.states.at(steps), result.labels);
  return result;
}

/// The three kinds of cells.
[[nodiscard]] inline std::vector<CellShape> all_cells(std::size_t input, std::size_t hidden, std::size_t classes) {
  return {{CellKind::rnn, Nonlinearity::tanh, input, hidden, classes},
          {CellKind::rnn, Nonlinearity::relu, input, hidden, classes},
          {CellKind::gru, Nonlinearity::tanh, input, hidden, classes}};
}

[[nodiscard]] inline std::string describe(const CellShape& shape, std::size_t steps, std::size_t batch) {
  return to_string(shape.kind) + " " + to_string(shape.nonlinearity) + ", input " + std::to_string(shape.input) +
         ", hidden " + std::to_string(shape.hidden) + ", " + std::to_string(steps) + " steps of " +
         std::to_string(batch);
}

}  // namespace upsweep::testing
