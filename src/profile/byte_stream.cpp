#include "byte_stream.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace upsweep {

void ByteWriter::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
  bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::text(std::string_view text) {
  number(text.size());
  bytes_.append(text);
}

bool ByteReader::starts_with(std::string_view start) {
  if (!rest_.starts_with(start)) return false;
  rest_.remove_prefix(start.size());
  return true;
}

std::uint64_t ByteReader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) throw std::invalid_argument("an analysis that is cut off");
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    const std::uint64_t bits = byte & 0x7fU;
    if (bits << shift >> shift != bits) break;
    value |= bits << shift;
    if ((byte & 0x80) == 0) return value;
  }
  throw std::invalid_argument("an analysis with a number of more than 64 bits");
}

std::uint64_t ByteReader::length(std::uint64_t least_bytes) {
  const std::uint64_t items = number();
  if (items > rest_.size() / least_bytes)
    throw std::invalid_argument(fmt::format("an analysis with {} items in {} bytes", items, rest_.size()));
  return items;
}

std::string ByteReader::text(std::uint64_t most) {
  const std::uint64_t size = length();
  if (size > most) throw std::invalid_argument(fmt::format("an analysis with a name of {} bytes", size));
  const std::string text(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return text;
}

}  // namespace upsweep
