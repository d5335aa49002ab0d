#include "grid_rows.hpp"

#include <stdexcept>

#include "command_rows.hpp"
#include "rows.hpp"
#include "store_reader.hpp"

namespace upsweep {

/// Columns of study_grids that do not change, but for its keys.
void columns(auto& visit, StudyRecord& record) {
  visit("name", record.name);
  visit("file", record.file);
  visit("content_hash", record.content_hash);
  visit("text", record.text);
  visit("points", record.points);
}

/// Of the view studies.
void columns(auto& visit, StoredStudy& study) {
  visit("id", study.id);
  visit("created_utc", study.created_utc);
  visit("finished_utc", study.finished_utc);
  visit("tool_version", study.tool_version);
  visit("parameters", study.parameters);
  visit("rule", study.rule);
  columns(visit, study.verdict);
  visit("name", study.name);
  visit("file", study.file);
  visit("content_hash", study.content_hash);
  visit("points", study.points);
  visit("complete", study.is_complete);
}

void columns(auto& visit, StoredAxis& axis) {
  visit("name", axis.name);
  visit("axis_values", axis.values);
}

void answer_columns(auto& visit, auto& question, auto& place, auto& sentence, auto& details) {
  visit("question", question);
  visit.or_null("place", place);
  visit("sentence", sentence);
  visit("details", details);
}
void columns(auto& visit, AnswerRecord& answer) {
  answer_columns(visit, answer.question, answer.where, answer.sentence, answer.answer);
}
void columns(auto& visit, StoredAnswer& answer) {
  answer_columns(visit, answer.question, answer.place, answer.sentence, answer.details);
}

/// Of the view study_points.
void columns(auto& visit, StudyPointRow& point) {
  visit("position", point.position);
  visit("coordinates", point.coordinates);
  visit("status", point.status);
  visit("schedule", point.schedule);
  visit("unit", point.unit);
  visit("score", point.score);
  visit("plain_score", point.plain_score);
  visit("dense_score", point.dense_score);
  visit("graph_score", point.graph_score);
  visit("blocks_score", point.blocks_score);
  visit("scan_score", point.scan_score);
  visit("peak_live_bytes", point.peak_live_bytes);
  visit("plain_bytes", point.plain_bytes);
  visit("scan_bytes", point.scan_bytes);
  visit("bppsa_bytes", point.bppsa_bytes);
  visit("pipeline_bytes", point.pipeline_bytes);
  visit("memory_limit", point.memory_limit);
}

std::int64_t save_study(Sqlite& database, std::int64_t command, const StudyRecord& record) {
  if (record.axes.size() != record.values.size()) throw std::logic_error("a study whose axes do not all have values");
  const std::int64_t id = insert_row(database, "study_grids", record, "command_id, complete", command, false);
  Insert<StoredAxis> insert(database, "study_axes", "study_id, axis");
  for (std::uint64_t axis = 0; axis < record.axes.size(); ++axis)
    insert({record.axes[axis], record.values[axis]}, id, axis);
  return id;
}

void replace_answers(Sqlite& database, std::int64_t study, std::span<const AnswerRecord> answers) {
  Statement erase(database, "DELETE FROM study_answers WHERE study_id = ?");
  erase.bind(study).run();
  Insert<AnswerRecord> insert(database, "study_answers", "study_id, answer");
  for (std::uint64_t a = 0; a < answers.size(); ++a) insert(answers[a], study, a);
}

std::optional<StoredStudy> StoreReader::study(std::int64_t id) const {
  Sqlite& database = impl_->database;
  std::optional<StoredStudy> study = first_row<StoredStudy>(database, "FROM studies WHERE id = ?", id);
  if (!study) return study;
  study->axes = all_rows<StoredAxis>(database, "FROM study_axes WHERE study_id = ? ORDER BY axis", id);
  study->answers = all_rows<StoredAnswer>(database, "FROM study_answers WHERE study_id = ? ORDER BY answer", id);
  return study;
}

void StoreReader::each_point(std::int64_t study, const std::function<void(const StudyPointRow& point)>& take) const {
  Statement rows = select<StudyPointRow>(impl_->database, "FROM study_points WHERE study = ? ORDER BY position", study);
  StudyPointRow point;
  while (rows.step()) {
    ColumnReader reader(rows);
    columns(reader, point);
    take(point);
  }
}

}  // namespace upsweep
