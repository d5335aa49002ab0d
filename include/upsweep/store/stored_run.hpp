#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upsweep {

// Rows of a database as values, for whoever shows them. Counts are means over the inputs of a run: whole numbers where
// the mean is one. Texts may be anything: they come from files of users.

/// A run of a schedule: one that was profiled, a candidate of a search, or one that was validated.
struct StoredRun {
  std::int64_t id = 0;
  std::string created_utc;
  std::string tool_version;
  std::string command;              ///< "profile", "search" or "validate"
  std::string parameters;           ///< the command line as a JSON array
  std::optional<std::string> rule;  ///< by which everything was counted; none: written before schema version 7
  std::optional<std::int64_t> search;
  std::optional<double> score;   ///< of its search
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
  double flops = 0;
  double critical_path_level_flops = 0;
  double critical_path_dag_flops = 0;
  std::uint64_t live_ops = 0;
  double live_flops = 0;
  double baseline_flops = 0;
  double linear_flops = 0;  ///< plain back-propagation over the chain
  double chain_build_values = 0;
  double chain_build_bytes = 0;
  std::uint64_t steps = 0;  ///< S_p
  double per_step_flops = 0;
  double makespan_level_flops = 0;
  double makespan_dag_flops = 0;
  double peak_live_bytes = 0;
  std::optional<std::int64_t> machine;  ///< of StoreReader::machine()
  std::optional<double> predicted_level_s;
  std::optional<double> predicted_dag_s;
  std::optional<double> predicted_build_s;
  std::optional<double> graph_bp_flops;  ///< plain back-propagation over the graph; none: no branches
  std::string binding;  ///< what limits it on its machine: "workers", "latency", ...; empty: no machine
  // Makespans on the run's workers, of networks with branches (from schema version 9): plain back-propagation over the
  // graph, and what a scan leaves to do before it (Jacobians of blocks) and after it (gradients inside them).
  std::optional<double> graph_bp_makespan_level_flops;
  std::optional<double> graph_bp_makespan_dag_flops;
  std::optional<double> branch_makespan_level_flops;
  std::optional<double> branch_makespan_dag_flops;
};

/// The settings and the outcome of a search.
struct StoredSearch {
  std::int64_t id = 0;
  std::string objective;  ///< "time", "critical-flops" or "work-flops"
  std::string execution;  ///< "level" or "dag"
  std::string scope;      ///< "all" or "live"
  std::uint64_t workers = 1;
  std::optional<std::uint64_t> memory_limit;  ///< bytes
  std::optional<std::uint32_t> best_depth;
  std::optional<double> margin;              ///< runner-up's score / best score - 1
  std::optional<std::string> best_schedule;  ///< of all depths and schemes, where those were searched
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
  std::uint64_t workers = 1;
  std::optional<double> fit_median_error;  ///< relative, of the calibration
  std::optional<double> fit_max_error;
};

struct StoredOperator {
  std::uint64_t index = 0;  ///< 1-based
  std::string name;
  std::string kind;
  std::string in_shape;
  std::string out_shape;
  std::optional<std::uint64_t> rows;  ///< of the transposed Jacobian; none for a view
  std::optional<std::uint64_t> cols;
  std::optional<double> nnz;
  std::optional<double> bytes;
  double baseline_flops = 0;
};

struct StoredLevel {
  std::uint32_t level = 0;
  std::string phase;  ///< "up", "middle" or "down"
  std::uint64_t ops = 0;
  double flops_sum = 0;
  double flops_max = 0;
};

/// One combine: (m × k)·(k × n), target ← left ⋄ right by position in the scan array, -1 for the running reduction.
struct StoredOp {
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
  double left_nnz = 0;
  double right_nnz = 0;
  double nnz = 0;  ///< of the result
  double flops = 0;
  double bytes = 0;  ///< of the result
};

struct StoredMeasuredLevel {
  std::uint32_t level = 0;
  std::optional<double> predicted_s;
  double measured_s = 0;
};

struct StoredMeasuredOp {
  std::uint32_t op = 0;
  std::optional<double> predicted_alone_s;  ///< with the machine to itself
  double measured_busy_s = 0;               ///< added up over its workers
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
  std::uint64_t repetitions = 0;
  std::optional<double> predicted_s;
  double measured_s = 0;  ///< the median
  double fastest_s = 0;
  double measured_build_s = 0;
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
