#pragma once

#include <concepts>
#include <optional>
#include <stdexcept>
#include <vector>

#include "upsweep/scan/schedule.hpp"

namespace upsweep {

/// A type whose values combine: combine(earlier, later) is associative and need not commute; `earlier` stands for lower
/// positions of the scan array. For matrices it is the product later × earlier.
template <class Monoid, class Value>
concept Combiner = requires(const Monoid& monoid, const Value& earlier, const Value& later) {
  { monoid(earlier, later) } -> std::convertible_to<Value>;
};

/// The meaning of a schedule: runs it, one combine after the other.
///
/// Shapes: `array` has schedule.length elements; the result has as many: nothing (the identity) for position 0, then
/// the combination of array[0 .. k - 1] at position k. Throws std::invalid_argument when the lengths differ.
template <class Value, Combiner<Value> Monoid>
[[nodiscard]] std::vector<std::optional<Value>> execute(const Schedule& schedule, const std::vector<Value>& array,
                                                        const Monoid& combine) {
  if (array.size() != schedule.length) throw std::invalid_argument("the array and the schedule have different lengths");
  std::vector<Value> values(array);
  values.reserve(schedule.values());
  for (const Combine& step : schedule.combines) values.push_back(combine(values[step.earlier], values[step.later]));
  std::vector<std::optional<Value>> results;
  results.reserve(schedule.length);
  for (const ValueId result : schedule.results) {
    results.push_back(result == kIdentity ? std::nullopt : std::optional<Value>(values[result]));
  }
  return results;
}

}  // namespace upsweep
