#pragma once

#include <cstddef>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// This machine's processor, with `workers` workers.
[[nodiscard]] DeviceFacts processor_facts(std::size_t workers);

}  // namespace upsweep
