#include "upsweep/document/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace upsweep {
namespace {

double mean(std::uint64_t sum, std::uint64_t inputs) { return static_cast<double>(sum) / static_cast<double>(inputs); }

/// Four significant digits, trailing zeros kept so that columns line up.
std::string four_digits(double value) {
  return std::fabs(value) < 999.95 ? fmt::format("{:#.4g}", value) : fmt::format("{:.0f}", value);
}

/// Scales by steps of `base` and shows four digits.
template <std::size_t N>
std::string scaled(double value, double base, double first_limit, const std::array<const char*, N>& units) {
  std::size_t unit = 0;
  if (std::fabs(value) >= first_limit) {
    while (unit + 1 < N && std::fabs(value) >= base * (1 - 5e-5)) {
      value /= base;
      ++unit;
    }
  }
  const std::string digits =
      unit == 0 && value == std::floor(value) ? fmt::format("{:.0f}", value) : four_digits(value);
  return *units[unit] == '\0' ? digits : fmt::format("{} {}", digits, units[unit]);
}

}  // namespace

std::string short_count(double count) {
  return scaled(count, 1000, 10'000, std::array{"", "k", "M", "G", "T", "P", "E"});
}
std::string short_count(std::uint64_t sum, std::uint64_t inputs) { return short_count(mean(sum, inputs)); }

std::string whole_text(std::uint64_t number) {
  return number < 1'000'000 ? fmt::format("{}", number) : short_count(static_cast<double>(number));
}

std::string short_bytes(double bytes) {
  return scaled(bytes, 1024, 1024, std::array{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
}
std::string short_bytes(std::uint64_t sum, std::uint64_t inputs) { return short_bytes(mean(sum, inputs)); }

std::string wait_text(double seconds) {
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::min(seconds, 1e15));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string short_seconds(double seconds) {
  constexpr double kRounded = 1 - 5e-5;  // what four digits make 1000 of has the next unit
  const double size = std::fabs(seconds);
  if (size >= kRounded) return four_digits(seconds) + " s";
  if (size >= kRounded * 1e-3) return four_digits(seconds * 1e3) + " ms";
  if (size >= kRounded * 1e-6) return four_digits(seconds * 1e6) + " us";
  return seconds == 0 ? "0 s" : four_digits(seconds * 1e9) + " ns";
}

std::string short_ratio(double ratio) {
  return ratio < 10'000 ? four_digits(ratio) + 'x' : fmt::format("{:.0f}x", ratio);
}

namespace {

/// Whether a spreadsheet would take a cell for a formula: it begins like one and is no number.
bool is_formula(const std::string& cell) {
  if (cell.empty() || std::string_view("=+-@\t\r").find(cell[0]) == std::string_view::npos) return false;
  char* end = nullptr;
  static_cast<void>(std::strtod(cell.c_str(), &end));
  return end != cell.c_str() + cell.size();
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& text : cells) {
    const std::string cell = is_formula(text) ? "'" + text : text;
    if (&text != &cells.front()) line += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\r\n";
}

}  // namespace upsweep
