#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/store/stored_run.hpp"
#include "upsweep/store/stored_study.hpp"

namespace upsweep {

/// What a database holds, as values: everything that is read through one object is of one moment, whatever other
/// processes write meanwhile.
///
/// Every function throws InputError that names the file: not there, not ours, from a newer version.
class StoreReader {
 public:
  /// Opens a file that must be there. One of an older version is brought to the present one, for which it must be
  /// writable; one of the present version may be read-only.
  explicit StoreReader(const std::string& file);
  ~StoreReader();
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;

  [[nodiscard]] const std::string& file() const;

  /// The runs of schedules, newest first; of searches with many candidates all of them.
  [[nodiscard]] std::vector<StoredRun> runs() const;
  /// Ids of the trainings, newest first; likewise of the runs of passes and of studies.
  [[nodiscard]] std::vector<std::int64_t> training_ids() const;
  [[nodiscard]] std::vector<std::int64_t> passes_ids() const;
  [[nodiscard]] std::vector<std::int64_t> study_ids() const;

  /// A run with all that belongs to it; nothing where there is no run of a schedule with this id.
  [[nodiscard]] std::optional<RunDetails> details(std::int64_t id) const;
  /// The search of this id.
  [[nodiscard]] std::optional<StoredSearch> search(std::int64_t id) const;
  /// The machine of this id.
  [[nodiscard]] std::optional<StoredMachine> machine(std::int64_t id) const;
  /// A training, with the tasks of one variant.
  [[nodiscard]] std::optional<StoredTraining> training(std::int64_t id) const;
  [[nodiscard]] std::optional<StoredPasses> passes(std::int64_t id) const;
  [[nodiscard]] std::optional<StoredStudy> study(std::int64_t id) const;

  /// Calls `take` for every point of a study, by position; the texts last as long as the call.
  void each_point(std::int64_t study, const std::function<void(const StudyPointRow& point)>& take) const;

  /// Sparsity pictures of a model in a pattern: Jacobians first, by place in the scan array.
  [[nodiscard]] std::vector<StoredPicture> pictures(const std::string& model_hash, const std::string& pattern) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace upsweep
