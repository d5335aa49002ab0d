#include "recurrent_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "recurrent_fold_program.hpp"
#include "recurrent_level_programs.hpp"
#include "recurrent_sizes.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep::kernels {
namespace {

std::uint64_t operand_bytes(const PassShape& shape, unsigned value_bytes) {
  const CellShape& cell = shape.cell;
  const std::uint64_t step = checked_mul(shape.batch, cell.hidden);
  const std::uint64_t kept = cell.kind == CellKind::gru ? checked_mul(4, checked_mul(shape.steps, step)) : 0;
  const std::uint64_t states_and_gradients = checked_mul(2, checked_mul(checked_add(shape.steps, 1), step));
  const std::uint64_t weights = cell.gates() * cell.hidden * padded_row(static_cast<std::uint32_t>(cell.hidden));
  return checked_mul(value_bytes, checked_add(weights, checked_add(kept, states_and_gradients)));
}

/// Bytes of `count` matrices per sample.
std::uint64_t matrix_bytes(const PassShape& shape, std::uint64_t count, unsigned value_bytes) {
  const std::uint64_t matrix = shape.cell.hidden * padded_row(static_cast<std::uint32_t>(shape.cell.hidden));
  return checked_mul(value_bytes, checked_mul(checked_mul(count, shape.batch), matrix));
}

std::uint64_t level_bytes(const PassShape& shape, unsigned value_bytes) {
  // Jacobians of all steps but the first, which no result contains; products take the place of an operand.
  std::uint64_t bytes = matrix_bytes(shape, shape.steps - 1, value_bytes);
  add_to(bytes, checked_mul(sizeof(std::uint32_t), shape.steps + 1));
  add_to(bytes, checked_mul(sizeof(LevelStep), level_step_room(shape.steps)));
  add_to(bytes, checked_mul(sizeof(FoldStep), fold_step_room(shape.steps)));
  return checked_add(bytes, sizeof(StepRange));
}

std::uint64_t block_bytes(const PassShape& shape, const BlockOptions& options, unsigned value_bytes) {
  const std::uint64_t blocks = std::min(options.blocks, shape.steps);
  const std::uint64_t reduced = blocks > 2 ? blocks - 2 : 0;
  std::uint64_t bytes = matrix_bytes(shape, reduced, value_bytes);
  add_to(bytes, checked_mul(sizeof(StepRange), blocks + reduced));
  return checked_add(bytes, checked_mul(sizeof(FoldStep), reduced));
}

}  // namespace

std::string unsupported_cuda_pass(const BackwardMethod& method, const PassShape& shape) {
  const bool is_sequential = method.kind == BackwardKind::sequential;
  const std::size_t most = is_sequential ? kMostHidden : kMostSmallHidden;
  if (shape.cell.hidden > most) {
    return fmt::format("cuda has no {} for {} hidden elements, accepted are up to {}{}", to_string(method),
                       shape.cell.hidden, most,
                       is_sequential ? "" : fmt::format(", and bptt for up to {}", kMostHidden));
  }
  if (!shape.is_fused && !is_sequential) {
    return fmt::format("cuda has no {} over unfused steps, accepted are fused ones", to_string(method));
  }
  if (method.kind == BackwardKind::blocked && method.blocks.store_jacobians) {
    return "cuda stores no Jacobians in a blocked pass, accepted are those that are formed when they are used";
  }
  return {};
}

std::uint64_t cuda_pass_bytes(const BackwardMethod& method, const PassShape& shape, unsigned value_bytes) {
  const std::uint64_t operands = operand_bytes(shape, value_bytes);
  switch (method.kind) {
    case BackwardKind::sequential:
      return checked_add(operands, sizeof(StepRange));
    case BackwardKind::levels:
      return checked_add(operands, level_bytes(shape, value_bytes));
    case BackwardKind::blocked:
      return checked_add(operands, block_bytes(shape, method.blocks, value_bytes));
  }
  throw std::logic_error("unknown kind of backward method");
}

std::string memory_purpose(const BackwardMethod& method) {
  switch (method.kind) {
    case BackwardKind::sequential:
      return "states and gradients (a smaller batch needs less)";
    case BackwardKind::levels:
      return fmt::format("states, gradients and the Jacobians of {} (blocked:P stores no Jacobians and needs less)",
                         to_string(method));
    case BackwardKind::blocked:
      return fmt::format("states, gradients and the products of {} (fewer blocks or a smaller batch need less)",
                         to_string(method));
  }
  throw std::logic_error("unknown kind of backward method");
}

std::uint64_t level_step_room(std::uint64_t steps) { return checked_mul(2, checked_add(steps, 1)); }
std::uint64_t fold_step_room(std::uint64_t steps) { return checked_add(steps, 1); }

}  // namespace upsweep::kernels
