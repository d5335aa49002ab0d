#pragma once

#include <cstdint>

namespace upsweep {

/// Physical memory of this machine, bytes.
[[nodiscard]] std::uint64_t machine_memory();

}  // namespace upsweep
