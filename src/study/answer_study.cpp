#include "upsweep/study/answer_study.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>

#include "line_answers.hpp"
#include "ops_answer.hpp"
#include "point_answers.hpp"
#include "upsweep/base/parallel.hpp"
#include "upsweep/base/pipeline.hpp"

namespace upsweep {
namespace {

/// Lines that one thread answers in one go.
constexpr std::size_t kLinesAtOnce = 4;

struct Lines {
  std::span<const std::uint64_t> first;
  std::vector<AnswerRecord> records;
};

bool is_stopped(const AnswerInputs& inputs) {
  return inputs.stop != nullptr && inputs.stop->load(std::memory_order_relaxed);
}

std::vector<AnswerRecord> answer_line(const AnswerInputs& inputs, const AnswerLine& line, const Question& question) {
  switch (question.kind) {
    case QuestionKind::crossover:
      return crossovers(line, question);
    case QuestionKind::capacity:
      return {capacity(line, question)};
    default:
      return {fewest_workers(line, question, inputs.is_in_seconds)};
  }
}

// The lines of a question are independent, and each may take many evaluations: they are answered in parallel.
void answer_along(const AnswerInputs& inputs, const Question& question, std::vector<AnswerRecord>& records) {
  const std::optional<std::size_t> axis = axis_named(inputs.study.spec, question.along);
  if (!axis) throw std::logic_error("a question along an axis that there is not");
  const std::vector<std::uint64_t> all = inputs.factory.grid().lines(*axis);
  const std::span<const std::uint64_t> asked(all.data(), std::min<std::size_t>(all.size(), kMostAnswers));
  std::size_t next = 0;
  PipelineStages stages;
  stages.next = [&]() -> std::shared_ptr<void> {
    if (next == asked.size() || is_stopped(inputs)) return nullptr;
    auto lines = std::make_shared<Lines>();
    lines->first = asked.subspan(next, std::min(kLinesAtOnce, asked.size() - next));
    next += lines->first.size();
    return lines;
  };
  stages.work = [&](void* item) {
    auto& lines = *static_cast<Lines*>(item);
    for (const std::uint64_t first : lines.first) {
      if (is_stopped(inputs)) return;
      std::vector<AnswerRecord> answers = answer_line(inputs, AnswerLine(inputs, *axis, first), question);
      std::move(answers.begin(), answers.end(), std::back_inserter(lines.records));
    }
  };
  stages.finish = [&](void* item) {
    auto& lines = *static_cast<Lines*>(item);
    std::move(lines.records.begin(), lines.records.end(), std::back_inserter(records));
  };
  run_pipeline(2 * parallel_threads(), stages);
  if (all.size() > asked.size()) records.push_back(more_answers(question.kind, all.size() - asked.size()));
}

void append(std::vector<AnswerRecord>& records, std::vector<AnswerRecord> more) {
  std::move(more.begin(), more.end(), std::back_inserter(records));
}

}  // namespace

std::vector<AnswerRecord> answer_study(const AnswerInputs& inputs) {
  std::vector<AnswerRecord> records;
  for (const Question& question : inputs.study.spec.questions) {
    if (is_stopped(inputs)) break;
    switch (question.kind) {
      case QuestionKind::best:
        append(records, best_points(inputs));
        break;
      case QuestionKind::top:
        append(records, top_answers(inputs, question));
        break;
      case QuestionKind::pareto:
        append(records, pareto_answers(inputs));
        break;
      case QuestionKind::crossover:
      case QuestionKind::capacity:
      case QuestionKind::fewest_workers:
        answer_along(inputs, question, records);
        break;
    }
  }
  if (std::optional<AnswerRecord> ops = ops_answer(inputs.study)) records.push_back(*std::move(ops));
  return records;
}

}  // namespace upsweep
