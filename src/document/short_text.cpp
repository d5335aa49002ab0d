#include "upsweep/document/short_text.hpp"

#include "upsweep/document/text_lines.hpp"

namespace upsweep {
namespace {

/// Bytes of the character that begins here: 1 where none of UTF-8 does.
std::size_t character_bytes(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char first = byte(0);
  if (first < 0xc2 || first > 0xf4) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (bytes > rest.size()) return 1;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0U) != 0x80U) return 1;
  return bytes;
}

}  // namespace

std::string cut_text(std::string_view text, std::size_t most) {
  std::size_t kept = 0;  // bytes that may stay, if a character must go
  std::size_t characters = 0;
  for (std::size_t at = 0; at < text.size(); ++characters) {
    if (characters == most) return std::string(text.substr(0, kept)) += "…";
    at += character_bytes(text.substr(at));
    if (characters + 2 <= most) kept = at;
  }
  return std::string(text);
}

std::string short_text(std::string_view text, std::size_t most) { return without_controls(cut_text(text, most), ' '); }

}  // namespace upsweep
