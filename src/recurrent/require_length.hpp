#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>

namespace upsweep {

/// Throws std::invalid_argument for an array that has not the numbers it should.
inline void require_length(const char* what, std::size_t found, std::size_t wanted) {
  if (found != wanted) throw std::invalid_argument(fmt::format("{}: {} numbers, accepted are {}", what, found, wanted));
}

}  // namespace upsweep
