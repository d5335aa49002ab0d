#include "upsweep/validate/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace upsweep {
namespace {

std::string op_name(const Schedule& schedule, std::size_t id) {
  const Combine& combine = schedule.combines[id];
  return fmt::format("op {} of {} ({} phase, level {}, left {}, right {})", id, schedule.name, to_string(combine.phase),
                     combine.level, combine.left, combine.right);
}

/// Bounds of an element by its sums.
class RoundingBound {
 public:
  RoundingBound(double roundings, double unit)
      : worst_(worst_rounding(roundings, unit)), random_(random_rounding(roundings, unit, kSpread)) {}

  [[nodiscard]] double worst_case(double magnitude) const { return worst_ * magnitude; }
  [[nodiscard]] double at(double magnitude, double deviation) const {
    return std::min(worst_ * magnitude, random_ * deviation);
  }

 private:
  double worst_;
  double random_;
};

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

}  // namespace

std::optional<Mismatch> compare_structure(const Schedule& schedule, const std::vector<ExpectedOp>& expected,
                                          const std::vector<OpMeasurement>& found) {
  if (found.size() != expected.size()) {
    return Mismatch{std::nullopt, fmt::format("{} ops were executed, expected {}", found.size(), expected.size())};
  }
  for (std::size_t id = 0; id < expected.size(); ++id) {
    const auto differs = [&](const char* what, std::uint64_t is, std::uint64_t should) {
      return Mismatch{id, fmt::format("{}: {} is {}, expected {}", op_name(schedule, id), what, is, should)};
    };
    if (found[id].nnz != expected[id].nnz) return differs("nnz", found[id].nnz, expected[id].nnz);
    if (found[id].products != expected[id].products) {
      return differs("the number of products", found[id].products, expected[id].products);
    }
    if (found[id].structure_digest != expected[id].structure_digest) {
      return Mismatch{id, fmt::format("{}: the result has {} entries as expected, but some in other places",
                                      op_name(schedule, id), found[id].nnz)};
    }
  }
  return std::nullopt;
}

void compare_gradient(const ComputedGradient& computed, const std::vector<double>& have, const DirectGradients& direct,
                      double direct_roundings, unsigned value_bytes, ValueComparison& comparison) {
  const RoundingBound oracle(direct_roundings, kUnitRoundoff<double>);
  const RoundingBound bound(computed.roundings, unit_roundoff(value_bytes));
  const std::vector<double>& want = direct.gradient[computed.activation];
  if (have.size() != want.size()) {
    const std::string what = fmt::format("{}: {} elements, expected {}", computed.where, have.size(), want.size());
    if (!comparison.mismatch) comparison.mismatch = Mismatch{computed.op, what};
    return;
  }
  const double scale = std::max(largest(want), std::numeric_limits<double>::min());
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double magnitude = direct.magnitude[computed.activation][i];
    const double deviation = direct.deviation[computed.activation][i];
    const double allowed = bound.at(magnitude, deviation) + oracle.at(magnitude, deviation);
    comparison.loosest_bound = std::max(comparison.loosest_bound, allowed / scale);
    if (comparison.add(have[i], want[i], allowed, scale) || comparison.mismatch) continue;
    comparison.mismatch = Mismatch{
        computed.op, fmt::format("{}: element {} is {:.9g}, expected {:.9g}, accepted is a difference of {:.3g}",
                                 computed.where, i, have[i], want[i], allowed)};
    if (std::fabs(have[i] - want[i]) <= bound.worst_case(magnitude)) {
      comparison.mismatch->what += ", as rounding errors of random sign would have it; it is within the worst case";
    }
  }
}

ValueComparison compare_values(const Schedule& schedule, const std::vector<ExpectedOp>& expected,
                               const DirectGradients& direct, double direct_roundings,
                               const std::vector<std::vector<double>>& results, unsigned value_bytes) {
  if (results.size() != schedule.length || direct.gradient.size() != schedule.length) {
    throw std::invalid_argument("the results, the schedule and the direct gradients have different lengths");
  }
  ValueComparison comparison;
  for (std::size_t position = 1; position < schedule.length && !comparison.mismatch; ++position) {
    const ValueId value = schedule.results[position];
    const bool is_made = value >= schedule.length;
    const std::optional<std::size_t> op = is_made ? std::optional(value - schedule.length) : std::nullopt;
    const std::size_t activation = schedule.length - position;
    const ComputedGradient computed{
        activation, op ? expected[*op].roundings : 1.0,
        fmt::format("{}result {} of {}, the gradient with respect to activation {}",
                    op ? op_name(schedule, *op) + ", " : std::string(), position, schedule.name, activation),
        op};
    compare_gradient(computed, results[position], direct, direct_roundings, value_bytes, comparison);
  }
  return comparison;
}

}  // namespace upsweep
