#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "upsweep/base/unfinished_path.hpp"
#include "upsweep/store/point_record.hpp"
#include "upsweep/store/store_reader.hpp"

namespace upsweep {

/// Writes the studies of a database, beside its runs. What a call writes is there whole or not at all, whenever this
/// process ends, and is written without anything being computed meanwhile. One object is used by one thread at a time.
///
/// Every function throws InputError that names the file: not writable, full disk, not ours, from a newer version.
class StudyStore {
 public:
  /// Opens the file, making it where there is none, and brings its schema to the present version.
  explicit StudyStore(const std::string& file);
  ~StudyStore();
  StudyStore(const StudyStore&) = delete;
  StudyStore& operator=(const StudyStore&) = delete;

  /// The study with this content, rule and tool version, made where there is none; returns its id.
  std::int64_t open_study(const StudyRecord& record);

  /// Writes points of a study in one transaction: results that are not there yet, and their places. A place that is
  /// there is left alone but that of an invalid point; such a point has its reason at its place. Where it is valid now,
  /// the answers go, which were those of other points.
  void save(std::int64_t study, std::span<const StudyPoint> points);

  /// Removes the places of points from a study in one transaction, so that save() may fill them again, and its answers,
  /// which were those of other points; their results stay. Where there are no positions, nothing changes.
  void forget(std::int64_t study, std::span<const std::uint64_t> positions);

  /// Replaces the answers of a study and marks it as complete or not.
  void save_answers(std::int64_t study, std::span<const AnswerRecord> answers, bool is_complete);

  /// Keeps what a study came to.
  void save_verdict(std::int64_t study, const KeptVerdict& verdict);

  /// Marks a counted model of the cache as used, where it is there.
  void mark_used(const ContentKey& key);
  /// Keeps a counted model, and removes the ones that were used longest ago until all take at most `limit` bytes. One
  /// larger than that, or than a row may be, is not kept.
  void keep(const ContentKey& key, std::string_view bytes, std::uint64_t limit);

  /// What the file holds at each moment; used by the thread that uses this object.
  [[nodiscard]] const StoreReader& reader() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Holds a study for this process while it lives: other processes on this machine that want the same one are refused.
class StudyLock {
 public:
  /// `key`: of the study. A file beside the database, which goes when this object does; one that a killed process left
  /// behind holds nobody up. Throws BusyError that names the database and the other process where it is held.
  StudyLock(const std::string& file, const std::string& key);
  ~StudyLock();
  StudyLock(const StudyLock&) = delete;
  StudyLock& operator=(const StudyLock&) = delete;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::optional<UnfinishedPath> goes_with_process_;
};

/// Deletes a study with its rows in one transaction, and the results of its points that no other study has; false when
/// there is no such study. Throws InputError that names the file, and BusyError while the study is being run.
bool remove_study(const std::string& file, std::int64_t id);

}  // namespace upsweep
