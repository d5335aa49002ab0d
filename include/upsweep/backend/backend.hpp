#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "upsweep/jacobian/numeric_chain.hpp"
#include "upsweep/machine/team_groups.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/scan/schedule.hpp"

namespace upsweep {

struct SchedulePlan;

/// What a backend runs on.
struct DeviceFacts {
  std::string device;                   ///< "AMD EPYC 9554", "NVIDIA H200"
  std::string driver;                   ///< kernel or driver and library versions
  std::size_t workers = 1;              ///< threads, or streams
  std::uint64_t memory_bytes = 0;       ///< of the device
  std::uint64_t cache_bytes = 0;        ///< of its last level; 0: not known
  std::uint64_t near_cache_bytes = 0;   ///< of the largest level that a worker has to itself; 0: not known
  std::uint64_t first_cache_bytes = 0;  ///< of the first level for data; 0: not known
  std::uint64_t fill_teams = 1;         ///< rows, or teams of equal rows, at a time that keep the device busy
  bool is_processor = false;            ///< the program's own, whose memory it shares; otherwise a GPU
  TeamRoom team_room = {};              ///< of a GPU
};

/// Whether a backend can run here.
struct Availability {
  bool available = false;
  std::string reason;  ///< why not, for people; empty where it is available
};

/// Settings of a run.
struct RunOptions {
  std::size_t workers = 1;  ///< threads or streams; a sequential backend ignores it
  Execution execution = Execution::level;
  std::size_t repetitions = 1;     ///< as Repetitions::runs
  double min_seconds = 0;          ///< as Repetitions::min_seconds
  std::uint64_t memory_limit = 0;  ///< bytes of plans, values and workspace; 0: no limit
  bool keep_results = true;        ///< hand back the results
  bool keep_plan = false;  ///< of the cpu backend: hand back the plan, for another run of this schedule and structure
  std::shared_ptr<const SchedulePlan> plan = {};  ///< such a one, which others than the cpu backend ignore; null: none
};

/// What one combine did.
struct OpMeasurement {
  double seconds = 0;                  ///< busy time, summed over its workers; median over the repetitions
  std::uint64_t nnz = 0;               ///< entries of the result, counted by the backend
  std::uint64_t products = 0;          ///< multiplications that its loops do, counted by the backend
  std::uint64_t structure_digest = 0;  ///< structure_digest() of the result as the backend holds it; 0 for a vector
};

/// A schedule that was run.
struct Measurement {
  std::vector<OpMeasurement> ops;     ///< by combine id
  std::vector<double> level_seconds;  ///< wall time by level, median over the repetitions; empty under Execution::dag
  double seconds = 0;                 ///< wall time of one iteration from end to end, median over the repetitions
  double fastest_seconds = 0;         ///< the fastest repetition
  std::size_t repetitions = 0;        ///< measured runs
  double plan_seconds = 0;            ///< one-time planning, what a given plan leaves of it
  std::uint64_t plan_bytes = 0;       ///< structure and index data of the plan
  std::uint64_t value_bytes = 0;      ///< numbers of the values that combines produce, at their peak
  std::uint64_t workspace_bytes = 0;  ///< scratch memory
  std::size_t workers = 1;            ///< that took part
  std::vector<std::string> notes;     ///< what a user should know: a fallback, a limit that was met
  std::shared_ptr<const SchedulePlan> plan;  ///< see RunOptions::keep_plan
  std::vector<std::vector<double>> results;  ///< by position of the schedule's results; empty for the identity
};

/// A device that cannot do what it was asked for: no device, a driver too old, out of memory. Exit code 4.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs schedules. Implementations:
///
/// * execute every combine of the schedule, dead ones too, each as the product later × earlier of its operands;
/// * respect the data dependencies; under Execution::level also a barrier after each level;
/// * store the entries of every product that its operands' structure allows, explicit zeros too, none else;
/// * count nnz and products from what they execute, not from a profile;
/// * write nothing back into the schedule or the chain, and keep no state between runs that changes a result.
class Backend {
 public:
  virtual ~Backend() = default;

  /// The name by which it is found: "cpu", "cuda", ...
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual Availability availability() const = 0;
  /// Throws BackendError where it is not available.
  [[nodiscard]] virtual DeviceFacts facts() const = 0;

  /// Runs a schedule over a chain of the same length.
  ///
  /// Throws BackendError when the device fails or its memory or options.memory_limit does not suffice,
  /// std::invalid_argument when schedule and chain, or options.plan, do not fit together.
  [[nodiscard]] virtual Measurement run(const Schedule& schedule, const NumericChain<float>& chain,
                                        const RunOptions& options) const = 0;
  [[nodiscard]] virtual Measurement run(const Schedule& schedule, const NumericChain<double>& chain,
                                        const RunOptions& options) const = 0;
};

/// backend.run(), with a lack of this machine's memory as a BackendError too.
template <class T>
[[nodiscard]] Measurement run_guarded(const Backend& backend, const Schedule& schedule, const NumericChain<T>& chain,
                                      const RunOptions& options) {
  try {
    return backend.run(schedule, chain, options);
  } catch (const std::bad_alloc&) {
    throw BackendError(backend.name() + ": the memory of this machine does not suffice for " + schedule.name);
  }
}

}  // namespace upsweep
