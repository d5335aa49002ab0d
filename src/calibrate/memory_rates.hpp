#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "upsweep/machine/machine.hpp"

namespace upsweep {

/// How fast a working set is read that a run comes back to.
struct ReadTime {
  std::uint64_t bytes = 0;
  double iteration_s = 0;  ///< from one time to the next
  double byte_s = 0;       ///< to read a byte
};

/// Where working sets leave the cache, in bytes, and what others bring into it.
struct CacheEdge {
  std::uint64_t inside = 0;      ///< as Machine::cache_bytes: up to here all of it stays in the cache
  std::uint64_t outside = 0;     ///< as Machine::from_memory_bytes; 0: no edge is seen
  double churn_bytes_per_s = 0;  ///< as Machine's
  double error = 0;              ///< mean |log(predicted / measured)| of the times
};

/// What the processor says to have does not tell: a virtual machine is told the whole of a cache that it shares with
/// others, and what it leaves there for longer than some milliseconds is gone. `times` by bytes, ascending. Seconds are
/// near + (far - near) · share, of the fastest and of the median of the largest three, the share as uncached_share()
/// has it of bytes + churn · iteration_s; `outside` is at most kEdgeWidth · `inside`. The sum of |log(predicted /
/// measured)|, in which single times that something disturbed say little, tells how well an edge explains the times.
/// A larger cache with more churn explains noisy ones about as well as a smaller one with less: of the edges whose sum
/// is at most a fifth above the least, and at most 0.01 per time, it is the one with the least churn. With noise that
/// is less of both than there is (of 63 MB and 8 GB/s with 7 % of it, 49 to 54 MB and 3 to 6 GB/s), but never 420 MB
/// with 96 GB/s. No edge of fewer than three times, nor where the largest take less than a fifth more than the fastest.
[[nodiscard]] CacheEdge cache_edge(const std::vector<ReadTime>& times);
inline constexpr double kEdgeWidth = 3;

/// Bytes per second, read and written, of `workers` threads that copy arrays of 4 · `cache_bytes`: the processor's
/// cache.
[[nodiscard]] double copy_bytes_per_s(std::size_t workers, std::uint64_t cache_bytes);

/// Costs of writing a Jacobian, into `rates.build`: of convolutions with about as many weights as rows and with far
/// more, dense and pruned ones apart, of linear operators, of poolings and of a relu. All are written in turns: none
/// finds its numbers in a near cache. Those of small linear operators, again and again, are apart.
template <class T>
void measure_build(std::size_t workers, TypeRates& rates);

}  // namespace upsweep
