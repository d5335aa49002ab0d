#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/base/interval.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/search/binding.hpp"
#include "upsweep/search/crossover.hpp"
#include "upsweep/sim/complexity.hpp"

namespace upsweep {

/// What a search minimises.
enum class Objective : std::uint8_t {
  time,            ///< makespan on the workers, in FLOPs, or in seconds with a machine
  critical_flops,  ///< critical path, by the path rule of the executor
  work_flops,      ///< FLOPs of all combines
};

/// "time", "critical-flops" or "work-flops".
[[nodiscard]] std::string to_string(Objective objective);

/// Whether a machine has workers that run an op each, as a PRAM has; null: so has a search without one.
[[nodiscard]] inline bool has_whole_ops(const Machine* machine) {
  return machine == nullptr || machine->kind == MachineKind::pram;
}

/// The executor where nobody says one: with barriers as the backends of a processor or GPU run, and where batches are
/// known, else without.
[[nodiscard]] inline Execution default_execution(const Machine* machine, std::uint64_t batch = 1) {
  return has_whole_ops(machine) && batch == 1 ? Execution::dag : Execution::level;
}

/// Settings of a search, whatever it is of.
struct SearchOptions {
  Objective objective = Objective::time;
  Execution execution = Execution::dag;  ///< executor and path rule of every objective; level for batches
  Scope scope = Scope::all;
  std::uint64_t batch = 1;                    ///< inputs of an iteration
  std::optional<std::uint64_t> workers;       ///< default: the widest level of all depths, at least 1
  std::optional<std::uint64_t> memory_limit;  ///< bytes
  const Machine* machine = nullptr;           ///< Objective::time is in its seconds, where given
  unsigned value_bytes = 4;                   ///< of the model; only a machine needs them
  std::optional<double> setup_s;              ///< what a scan takes once, for its pay-back; nothing: not known

  /// True where scores are seconds.
  [[nodiscard]] bool in_seconds() const { return machine != nullptr && objective == Objective::time; }
  /// Inputs of an iteration with which every candidate is scored, too: a verdict says where they would turn it.
  [[nodiscard]] std::uint64_t other_batch() const { return batch == 1 ? 32 : 1; }
};

/// A way through the backward pass, scored. Counts are those of a batch, sums over the inputs of the pattern.
struct Candidate {
  std::string schedule;                ///< "linear", "hybrid:3", "sklansky", "blocked:4", "wavefront", "optimal", ...
  std::optional<std::uint32_t> depth;  ///< of a hybrid; nothing for other schemes
  bool feasible = true;
  std::string reason;           ///< why it is infeasible, else empty
  std::optional<double> score;  ///< FLOPs as a mean over the inputs, or seconds; nothing where the simulation gave up
  std::uint64_t levels = 0;
  Totals totals;
  PramProfile pram;
  bool is_counted = true;               ///< false: of the counts only FLOPs and peak_live_bytes are known
  bool has_shared = true;               ///< whether the makespans of `pram` with ops that workers share are known
  bool has_dag_path = true;             ///< false: the longest path is not known
  std::optional<double> batched_score;  ///< as score, under Execution::level with other_batch() inputs; where known
  std::optional<double> level_s;        ///< with a machine: seconds under Execution::level
  std::optional<double> dag_s;          ///< with a machine: seconds under Execution::dag
  std::array<std::optional<double>, kLaunchModes.size()> launch_s;  ///< of a gpu: as level_s, by kLaunchModes
  std::optional<Binding> binding;        ///< with a machine: what limits it, where that is known
  std::optional<std::uint32_t> same_as;  ///< the smallest depth with the same figures, where that is another one
  std::string same_scheme;               ///< without such a depth the first other scheme with the same; empty if none
  bool is_plain = false;                 ///< plain back-propagation, under another name too
  // Where counts are estimates (ScheduleProfile::without), 95 % intervals of figures as they stand above; else nothing.
  std::optional<Interval> score_interval = {};
  std::optional<Interval> flops_interval = {};   ///< of totals.flops, as a mean over the inputs
  std::optional<Interval> shared_interval = {};  ///< of pram.shared_flops, likewise

  /// The 80 % interval of a score in seconds, where products have published rates: see at_bound().
  std::optional<Interval> time_interval = {};

  /// Of the best order that was found ("optimal"): the name of its schedule, see order_name(); else empty.
  std::string order = {};
  std::optional<double> lower_bound = {};  ///< of it, where known: no schedule of the scan has a smaller score

  /// What parse_schedule() reads.
  [[nodiscard]] const std::string& schedule_name() const { return order.empty() ? schedule : order; }
  /// score / lower_bound - 1; nothing where one is not known.
  [[nodiscard]] std::optional<double> gap() const;
  [[nodiscard]] bool is_exact() const { return !flops_interval; }
  /// Where the score lies by both intervals, as far as there are some.
  [[nodiscard]] std::optional<Interval> interval() const;

  [[nodiscard]] bool is_scan() const { return !is_plain; }
};

/// A schedule that was not counted, because that takes too much, and what is known of it nevertheless.
struct Uncounted {
  std::string schedule;
  std::optional<std::uint32_t> depth = {};  ///< of a hybrid
  bool is_plain = false;
  std::string reason = {};           ///< why
  std::uint64_t pairs = 0;           ///< steps that counting takes, about
  std::optional<double> bound = {};  ///< its score is no smaller, FLOPs; nothing in seconds
  double shared_bound = 0;           ///< likewise of its makespan with ops that workers share, as a mean
  bool loses =
      false;  ///< that rules it out: it is not better than the best, and does not pay by the rule of shared ops
};

/// The best of some candidates, and by how much.
struct Choice {
  std::optional<std::size_t> best;  ///< position; nothing when none is feasible or a feasible one has no score
  std::optional<double> margin;     ///< runner-up's score / best score - 1; nothing without a runner-up or at score 0

  friend bool operator==(const Choice&, const Choice&) = default;
};

/// Where a hybrid scan overtakes plain back-propagation.
struct Overtaking {
  std::uint64_t workers = 1;
  std::uint32_t depth = 0;         ///< the best one with these workers
  std::uint64_t scan_flops = 0;    ///< its makespan
  std::uint64_t linear_flops = 0;  ///< of plain back-propagation; larger

  friend bool operator==(const Overtaking&, const Overtaking&) = default;
};

/// The result of a search. The first candidate is plain back-propagation.
struct SearchResult {
  SearchOptions options;
  std::uint64_t inputs = 1;  ///< over which counts are sums
  std::uint64_t workers = 1;
  std::vector<Candidate> candidates;      ///< by depth, from 0; of a search without depths all ways
  std::vector<Candidate> schemes;         ///< schedules without a depth that were searched beside them
  std::vector<Uncounted> uncounted = {};  ///< what is missing in both
  std::optional<std::size_t> best;        ///< position in candidates; as in Choice
  std::optional<double> margin;
  std::optional<std::size_t> best_scheme;  ///< at() of the best of candidates and schemes
  std::optional<double> scheme_margin;     ///< as margin, over candidates and schemes
  std::optional<Overtaking> overtaking;    ///< where a hybrid does, of a chain that closed forms count, in FLOPs
  /// In FLOPs, passes with whole ops in seconds; nothing where times of a processor or a GPU decide.
  std::optional<Overtakes> overtakes;

  /// Those that fit and may be better than the best of all as far as estimates tell, the best itself not among them.
  [[nodiscard]] std::vector<std::size_t> rivals() const;

  /// Plain back-propagation, which always has a score.
  [[nodiscard]] const Candidate& linear() const { return candidates.front(); }
  /// Candidates and, after them, schemes.
  [[nodiscard]] const Candidate& at(std::size_t i) const {
    return i < candidates.size() ? candidates[i] : schemes[i - candidates.size()];
  }
  /// The last of at(): of a profile its schedule.
  [[nodiscard]] const Candidate& last() const { return at(size() - 1); }
  /// How many at() has.
  [[nodiscard]] std::size_t size() const { return candidates.size() + schemes.size(); }
};

/// The feasible candidate with the smallest score; ties go to the first. A feasible candidate without a score might be
/// the best, so that there is none.
[[nodiscard]] Choice choose(std::span<const Candidate* const> candidates);

/// Says of each candidate and scheme which one before it has the same figures, picks the best of both, and says of what
/// was not counted whether it is ruled out. A margin to a runner-up that some uncounted one might undercut is none.
void finish_search(SearchResult& result);

}  // namespace upsweep
