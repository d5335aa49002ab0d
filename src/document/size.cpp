#include "upsweep/document/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "upsweep/base/edit_distance.hpp"

namespace upsweep {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 10> kUnits = {{{"", 1},
                                                                         {"B", 1},
                                                                         {"kB", 1e3},
                                                                         {"MB", 1e6},
                                                                         {"GB", 1e9},
                                                                         {"TB", 1e12},
                                                                         {"KiB", 0x1p10},
                                                                         {"MiB", 0x1p20},
                                                                         {"GiB", 0x1p30},
                                                                         {"TiB", 0x1p40}}};

}  // namespace

std::optional<std::uint64_t> size_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  std::string unit(stop, end);
  unit.erase(0, unit.find_first_not_of(' '));
  const auto* const known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  const double bytes = known == kUnits.end() ? 0 : std::floor(value * known->second);
  if (error != std::errc() || !(bytes >= 1) || bytes >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string size_hint(const std::string& text) {
  const std::size_t end = text.find_last_of("0123456789. ") + 1;
  const std::string number = text.substr(0, end);
  const auto letter = [](std::string_view unit) { return unit.empty() ? 0 : unit.front() & ~0x20; };
  std::vector<std::string> sizes;
  for (const auto& [unit, bytes] : kUnits) {
    const bool is_near = letter(unit) == letter(std::string_view(text).substr(end));
    if (is_near && size_of(number)) sizes.push_back(number + std::string(unit));
  }
  return hint_of(text, sizes);
}

std::string bare_size_note(const std::string& text, const std::string& counted) {
  const std::optional<std::uint64_t> number = size_of(text);
  const bool is_small = number && *number < 1U << 20U;
  if (!number || text.find('B') != std::string::npos || (!is_small && counted == "byte")) return "";
  return fmt::format("is {} {}{}; ", *number, counted, *number == 1 ? "" : "s") +
         (is_small ? fmt::format("{0} GiB {1} written {0}GiB", text, *number == 1 ? "is" : "are")
                   : fmt::format("as many bytes are written {}B", text));
}

}  // namespace upsweep
