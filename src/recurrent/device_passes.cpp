#include "device_passes.hpp"

#include "upsweep/recurrent/parameter_gradients.hpp"

namespace upsweep {

DeviceModel::DeviceModel(const Machine& machine, const PassShape& shape, unsigned value_bytes,
                         const DeviceAssumptions& assumptions)
    : clock_(machine, value_bytes, assumptions),
      assumptions_(assumptions),
      shape_(shape),
      value_(value_bytes),
      h_(shape.cell.hidden),
      matrix_(checked_mul(h_, h_)),
      gates_(shape.cell.gates()),
      samples_(checked_mul(shape.steps, shape.batch)) {}

DevicePrediction DeviceModel::predict(const BackwardMethod& method) const {
  DevicePrediction result;
  result.forward = forward();
  result.sequential = recurrence(assumptions_.backward_kernels, checked_mul(gates_, h_));
  result.parameter_gradients = parameter_gradients();
  result.memory_bytes = states_bytes();
  switch (method.kind) {
    case BackwardKind::sequential:
      result.down = result.sequential;
      break;
    case BackwardKind::levels:
      add_levels(method.depth, result);
      break;
    case BackwardKind::blocked:
      add_blocks(method.blocks, result);
      break;
  }
  return result;
}

std::uint64_t DeviceModel::states_bytes() const { return product_of(samples_, step_bytes()); }

std::uint64_t DeviceModel::step_bytes() const {
  return product_of(h_, value_, shape_.cell.kind == CellKind::gru ? 6 : 2);
}

DevicePhase DeviceModel::recurrence(std::uint64_t kernels, std::uint64_t inner) const {
  const std::uint64_t weights = product_of(gates_, matrix_, value_);
  DeviceKernel step;
  step.launches = clock_.is_pram() ? 1 : kernels;
  step.blocks = shape_.batch;
  step.threads = device_threads(checked_mul(gates_, h_));
  step.loads = static_cast<double>(kernels);
  step.cycles = clock_.inner_cycles(inner);
  step.flops = product_of(2, gates_, matrix_, shape_.batch);
  step.bytes = checked_add(weights, product_of(shape_.batch, step_bytes()));
  step.working_set = checked_add(weights, states_bytes());
  step.block_flops = product_of(2, gates_, matrix_);
  step.block_bytes = checked_add(weights, step_bytes());
  return clock_.time(step, shape_.steps);
}

DevicePhase DeviceModel::forward() const {
  const std::uint64_t sums = product_of(samples_, gates_, h_);
  const std::uint64_t bytes = checked_mul(checked_add(sums, checked_mul(samples_, shape_.cell.input)), value_);
  DevicePhase phase = clock_.stream(1, samples_, product_of(2, sums, shape_.cell.input), bytes, bytes);
  add_to(phase, recurrence(assumptions_.forward_kernels, h_));
  return phase;
}

DevicePhase DeviceModel::parameter_gradients() const {
  const std::uint64_t numbers = checked_add(checked_mul(gates_ + 1, h_), shape_.cell.input);
  const std::uint64_t bytes = product_of(samples_, numbers, value_);
  return clock_.stream(2, samples_, parameter_gradient_flops(shape_.cell, shape_.steps, shape_.batch), bytes, bytes);
}

bool DeviceModel::has_dense_diagonals() const {
  return !shape_.is_fused && assumptions_.is_diagonal_dense && !clock_.is_pram();
}

HomogeneousChain DeviceModel::chain() const {
  if (shape_.is_fused) return fused_chain(h_, shape_.steps);
  if (has_dense_diagonals()) return fused_chain(h_, checked_mul(2, shape_.steps));
  return unfused_chain(h_, shape_.steps);
}

DevicePhase DeviceModel::jacobians() const {
  const std::uint64_t all = product_of(samples_, matrix_, value_);
  if (shape_.is_fused) {
    return clock_.stream(1, samples_, product_of(2, gates_, matrix_, samples_), checked_add(states_bytes(), all), all);
  }
  const std::uint64_t diagonals = product_of(samples_, h_, value_);
  if (!has_dense_diagonals()) return clock_.stream(1, samples_, 0, checked_add(states_bytes(), diagonals), diagonals);
  const std::uint64_t written = checked_add(checked_mul(3, all), diagonals);
  return clock_.stream(3, samples_, 0, checked_add(states_bytes(), written), checked_mul(2, all));
}

std::uint64_t DeviceModel::jacobian_bytes() const {
  if (shape_.is_fused) return product_of(samples_, matrix_, value_);
  return has_dense_diagonals() ? product_of(2, samples_, matrix_, value_) : product_of(samples_, h_, value_);
}

}  // namespace upsweep
