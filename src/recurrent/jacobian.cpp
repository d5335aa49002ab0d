#include "upsweep/recurrent/jacobian.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "backward_steps.hpp"
#include "upsweep/base/parallel.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kJacobiansPerChunk = 64;

/// Forms the Jacobian in `scratch` and writes its transpose.
template <class T>
void write_transposed(const BackwardSteps<T>& steps, std::size_t t, std::size_t b, std::size_t h,
                      AlignedArray<T>& jacobian, StepScratch<T>& scratch, T* to) {
  steps.form(t, b, jacobian.data(), h, scratch);
  for (std::size_t row = 0; row < h; ++row) {
    for (std::size_t col = 0; col < h; ++col) to[row * h + col] = jacobian.data()[col * h + row];
  }
}

}  // namespace

template <class T>
void hidden_jacobian(const CellWeights<T>& weights, const ForwardStates<T>& states, std::size_t t, std::size_t b,
                     std::span<T> jacobian) {
  require_fitting(weights, states);
  const std::size_t h = weights.shape.hidden;
  if (t < 1 || t > states.steps || b >= states.batch || jacobian.size() != h * h) {
    throw std::invalid_argument(
        fmt::format("Jacobian of step {} and sample {} into {} numbers, accepted are steps 1 to {}, samples below {} "
                    "and {} numbers",
                    t, b, jacobian.size(), states.steps, states.batch, h * h));
  }
  AlignedArray<T> formed(h * h);
  StepScratch<T> scratch(weights.shape, 1);
  write_transposed(BackwardSteps<T>(weights, states), t, b, h, formed, scratch, jacobian.data());
}

template <class T>
std::vector<T> hidden_jacobians(const CellWeights<T>& weights, const ForwardStates<T>& states) {
  require_fitting(weights, states);
  const std::size_t h = weights.shape.hidden;
  const BackwardSteps<T> steps(weights, states);
  std::vector<T> jacobians(states.steps * states.batch * h * h);
  parallel_chunks(states.steps * states.batch, kJacobiansPerChunk,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    AlignedArray<T> formed(h * h);
                    StepScratch<T> scratch(weights.shape, 1);
                    for (std::size_t i = begin; i < end; ++i) {
                      write_transposed(steps, i / states.batch + 1, i % states.batch, h, formed, scratch,
                                       jacobians.data() + i * h * h);
                    }
                  });
  return jacobians;
}

template void hidden_jacobian<float>(const CellWeights<float>&, const ForwardStates<float>&, std::size_t, std::size_t,
                                     std::span<float>);
template void hidden_jacobian<double>(const CellWeights<double>&, const ForwardStates<double>&, std::size_t,
                                      std::size_t, std::span<double>);
template std::vector<float> hidden_jacobians<float>(const CellWeights<float>&, const ForwardStates<float>&);
template std::vector<double> hidden_jacobians<double>(const CellWeights<double>&, const ForwardStates<double>&);

}  // namespace upsweep
