#include "upsweep/recurrent/backward_method.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace upsweep {
namespace {

template <class Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

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

/// What follows "blocked:".
std::optional<BlockOptions> parse_blocks(std::string_view text) {
  const std::size_t colon = text.find(':');
  const auto blocks = whole_number<std::size_t>(text.substr(0, colon));
  const auto first = colon == std::string_view::npos ? std::optional(1.0) : decimal(text.substr(colon + 1));
  if (!blocks || *blocks == 0 || !first || *first < 1) return std::nullopt;
  return BlockOptions{*blocks, *first, false};
}

}  // namespace

std::string to_string(const BackwardMethod& method) {
  switch (method.kind) {
    case BackwardKind::sequential:
      return "bptt";
    case BackwardKind::levels:
      if (method.depth == 0) return "linear";
      return method.depth == BackwardMethod::kFullDepth ? "blelloch" : fmt::format("hybrid:{}", method.depth);
    case BackwardKind::blocked:
      if (method.blocks.first_block == 1) return fmt::format("blocked:{}", method.blocks.blocks);
      return fmt::format("blocked:{}:{}", method.blocks.blocks, to_decimal(method.blocks.first_block));
  }
  throw std::logic_error("unknown kind of backward method");
}

BackwardMethod parse_backward_method(const std::string& text) {
  constexpr std::string_view kHybrid = "hybrid:";
  constexpr std::string_view kBlocked = "blocked:";
  if (text == "bptt") return {};
  if (text == "linear") return {BackwardKind::levels, 0, {}};
  if (text == "blelloch") return {BackwardKind::levels, BackwardMethod::kFullDepth, {}};
  const std::string_view view = text;
  if (view.starts_with(kHybrid)) {
    if (const auto depth = whole_number<std::uint32_t>(view.substr(kHybrid.size()))) {
      return {BackwardKind::levels, *depth, {}};
    }
  }
  if (view.starts_with(kBlocked)) {
    if (const auto blocks = parse_blocks(view.substr(kBlocked.size()))) return {BackwardKind::blocked, 0, *blocks};
  }
  throw std::invalid_argument(
      fmt::format("'{}' is no backward method, accepted are bptt, linear, hybrid:L with an integer L of at least 0, "
                  "blelloch, blocked:P with an integer P of at least 1, and blocked:P:F with a decimal F of at least 1",
                  text));
}

bool is_scan(const BackwardMethod& method) {
  return (method.kind == BackwardKind::levels && method.depth > 0) ||
         (method.kind == BackwardKind::blocked && method.blocks.blocks > 2);
}

}  // namespace upsweep
