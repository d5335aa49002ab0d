#include "upsweep/training/step_op.hpp"

#include <fmt/format.h>

#include <string_view>

namespace upsweep {

char letter(StepOpKind kind) { return std::string_view("FOWU")[static_cast<std::size_t>(kind)]; }

std::string to_string(const StepOp& op) {
  if (op.kind == StepOpKind::update) return fmt::format("U{}", op.layer + 1);
  return fmt::format("{}{}.{}", letter(op.kind), op.layer + 1, op.micro_batch);
}

}  // namespace upsweep
