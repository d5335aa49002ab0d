#include "upsweep/scan/schedule_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <stdexcept>
#include <utility>

#include "upsweep/base/edit_distance.hpp"
#include "upsweep/scan/product_order.hpp"

namespace upsweep {
namespace {

/// The parameter behind the name of a scheme and a colon; nothing where the text is something else or out of range.
std::optional<std::uint64_t> parameter_of(const std::string& text, const Scheme& scheme) {
  const std::string prefix = scheme.name + ":";
  if (scheme.parameter.empty() || !text.starts_with(prefix)) return std::nullopt;
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + prefix.size(), end, value);
  const bool is_parameter = error == std::errc() && stop == end && value >= scheme.least && value <= scheme.most;
  return is_parameter ? std::optional(value) : std::nullopt;
}

/// The scheme of orders, which have no parameter and no other lengths.
const Scheme& order_scheme() {
  static const Scheme scheme{"order", {}};
  return scheme;
}

ScheduleRequest parse_order(const std::string& text) {
  try {
    return {&order_scheme(), 0, text, read_order(text)};
  } catch (const std::invalid_argument& error) {
    constexpr std::size_t kShown = 60;  // names of orders may have thousands of letters
    throw std::invalid_argument(fmt::format("'{}{}' is no schedule: {}", text.substr(0, kShown),
                                            text.size() > kShown ? "..." : "", error.what()));
  }
}

}  // namespace

const std::string& accepted_schedules() {
  static const std::string accepted = [] {
    std::string text;
    const auto add = [&text](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
    for (const Scheme& scheme : schemes()) {
      for (const SchemeWord& word : scheme.words) add(word.word);
      if (scheme.parameter.empty()) continue;
      add(fmt::format("{0}:{1} with an integer {1} of at least {2}", scheme.name, scheme.parameter, scheme.least));
    }
    add("order:N:... as `search --schemes optimal` prints it");
    return text;
  }();
  return accepted;
}

std::vector<std::string> schedule_names(const std::string& text, std::vector<std::string> others) {
  std::vector<std::string> names = std::move(others);
  const std::size_t colon = text.find(':');
  const bool has_parameter = colon != std::string::npos && colon + 1 < text.size();
  const std::string parameter = has_parameter ? text.substr(colon) : ":2";
  for (const Scheme& scheme : schemes()) {
    for (const SchemeWord& word : scheme.words) names.emplace_back(word.word);
    if (scheme.parameter.empty()) continue;
    const std::string asked = scheme.name + parameter;
    if (parameter_of(asked, scheme)) names.push_back(asked);
  }
  return names;
}

std::string accepted_schedules(const std::string& text, const std::vector<std::string>& others) {
  return fmt::format("{}, accepted are {}{}{}", hint_of(text, schedule_names(text, others)), fmt::join(others, ", "),
                     others.empty() ? "" : ", ", accepted_schedules());
}

ScheduleRequest parse_schedule(const std::string& text) {
  if (is_order_name(text)) return parse_order(text);
  for (const Scheme& scheme : schemes()) {
    for (const SchemeWord& known : scheme.words) {
      if (text == known.word) return {&scheme, known.parameter, text};
    }
    if (const auto parameter = parameter_of(text, scheme)) return {&scheme, *parameter, text};
  }
  throw std::invalid_argument(fmt::format("'{}' is no schedule{}", text, accepted_schedules(text)));
}

std::string canonical_name(const ScheduleRequest& request) {
  return request.order ? request.order->name : scheme_name(*request.scheme, request.parameter);
}

Schedule make_schedule(const ScheduleRequest& request, std::size_t length) {
  if (!request.order) return request.scheme->build(length, request.parameter);
  if (request.order->length == length) return *request.order;
  throw std::invalid_argument(fmt::format("an order of {} elements and a scan array of {}, accepted is the same length",
                                          request.order->length, length));
}

std::string became_text(const ScheduleRequest& request, const std::string& name, std::size_t length) {
  const std::string asked = canonical_name(request);
  if (asked == name || (request.scheme->is_hybrid && request.parameter == ScheduleRequest::kFullDepth)) return "";
  return fmt::format("{} over {} elements is {}", asked, length, name);
}

}  // namespace upsweep
