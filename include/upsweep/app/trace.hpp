#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "upsweep/app/session.hpp"

namespace upsweep {

/// Write what simulated workers do in a run, in the Chrome trace event format.
struct TraceRequest {
  std::string db;
  std::int64_t run = 0;
  std::string out;     ///< ends with .json
  bool force = false;  ///< replace a file of that name that upsweep did not write, too
};

/// A trace that is written.
struct TraceOutcome {
  std::size_t bytes = 0;
};

/// Throws RequestError; InputError, also for a run that has no trace.
[[nodiscard]] TraceOutcome run(const TraceRequest& request, const Caller& caller, const Watch& watch);

}  // namespace upsweep
