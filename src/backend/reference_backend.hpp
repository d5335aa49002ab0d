#pragma once

#include <memory>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// The oracle of the other backends: sequential, without a plan, one combine after the other on plain CSR arrays.
[[nodiscard]] std::unique_ptr<Backend> make_reference_backend();

}  // namespace upsweep
