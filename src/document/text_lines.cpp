#include "upsweep/document/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace upsweep {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

/// Bytes of the control character that begins here; 0 where none does.
std::size_t control_bytes(std::string_view rest) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < rest.size() ? static_cast<unsigned char>(rest[i]) : 0;
  };
  const auto is_within = [](unsigned value, unsigned first, unsigned last) { return value >= first && value <= last; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && is_within(byte(1), 0x80, 0x9f)) return 2;  // C1
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;                 // U+061C, as the next ones: which way texts run
  if (byte(0) == 0xef && byte(1) == 0xbf && is_within(byte(2), 0xbe, 0xbf)) return 3;  // U+FFFE and U+FFFF, none at all
  if (byte(0) != 0xe2) return 0;
  const bool is_of_text = byte(1) == 0x80 && (is_within(byte(2), 0x8e, 0x8f) || is_within(byte(2), 0xa8, 0xae));
  return is_of_text || (byte(1) == 0x81 && is_within(byte(2), 0xa6, 0xa9)) ? 3 : 0;
}

/// Takes the part up to and with the next blank or slash off the front.
std::string_view next_part(std::string_view& text) {
  const std::size_t end = text.find_first_of(" /");
  const std::string_view part = text.substr(0, end == std::string_view::npos ? text.size() : end + 1);
  text.remove_prefix(part.size());
  return part;
}

std::string_view without_blanks(std::string_view text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

/// Where the number of a cell ends and its unit begins; npos where it is no number. A lone sign stands for none.
std::size_t number_end(std::string_view cell) {
  const std::size_t end = std::min(cell.find(' '), cell.size());
  if (cell.substr(0, end).find_first_not_of("0123456789.+-e") != std::string_view::npos) return std::string_view::npos;
  const bool has_unit = end < cell.size();
  if (has_unit && (end == 0 || cell.find_first_of(" 0123456789", end + 1) != std::string_view::npos))
    return std::string_view::npos;
  return end;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::size_t leading_bytes(std::string_view text, std::size_t width) {
  std::size_t byte = 0;
  for (std::size_t points = 0; byte < text.size(); ++byte) {
    if (!is_continuation(text[byte]) && points++ == width) break;
  }
  return byte;
}

std::size_t longest_part(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) longest = std::max(longest, text_width(without_blanks(next_part(text))));
  return longest;
}

std::vector<std::string> wrapped_text(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  const auto end_line = [&] {
    lines.emplace_back(without_blanks(line));
    line.clear();
  };
  while (!text.empty()) {
    std::string_view part = next_part(text);
    if (text_width(line) + text_width(without_blanks(part)) > width) {
      if (!without_blanks(line).empty()) end_line();
      line.clear();
    }
    for (; text_width(without_blanks(part)) > width; part.remove_prefix(leading_bytes(part, width))) {
      line = part.substr(0, leading_bytes(part, width));
      end_line();
    }
    line += part;
  }
  if (!line.empty() || lines.empty()) end_line();
  return lines;
}

std::string without_controls(std::string_view text, char instead) {
  std::string plain;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = control_bytes(text.substr(at));
    plain += bytes == 0 ? text[at] : instead;
    at += std::max<std::size_t>(bytes, 1);
  }
  return plain;
}

std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0xc2 || first > 0xf4) return 1;
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (bytes > text.size()) return 1;
  for (std::size_t i = 1; i < bytes; ++i)
    if (!is_continuation(text[i])) return 1;
  return bytes;
}

std::string visible_text(std::string_view text) {
  std::string visible;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t bytes = character_bytes(rest);
    const unsigned first = static_cast<unsigned char>(rest[0]);
    const bool is_no_character = bytes == 1 && first >= 0x80;
    if (rest[0] == '\n' || (!is_no_character && control_bytes(rest) == 0)) {
      visible.append(rest.substr(0, bytes));
    } else if (bytes == 1) {
      visible += fmt::format("\\x{:02x}", first);
    } else {
      unsigned point = first & (bytes == 2 ? 0x1fU : 0x0fU);
      for (std::size_t i = 1; i < bytes; ++i) point = point << 6U | (static_cast<unsigned char>(rest[i]) & 0x3fU);
      visible += fmt::format("\\u{:04x}", point);
    }
    at += bytes;
  }
  return visible;
}

void align_units(std::vector<std::string>& cells) {
  std::size_t widest = 0;  // unit, with the blank before it
  for (const std::string& cell : cells) {
    const std::size_t end = number_end(cell);
    if (end == std::string_view::npos) return;
    widest = std::max(widest, text_width(cell) - end);
  }
  for (std::string& cell : cells) {
    if (!cell.empty()) cell.append(widest - (text_width(cell) - number_end(cell)), ' ');
  }
}

}  // namespace upsweep
