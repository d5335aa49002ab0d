#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/grid/grid.hpp"
#include "upsweep/report/study_report.hpp"

// Parts of the report on a study, each in a file of its own.

namespace upsweep {

/// Points of which people see a table.
inline constexpr std::size_t kMostTablePoints = 40;

/// "1 point", "2 points".
[[nodiscard]] std::string counted_text(std::uint64_t count, const char* noun);

/// Of which schedules a point has the best: "the best hybrid depth of each point", ... `schedule`: as the base has it.
[[nodiscard]] std::string schedules_text(const std::string& schedule);

/// The columns of all axes of a study as text. Refers to the spec, which must outlive it.
class AxisCells {
 public:
  explicit AxisCells(const StudySpec& spec);

  /// Names of the columns, in order: of an axis with one column its name, else the columns' paths.
  [[nodiscard]] const std::vector<std::string>& heads() const { return heads_; }
  /// The values at a position, one for each of heads().
  [[nodiscard]] std::vector<std::string> values(std::uint64_t position) const;
  /// "workers = 4, model.chain.length = 100"; "the only point" without axes.
  [[nodiscard]] std::string place_text(std::uint64_t position) const;

 private:
  const StudySpec& spec_;
  Grid grid_;
  std::vector<std::string> heads_;
};

/// Cells of a column for people: the stems of paths where all are such of .yaml files, "a100" of "machines/a100.yaml",
/// and no two files have one stem; else as they are.
[[nodiscard]] std::vector<std::string> without_folders(std::vector<std::string> cells);

/// "open", "done", "infeasible", "invalid" or "excluded".
[[nodiscard]] const char* status_text(PointStatus status);
/// How many points have each status; index: its number.
[[nodiscard]] std::array<std::uint64_t, 5> points_by_status(const StudyResult& result);

/// All points; the one with the smallest score is the best, the first of equal ones. Refers to the report's study.
[[nodiscard]] Table points_table(const StudyReport& report);

/// Answers as JSON: question, where, sentence, answer.
[[nodiscard]] Json answers_json(const std::vector<AnswerRecord>& answers);
/// Answers for people, question by question.
[[nodiscard]] Document answers_document(const std::vector<AnswerRecord>& answers);

}  // namespace upsweep
