#include "upsweep/grid/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace upsweep {
namespace {

/// How far, in steps, a range may miss its end and still have it.
constexpr double kEndTolerance = 1e-9;
/// Digits of the numbers inside a range: what sums, and powers, of doubles get right. 0.1 + 2 * 0.1 is 0.3 then. Of a
/// sum they are those of its larger end: what -0.3 + 3 * 0.1 misses 0 by is rounding, too.
constexpr int kSumDigits = 15;
constexpr int kPowerDigits = 12;

/// The nearest number of so many decimal digits.
double in_digits(double number, int digits) {
  const std::string text = fmt::format("{:.{}e}", number, digits - 1);
  double rounded = number;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

/// Of a number other than 0.
int decimal_exponent(double number) { return static_cast<int>(std::floor(std::log10(std::abs(number)))); }

/// The sum, without the rounding of doubles; `largest` > 0 is that of the numbers around it.
double tidy_sum(double sum, double largest) {
  if (sum == 0) return 0;
  const int digits = kSumDigits - decimal_exponent(largest) + decimal_exponent(sum);
  return digits < 1 ? 0 : in_digits(sum, std::min(digits, kSumDigits));
}

bool is_whole(double number) { return std::nearbyint(number) == number; }

/// "1000000000001", or "1e+30" of a number that nobody wants to count the digits of.
std::string count_text(double count) { return axis_value(count).text; }

void check_finite(const char* what, double number) {
  if (std::isfinite(number)) return;
  throw std::invalid_argument(fmt::format("'{}' of a range is {}, accepted are finite numbers", what, number));
}

void check_count(double count) {
  if (count <= static_cast<double>(kMostPoints)) return;
  throw std::invalid_argument(
      fmt::format("a range of {} values, accepted are at most {}", count_text(count), kMostPoints));
}

}  // namespace

AxisValue axis_value(double number) {
  if (number == 0) return {"0", 0.0};  // not "-0"
  return {fmt::format("{}", number), number};
}

std::vector<AxisValue> arithmetic_range(double from, double to, double step) {
  check_finite("from", from);
  check_finite("to", to);
  check_finite("step", step);
  if (step == 0) throw std::invalid_argument("the step of a range is 0, accepted is another number");
  if ((to > from && step < 0) || (to < from && step > 0)) {
    throw std::invalid_argument(fmt::format("a range from {} to {} with a step of {}, accepted is a {} step",
                                            count_text(from), count_text(to), count_text(step),
                                            to > from ? "positive" : "negative"));
  }
  // Halves: the difference of two finite numbers may not be one.
  const double steps = (to / 2 - from / 2) / (step / 2);
  check_count(std::floor(steps + kEndTolerance) + 1);
  const auto last = static_cast<std::uint64_t>(std::floor(steps + kEndTolerance));
  constexpr double kExact = 0x1p53;  // whole numbers up to here are doubles
  const double largest = std::max(std::abs(from), std::abs(to));
  const bool is_exact = is_whole(from) && is_whole(step) && largest <= kExact && std::abs(to - from) <= kExact;
  std::vector<AxisValue> values = {axis_value(from)};
  values.reserve(last + 1);
  for (std::uint64_t i = 1; i <= last; ++i) {
    const bool is_end = std::abs(static_cast<double>(i) - steps) <= kEndTolerance;
    const double sum = from + static_cast<double>(i) * step;
    values.push_back(axis_value(is_end ? to : is_exact ? sum : tidy_sum(sum, largest)));
  }
  return values;
}

std::vector<AxisValue> geometric_range(double from, double to, std::uint64_t count) {
  check_finite("from", from);
  check_finite("to", to);
  if (from <= 0 || to <= 0) {
    throw std::invalid_argument(fmt::format("a geometric range from {} to {}, accepted are positive numbers",
                                            count_text(from), count_text(to)));
  }
  if (count == 0) throw std::invalid_argument("an empty geometric range: its count is 0, accepted is at least 1");
  check_count(static_cast<double>(count));
  if (count == 1 && from != to) {
    throw std::invalid_argument(
        fmt::format("a geometric range of 1 value from {} to {}, accepted is a count of at "
                    "least 2 or equal ends",
                    count_text(from), count_text(to)));
  }
  const bool both_whole = is_whole(from) && is_whole(to);
  std::vector<AxisValue> values = {axis_value(from)};
  for (std::uint64_t i = 1; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    double value = in_digits(std::exp(std::log(from) * (1 - share) + std::log(to) * share), kPowerDigits);
    if (both_whole) value = std::nearbyint(value);
    if (i + 1 == count) value = to;
    if (value != *values.back().number) values.push_back(axis_value(value));
  }
  return values;
}

}  // namespace upsweep
