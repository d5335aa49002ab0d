#include "upsweep/recurrent/backward_method.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "upsweep/base/edit_distance.hpp"
#include "upsweep/scan/schedule_name.hpp"

namespace upsweep {
namespace {

constexpr std::string_view kBlocked = "blocked";  // the scheme

/// A decimal without an exponent: what to_string() writes comes back to the last bit.
std::optional<double> decimal(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string to_decimal(double value) {
  std::array<char, std::numeric_limits<double>::max_exponent10 + 32> digits{};
  const auto [end, error] = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed);
  return error == std::errc() ? std::string(digits.begin(), end) : fmt::format("{}", value);
}

}  // namespace

std::string to_string(const BackwardMethod& method) {
  switch (method.kind) {
    case BackwardKind::sequential:
      return "bptt";
    case BackwardKind::levels:
      return scheme_name(schemes().front(), method.depth);
    case BackwardKind::blocked: {
      const std::string name = fmt::format("{}:{}", kBlocked, method.blocks.blocks);
      return method.blocks.first_block == 1 ? name : fmt::format("{}:{}", name, to_decimal(method.blocks.first_block));
    }
  }
  throw std::logic_error("unknown kind of backward method");
}

BackwardMethod parse_backward_method(const std::string& text) {
  if (text == "bptt") return {};
  // What schedules do not have: a first block of another length.
  const std::size_t colon = text.find(':', text.find(':') + 1);
  const bool has_first = text.starts_with("blocked:") && colon != std::string::npos;
  const std::optional<double> first = has_first ? decimal(std::string_view(text).substr(colon + 1)) : 1.0;
  try {
    const ScheduleRequest request = parse_schedule(has_first ? text.substr(0, colon) : text);
    if (request.scheme->is_hybrid) return {BackwardKind::levels, static_cast<std::uint32_t>(request.parameter), {}};
    if (request.scheme->name == kBlocked && first && *first >= 1)
      return {BackwardKind::blocked, 0, {request.parameter, *first, false}};
  } catch (const std::invalid_argument&) {
    // The message below names what is accepted here.
  }
  std::vector<std::string> names = schedule_names(text, {"bptt"});
  std::erase_if(names, [](const std::string& name) {
    return name != "bptt" && name != "linear" && name != "blelloch" && !name.starts_with("hybrid:") &&
           !name.starts_with("blocked:");
  });
  throw std::invalid_argument(
      fmt::format("'{}' is no backward method{}, accepted are bptt, linear, hybrid:L with an integer L of at least 0, "
                  "blelloch, blocked:P with an integer P of at least 1, and blocked:P:F with a decimal F of at least 1",
                  text, hint_of(text, names)));
}

bool is_scan(const BackwardMethod& method) {
  return (method.kind == BackwardKind::levels && method.depth > 0) ||
         (method.kind == BackwardKind::blocked && method.blocks.blocks > 2);
}

}  // namespace upsweep
