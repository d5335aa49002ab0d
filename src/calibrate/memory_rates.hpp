#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// Seconds per byte to read an array of so many bytes again and again.
using ReadTime = std::function<double(std::uint64_t bytes)>;

/// Bytes of a last-level cache that its user can count on. `cache_bytes`: what the processor says to have; a virtual
/// machine is told the whole of a cache that it shares with others. Tries arrays from 4 · `cache_bytes` down to
/// `least_bytes`, each smaller than the one before by the root of 2, and takes the size, between two of them by its
/// logarithm, beyond which all take longer than the fastest by an eighth of what the largest takes more: what is said
/// to be in the cache has to be there. `cache_bytes` where the largest takes less than a fifth more than the fastest,
/// so that no cache is seen, and at most.
[[nodiscard]] std::uint64_t usable_cache_bytes(std::uint64_t least_bytes, std::uint64_t cache_bytes,
                                               const ReadTime& seconds_per_byte);

/// The same, measured with `workers` threads that each read a part. `near_bytes`: of the largest cache that a worker
/// has to itself.
[[nodiscard]] std::uint64_t measured_cache_bytes(std::size_t workers, std::uint64_t near_bytes,
                                                 std::uint64_t cache_bytes);

/// Bytes per second, read and written, of `workers` threads that copy arrays of 4 · `cache_bytes`: the processor's
/// cache.
[[nodiscard]] double copy_bytes_per_s(std::size_t workers, std::uint64_t cache_bytes);

/// Costs of writing a Jacobian, into `rates.build`: of convolutions with about as many weights as rows and with far
/// more, dense and pruned ones apart, of linear operators, of poolings and of a relu. All are written in turns: none
/// finds its numbers in a near cache. Those of small linear operators, again and again, are apart.
template <class T>
void measure_build(std::size_t workers, TypeRates& rates);

}  // namespace upsweep
