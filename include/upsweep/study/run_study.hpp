#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/grid/point_brief.hpp"
#include "upsweep/io/study_file.hpp"
#include "upsweep/store/study_store.hpp"
#include "upsweep/study/count_cache.hpp"

namespace upsweep {

/// How far a study is.
struct StudyProgress {
  std::uint64_t done = 0;    ///< points with a result of any status, earlier ones included
  std::uint64_t points = 0;  ///< of the grid
  double points_per_s = 0;   ///< of this run
  double seconds_left = 0;   ///< at that rate
  std::string best;          ///< schedule of the best score so far; empty: none
  double best_score = 0;
  bool is_in_seconds = false;  ///< of best_score
};

/// How a study is run.
struct StudyOptions {
  std::size_t jobs = 1;  ///< threads
  std::string tool_version;
  std::string parameters;                                       ///< the command line as a JSON array
  const std::atomic<bool>* stop = nullptr;                      ///< set: finish the points under way and return
  std::function<void(const StudyProgress& progress)> progress;  ///< called now and then, from one thread at a time
  std::uint64_t memory_cache_bytes = std::uint64_t{256} << 20;  ///< counted models in memory
  std::uint64_t stored_cache_bytes = std::uint64_t{1} << 30;    ///< counted models in the store
};

/// A study, run.
struct StudyResult {
  std::int64_t id = 0;                 ///< in the store; 0 without one
  std::vector<PointBrief> points;      ///< by position
  std::vector<std::string> schedules;  ///< names by PointBrief::schedule; 0 is the empty name
  std::uint64_t evaluated = 0;         ///< by this run
  std::uint64_t found = 0;             ///< results that other studies or earlier runs had stored
  std::uint64_t resumed = 0;           ///< points that this study had already, and that are as they were
  bool is_in_seconds = false;          ///< of scores
  bool is_exact = true;                ///< no count is an expectation
  bool is_interrupted = false;         ///< stopped before all points were done
  double seconds = 0;                  ///< wall-clock time of the evaluation
  CountStatistics counts;
  std::vector<AnswerRecord> answers;   ///< empty where interrupted
  std::vector<std::uint64_t> invalid;  ///< positions of the first points (at most 100) that are not valid
  std::vector<std::string> reasons;    ///< and why, length of `invalid`
};

/// Runs a study: evaluates the points that `store` does not have, keeps them as it goes, answers its questions.
///
/// Points of networks whose masks, weights or samples have changed since, and points that were not valid, which a file
/// may have kept from being, are evaluated again. For that every network of the study is read once at the start.
///
/// `store` may be null: nothing is kept. Throws InputError for a store that cannot be written (what was written stays),
/// std::bad_alloc; never for a single point.
[[nodiscard]] StudyResult run_study(const StudyFile& study, StudyStore* store, const StudyOptions& options);

}  // namespace upsweep
