#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/anchors/anchors.hpp"
#include "upsweep/app/session.hpp"
#include "upsweep/report/anchors_report.hpp"

namespace upsweep {

/// Predict published times and say how far off that is; or fit a machine to them.
struct AnchorsRequest {
  std::vector<std::string> files;                     ///< tables and databases of validations, at least one
  std::optional<std::string> family = std::nullopt;   ///< rows of it alone
  std::optional<std::string> device = std::nullopt;   ///< rows whose device has this in its name, in either case
  std::vector<std::string> machines = {};             ///< files, before the presets
  std::optional<std::string> db = std::nullopt;       ///< keeps the run
  std::optional<std::string> fit_out = std::nullopt;  ///< the one machine, fitted to its rows, is written here
  bool force = false;                                 ///< replace a file there that upsweep did not write
};

/// What came of it.
struct AnchorsOutcome {
  AnchorReport report;
  std::vector<std::int64_t> run_ids = {};  ///< where `db` keeps it
};

/// Throws RequestError; InputError for tables, machine files and databases, and for a machine that no row is of.
[[nodiscard]] AnchorsOutcome run(const AnchorsRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
