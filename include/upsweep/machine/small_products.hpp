#pragma once

#include <cstdint>

namespace upsweep {

/// What the time of many small dense products on a gpu depends on, besides its rates: one thread block each, operands
/// in shared memory. Latencies in cycles, from the issue of an instruction to its result.
struct SmallProducts {
  std::uint64_t multiprocessors = 1;
  double clock_hz = 1;
  std::uint64_t resident_blocks = 1;      ///< of one multiprocessor
  std::uint64_t resident_threads = 1;     ///< of one multiprocessor
  std::uint64_t shared_memory_bytes = 1;  ///< of one multiprocessor
  std::uint64_t shared_words = 1;         ///< numbers of 4 bytes that its shared memory moves in a cycle
  double fma_cycles = 0;                  ///< multiply-add that waits for the one before
  double shared_load_cycles = 0;          ///< load from shared memory
  double cache_load_cycles = 0;           ///< load that hits the cache of the whole device
  double memory_load_cycles = 0;          ///< load that misses it

  friend bool operator==(const SmallProducts&, const SmallProducts&) = default;
};

}  // namespace upsweep
