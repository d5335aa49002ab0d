#pragma once

#include <vector>

#include "answer_line.hpp"
#include "upsweep/grid/question.hpp"

namespace upsweep {

/// Where along a line a scan becomes faster than plain back-propagation, or slower again: an answer for each such
/// place; one where there is none.
[[nodiscard]] std::vector<AnswerRecord> crossovers(const AnswerLine& line, const Question& question);

/// The largest value of a line that fits, from its smallest on; where only the largest values fit, the smallest of
/// these.
[[nodiscard]] AnswerRecord capacity(const AnswerLine& line, const Question& question);

/// The smallest number of workers of a line that reaches the target. `is_in_seconds`: of scores.
[[nodiscard]] AnswerRecord fewest_workers(const AnswerLine& line, const Question& question, bool is_in_seconds);

}  // namespace upsweep
