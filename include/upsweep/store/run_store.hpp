#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "upsweep/backend/backend.hpp"
#include "upsweep/machine/machine.hpp"
#include "upsweep/network/network.hpp"
#include "upsweep/profile/network_profile.hpp"
#include "upsweep/sim/complexity.hpp"
#include "upsweep/sim/predict.hpp"
#include "upsweep/store/anchor_record.hpp"
#include "upsweep/store/pass_record.hpp"
#include "upsweep/store/store_reader.hpp"
#include "upsweep/store/training_record.hpp"

namespace upsweep {

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
  KeptVerdict verdict = {};
  std::optional<std::string> explanation = {};  ///< of a search: kept_explanation()
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
  std::optional<double> score;  ///< of a search or a profile; empty otherwise
  // Of a search; empty otherwise.
  std::optional<bool> feasible;
  std::optional<std::string> reason;
  // With a machine; empty otherwise.
  std::optional<double> predicted_level_s = std::nullopt;
  std::optional<double> predicted_dag_s = std::nullopt;
  std::optional<MeasurementRecord> measurement = std::nullopt;  ///< of a validation
  std::optional<std::string> binding = std::nullopt;            ///< with a machine: to_string() of its Binding
  std::optional<Interval> score_interval = std::nullopt;        ///< where counts are estimates
};

/// Writes runs into the SQLite file that keeps them. Several processes may use one file; what a call writes is there
/// whole or not at all, and is written without anything being computed meanwhile.
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

  /// Writes the runs of one command, and the search that they belong to, in one transaction. Returns their ids.
  std::vector<std::int64_t> save(const RunContext& context, const std::vector<RunRecord>& runs,
                                 const std::optional<SearchRecord>& search);

  /// Writes a training run in one transaction. Returns its id, which no other run of either kind has.
  std::int64_t save(const TrainingRecord& record);

  /// Writes a run of a recurrent model or a training in one transaction. Returns its id, which no other run of any kind
  /// has.
  std::int64_t save(const PassRecord& record);

  /// The same of published times beside predictions.
  std::int64_t save(const AnchorRecord& record);

  /// Keeps a machine whose file is `text`, once; returns its id.
  std::int64_t save_machine(const Machine& machine, const std::string& text);

  /// Replaces the sparsity pictures of a model in a pattern, in one transaction; see stored_study.hpp.
  void save_pictures(const std::string& model_hash, const std::string& pattern,
                     std::span<const StoredPicture> pictures);
  /// Deletes a run with its rows; false when there is no such run. A search goes with its last run, pictures with the
  /// last run of their model and pattern.
  bool remove(std::int64_t id);

  /// What the file holds at each moment.
  [[nodiscard]] const StoreReader& reader() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
