#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "upsweep/app/session.hpp"

namespace upsweep {

/// Write one HTML page about the runs and studies of a database.
struct ReportRequest {
  std::string db;
  std::string out;                                   ///< ends with .html
  std::optional<std::int64_t> run = std::nullopt;    ///< this run alone
  std::optional<std::int64_t> study = std::nullopt;  ///< this study alone
  bool force = false;                                ///< replace a file of that name that upsweep did not write, too
};

/// A page that is written.
struct ReportOutcome {
  std::size_t bytes = 0;
};

/// Throws RequestError, InputError.
[[nodiscard]] ReportOutcome run(const ReportRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
