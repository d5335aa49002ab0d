#pragma once

#include <cstdint>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/team_groups.hpp"

namespace upsweep::kernels {

/// Streams that facts() recommends.
inline constexpr std::size_t kDefaultStreams = 8;

/// Whether there are a driver, a device and a compute capability that the kernels run on. Runs use device 0.
[[nodiscard]] Availability cuda_availability();

/// Name, versions, multiprocessors and memory of device 0. Throws BackendError.
[[nodiscard]] DeviceFacts cuda_facts();

/// Shared memory that a block of device 0 may have when it asks for it, bytes. Throws BackendError.
[[nodiscard]] std::uint64_t shared_memory_limit();

/// Room for teams of rows on CUDA device 0. Throws BackendError.
[[nodiscard]] TeamRoom team_room();

}  // namespace upsweep::kernels
