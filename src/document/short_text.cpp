#include "upsweep/document/short_text.hpp"

#include "upsweep/document/text_lines.hpp"

namespace upsweep {
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
