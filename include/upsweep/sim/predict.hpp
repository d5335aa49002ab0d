#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/scan/execution.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// What a machine model says of a schedule; seconds, for one input (the mean over the inputs of the profile).
struct Prediction {
  double seconds = 0;                 ///< one iteration from end to end
  std::vector<double> level_seconds;  ///< by level: of the device, or of the host where that takes longer in all;
                                      ///< empty under Execution::dag
  std::vector<OpTime> ops;            ///< by combine id; zeros for one out of scope
};

/// One combine of a profile as a machine sees it: the mean over the inputs, rounded to whole counts.
[[nodiscard]] OpWork op_work(const OpProfile& op, std::uint64_t inputs, unsigned value_bytes);

/// Whether Execution::dag has a time on a machine: not where its kernels are fused by levels.
[[nodiscard]] inline bool has_dag_time(const Machine& machine) { return machine.launch != LaunchMode::fused; }

/// Predicts the time of a schedule on `workers` >= 1 workers.
///
/// On a pram every op is one worker's, and the schedule is simulated as simulate() does. On a cpu or gpu the ops of a
/// level share the machine: a level takes its LaunchCosts and the larger of what its ops take together and what the
/// longest of them takes alone; under Execution::dag the larger of all ops together and the longest path; neither less
/// than the host takes to launch its ops. `value_bytes` is 4 or 8. Throws std::invalid_argument for 0 workers, and for
/// Execution::dag without has_dag_time(); CountOverflow.
[[nodiscard]] Prediction predict_time(const ScheduleProfile& profile, const Machine& machine, std::size_t workers,
                                      Execution execution, unsigned value_bytes, Scope scope = Scope::all);

/// Seconds of a level of `count` equal ops by the rule of predict_time(): one op for each sample of a batch. On a pram
/// that is ceil(count / workers) ops one after the other.
///
/// `place`: its workers, value bytes and working set; who is active follows from `count`. Throws std::invalid_argument
/// for 0 workers, CountOverflow.
[[nodiscard]] double equal_ops_seconds(const OpWork& work, std::uint64_t count, const Machine& machine,
                                       const OpPlace& place);

/// Seconds to write the Jacobian values of one iteration (links 2..n), all `workers` together, by BuildRates; nothing
/// where the machine file does not say, or where Jacobians of blocks must be formed first. A convolution counts as
/// pruned where `profile`, of the network, has fewer values of it than all its weights would give.
[[nodiscard]] std::optional<double> predict_build_seconds(const Network& network, const NetworkProfile& profile,
                                                          const Machine& machine, std::size_t workers,
                                                          unsigned value_bytes);

}  // namespace upsweep
