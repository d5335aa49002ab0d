#pragma once

#include <string>

#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/document/document.hpp"

namespace upsweep {

/// The machine's figures and every synthetic product, predicted beside measured, which CSV has; people see latencies,
/// bandwidth, the fit's errors by workers and number type, and the products that fit worst.
[[nodiscard]] Document document(const Calibration& calibration);

}  // namespace upsweep
