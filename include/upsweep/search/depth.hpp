#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/profile.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/predict.hpp"

namespace upsweep {

/// What a search minimises.
enum class Objective {
  time,            ///< makespan on the workers, in FLOPs, or in seconds with a machine
  critical_flops,  ///< critical path, by the path rule of the executor
  work_flops,      ///< FLOPs of all combines
};

/// "time", "critical-flops" or "work-flops".
[[nodiscard]] std::string to_string(Objective objective);

/// Settings of a search.
struct SearchOptions {
  Objective objective = Objective::time;
  Execution execution = Execution::dag;  ///< executor and path rule of every objective
  Scope scope = Scope::all;
  std::optional<std::size_t> workers;         ///< default: the widest level of all depths, at least 1
  std::optional<std::uint64_t> memory_limit;  ///< bytes
  const Machine* machine = nullptr;           ///< Objective::time is in its seconds, where given
  unsigned value_bytes = 4;                   ///< of the model; only a machine needs them

  /// True where scores are seconds.
  [[nodiscard]] bool in_seconds() const { return machine != nullptr && objective == Objective::time; }
};

/// A schedule, scored. Counts are sums over the inputs of the profiles.
struct Candidate {
  std::optional<std::uint32_t> depth;  ///< of a hybrid; nothing for other schemes
  std::string schedule;
  bool feasible = true;
  std::string reason;  ///< why it is infeasible, else empty
  double score = 0;    ///< FLOPs as a mean over the inputs, or seconds
  std::size_t levels = 0;
  Totals totals;
  PramProfile pram;
  std::optional<Prediction> level_time;  ///< with a machine: under Execution::level
  std::optional<Prediction> dag_time;    ///< with a machine: under Execution::dag
  std::optional<std::uint32_t> same_as;  ///< the smallest depth with the same figures, where that is another one
  std::string same_scheme;               ///< without such a depth the first other scheme with the same; empty if none
};

/// The result of a search.
struct SearchResult {
  SearchOptions options;
  std::uint64_t inputs = 1;
  std::size_t workers = 1;
  std::vector<Candidate> candidates;  ///< by depth, from 0
  std::vector<Candidate> schemes;     ///< schedules without a depth, in the order of their profiles
  std::optional<std::size_t> best;    ///< position in candidates; nothing when none is feasible
  std::optional<double> margin;       ///< runner-up's score / best score - 1; nothing without a runner-up or at score 0
  std::optional<std::size_t> best_scheme;  ///< at() of the best of candidates and schemes
  std::optional<double> scheme_margin;     ///< as margin, over candidates and schemes

  /// Plain back-propagation: the candidate of depth 0.
  [[nodiscard]] const Candidate& linear() const { return candidates.front(); }
  /// Candidates and, after them, schemes.
  [[nodiscard]] const Candidate& at(std::size_t i) const {
    return i < candidates.size() ? candidates[i] : schemes[i - candidates.size()];
  }
  /// How many at() has.
  [[nodiscard]] std::size_t size() const { return candidates.size() + schemes.size(); }
};

/// All depths that a search compares: 0 .. max_depth(length).
[[nodiscard]] std::vector<Schedule> depth_candidates(std::size_t length);

/// All other schemes that a search compares with them: the prefix circuits, the two eliminations and scans by blocks.
///
/// Numbers of blocks: 4, then 8, 16, ... below `workers`, `workers`, and one more, which keeps all of them busy (the
/// last block has no work on the way up, the first none on the way down); at least 3, since one or two blocks are plain
/// back-propagation, and at most as many as there are elements.
[[nodiscard]] std::vector<Schedule> scheme_candidates(std::size_t length, std::size_t workers);

/// One schedule on `workers` workers, whatever options.workers says; same_as and same_scheme stay empty.
///
/// Throws CountOverflow.
[[nodiscard]] Candidate score_schedule(const ScheduleProfile& profile, const SearchOptions& options,
                                       std::size_t workers);

/// Scores the profiles of depth_candidates(), in that order, and of other schemes after them, and picks the best depth
/// and the best of all; ties go to the smaller depth, then to the first scheme.
///
/// A candidate is infeasible, with the reason, when one product or the peak of live bytes exceeds the memory limit
/// (both as means over the inputs). Throws std::invalid_argument without a depth, CountOverflow.
[[nodiscard]] SearchResult search_depth(const std::vector<ScheduleProfile>& profiles, const SearchOptions& options);

}  // namespace upsweep
