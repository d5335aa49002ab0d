#include "upsweep/document/size.hpp"

#include <charconv>
#include <cmath>
#include <utility>

namespace upsweep {

std::optional<std::uint64_t> size_of(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  std::string unit(stop, end);
  unit.erase(0, unit.find_first_not_of(' '));
  double scale = 0;
  for (const auto& [name, bytes] :
       {std::pair{"", 1.0}, std::pair{"B", 1.0}, std::pair{"KiB", 0x1p10}, std::pair{"MiB", 0x1p20},
        std::pair{"GiB", 0x1p30}, std::pair{"TiB", 0x1p40}, std::pair{"kB", 1e3}, std::pair{"MB", 1e6},
        std::pair{"GB", 1e9}, std::pair{"TB", 1e12}}) {
    if (unit == name) scale = bytes;
  }
  const double bytes = std::floor(value * scale);
  if (error != std::errc() || !(bytes >= 1) || bytes >= 0x1p63) return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::string small_size_note(const std::string& text) {
  const std::optional<std::uint64_t> bytes = size_of(text);
  if (!bytes || *bytes >= 1U << 20U || text.find('B') != std::string::npos) return "";
  return "is " + std::to_string(*bytes) + (*bytes == 1 ? " byte; " : " bytes; ") + text + " GiB are written " + text +
         "GiB";
}

}  // namespace upsweep
