#include "upsweep/network/shape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "upsweep/base/checked.hpp"

namespace upsweep {

std::uint64_t elements(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::uint64_t size : shape) count = checked_mul(count, size);
  return count;
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace upsweep
