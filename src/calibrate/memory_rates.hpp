#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Time to read an array of so many bytes again and again.
struct ReadTime {
  std::uint64_t bytes = 0;
  double seconds_per_byte = 0;
};

/// Bytes of a cache that its user can count on: the largest size of `times` (ascending) below which every size is read
/// at no more than the mean of the first and the last time per byte. The last size must be far larger than the cache.
/// 0 where the last takes less than a fifth more than the first: no cache is seen. Throws std::invalid_argument for
/// fewer than two sizes.
[[nodiscard]] std::uint64_t usable_cache_bytes(std::span<const ReadTime> times);

/// What `workers` threads can count on of a last-level cache that the processor says to have: a virtual machine is told
/// the whole of a cache that it shares with others. `near_bytes`: of the largest cache a worker has to itself. Reads
/// arrays of up to twice `cache_bytes`; at most `cache_bytes`, which it is too where the measurement shows nothing.
[[nodiscard]] std::uint64_t measured_cache_bytes(std::size_t workers, std::uint64_t near_bytes,
                                                 std::uint64_t cache_bytes);

/// Bytes per second, read and written, of `workers` threads that copy arrays far larger than the cache.
[[nodiscard]] double copy_bytes_per_s(std::size_t workers, std::uint64_t cache_bytes);

/// Costs per value and per row of writing a Jacobian, from a dense and a sparse convolution with as many rows: sets
/// `rates.build_value_s` and `build_row_s`.
template <class T>
void measure_build(std::size_t workers, TypeRates& rates);

}  // namespace upsweep
