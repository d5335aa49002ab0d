#include "recurrent_operands.hpp"

#include <cassert>

#include "cuda_check.hpp"
#include "recurrent_fold_program.hpp"
#include "recurrent_level_programs.hpp"
#include "upsweep/recurrent/operands.hpp"

namespace upsweep::kernels {
namespace {

std::uint32_t hidden_of(const PassShape& shape) { return static_cast<std::uint32_t>(shape.cell.hidden); }

}  // namespace

template <class V>
void copy_to_device(std::span<const V> from, const DeviceBuffer& to) {
  assert(from.size_bytes() <= to.bytes());
  if (from.empty()) return;
  cuda_check(cudaMemcpy(to.data(), from.data(), from.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  // A small copy may return before it arrives, and our streams do not wait for the default stream.
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
}

template <class V>
DeviceBuffer device_array(std::span<const V> from, std::uint64_t room) {
  DeviceBuffer buffer(room * sizeof(V));
  copy_to_device(from, buffer);
  return buffer;
}

template <class T>
RecurrentOperands<T>::RecurrentOperands(const PassShape& shape)
    : shape_(shape),
      w_hh_(shape.cell.gates() * shape.cell.hidden * padded_row(hidden_of(shape)) * sizeof(T)),
      states_((shape.steps + 1) * shape.batch * shape.cell.hidden * sizeof(T)),
      gradients_(states_.bytes()) {
  if (shape.cell.kind != CellKind::gru) return;
  for (DeviceBuffer& gate : gates_) gate = DeviceBuffer(shape.steps * shape.batch * shape.cell.hidden * sizeof(T));
}

template <class T>
void RecurrentOperands<T>::load(const CellWeights<T>& weights, const ForwardStates<T>& states, std::span<const T> last,
                                std::span<T> gradients) {
  require_backward(weights, states, last, gradients);
  require_planned(weights.shape, states, shape_.cell, shape_.steps, shape_.batch);
  const std::size_t row = shape_.cell.hidden * sizeof(T);
  const std::size_t padded = padded_row(hidden_of(shape_)) * sizeof(T);
  cuda_check(cudaMemset(w_hh_.data(), 0, w_hh_.bytes()), "cudaMemset");
  cuda_check(cudaMemcpy2D(w_hh_.data(), padded, weights.w_hh.data(), row, row, shape_.cell.gates() * shape_.cell.hidden,
                          cudaMemcpyHostToDevice),
             "cudaMemcpy2D to the device");
  copy_to_device(std::span(states.hidden), states_);
  const std::array<const std::vector<T>*, 4> gates = {&states.r, &states.z, &states.n, &states.m};
  for (std::size_t gate = 0; gate < gates.size(); ++gate) copy_to_device(std::span(*gates[gate]), gates_[gate]);
  cuda_check(cudaMemset(gradients_.data(), 0xff, gradients_.bytes()), "cudaMemset");
  std::byte* const at_end = gradients_.data() + (gradients_.bytes() - last.size_bytes());
  cuda_check(cudaMemcpy(at_end, last.data(), last.size_bytes(), cudaMemcpyHostToDevice), "cudaMemcpy to the device");
  cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize after copies");
  to_ = gradients;
}

template <class T>
void RecurrentOperands<T>::fetch() const {
  cuda_check(cudaMemcpy(to_.data(), gradients_.data(), to_.size_bytes(), cudaMemcpyDeviceToHost),
             "cudaMemcpy from the device");
}

template <class T>
CellView<T> RecurrentOperands<T>::view() const {
  return {w_hh_.as<T>(),      states_.as<T>(),
          gates_[0].as<T>(),  gates_[1].as<T>(),
          gates_[2].as<T>(),  gates_[3].as<T>(),
          gradients_.as<T>(), shape_.batch,
          hidden_of(shape_),  shape_.cell.kind == CellKind::rnn && shape_.cell.nonlinearity == Nonlinearity::relu};
}

template <class T>
std::uint64_t RecurrentOperands<T>::bytes() const {
  std::uint64_t bytes = w_hh_.bytes() + states_.bytes() + gradients_.bytes();
  for (const DeviceBuffer& gate : gates_) bytes += gate.bytes();
  return bytes;
}

template DeviceBuffer device_array<std::uint32_t>(std::span<const std::uint32_t>, std::uint64_t);
template DeviceBuffer device_array<StepRange>(std::span<const StepRange>, std::uint64_t);
template DeviceBuffer device_array<FoldStep>(std::span<const FoldStep>, std::uint64_t);
template DeviceBuffer device_array<LevelStep>(std::span<const LevelStep>, std::uint64_t);
template DeviceBuffer device_array<float>(std::span<const float>, std::uint64_t);
template DeviceBuffer device_array<double>(std::span<const double>, std::uint64_t);
template void copy_to_device<float>(std::span<const float>, const DeviceBuffer&);
template void copy_to_device<double>(std::span<const double>, const DeviceBuffer&);
template class RecurrentOperands<float>;
template class RecurrentOperands<double>;

}  // namespace upsweep::kernels
