#include "upsweep/scaling/step_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace upsweep {

double scan_steps_formula(std::uint64_t elements, std::uint64_t workers) {
  if (elements == 0 || workers == 0)
    throw std::invalid_argument(
        fmt::format("{} Jacobians on {} workers, accepted is at least 1 of both", elements, workers));
  const auto busy = static_cast<double>(std::min(elements, workers));
  return static_cast<double>(elements) / busy + std::log2(busy);
}

StepBounds scan_step_bounds(std::uint64_t ops, std::uint64_t levels, std::uint64_t workers) {
  if (workers == 0) throw std::invalid_argument("0 workers, accepted is at least 1");
  if (ops < levels)
    throw std::invalid_argument(fmt::format("{} combines in {} levels, accepted is at least one in each", ops, levels));
  const auto work = static_cast<double>(ops);
  const auto depth = static_cast<double>(levels);
  const auto p = static_cast<double>(workers);
  return {std::max(work / p, depth), (work + (p - 1) * depth) / p};
}

}  // namespace upsweep
