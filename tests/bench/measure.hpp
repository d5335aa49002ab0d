#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "case.hpp"

namespace upsweep::bench {

/// A case, measured.
struct Measured {
  std::string name;
  std::string skipped;           ///< why there are no numbers, else empty
  double median = 0;             ///< seconds
  double min = 0;                ///< seconds
  double others = 0;             ///< cores that other processes kept busy during the timed runs
  std::uint64_t peak_bytes = 0;  ///< resident memory of the child process, loading of the inputs included
  std::size_t repetitions = 0;
};

/// Prepares, warms up and times a case in a child process of its own.
///
/// Throws std::runtime_error when a run's counts() are not the expected ones.
[[nodiscard]] Measured measure(const Case& item);

/// The counts of one run of a task, prepared in a child process. Throws std::runtime_error when memory runs out.
[[nodiscard]] Counts counts_in_child(const std::function<Task()>& prepare);

/// Throws std::runtime_error that names `what` and the first difference, unless both are equal.
void check_equal(const std::string& what, const Counts& counts, const Counts& expected);

}  // namespace upsweep::bench
