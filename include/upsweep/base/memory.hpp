#pragma once

#include <cstdint>

namespace upsweep {

/// Physical memory of this machine, bytes.
[[nodiscard]] std::uint64_t machine_memory();

/// Hands free memory of this process back to the system, where the C library knows how.
void return_free_memory();

}  // namespace upsweep
