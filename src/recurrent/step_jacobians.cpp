#include "step_jacobians.hpp"

#include <algorithm>

#include "dense_kernels.hpp"
#include "elementwise.hpp"

namespace upsweep {

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

template struct StepScratch<float>;
template struct StepScratch<double>;
template class BackwardSteps<float>;
template class BackwardSteps<double>;

}  // namespace upsweep
