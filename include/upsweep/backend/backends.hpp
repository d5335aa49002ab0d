#pragma once

#include <memory>

#include "upsweep/backend/backend.hpp"

/// The backends of this processor.
namespace upsweep {

/// The oracle of the other backends: sequential, without a plan, one combine after the other on plain CSR arrays.
[[nodiscard]] std::unique_ptr<Backend> make_reference_backend();

/// Planned products on a team of threads.
[[nodiscard]] std::unique_ptr<Backend> make_cpu_backend();

/// Eigen's sparse product on one thread: what a general library does that finds the structure anew in every iteration.
[[nodiscard]] std::unique_ptr<Backend> make_eigen_backend();

}  // namespace upsweep
