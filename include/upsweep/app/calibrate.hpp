#pragma once

#include <optional>
#include <string>

#include "upsweep/app/session.hpp"
#include "upsweep/calibrate/calibrate.hpp"

namespace upsweep {

/// Measure a machine and write its file.
struct CalibrateRequest {
  std::string backend = "cpu";  ///< "cpu" or "cuda"
  std::string out;              ///< the machine file to write; its stem is the machine's name
  unsigned value_bytes = 0;     ///< 4 or 8: numbers of this size alone, others get their rates; 0: both
  bool quick = false;           ///< a third of the products: to try it out, not for figures
  std::optional<std::string> db = std::nullopt;  ///< keeps the machine too
  bool force = false;                            ///< replace a file of that name that upsweep did not write, too
};

/// A machine that was measured; its file is written.
struct CalibrateOutcome {
  Calibration calibration;
};

/// Throws RequestError; BackendError where the backend cannot run; InputError where `out` or `db` cannot be written,
/// found before anything is measured.
[[nodiscard]] CalibrateOutcome run(const CalibrateRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
