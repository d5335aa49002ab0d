#pragma once

#include <memory>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"

namespace upsweep {

/// Names of all backends, available here or not: reference, cpu, eigen, cuda, cusparse, cusparse-reuse.
[[nodiscard]] const std::vector<std::string>& backend_names();

/// The backend of that name; one that was not compiled in is a stand-in that says so. Throws std::invalid_argument for
/// an unknown name.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const std::string& name);

}  // namespace upsweep
