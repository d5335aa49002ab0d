#pragma once

#include <cstddef>
#include <string>

#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// The most ops for which a trace has arrows between producers and consumers.
inline constexpr std::size_t kMostFlowOps = 5000;

/// The simulated execution of a run as a Trace Event file (JSON object format) for Perfetto and chrome://tracing.
///
/// One track per worker with an event per op; levels as a track of their own under level execution; counters for live
/// bytes and ready ops; arrows for dependencies up to kMostFlowOps ops. A microsecond of the trace is a FLOP: times of
/// the simulation are FLOPs, and the file says so. Events of a track are strictly nested. Execution and dead ops: as
/// replayed_run(). Throws std::invalid_argument where the run has no ops, and as replayed_run() does.
///
/// Source of the format: "Trace Event Format" (Google, 2016).
[[nodiscard]] std::string trace_json(const RunDetails& run);

/// The variants of a training step that have tasks, a process each from time 0 on: a track per device, stream or link,
/// and a counter for the memory of the fullest device. A microsecond of the trace is a microsecond
/// where the run is in seconds, else a unit of its file. Throws std::invalid_argument where there are no tasks or one
/// has no time.
[[nodiscard]] std::string trace_json(const StoredTraining& training);

}  // namespace upsweep
