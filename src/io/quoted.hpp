#pragma once

#include <fmt/format.h>

#include <string>

namespace upsweep {

/// Text in double quotes, as YAML has it.
[[nodiscard]] inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + '"';
}

/// Text of a file as it may stand in a message: one line, not too long, printable.
[[nodiscard]] std::string excerpt(const std::string& text);

}  // namespace upsweep
