#pragma once

#include <memory>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// Planned products on the threads of this machine: structure once, numbers in every iteration. Every op is cut into
/// parts of about equal work, and a level (or what is ready) is shared out part by part.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend();

}  // namespace upsweep
