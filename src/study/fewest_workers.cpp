#include <fmt/format.h>

#include <optional>

#include "line_answers.hpp"

namespace upsweep {
namespace {

/// The first place that reaches the target and, where there is one, the one before it; or the one with the best score.
struct Reached {
  std::optional<std::size_t> first;
  std::optional<std::size_t> before;
  std::optional<std::size_t> best;
};

Reached reached_of(const AnswerLine& line, const PointPredicate& predicate) {
  Reached reached;
  for (const std::size_t place : line.ascending()) {
    const std::optional<bool> is_reached = predicate(line.brief(place));
    if (!is_reached) continue;
    if (*is_reached) {
      reached.first = place;
      return reached;
    }
    reached.before = place;
    const bool is_better = !reached.best || !(line.brief(*reached.best).score <= line.brief(place).score);
    if (line.brief(place).status == PointStatus::done && is_better) reached.best = place;
  }
  return reached;
}

std::string reached_sentence(const AnswerLine& line, const LineSpot& spot, const std::optional<LineSpot>& below,
                             const std::string& target, bool is_in_seconds) {
  const std::string score = score_text(spot.brief.score, is_in_seconds);
  if (!below) {
    return fmt::format("{} = {}, the fewest on the grid, reaches {}: {}", line.axis_name(), spot.value.text, target,
                       score);
  }
  const std::string missed =
      below->brief.status == PointStatus::done
          ? fmt::format("{} takes {}", below->value.text, score_text(below->brief.score, is_in_seconds))
          : fmt::format("with {} no asked schedule fits the memory", below->value.text);
  return fmt::format("{} = {} is the fewest that reaches {}: {}; {}", line.axis_name(), spot.value.text, target, score,
                     missed);
}

std::string missed_sentence(const AnswerLine& line, const std::optional<std::size_t>& best, const std::string& target,
                            const std::string& missing, bool is_in_seconds) {
  if (!best) {
    return fmt::format("no {} reaches {}: no point has a score ({})", line.axis_name(), target,
                       missing.empty() ? missing_text(PointStatus::infeasible) : missing);
  }
  const LineSpot spot = line.spot(*best);
  return fmt::format("no {} reaches {}: the best is {} at {}", line.axis_name(), target,
                     score_text(spot.brief.score, is_in_seconds), spot.value.text);
}

void add_spot(AnswerJson& answer, const LineSpot& spot) {
  answer["value"] = json_of(spot.value);
  answer["score"] = spot.brief.score;
}

}  // namespace

AnswerRecord fewest_workers(const AnswerLine& line, const Question& question, bool is_in_seconds) {
  const PointPredicate predicate = [&](const PointBrief& brief) -> std::optional<bool> {
    if (brief.status == PointStatus::infeasible) return false;
    if (brief.status != PointStatus::done || brief.is_in_seconds != is_in_seconds) return std::nullopt;
    return brief.score <= question.target_score;
  };
  const Reached reached = reached_of(line, predicate);
  const std::string target = score_text(question.target_score, is_in_seconds);
  AnswerJson answer;
  answer["along"] = line.axis_name();
  answer["is_reached"] = reached.first.has_value();
  answer["target"] = question.target_score;
  answer["unit"] = is_in_seconds ? "s" : "FLOPs";
  const std::string missing = line.add_missing(
      [&](const PointBrief& brief) -> std::string {
        if (predicate(brief)) return "";
        if (brief.status != PointStatus::done) return missing_text(brief.status);
        return is_in_seconds ? "scores in FLOPs" : "scores in seconds";
      },
      answer);
  std::string sentence;
  if (!reached.first) {
    if (reached.best) add_spot(answer, line.spot(*reached.best));
    sentence = missed_sentence(line, reached.best, target, missing, is_in_seconds);
  } else if (!reached.before) {
    const LineSpot spot = line.spot(*reached.first);
    add_spot(answer, spot);
    sentence = reached_sentence(line, spot, std::nullopt, target, is_in_seconds);
  } else {
    const LineChange change = line.narrow(*reached.first, *reached.before, 0, predicate);
    add_spot(answer, change.holds);
    answer["below"] = json_of(change.fails.value);
    answer["below_score"] = change.fails.brief.score;
    answer["evaluations"] = change.evaluations;
    sentence = reached_sentence(line, change.holds, change.fails, target, is_in_seconds);
  }
  return {to_string(QuestionKind::fewest_workers), line.where(), line.sentence(sentence), answer.dump()};
}

}  // namespace upsweep
