#pragma once

namespace upsweep::bench {

/// Processor time up to a moment, to be subtracted from that of another one.
struct CpuTime {
  double wall = 0;     ///< seconds since some fixed moment
  double own = 0;      ///< processor seconds of this process, all threads
  double machine = 0;  ///< processor seconds of all processes and of the host ("steal"); steps of 0.01
};

[[nodiscard]] CpuTime cpu_time_now();

/// Cores that other processes kept busy between two moments: 0 on a quiet machine. What they take slows down the runs
/// on all cores first.
[[nodiscard]] double cores_of_others(const CpuTime& start, const CpuTime& end);

}  // namespace upsweep::bench
