#include "upsweep/document/value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

std::string number_text(double number, Unit unit) {
  switch (unit) {
    case Unit::count:
      return short_count(number);
    case Unit::bytes:
      return short_bytes(number);
    case Unit::seconds:
      return short_seconds(number);
    case Unit::ratio:
    case Unit::speedup:
      return short_ratio(number);
    case Unit::share:
      return fmt::format("{:.1f} %", 100 * number);
    case Unit::change:
      return fmt::format("{:+.1f} %", 100 * number);
    case Unit::text:
    case Unit::exact:
    case Unit::whole:
    case Unit::object:
    case Unit::interval:
    case Unit::moment:
    case Unit::code:
      break;
  }
  return fmt::format("{}", number);
}

}  // namespace

Value::Value(const std::optional<double>& number) {
  if (number) *this = Value(*number);
}

Value Value::object(Json json) {
  Value value;
  value.data_ = std::make_shared<const Json>(std::move(json));
  return value;
}

Value Value::mean(std::uint64_t sum, std::uint64_t inputs) {
  if (sum % inputs == 0) return sum / inputs;
  return static_cast<double>(sum) / static_cast<double>(inputs);
}

Value Value::number(double number) {
  if (number == std::floor(number) && number >= 0 && number < 0x1p63) return static_cast<std::uint64_t>(number);
  return number;
}

Value Value::shown(std::string text) && {
  shown_ = std::move(text);
  return std::move(*this);
}

Value Value::otherwise(std::string text) && {
  if (is_nothing()) shown_ = std::move(text);
  return std::move(*this);
}

Value Value::in(Unit unit) && {
  unit_ = unit;
  return std::move(*this);
}

Value Value::linked(std::string id) && {
  link_ = std::move(id);
  return std::move(*this);
}

Value Value::bad() && {
  is_bad_ = true;
  return std::move(*this);
}

std::optional<Interval> Value::as_interval() const {
  const auto* interval = std::get_if<Interval>(&data_);
  return interval == nullptr ? std::nullopt : std::optional(*interval);
}

std::optional<double> Value::as_number() const {
  if (const auto* number = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&data_)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&data_)) return *number;
  return std::nullopt;
}

Json Value::json() const {
  return std::visit(
      [](const auto& data) {
        if constexpr (std::same_as<decltype(data), const std::monostate&>) {
          return Json();
        } else if constexpr (std::same_as<decltype(data), const std::shared_ptr<const Json>&>) {
          return *data;
        } else if constexpr (std::same_as<decltype(data), const Interval&>) {
          return Json::array({data.low, data.high});
        } else {
          return Json(data);
        }
      },
      data_);
}

std::string Value::exact() const {
  if (is_nothing()) return "";
  if (const auto* text = std::get_if<std::string>(&data_)) return *text;
  if (const auto* number = std::get_if<double>(&data_)) {
    return *number == std::floor(*number) && std::fabs(*number) < 1e15 ? fmt::format("{:.0f}", *number)
                                                                       : fmt::format("{}", *number);
  }
  return json().dump();
}

std::string Value::text(Unit unit) const {
  if (shown_) return *shown_;
  if (is_nothing()) return "-";
  if (const std::optional<Interval> interval = as_interval())
    return fmt::format("{} to {}", short_count(interval->low), short_count(interval->high));
  const Unit mine = unit_.value_or(unit);
  if (const auto* truth = std::get_if<bool>(&data_)) return *truth ? "yes" : "no";
  if (mine == Unit::whole && std::holds_alternative<std::uint64_t>(data_))
    return whole_text(std::get<std::uint64_t>(data_));
  if (const auto* whole = std::get_if<std::int64_t>(&data_); mine == Unit::whole && whole != nullptr && *whole >= 0)
    return whole_text(static_cast<std::uint64_t>(*whole));
  const std::optional<double> number = as_number();
  const bool is_exact = mine == Unit::text || mine == Unit::exact || mine == Unit::whole;
  return !number || (is_exact && !std::holds_alternative<double>(data_)) ? exact() : number_text(*number, mine);
}

}  // namespace upsweep
