#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "upsweep/app/session.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/devices/registry.hpp"

namespace upsweep {

/// The entry of a request's backend. Throws RequestError where none of that name has the ability.
const BackendEntry& require_backend(const std::string& name, Ability ability);

/// The backend of a request. Throws BackendError where it cannot run here.
[[nodiscard]] std::unique_ptr<Backend> available_backend(const std::string& name);

/// calibrate() of a backend with progress, dated now.
[[nodiscard]] Calibration calibrate_with_progress(const Backend& backend, CalibrationOptions options,
                                                  const Caller& caller, const Watch& watch);

/// Calibrates a backend for a validation that was given no machine file: only what its runs need.
[[nodiscard]] Machine calibrate_now(const Backend& backend, std::size_t workers, unsigned value_bytes,
                                    const Caller& caller, const Watch& watch);

}  // namespace upsweep
