#include "upsweep/scaling/memory_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace upsweep {
namespace {

void check(const char* parts, std::uint64_t count, std::uint64_t workers, double bytes) {
  if (count == 0 || workers == 0) {
    throw std::invalid_argument(
        fmt::format("{} {} on {} workers, accepted is at least 1 of both", count, parts, workers));
  }
  if (!(bytes >= 0)) throw std::invalid_argument(fmt::format("{} bytes each, accepted is at least 0", bytes));
}

}  // namespace

double bppsa_worker_bytes(std::uint64_t elements, std::uint64_t workers, double jacobian_bytes) {
  check("Jacobians", elements, workers, jacobian_bytes);
  return std::max(static_cast<double>(elements) / static_cast<double>(workers), 1.0) * jacobian_bytes;
}

double pipeline_worker_bytes(std::uint64_t layers, std::uint64_t workers, double activation_bytes) {
  check("layers", layers, workers, activation_bytes);
  const auto devices = static_cast<double>(workers);
  return (static_cast<double>(layers) / devices + devices) * activation_bytes;
}

}  // namespace upsweep
