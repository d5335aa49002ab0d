#pragma once

#include <memory>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// Eigen's sparse product on one thread: what a general library does that finds the structure anew in every iteration.
[[nodiscard]] std::unique_ptr<Backend> make_eigen_backend();

}  // namespace upsweep
