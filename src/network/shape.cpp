#include "upsweep/network/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "upsweep/base/checked.hpp"

namespace upsweep {

std::uint64_t elements(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) count = checked_mul(count, size);
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

void require_image(const Shape& in) {
  if (in.size() == 3) return;
  throw std::invalid_argument(
      fmt::format("its input has shape {}, accepted is [channels, height, width]", to_string(in)));
}

void require_positive(const char* key, std::uint64_t value) {
  if (value == 0) throw std::invalid_argument(fmt::format("{} is 0, accepted is an integer of at least 1", key));
}

void require_positive(const char* key, const PerAxis& value) {
  require_positive(key, value.y);
  require_positive(key, value.x);
}

void require_fit(bool fits, std::span<const Shape> in, const char* accepted) {
  if (fits) return;
  std::string found;
  for (const Shape& shape : in) found += (found.empty() ? "" : ", ") + to_string(shape);
  throw std::invalid_argument(fmt::format("its inputs have shapes {}, accepted are {}", found, accepted));
}

}  // namespace upsweep
