#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "memory_rates.hpp"
#include "upsweep/backend/backend.hpp"
#include "upsweep/calibrate/synthetic.hpp"
#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Seconds of an iteration, the median of a few. Plans with `run.plan`, and keeps the plan there. BackendError where
/// not all `workers` take part.
template <class T>
[[nodiscard]] double run_seconds(const Backend& backend, SyntheticRun<T>& run, std::size_t workers);

/// Of a run that took `first` seconds and is measured `again`: the mean of two times that agree, else the median of
/// three. The lesser of two would be what a run takes while nobody else uses the memory, which is not what runs find.
[[nodiscard]] double middle_seconds(double first, const std::function<double()>& again);

/// Fills the latencies in. Returns what timing a run adds to it, seconds: on a gpu the events around it.
double measure_latencies(const Backend& backend, MachineKind kind, Rates& rates);

/// Measures how chains of full matrices are read, one after the other and after pauses, each twice, where something
/// disturbs it or no edge is seen up to six times, of which the fastest counts, and what follows of the cache. No edge
/// of a backend that does not time its levels.
[[nodiscard]] CacheEdge measured_edge(const Backend& backend, const DeviceFacts& facts, std::uint64_t cache_bytes,
                                      std::size_t workers);

/// Sets the last level of `machine` to what was found, at most `whole_cache`. Where no edge was, what the machine names
/// counts, but at most kMostUnseenCache: a virtual machine may name all that a chip has, and products out of a cache of
/// 508 MiB take 2 GB and more.
void set_cache(Machine& machine, const CacheEdge& edge, std::uint64_t whole_cache);
inline constexpr std::uint64_t kMostUnseenCache = std::uint64_t{64} << 20;

/// Measures what the small ops of a run of `bytes`, each a level, take more than predicted, in the median, and keeps it
/// as `latency` of each count of workers; a small op is one worker's, whatever the others do.
template <class T>
void measure_latency(const Backend& backend, Machine& machine, std::uint64_t bytes, double Rates::*latency);

}  // namespace upsweep
