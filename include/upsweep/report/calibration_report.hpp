#pragma once

#include <string>

#include "upsweep/calibrate/calibrate.hpp"
#include "upsweep/report/format.hpp"

namespace upsweep {

/// The machine's figures and every synthetic product, predicted beside measured.
[[nodiscard]] Json to_json(const Calibration& calibration);

/// The table of synthetic products.
[[nodiscard]] std::string to_csv(const Calibration& calibration);

/// For people: latencies, bandwidth, the fit's errors by workers and number type, and the products that fit worst.
[[nodiscard]] std::string to_text(const Calibration& calibration);

}  // namespace upsweep
