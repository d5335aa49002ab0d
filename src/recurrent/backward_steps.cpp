#include "backward_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "dense_kernels.hpp"
#include "elementwise.hpp"

namespace upsweep {

template <class T>
void require_backward(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                      std::span<T> gradients) {
  require_fitting(weights, states);
  const std::size_t step = states.batch * states.shape.hidden;
  if (last.size() != step) {
    throw std::invalid_argument(
        fmt::format("gradient of the last hidden states: {} numbers, accepted are {}", last.size(), step));
  }
  if (gradients.size() != states.hidden.size()) {
    throw std::invalid_argument(fmt::format("gradients of all hidden states: {} numbers, accepted are {}",
                                            gradients.size(), states.hidden.size()));
  }
}

template <class T>
void require_planned(const CellShape& found, const ForwardStates<T>& states, const CellShape& shape, std::size_t steps,
                     std::size_t batch) {
  if (found == shape && states.steps == steps && states.batch == batch) return;
  throw std::invalid_argument(fmt::format("{} steps of {} samples, accepted are {} of {} and the cell of the plan",
                                          states.steps, states.batch, steps, batch));
}

template <class T>
StepScratch<T>::StepScratch(const CellShape& shape, std::size_t samples)
    : deltas(samples * shape.gates() * shape.hidden), ones(shape.hidden, T(1)) {}

template <class T>
BackwardSteps<T>::BackwardSteps(const CellWeights<T>& weights, const ForwardStates<T>& states)
    : shape_(weights.shape),
      states_(&states),
      width_(padded<T>(shape_.hidden)),
      w_hh_(shape_.gates() * shape_.hidden * width_) {
  const std::size_t h = shape_.hidden;
  for (std::size_t r = 0; r < shape_.gates() * h; ++r) {
    std::copy_n(weights.w_hh.data() + r * h, h, w_hh_.data() + r * width_);
  }
}

template <class T>
void BackwardSteps<T>::deltas(std::size_t t, std::size_t begin, std::size_t end, const T* g, T* deltas,
                              T* input_n) const {
  const std::size_t h = shape_.hidden;
  const std::size_t at = place(t, begin);
  const T* before = states_->hidden.data() + at;
  const T* after = before + states_->batch * h;
  if (shape_.kind == CellKind::gru) {
    const GruStep<T> step{before, states_->r.data() + at, states_->z.data() + at, states_->n.data() + at,
                          states_->m.data() + at};
    gru_deltas(g, step, deltas, input_n, end - begin, h);
  } else if (shape_.nonlinearity == Nonlinearity::relu) {
    relu_deltas(g, after, deltas, (end - begin) * h);
  } else {
    tanh_deltas(g, after, deltas, (end - begin) * h);
  }
}

template <class T>
void BackwardSteps<T>::take_vectors(std::size_t from, std::size_t to, std::size_t begin, std::size_t end, T* gradients,
                                    StepScratch<T>& scratch) const {
  const std::size_t h = shape_.hidden;
  const std::size_t sums = shape_.gates() * h;
  for (std::size_t t = from; t > to; --t) {
    T* const before = gradients + place(t, begin);
    const T* const after = before + states_->batch * h;
    deltas(t, begin, end, after, scratch.deltas.data(), nullptr);
    multiply(SmallProduct<T>{scratch.deltas.data(), sums, 1, w_hh_.data(), width_, before, h, end - begin, sums, h});
    if (shape_.kind == CellKind::gru) {
      add_products(after, states_->z.data() + place(t, begin), before, (end - begin) * h);
    }
  }
}

template <class T>
void BackwardSteps<T>::form(std::size_t t, std::size_t b, T* jacobian, std::size_t row, StepScratch<T>& scratch) const {
  deltas(t, b, b + 1, scratch.ones.data(), scratch.deltas.data(), nullptr);
  const T* direct = shape_.kind == CellKind::gru ? states_->z.data() + place(t, b) : nullptr;
  form_jacobian(JacobianTask<T>{scratch.deltas.data(), direct, w_hh_.data(), width_, jacobian, row, shape_.gates(),
                                shape_.hidden});
}

template void require_backward<float>(const CellWeights<float>&, const ForwardStates<float>&, std::span<const float>,
                                      std::span<float>);
template void require_backward<double>(const CellWeights<double>&, const ForwardStates<double>&,
                                       std::span<const double>, std::span<double>);
template void require_planned<float>(const CellShape&, const ForwardStates<float>&, const CellShape&, std::size_t,
                                     std::size_t);
template void require_planned<double>(const CellShape&, const ForwardStates<double>&, const CellShape&, std::size_t,
                                      std::size_t);
template struct StepScratch<float>;
template struct StepScratch<double>;
template class BackwardSteps<float>;
template class BackwardSteps<double>;

}  // namespace upsweep
