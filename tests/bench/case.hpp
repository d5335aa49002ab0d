#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace upsweep::bench {

/// Exact numbers that say whether a run was right: the nnz of every product, or what the case states.
using Counts = std::vector<std::uint64_t>;

/// A case made ready to run: inputs exist, nothing is computed.
struct Task {
  std::function<void()> run;       ///< the timed part; may be called several times
  std::function<Counts()> counts;  ///< of the last run
};

/// One row of the output.
struct Case {
  std::string name;             ///< path with named axes
  std::size_t warm_ups = 1;     ///< runs before the first timed one
  std::size_t repetitions = 5;  ///< timed runs
  std::function<Task()> prepare;
  Counts expected;  ///< what counts() must return after every run
};

}  // namespace upsweep::bench
