#include "sequential_run.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace upsweep {

std::vector<std::optional<std::size_t>> last_uses(const Schedule& schedule) {
  std::vector<std::optional<std::size_t>> uses(schedule.values());
  for (std::size_t id = 0; id < schedule.combines.size(); ++id) {
    uses[schedule.combines[id].earlier] = id;
    uses[schedule.combines[id].later] = id;
  }
  return uses;
}

void require_same_length(const Schedule& schedule, const JacobianChain& chain) {
  if (schedule.length == chain.length()) return;
  throw std::invalid_argument(fmt::format("a schedule over {} elements and a chain of {}, expected the same length",
                                          schedule.length, chain.length()));
}

}  // namespace upsweep
