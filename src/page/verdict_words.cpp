#include "verdict_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace upsweep {
namespace {

/// Factors from here on are told as such, smaller ones as percent.
constexpr double kFactor = 1.1;

}  // namespace

std::string workers_text(std::uint64_t workers) {
  return workers == 1 ? "1 worker" : fmt::format("{} workers", workers);
}

std::string faster_text(double ratio, double same) {
  if (std::fabs(ratio - 1) < same) return "as fast";
  const bool is_faster = ratio < 1;
  const double factor = is_faster ? 1 / ratio : ratio;
  const char* word = is_faster ? "faster" : "slower";
  if (factor >= 1e3) return fmt::format("{:.0f} times {}", factor, word);
  if (factor >= kFactor) return fmt::format("{:.3g} times {}", factor, word);
  return fmt::format("{:.2g} % {}", 100 * (factor - 1), word);
}

std::string binds_text(const std::string& resource) {
  return fmt::format("{} {}", resource, resource == "workers" ? "bind" : "binds");
}

std::string pays_text(double ratio, double same) {
  if (std::fabs(ratio - 1) < same) return "as fast; the scan gains nothing";
  return faster_text(ratio, same) + (ratio < 1 ? "; the scan pays" : "; the scan does not pay");
}

}  // namespace upsweep
