#include "point_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "answer_sentences.hpp"
#include "upsweep/grid/answers.hpp"

namespace upsweep {
namespace {

std::string at_coordinates(const AnswerJson& coordinates) {
  return coordinates.empty() ? std::string() : fmt::format(" at {}", coordinates_text(coordinates));
}

AnswerRecord point_answer(const AnswerInputs& inputs, QuestionKind kind, std::size_t rank, std::uint64_t position,
                          const std::string& lead) {
  const PointBrief& brief = inputs.points[position];
  const AnswerJson coordinates = AnswerJson::parse(inputs.factory.coordinates_json(position));
  AnswerJson answer;
  answer["rank"] = rank;
  answer["position"] = position;
  answer["coordinates"] = coordinates;
  answer["schedule"] = inputs.schedules[brief.schedule];
  answer["score"] = brief.score;
  answer["unit"] = brief.is_in_seconds ? "s" : "FLOPs";
  answer["speedup"] = brief.speedup();
  answer["memory_bytes"] = json_of_bytes(brief.best_bytes);
  const std::string gain =
      std::isnan(brief.speedup()) ? "" : fmt::format(", the scan at {}", speedup_text(brief.speedup()));
  const std::string sentence = fmt::format("{}{} with {} in {}{}{}", lead, inputs.schedules[brief.schedule],
                                           score_text(brief.score, brief.is_in_seconds), bytes_text(brief.best_bytes),
                                           gain, at_coordinates(coordinates));
  return {to_string(kind), "", sentence, answer.dump()};
}

std::vector<AnswerRecord> ranked(const AnswerInputs& inputs, QuestionKind kind,
                                 const std::vector<std::uint64_t>& positions) {
  std::vector<AnswerRecord> records;
  for (const std::uint64_t position : positions) {
    if (records.size() == kMostAnswers) {
      records.push_back(more_answers(kind, positions.size() - records.size()));
      break;
    }
    const std::size_t rank = records.size() + 1;
    records.push_back(point_answer(inputs, kind, rank, position, fmt::format("{}. ", rank)));
  }
  if (records.empty()) records.push_back({to_string(kind), "", "no point has these figures", "{}"});
  return records;
}

struct Speedups {
  double least = PointBrief::kNone;
  double most = PointBrief::kNone;
};

Speedups speedups_of(const std::vector<PointBrief>& points) {
  Speedups speedups;
  for (const PointBrief& brief : points) {
    speedups.least = std::fmin(speedups.least, brief.speedup());
    speedups.most = std::fmax(speedups.most, brief.speedup());
  }
  return speedups;
}

/// Schedules that win, the one that does most often first.
std::vector<std::uint32_t> winners_of(const std::vector<std::uint64_t>& wins, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> winners;
  for (std::uint32_t schedule = 0; schedule < wins.size(); ++schedule) {
    if (wins[schedule] > 0) winners.push_back(schedule);
  }
  // Ties by name, shorter ones first: numbers depend on which points came first.
  std::sort(winners.begin(), winners.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (wins[a] != wins[b]) return wins[a] > wins[b];
    return std::pair(names[a].size(), names[a]) < std::pair(names[b].size(), names[b]);
  });
  return winners;
}

/// The schedule that every point has, where none of them chose one.
std::optional<std::string> given_schedule(const StudySpec& spec) {
  const std::string& schedule = spec.base.point.schedule;
  for (const Axis& axis : spec.axes) {
    if (std::ranges::find(axis.columns, "schedule", &AxisColumn::path) != axis.columns.end()) return std::nullopt;
  }
  return schedule == "best" || schedule == "best-of-all" ? std::nullopt : std::optional(schedule);
}

AnswerRecord wins_answer(const AnswerInputs& inputs) {
  const std::vector<std::uint64_t> wins = wins_by_schedule(inputs.points);
  std::uint64_t points = 0;
  for (const std::uint64_t count : wins) points += count;
  const Speedups speedups = speedups_of(inputs.points);
  AnswerJson by_schedule = AnswerJson::object();
  std::string shares;
  for (const std::uint32_t schedule : winners_of(wins, inputs.schedules)) {
    by_schedule[inputs.schedules[schedule]] = wins[schedule];
    const double percent = 100 * static_cast<double>(wins[schedule]) / static_cast<double>(points);
    shares += fmt::format("{}{} of {} ({:.3g} %)", shares.empty() ? "" : ", ", inputs.schedules[schedule],
                          wins[schedule], percent);
  }
  AnswerJson answer;
  answer["points"] = points;
  answer["wins"] = by_schedule;
  const std::optional<std::string> given = given_schedule(inputs.study.spec);
  answer["given_schedule"] = given ? AnswerJson(*given) : AnswerJson();
  answer["speedup_least"] = speedups.least;
  answer["speedup_most"] = speedups.most;
  const bool has_dense =
      std::ranges::any_of(inputs.points, [](const PointBrief& brief) { return !std::isnan(brief.dense_score); });
  const bool has_graph =
      std::ranges::any_of(inputs.points, [](const PointBrief& brief) { return !std::isnan(brief.graph_score); });
  const std::string over = has_graph ? has_dense ? "plain or dense back-propagation, the plain one over the graph, too"
                                                 : "plain back-propagation, over the chain and over the graph"
                           : has_dense ? "plain or dense back-propagation"
                                       : "plain back-propagation";
  answer["speedup_over"] = over;
  std::string sentence = points == 0 ? "no point has a schedule that is possible"
                         : given
                             ? fmt::format("{} points, all by the schedule that the study gives: {}", points, *given)
                             : fmt::format("the best schedules of {} points: {}", points, shares);
  if (!std::isnan(speedups.least)) {
    sentence += fmt::format("; the best scan against {}{}: {}", over,
                            has_graph   ? ", the fastest of them"
                            : has_dense ? ", the faster of both"
                                        : "",
                            speedups_text(speedups.least, speedups.most));
  }
  return {to_string(QuestionKind::best), "", sentence, answer.dump()};
}

}  // namespace

std::vector<AnswerRecord> best_points(const AnswerInputs& inputs) {
  std::vector<AnswerRecord> records = {wins_answer(inputs)};
  for (const std::uint64_t position : top_points(inputs.points, PointKey::score, 1)) {
    records.push_back(point_answer(inputs, QuestionKind::best, 1, position, "the best score: "));
  }
  return records;
}

std::vector<AnswerRecord> top_answers(const AnswerInputs& inputs, const Question& question) {
  const std::uint64_t count = std::min<std::uint64_t>(question.count, inputs.points.size());
  return ranked(inputs, QuestionKind::top, top_points(inputs.points, question.by, count));
}

std::vector<AnswerRecord> pareto_answers(const AnswerInputs& inputs) {
  return ranked(inputs, QuestionKind::pareto, pareto_front(inputs.points));
}

AnswerRecord more_answers(QuestionKind kind, std::uint64_t more) {
  AnswerJson answer;
  answer["more"] = more;
  return {to_string(kind), "", fmt::format("{} more are not answered one by one: ask of fewer values", more),
          answer.dump()};
}

}  // namespace upsweep
