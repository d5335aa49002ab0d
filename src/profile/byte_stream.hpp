#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace upsweep {

/// Appends numbers and texts to bytes. A number takes 7 bits per byte, lowest first, and the eighth says that more
/// follow (LEB128).
class ByteWriter {
 public:
  explicit ByteWriter(std::string_view start) : bytes_(start) {}

  void number(std::uint64_t value);
  void text(std::string_view text);

  [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote. All throw std::invalid_argument where the bytes end too early or say what it would
/// not have written.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  /// Whether the next bytes are these, which are then read.
  [[nodiscard]] bool starts_with(std::string_view start);
  [[nodiscard]] std::uint64_t number();
  /// A number of items of `least_bytes` >= 1 or more each: those that fit into the bytes that are left at most.
  [[nodiscard]] std::uint64_t length(std::uint64_t least_bytes = 1);
  /// A text of at most `most` bytes.
  [[nodiscard]] std::string text(std::uint64_t most);
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace upsweep
