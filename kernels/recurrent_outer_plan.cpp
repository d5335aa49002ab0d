#include "recurrent_outer_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "recurrent_sizes.hpp"
#include "upsweep/base/checked.hpp"

namespace upsweep::kernels {
namespace {

// Enough to fill a large GPU some times over, and few enough that partial sums stay small: 8 KiB for each.
constexpr std::uint64_t kTeams = 2048;
constexpr std::uint64_t kMostParts = 256;

std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

std::uint32_t column_count(std::uint64_t columns) {
  if (columns >= std::numeric_limits<std::uint32_t>::max() - OuterProduct::kTile) {
    throw std::invalid_argument(fmt::format("a product of {} columns, accepted are fewer than 2^32", columns));
  }
  return static_cast<std::uint32_t>(columns);
}

OuterProduct product(std::uint64_t rows, std::uint64_t left, std::uint64_t right, std::uint64_t most_parts) {
  const std::uint64_t blocks = divide_up(rows, OuterProduct::kRowsPerSum);
  OuterProduct made;
  made.rows = rows;
  made.rows_per_part = divide_up(blocks, std::min(blocks, most_parts)) * OuterProduct::kRowsPerSum;
  made.parts = divide_up(rows, made.rows_per_part);
  made.left = column_count(left);
  made.right = column_count(right);
  return made;
}

std::uint64_t states_numbers(const PassShape& shape) {
  const std::uint64_t step = checked_mul(shape.batch, shape.cell.hidden);
  const std::uint64_t kept = shape.cell.kind == CellKind::gru ? checked_mul(4, checked_mul(shape.steps, step)) : 0;
  return checked_add(kept, checked_mul(checked_add(shape.steps, 1), step));
}

std::uint64_t input_numbers(const PassShape& shape) {
  return checked_mul(checked_mul(shape.steps, shape.batch), shape.cell.input);
}

}  // namespace

OuterPlan outer_plan(const PassShape& shape) {
  const CellShape& cell = shape.cell;
  const std::uint64_t rows = checked_mul(shape.steps, shape.batch);
  const std::uint64_t sums = checked_mul(cell.gates(), cell.hidden);
  OuterPlan plan;
  const std::uint64_t tiles = product(1, sums, cell.hidden, 1).tiles() + product(1, sums, cell.input, 1).tiles();
  const std::uint64_t most_parts = std::clamp<std::uint64_t>(kTeams / tiles, 1, kMostParts);
  plan.products[0] = product(rows, sums, cell.hidden, most_parts);
  plan.products[1] = product(rows, sums, cell.input, most_parts);
  plan.products[2] = product(shape.batch, cell.classes, cell.hidden, 1);
  for (OuterProduct& one : plan.products) {
    one.first_team = plan.teams;
    one.first_partial = plan.partials;
    one.first_sum = plan.sums;
    add_to(plan.teams, checked_mul(one.parts, one.tiles()));
    add_to(plan.partials, checked_mul(one.parts, one.sums()));
    add_to(plan.sums, one.sums());
  }
  return plan;
}

std::string unsupported_cuda_forward(const PassShape& shape) {
  if (shape.cell.hidden <= kMostHidden) return {};
  return fmt::format("cuda has no forward pass for {} hidden elements, accepted are up to {}", shape.cell.hidden,
                     kMostHidden);
}

std::uint64_t cuda_forward_bytes(const PassShape& shape, unsigned value_bytes) {
  const CellShape& cell = shape.cell;
  const std::uint64_t sums = cell.gates() * cell.hidden;
  std::uint64_t numbers = checked_add(states_numbers(shape), input_numbers(shape));
  // Weights, a bias for each sum, and the one inside of the reset gate.
  add_to(numbers, checked_mul(sums, checked_add(cell.input, checked_add(cell.hidden, 1))));
  if (cell.kind == CellKind::gru) add_to(numbers, cell.hidden);
  const std::uint64_t faults = checked_mul(sizeof(std::uint64_t), checked_mul(shape.batch, cell.hidden));
  return checked_add(faults, checked_mul(value_bytes, numbers));
}

std::uint64_t cuda_parameter_bytes(const PassShape& shape, unsigned value_bytes) {
  const OuterPlan plan = outer_plan(shape);
  const std::uint64_t gradients = checked_mul(checked_add(shape.steps, 1), checked_mul(shape.batch, shape.cell.hidden));
  std::uint64_t numbers = checked_add(states_numbers(shape), checked_add(input_numbers(shape), gradients));
  add_to(numbers, checked_mul(shape.batch, shape.cell.classes));
  add_to(numbers, plan.sums);
  return checked_add(checked_mul(sizeof(double), plan.partials), checked_mul(value_bytes, numbers));
}

}  // namespace upsweep::kernels
