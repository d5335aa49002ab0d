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
  if (standing_of(ratio, same) == Standing::gains_nothing) return "as fast";
  const bool is_faster = ratio < 1;
  const double factor = is_faster ? 1 / ratio : ratio;
  if (factor < kFactor) return fmt::format("{:.2g} % {}", 100 * (factor - 1), is_faster ? "faster" : "longer");
  const std::string times = factor >= 1e3 ? fmt::format("{:.0f}", factor) : fmt::format("{:.3g}", factor);
  return fmt::format("{} times {}", times, is_faster ? "faster" : "as long");
}

std::string pays_text(double ratio, double same) {
  switch (standing_of(ratio, same)) {
    case Standing::pays:
      return faster_text(ratio, same) + "; the scan pays";
    case Standing::gains_nothing:
      return "as fast; the scan gains nothing";
    case Standing::does_not_pay:
      break;
  }
  return faster_text(ratio, same) + "; the scan does not pay";
}

}  // namespace upsweep
