#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/machine/machine.hpp"
#include "upsweep/profile/homogeneous.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/recurrent/device_model.hpp"
#include "upsweep/search/candidate.hpp"

namespace upsweep {

/// Which of the times of a machine: what is predicted, or an end of its 80 % interval.
enum class IntervalEnd : std::uint8_t { predicted, low, high };

/// "predicted", "low" or "high".
[[nodiscard]] std::string to_string(IntervalEnd end);

/// Everything about a point of a study but its model and machine.
struct PointSettings {
  /// "best": the depth with the smallest score; "best-of-all": other schemes too; else a schedule as parse_schedule()
  /// reads it.
  std::string schedule = "best";
  Objective objective = Objective::time;
  Execution execution = Execution::level;
  Scope scope = Scope::all;
  /// Of makespans in FLOPs, which those of shared ones are on a pram, too; seconds of processors and GPUs are those of
  /// shared ones anyway.
  Ops ops = Ops::whole;
  std::optional<LaunchMode> launch;    ///< of a gpu: score_point() takes a machine that has it; default: graph
  std::optional<std::string> library;  ///< of a gpu, see with_library(); default: the first of its file
  IntervalEnd interval = IntervalEnd::predicted;  ///< of a gpu with rates of products; see at_bound()
  std::optional<std::uint64_t>
      workers;              ///< default: what the widest level of all depths has for the batch, at most the machine's
  std::uint64_t batch = 1;  ///< inputs of an iteration; above 1 under Execution::level only
  std::optional<std::uint64_t> memory_limit;  ///< bytes; default: the machine's memory, where it says
  bool is_limited_by_machine = true;          ///< whether that default holds

  friend bool operator==(const PointSettings&, const PointSettings&) = default;
};

/// A schedule of a point, scored. Counts are those of the whole batch, means over the inputs of the pattern; NaN where
/// they are not known, see score_passes().
struct PointSchedule {
  std::string schedule;                ///< "linear", "hybrid:3", "sklansky", ...
  std::optional<std::uint32_t> depth;  ///< of linear and hybrids
  bool is_feasible = true;
  std::string reason;  ///< why it is infeasible, else empty
  double score = 0;    ///< of the objective: FLOPs or seconds
  double levels = 0;
  double ops = 0;
  double flops = 0;
  double critical_path_flops = 0;  ///< by the path rule of the execution, of one input
  double steps = 0;                ///< step complexity S_p
  double per_step_flops = 0;       ///< per-step complexity P
  double peak_live_bytes = 0;
};

/// What a point of a study comes to.
struct PointFigures {
  bool is_in_seconds = false;  ///< of every score
  bool is_exact = true;        ///< false: counts are expectations (uniform chains)
  std::uint64_t workers = 1;
  std::uint64_t elements = 0;         ///< n, of the chain
  double chain_build_values = 0;      ///< of the batch
  double largest_jacobian_bytes = 0;  ///< of a[1..n], as CSR
  double largest_vector_bytes = 0;    ///< of the gradients between the elements
  PointSchedule plain;                ///< plain back-propagation, depth 0
  /// Seconds of dense back-propagation of the batch, of a network on a processor or GPU that says enough; else NaN.
  double dense_score = std::numeric_limits<double>::quiet_NaN();
  /// Of a network with branches, by the objective: plain back-propagation over the graph, and what comes on top of a
  /// scan's score, see graph_scores(). NaN without branches, for shared ops in FLOPs, and where not known.
  double graph_score = std::numeric_limits<double>::quiet_NaN();
  double blocks_score = std::numeric_limits<double>::quiet_NaN();
  std::optional<PointSchedule> best;  ///< the smallest feasible score of what was asked for; ties to the smaller depth
  std::optional<PointSchedule> scan;  ///< the same among those asked for that are not plain back-propagation, which
                                      ///< blocked:1 and blocked:2 are, too, and on short arrays others
  /// Where scans were asked for and none is feasible: the one of them with the smallest score, with its reason.
  std::optional<PointSchedule> refused_scan;
  std::optional<double> margin;  ///< runner-up's score / best score - 1; nothing without a runner-up or at score 0
};

/// A network, counted under schedules; what score_point() needs of it.
struct CountedNetwork {
  const Analysis& analysis;  ///< has `linear` and all schedules that the point asks for
  unsigned value_bytes = 4;
  const Network* network = nullptr;  ///< the same; null: without dense back-propagation
};

/// A homogeneous chain with its profiles by depth, each made when it is first needed: for points that share the chain.
/// One thread at a time. About 200 KB with all depths of a million elements.
class ProfiledChain {
 public:
  /// `value_bytes` is 4 or 8.
  ProfiledChain(HomogeneousChain chain, unsigned value_bytes) : chain_(std::move(chain)), value_bytes_(value_bytes) {}

  [[nodiscard]] const HomogeneousChain& chain() const { return chain_; }
  [[nodiscard]] unsigned value_bytes() const { return value_bytes_; }
  /// The profile of a depth of at most the largest. Throws like profile_homogeneous().
  [[nodiscard]] const HomogeneousProfile& at(std::uint32_t depth);

 private:
  HomogeneousChain chain_;
  unsigned value_bytes_;
  std::vector<std::optional<HomogeneousProfile>> profiles_;  // by depth
};

/// The names of all schedules that a point over an array of `length` elements needs, in the order of a search: linear
/// first. `workers` chooses the blocked scans of "best-of-all".
///
/// Throws std::invalid_argument for a schedule that parse_schedule() refuses.
[[nodiscard]] std::vector<std::string> schedules_of_point(const PointSettings& settings, std::size_t length,
                                                          std::uint64_t workers);

/// Workers of a point over an array of `length` elements: settings.workers, else the ops that the batch has in the
/// widest level of all depths; at most the machine's by default. Throws std::invalid_argument where settings.workers
/// exceeds the machine's or is 0.
[[nodiscard]] std::uint64_t workers_of_point(const PointSettings& settings, std::uint64_t length,
                                             const Machine* machine);

/// Scores a point of a network. `machine` may be null: scores are FLOPs then. Under Execution::level and batch 1 every
/// figure equals that of search_depth() with the same settings.
///
/// Throws std::invalid_argument, in a sentence for users, for settings that do not go together: workers beyond the
/// machine's, a batch or shared ops with Execution::dag, a schedule that the analysis lacks; CountOverflow.
[[nodiscard]] PointFigures score_point(const CountedNetwork& network, const Machine* machine,
                                       const PointSettings& settings);

/// The same of a homogeneous chain: depths by closed forms, other schemes combine by combine up to kMostSchemeElements.
///
/// Throws the same; also for other schemes of longer or inexact chains, and where
/// Objective::time under Execution::dag asks for a depth, plain back-propagation or among all of "best", of which
/// homogeneous_dag_makespan() has no short simulation: then nothing is known of the whole point.
/// Cost: O(depth²) for each schedule, whatever the length; under Execution::dag that of homogeneous_dag_makespan(), up
/// to its limit for each depth.
[[nodiscard]] PointFigures score_point(ProfiledChain& chain, const Machine* machine, const PointSettings& settings);

/// The same for one point.
[[nodiscard]] PointFigures score_point(const HomogeneousChain& chain, unsigned value_bytes, const Machine* machine,
                                       const PointSettings& settings);

/// A recurrent model on a gpu or pram, by search_on_device(): the passes that a GPU's library has, not a kernel for
/// each op. `chain` is that of its steps. Plain back-propagation is the fastest pass that is no scan. Scores are
/// seconds; "best" are the sequential pass and all depths, "best-of-all" blocks, too. Counts that passes have not are
/// NaN.
///
/// Throws std::invalid_argument for workers, Execution::dag, Scope::live, schedules that are no passes, and like
/// predict_on_device(); CountOverflow.
[[nodiscard]] PointFigures score_passes(const HomogeneousChain& chain, const PassShape& shape, unsigned value_bytes,
                                        const Machine& machine, const PointSettings& settings);

}  // namespace upsweep
