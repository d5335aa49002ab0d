#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "upsweep/base/content_key.hpp"
#include "upsweep/grid/point_brief.hpp"
#include "upsweep/store/pass_record.hpp"
#include "upsweep/store/training_record.hpp"

namespace upsweep {

/// The most tasks of a training run that are read of all its variants.
inline constexpr std::int64_t kMostReadTasks = 500'000;

/// A run of `upsweep training` with its id; see TrainingRecord.
struct StoredTraining {
  std::int64_t id = 0;
  std::string created_utc;
  TrainingRecord record;  ///< of more than kMostReadTasks tasks those of the best variant (or else the first) alone
};

/// A run of a recurrent model or a training with its id; see PassRecord.
struct StoredPasses {
  std::int64_t id = 0;
  std::string created_utc;
  PassRecord record;
};

/// An axis of a study.
struct StoredAxis {
  std::string name;
  std::string values;  ///< of its first column, as a JSON array
};

/// An answer of a study; see AnswerRecord.
struct StoredAnswer {
  std::string question;
  std::string place;  ///< JSON object; empty: of all points
  std::string sentence;
  std::string details;  ///< JSON object
};

/// A what-if study.
struct StoredStudy {
  std::int64_t id = 0;
  std::string created_utc;
  std::string finished_utc;  ///< empty: no answers yet
  std::string tool_version;
  std::string parameters;
  std::string rule;
  std::string name;
  std::string file;
  std::string content_hash;
  std::uint64_t points = 0;  ///< of the grid
  bool is_complete = false;
  std::vector<StoredAxis> axes;
  std::vector<StoredAnswer> answers;
  KeptVerdict verdict;
};

/// A point of a study: what whoever goes on with the study needs.
struct StoredPoint {
  std::uint64_t position = 0;
  PointBrief brief;               ///< brief.schedule is 0
  std::string schedule;           ///< name of the best one or empty
  std::optional<ContentKey> key;  ///< of its result; none where it is invalid or excluded
  bool has_expectations = false;  ///< its counts are expectations
};

/// A point of a study: what figures need of the view study_points.
struct StudyPointRow {
  std::uint64_t position = 0;
  std::string coordinates;  ///< JSON object by axis
  std::string status;       ///< done, infeasible, invalid or excluded
  std::string schedule;     ///< the best; empty without one
  std::string unit;         ///< s or FLOPs; empty without a result
  std::optional<double> score;
  std::optional<double> plain_score;
  std::optional<double> dense_score;   ///< seconds; nothing where dense back-propagation is not predicted
  std::optional<double> graph_score;   ///< of plain back-propagation over a graph with branches; where known
  std::optional<double> blocks_score;  ///< beside that on top of a scan
  std::optional<double> scan_score;
  std::optional<double> peak_live_bytes;
  std::optional<double> plain_bytes;
  std::optional<double> scan_bytes;
  std::optional<double> bppsa_bytes;
  std::optional<double> pipeline_bytes;
  std::optional<double> memory_limit;

  /// PointBrief::speedup(); nothing without scores above 0.
  [[nodiscard]] std::optional<double> speedup() const {
    if (!plain_score || !scan_score || !(*plain_score > 0) || !(*scan_score > 0)) return std::nullopt;
    PointBrief brief;
    brief.plain_score = *plain_score;
    brief.dense_score = dense_score.value_or(PointBrief::kNone);
    brief.graph_score = graph_score.value_or(PointBrief::kNone);
    brief.blocks_score = blocks_score.value_or(PointBrief::kNone);
    brief.scan_score = *scan_score;
    return brief.speedup();
  }
};

}  // namespace upsweep
