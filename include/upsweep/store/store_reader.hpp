#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/content_key.hpp"
#include "upsweep/store/anchor_record.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/store/query_result.hpp"
#include "upsweep/store/stored_picture.hpp"
#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

class Sqlite;

/// What a database holds: as values, and as tables with the names that SQL has. Everything that is read through one
/// object that opened the file is of one moment, whatever other processes write meanwhile; what a writer's reader()
/// reads is of the moment of the call.
///
/// Every function throws InputError that names the file: not there, not ours, from a newer version.
class StoreReader {
 public:
  /// Opens a file that must be there. One of an older version is brought to the present one, for which it must be
  /// writable; one of the present version may be read-only.
  explicit StoreReader(const std::string& file);
  /// Reads through the connection of a writer.
  explicit StoreReader(std::shared_ptr<Sqlite> database);
  ~StoreReader();
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;

  [[nodiscard]] const std::string& file() const;

  /// The runs of schedules, newest first; of searches with many candidates all of them.
  [[nodiscard]] std::vector<StoredRun> runs() const;
  /// Those that one command kept, oldest first: StoredRun::command_id.
  [[nodiscard]] std::vector<StoredRun> runs_of(std::int64_t command) const;
  /// Ids of the trainings, newest first; likewise of the runs of passes, of published times and of studies.
  [[nodiscard]] std::vector<std::int64_t> training_ids() const;
  [[nodiscard]] std::vector<std::int64_t> passes_ids() const;
  [[nodiscard]] std::vector<std::int64_t> anchors_ids() const;
  [[nodiscard]] std::vector<std::int64_t> study_ids() const;

  /// A run with all that belongs to it; nothing where there is no run of a schedule with this id.
  [[nodiscard]] std::optional<RunDetails> details(std::int64_t id) const;
  /// The newest run of plain back-propagation of a run's model over the same inputs, whichever command kept it.
  [[nodiscard]] std::optional<RunDetails> plain_of(const StoredRun& run) const;
  /// What a command came to: StoredRun::command_id; nothing where there is no such command.
  [[nodiscard]] KeptVerdict verdict_of(std::int64_t command) const;
  /// Of the search that a run of any kind is of, why its best scan is faster or slower than plain back-propagation, as
  /// kept_explanation() wrote it; nothing where it was not explained.
  [[nodiscard]] std::optional<std::string> explanation_of(std::int64_t run) const;
  /// The search of this id.
  [[nodiscard]] std::optional<StoredSearch> search(std::int64_t id) const;
  /// The machine of this id.
  [[nodiscard]] std::optional<StoredMachine> machine(std::int64_t id) const;
  /// A training with its tasks.
  [[nodiscard]] std::optional<StoredTraining> training(std::int64_t id) const;
  [[nodiscard]] std::optional<StoredPasses> passes(std::int64_t id) const;
  /// Published times beside predictions, without the sizes of their rows.
  [[nodiscard]] std::optional<StoredAnchors> anchors(std::int64_t id) const;
  [[nodiscard]] std::optional<StoredStudy> study(std::int64_t id) const;

  /// Calls `take` for every point of a study, by position; the texts last as long as the call.
  void each_point(std::int64_t study, const std::function<void(const StudyPointRow& point)>& take) const;
  /// The same of what whoever goes on with a study needs.
  void each_brief(std::int64_t study, const std::function<void(const StoredPoint& point)>& take) const;
  /// Keys of all results of points, whichever study they are of.
  [[nodiscard]] std::vector<ContentKey> result_keys() const;
  /// A result; nothing when there is none.
  [[nodiscard]] std::optional<PointRecord> result(const ContentKey& key) const;
  /// A counted model of the cache; nothing when there is none.
  [[nodiscard]] std::optional<std::string> counted_model(const ContentKey& key) const;

  /// Sparsity pictures of a model in a pattern: Jacobians first, by place in the scan array.
  [[nodiscard]] std::vector<StoredPicture> pictures(const std::string& model_hash, const std::string& pattern) const;
  [[nodiscard]] bool has_pictures(const std::string& model_hash, const std::string& pattern) const;

  /// All runs of any kind, newest first: the view run_summary.
  [[nodiscard]] QueryResult run_list() const;
  /// What commands said of their runs, where they said something: `id` of the command, `verdict`.
  [[nodiscard]] QueryResult verdicts() const;
  /// The studies beside the runs, newest first: id, created_utc, name, points (of the grid), stored (of them), complete
  /// (0 or 1), tool_version, file. They are numbered by themselves.
  [[nodiscard]] QueryResult study_list() const;
  /// A run of any kind; nothing when there is no such run.
  [[nodiscard]] std::optional<RunTables> run_tables(std::int64_t id) const;
  /// The same for diff_runs().
  [[nodiscard]] std::optional<ComparedRun> compared_run(std::int64_t id) const;
  /// All columns of the view study_points for a study, by position; at most `most` rows, all with 0.
  [[nodiscard]] QueryResult study_points(std::int64_t study, std::uint64_t most = 0) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
