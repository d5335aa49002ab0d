#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/store/pass_record.hpp"
#include "upsweep/store/training_record.hpp"

namespace upsweep {

struct StoredPicture;

/// What the runs of one command have in common.
struct RunContext {
  std::string tool_version;
  std::string command;     ///< "profile", "search" or "validate"
  std::string parameters;  ///< the command line as a JSON array
  std::string model;
  std::string model_file;
  std::string model_hash;
  std::string pattern;  ///< "guaranteed" or "sample"
  const Network* network = nullptr;
  const NetworkProfile* network_profile = nullptr;
  const Machine* machine = nullptr;  ///< whose predictions the runs have, if any
  std::string machine_text = {};     ///< its file
  std::optional<double> predicted_build_s = std::nullopt;
};

/// A run of a schedule on a backend, to be kept beside the prediction.
struct MeasurementRecord {
  std::string backend;
  DeviceFacts device;
  std::size_t workers = 1;
  std::string execution;  ///< "level" or "dag"
  unsigned value_bytes = 4;
  std::size_t input = 0;
  double measured_build_s = 0;
  const Measurement* measurement = nullptr;
  const Prediction* prediction = nullptr;  ///< null without a machine
  std::optional<double> worst_share;       ///< of the rounding bound
  std::optional<std::string> mismatch;
};

/// One schedule that was profiled and simulated.
struct RunRecord {
  std::string requested;  ///< the schedule as it was asked for
  const ScheduleProfile* profile = nullptr;
  PramProfile pram;
  // Of a search; empty otherwise.
  std::optional<double> score;
  std::optional<bool> feasible;
  std::optional<std::string> reason;
  // With a machine; empty otherwise.
  std::optional<double> predicted_level_s = std::nullopt;
  std::optional<double> predicted_dag_s = std::nullopt;
  std::optional<MeasurementRecord> measurement = std::nullopt;  ///< of a validation
  std::optional<std::string> binding = std::nullopt;            ///< with a machine: to_string() of its Binding
};

/// The settings and the outcome of a search.
struct SearchRecord {
  std::string objective;
  std::string execution;
  std::string scope;
  std::uint64_t workers = 1;
  std::optional<std::uint64_t> memory_limit;
  std::optional<std::uint32_t> best_depth;
  std::optional<double> margin;
  std::optional<std::string> best_schedule = std::nullopt;  ///< of all depths and schemes, where those were searched
  std::optional<double> scheme_margin = std::nullopt;       ///< of it
};

/// A cell of a result table: nothing, an integer, a number or text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// Rows of a query with the names of their columns.
struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as long as columns
};

/// The SQLite file that keeps runs. Several processes may use one file; what a call writes is there whole or not at
/// all.
///
/// Every function throws InputError that names the file: not writable, not SQLite, not ours, from a newer version.
class RunStore {
 public:
  enum class Open {
    create,    ///< make the file where there is none
    existing,  ///< the file must be there
  };

  /// Opens the file and brings its schema to the present version.
  RunStore(const std::string& file, Open open);
  ~RunStore();
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;

  /// Writes runs, and the search that they belong to, in one transaction. Returns their ids.
  std::vector<std::int64_t> save(const RunContext& context, const std::vector<RunRecord>& runs,
                                 const std::optional<SearchRecord>& search);

  /// Writes a training run in one transaction. Returns its id, which no other run of either kind has.
  std::int64_t save(const TrainingRecord& record);

  /// Writes a run of a recurrent model or a training in one transaction. Returns its id, which no other run of any kind
  /// has.
  std::int64_t save(const PassRecord& record);

  /// Keeps a machine whose file is `text`, once; returns its id.
  std::int64_t save_machine(const Machine& machine, const std::string& text);

  /// All runs of any kind, newest first: the view run_summary.
  [[nodiscard]] QueryResult list();
  /// The studies beside the runs, newest first: id, created_utc, name, points (of the grid), stored (of them), complete
  /// (0 or 1), tool_version, file. They are numbered by themselves.
  [[nodiscard]] QueryResult studies();
  /// All columns of one run, in one row; nothing when there is no such run of a schedule.
  [[nodiscard]] std::optional<QueryResult> show(std::int64_t id);
  /// The same of a training run; nothing when there is no such one.
  [[nodiscard]] std::optional<QueryResult> show_training(std::int64_t id);
  /// Makespan, bubbles and tensors of every variant of a training run; no rows for a kind without makespans.
  [[nodiscard]] QueryResult training_summary(std::int64_t id);
  /// Figures of a training run, in the order in which they were saved.
  [[nodiscard]] QueryResult training_figures(std::int64_t id);
  /// All columns of a run of backward passes, in one row; nothing when there is no such one.
  [[nodiscard]] std::optional<QueryResult> show_passes(std::int64_t id);
  /// All columns of its passes.
  [[nodiscard]] QueryResult passes(std::int64_t id);
  /// Predicted beside measured times of its passes, as the view pass_summary.
  [[nodiscard]] QueryResult pass_summary(std::int64_t id);
  /// Points of its loss curves; no rows where nothing was trained.
  [[nodiscard]] QueryResult losses(std::int64_t id);
  /// The levels of a run.
  [[nodiscard]] QueryResult levels(std::int64_t id);
  /// Predicted beside measured times of a run: the view prediction_vs_measurement; no rows without a measurement.
  [[nodiscard]] QueryResult measurements(std::int64_t id);
  /// Whether there are pictures of a model in a pattern.
  [[nodiscard]] bool has_pictures(const std::string& model_hash, const std::string& pattern);
  /// Replaces the sparsity pictures of a model in a pattern, in one transaction; see stored_study.hpp.
  void save_pictures(const std::string& model_hash, const std::string& pattern,
                     std::span<const StoredPicture> pictures);
  /// Deletes a run with its rows; false when there is no such run. A search goes with its last run, pictures with the
  /// last run of their model and pattern.
  bool remove(std::int64_t id);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
