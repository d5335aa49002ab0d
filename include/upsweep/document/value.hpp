#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "upsweep/base/interval.hpp"
#include "upsweep/document/json.hpp"

namespace upsweep {

/// What a number is, which decides how people see it.
enum class Unit : std::uint8_t {
  text,      ///< as it stands, to the left
  exact,     ///< all digits
  whole,     ///< all digits below 10^6, then few with a prefix
  count,     ///< FLOPs, entries: "26.06 M"
  bytes,     ///< "100.7 MiB"
  seconds,   ///< "12.34 ms"
  ratio,     ///< "5.925x"
  speedup,   ///< the same of speeds: more is better
  share,     ///< "12.5 %" of 0.125
  change,    ///< "+12.5 %" of 0.125
  interval,  ///< from a number to another, of counts; in CSV two columns
  object,    ///< a whole object or array, for JSON alone
  moment,    ///< a time of ISO 8601; pages show it to the minute
  code,      ///< what a user typed, or a hash
};

/// A number, a text, a truth or nothing.
class Value {
 public:
  Value() = default;
  Value(std::nullopt_t) {}                             // NOLINT(google-explicit-constructor): a cell is any of these
  Value(std::string text) : data_(std::move(text)) {}  // NOLINT(google-explicit-constructor)
  Value(std::string_view text) : data_(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Value(const char* text) : data_(std::string(text)) {}       // NOLINT(google-explicit-constructor)
  Value(std::same_as<bool> auto truth) : data_(truth) {}      // NOLINT(google-explicit-constructor)
  Value(std::floating_point auto number);                     // NOLINT(google-explicit-constructor)
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T number) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::signed_integral<T>) {
      data_ = static_cast<std::int64_t>(number);
    } else {
      data_ = static_cast<std::uint64_t>(number);
    }
  }
  Value(const std::optional<double>& number);           // NOLINT(google-explicit-constructor)
  Value(const Interval& interval) : data_(interval) {}  // NOLINT(google-explicit-constructor)
  template <class T>
  Value(const std::optional<T>& value) {  // NOLINT(google-explicit-constructor)
    if (value) *this = Value(*value);
  }

  /// A whole object or array, in a column of Unit::object.
  [[nodiscard]] static Value object(Json json);
  /// The mean sum / inputs: an integer where it is one, else the nearest double.
  [[nodiscard]] static Value mean(std::uint64_t sum, std::uint64_t inputs);
  /// A text, or nothing where it is empty.
  [[nodiscard]] static Value unless_empty(std::string_view text) { return text.empty() ? Value() : Value(text); }
  /// A number without a fraction where it has none and is below 2^63.
  [[nodiscard]] static Value number(double number);

  /// The same for programs; people see this text.
  [[nodiscard]] Value shown(std::string text) &&;
  /// Where it is nothing, people see this text and not "-".
  [[nodiscard]] Value otherwise(std::string text) &&;
  /// The same in another unit than its column.
  [[nodiscard]] Value in(Unit unit) &&;

  /// On a page a link to what has this id.
  [[nodiscard]] Value linked(std::string id) &&;
  /// On a page marked as something that is wrong.
  [[nodiscard]] Value bad() &&;

  [[nodiscard]] bool is_nothing() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_text() const { return std::holds_alternative<std::string>(data_); }
  /// Its ends, where it is an interval.
  [[nodiscard]] std::optional<Interval> as_interval() const;
  /// Its number, where it is one.
  [[nodiscard]] std::optional<double> as_number() const;
  [[nodiscard]] Json json() const;
  /// Without loss, as CSV has it; empty where there is nothing.
  [[nodiscard]] std::string exact() const;
  [[nodiscard]] const std::string& link() const { return link_; }
  [[nodiscard]] bool is_bad() const { return is_bad_; }
  /// Its own unit, or that of its column.
  [[nodiscard]] Unit unit(Unit of_column) const { return unit_.value_or(of_column); }
  /// For people, in the unit of its column; "-" where there is nothing.
  [[nodiscard]] std::string text(Unit unit) const;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Interval,
               std::shared_ptr<const Json>>
      data_;  // no NaN
  std::optional<std::string> shown_;
  std::optional<Unit> unit_;
  std::string link_;
  bool is_bad_ = false;
};

/// A value, or null without one.
template <class T, class Shown = Value>
[[nodiscard]] auto json_of(const std::optional<T>& value) {
  return Shown(value).json();
}

Value::Value(std::floating_point auto number) {
  if (!std::isnan(number)) data_ = static_cast<double>(number);
}

}  // namespace upsweep
