#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/interval.hpp"
#include "upsweep/search/verdict.hpp"

namespace upsweep {

// Rows of a database as values, for whoever shows them. Counts are means over the inputs of a run: whole numbers where
// the mean is one. Texts may be anything: they come from files of users.

/// What a command came to, as it was said when it ended.
struct KeptVerdict {
  std::optional<std::string> text;          ///< a line for each sentence; nothing: by a version that did not keep it
  std::optional<double> ratio;              ///< Verdict::ratio()
  std::optional<std::string> details = {};  ///< the object `verdict` of JSON; nothing where nothing was compared
};

/// What is kept of a schedule under a command, but for its id and what the command is. `Count`: of counts that are
/// means over the inputs.
template <class Count>
struct RunColumns {
  std::optional<std::int64_t> search;
  std::optional<double> score;   ///< of its search, or of a profile by its execution
  std::optional<bool> feasible;  ///< likewise
  std::string reason;            ///< why it is not feasible; empty where it is
  std::string model;
  std::string model_file;
  std::string model_hash;
  std::string pattern;  ///< "guaranteed" or "sample"
  std::uint64_t inputs = 1;
  std::string requested;  ///< the schedule as it was asked for
  std::string schedule;
  std::optional<std::uint32_t> depth;  ///< of linear and hybrids
  std::uint64_t length = 0;            ///< of the scan array
  std::uint64_t levels = 0;
  std::uint64_t workers = 1;
  std::uint64_t ops = 0;
  Count flops{};
  Count critical_path_level_flops{};
  Count critical_path_dag_flops{};
  std::uint64_t live_ops = 0;
  Count live_flops{};
  Count live_critical_path_level_flops{};
  Count live_critical_path_dag_flops{};
  Count baseline_flops{};
  Count linear_flops{};  ///< plain back-propagation over the chain
  Count chain_build_values{};
  Count chain_build_bytes{};
  std::uint64_t steps = 0;  ///< S_p
  Count per_step_flops{};
  std::uint64_t makespan_level_unit = 0;
  Count makespan_level_flops{};
  std::uint64_t makespan_dag_unit = 0;
  Count makespan_dag_flops{};
  Count peak_live_bytes{};
  std::optional<std::int64_t> machine;  ///< of StoreReader::machine()
  std::optional<double> predicted_level_s;
  std::optional<double> predicted_dag_s;
  std::optional<double> predicted_build_s;
  std::string binding;  ///< what limits it on its machine: "workers", "latency", ...; empty: no machine
  // Of networks with branches: plain back-propagation over the graph, forming the Jacobians of blocks, and, from schema
  // version 9, makespans on the run's workers: of the former, and of what a scan leaves to do before it (Jacobians of
  // blocks) and after it (gradients inside them).
  std::optional<Count> graph_bp_flops;
  std::optional<Count> formation_flops;
  std::optional<Count> graph_bp_makespan_level_flops;
  std::optional<Count> graph_bp_makespan_dag_flops;
  std::optional<Count> branch_makespan_level_flops;
  std::optional<Count> branch_makespan_dag_flops;
  std::optional<Count> makespan_shared_flops;  ///< where workers share ops; nothing, as the next, before version 12
  std::optional<Count> bound_shared_flops;
  bool is_exact = true;  ///< false: counts of some products are estimates
  // 95 % intervals where counts are estimates.
  std::optional<Interval> flops_interval;
  std::optional<Interval> score_interval;
  std::optional<Interval> makespan_dag_interval;  ///< of makespan_dag_flops
  std::optional<Interval> makespan_shared_interval;
};

/// A run of a schedule: one that was profiled, a candidate of a search, or one that was validated.
struct StoredRun : RunColumns<double> {
  std::int64_t id = 0;
  std::int64_t command_id = 0;  ///< the same for all that one command kept
  std::string created_utc;
  std::string tool_version;
  std::string command;              ///< "profile", "search" or "validate"
  std::string parameters;           ///< the command line as a JSON array
  std::optional<std::string> rule;  ///< by which everything was counted; none: written before schema version 7
};

/// The settings and the outcome of a search.
struct SearchRecord {
  std::string objective;  ///< "time", "critical-flops" or "work-flops"
  std::string execution;  ///< "level" or "dag"
  std::string scope;      ///< "all" or "live"
  std::uint64_t workers = 1;
  std::optional<std::uint64_t> memory_limit;  ///< bytes
  std::optional<std::uint32_t> best_depth;
  std::optional<double> margin;                             ///< runner-up's score / best score - 1
  std::optional<std::string> best_schedule = std::nullopt;  ///< of all depths and schemes, where those were searched
  std::optional<double> scheme_margin = std::nullopt;       ///< of it
};

struct StoredSearch : SearchRecord {
  std::int64_t id = 0;
};

/// A machine that predictions were made with.
struct StoredMachine {
  std::int64_t id = 0;
  std::string name;
  std::string kind;    ///< "pram", "cpu" or "gpu"
  std::string origin;  ///< "datasheet", "calibration" or "definition"
  std::string device;  ///< empty where it is not known, as the next two
  std::string driver;
  std::string date;
  std::string tool_version;  ///< that calibrated it
  std::uint64_t workers = 1;
  std::optional<std::uint64_t> fit_points;  ///< of the calibration; errors are relative
  std::optional<double> fit_median_error;
  std::optional<double> fit_p90_error;
  std::optional<double> fit_max_error;
  std::string text;  ///< its file
};

template <class Count>
struct OperatorColumns {
  std::uint64_t index = 0;  ///< 1-based
  std::string name;
  std::string kind;
  std::string in_shape;
  std::string out_shape;
  std::optional<std::uint64_t> rows;  ///< of the transposed Jacobian; none for a view
  std::optional<std::uint64_t> cols;
  std::optional<Count> nnz;
  std::optional<Count> bytes;
  Count baseline_flops{};
};
using StoredOperator = OperatorColumns<double>;

template <class Count>
struct LevelColumns {
  std::uint32_t level = 0;
  std::string phase;  ///< "up", "middle" or "down"
  std::uint64_t ops = 0;
  Count flops_sum{};
  Count flops_max{};
};
using StoredLevel = LevelColumns<double>;

/// One combine: (m × k)·(k × n), target ← left ⋄ right by position in the scan array, -1 for the running reduction.
template <class Count>
struct OpColumns {
  std::uint32_t id = 0;
  std::uint32_t level = 0;
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t target = 0;
  bool is_mv = false;
  bool is_dead = false;
  std::uint64_t m = 0;
  std::uint64_t k = 0;
  std::uint64_t n = 0;
  Count left_nnz{};
  Count right_nnz{};
  Count nnz{};  ///< of the result
  Count flops{};
  Count bytes{};                             ///< of the result
  Count products{};                          ///< matched pairs
  std::optional<Count> span = std::nullopt;  ///< product_span(); nothing before version 14
  bool is_exact = true;                      ///< false: counts are estimates, with 95 % intervals
  std::optional<Interval> flops_interval = std::nullopt;
  std::optional<Interval> nnz_interval = std::nullopt;
};
using StoredOp = OpColumns<double>;

struct StoredMeasuredLevel {
  std::uint32_t level = 0;
  std::optional<double> predicted_s;
  double measured_s = 0;
};

struct StoredMeasuredOp {
  std::uint32_t op = 0;
  std::optional<double> predicted_alone_s;  ///< with the machine to itself
  double measured_busy_s = 0;               ///< added up over its workers
  std::uint64_t nnz = 0;                    ///< counted by the backend
  std::uint64_t products = 0;
};

/// A run of a schedule on a backend.
struct StoredMeasurement {
  std::int64_t id = 0;
  std::string backend;
  std::string device;
  std::string driver;
  std::uint64_t workers = 1;
  std::string execution;
  unsigned value_bytes = 4;
  std::uint64_t input = 0;  ///< of the model's sample
  std::uint64_t repetitions = 0;
  std::optional<double> predicted_s;
  double measured_s = 0;  ///< the median
  double fastest_s = 0;
  double measured_build_s = 0;
  double plan_s = 0;
  std::uint64_t plan_bytes = 0;
  std::uint64_t value_memory_bytes = 0;
  std::uint64_t workspace_bytes = 0;
  std::optional<double> worst_share_of_bound;  ///< largest |difference| / rounding bound
  std::string mismatch;                        ///< empty: structure, counts and values are right
  std::string notes;
  std::vector<StoredMeasuredLevel> levels;
  std::vector<StoredMeasuredOp> ops;
};

/// A run of a schedule with what belongs to it.
struct RunDetails {
  StoredRun run;
  std::optional<StoredSearch> search;
  std::optional<StoredMachine> machine;
  std::vector<StoredOperator> operators;
  std::vector<StoredLevel> levels;  ///< by level
  std::vector<StoredOp> ops;        ///< by id
  std::vector<StoredMeasurement> measurements;
};

}  // namespace upsweep
