#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "upsweep/report/study_report.hpp"

// Parts of the report on a study, each in a file of its own.

namespace upsweep {

/// "1 point", "2 points".
[[nodiscard]] std::string counted_text(std::uint64_t count, const char* noun);

/// Names of the columns of all axes, in order: of an axis with one column its name, else the columns' paths.
[[nodiscard]] std::vector<std::string> axis_heads(const StudySpec& spec);
/// The values at a position, one for each of axis_heads().
[[nodiscard]] std::vector<std::string> axis_values(const StudySpec& spec, std::uint64_t position);
/// "workers = 4, model.chain.length = 100"; "the only point" without axes.
[[nodiscard]] std::string place_text(const StudySpec& spec, std::uint64_t position);

/// "open", "done", "infeasible", "invalid" or "excluded".
[[nodiscard]] const char* status_text(PointStatus status);
/// How many points have each status; index: its number.
[[nodiscard]] std::array<std::uint64_t, 5> points_by_status(const StudyResult& result);

/// A table of all points.
[[nodiscard]] std::string points_table(const StudyReport& report);

/// Answers as JSON: question, where, sentence, answer.
[[nodiscard]] Json answers_json(const std::vector<AnswerRecord>& answers);
/// Answers for people, question by question.
[[nodiscard]] std::string answers_text(const std::vector<AnswerRecord>& answers);

}  // namespace upsweep
