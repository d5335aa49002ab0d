#pragma once

#include <vector>

#include "upsweep/grid/question.hpp"
#include "upsweep/study/answer_study.hpp"

namespace upsweep {

/// How often each schedule is the best and what scans gain; then the point with the best score.
[[nodiscard]] std::vector<AnswerRecord> best_points(const AnswerInputs& inputs);

/// The points that are asked for, the best first.
[[nodiscard]] std::vector<AnswerRecord> top_answers(const AnswerInputs& inputs, const Question& question);

/// The points that no other one beats in both time and memory, the fastest first.
[[nodiscard]] std::vector<AnswerRecord> pareto_answers(const AnswerInputs& inputs);

/// Says that there are so many more answers to a question than are given.
[[nodiscard]] AnswerRecord more_answers(QuestionKind kind, std::uint64_t more);

}  // namespace upsweep
