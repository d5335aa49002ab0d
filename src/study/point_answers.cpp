#include "point_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "answer_sentences.hpp"
#include "upsweep/grid/answers.hpp"
#include "upsweep/grid/grid.hpp"

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

/// What some points come to.
struct Wins {
  std::vector<std::uint64_t> by_schedule;
  std::uint64_t points = 0;
  Speedups speedups;
};

Wins wins_of(const std::vector<PointBrief>& points) {
  Wins wins;
  wins.by_schedule = wins_by_schedule(points);
  for (const std::uint64_t count : wins.by_schedule) wins.points += count;
  for (const PointBrief& brief : points) {
    wins.speedups.least = std::fmin(wins.speedups.least, brief.speedup());
    wins.speedups.most = std::fmax(wins.speedups.most, brief.speedup());
  }
  return wins;
}

/// The points by the rule of their ops, where that is an axis, in its order; else nothing.
std::vector<std::pair<std::string, std::vector<PointBrief>>> points_by_ops(const AnswerInputs& inputs) {
  std::vector<std::pair<std::string, std::vector<PointBrief>>> by_ops;
  const std::vector<Axis>& axes = inputs.study.spec.axes;
  const Grid grid = grid_of(axes);
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto column = std::ranges::find(axes[a].columns, "ops", &AxisColumn::path);
    if (column == axes[a].columns.end()) continue;
    for (std::uint64_t position = 0; position < inputs.points.size(); ++position) {
      const std::string& ops = column->values[grid.at(position)[a]].text;
      auto mine = std::ranges::find(by_ops, ops, &std::pair<std::string, std::vector<PointBrief>>::first);
      if (mine == by_ops.end()) mine = by_ops.insert(by_ops.end(), {ops, {}});
      mine->second.push_back(inputs.points[position]);
    }
  }
  return by_ops;
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

/// Adds what schedules won and how the scan stands; returns the shares as a text.
std::string add_wins(const Wins& wins, const std::vector<std::string>& names, AnswerJson& answer) {
  AnswerJson by_schedule = AnswerJson::object();
  std::string shares;
  for (const std::uint32_t schedule : winners_of(wins.by_schedule, names)) {
    by_schedule[names[schedule]] = wins.by_schedule[schedule];
    const double percent = 100 * static_cast<double>(wins.by_schedule[schedule]) / static_cast<double>(wins.points);
    shares += fmt::format("{}{} of {} ({:.3g} %)", shares.empty() ? "" : ", ", names[schedule],
                          wins.by_schedule[schedule], percent);
  }
  answer["points"] = wins.points;
  answer["wins"] = by_schedule;
  answer["speedup_least"] = wins.speedups.least;
  answer["speedup_most"] = wins.speedups.most;
  return shares;
}

/// What the scan is compared with.
struct SpeedupBase {
  std::string name;
  std::string which;  ///< of several; empty of one

  explicit SpeedupBase(const std::vector<PointBrief>& points) {
    const bool has_dense =
        std::ranges::any_of(points, [](const auto& brief) { return !std::isnan(brief.dense_score); });
    const bool has_graph =
        std::ranges::any_of(points, [](const auto& brief) { return !std::isnan(brief.graph_score); });
    name = has_graph   ? has_dense ? "plain or dense back-propagation, the plain one over the graph, too"
                                   : "plain back-propagation, over the chain and over the graph"
           : has_dense ? "plain or dense back-propagation"
                       : "plain back-propagation";
    which = has_graph ? ", the fastest of them" : has_dense ? ", the faster of both" : "";
  }
};

AnswerRecord wins_answer(const AnswerInputs& inputs) {
  const Wins wins = wins_of(inputs.points);
  AnswerJson answer;
  const std::string shares = add_wins(wins, inputs.schedules, answer);
  const std::optional<std::string> given = given_schedule(inputs.study.spec);
  answer["given_schedule"] = given ? AnswerJson(*given) : AnswerJson();
  const SpeedupBase base(inputs.points);
  answer["speedup_over"] = base.name;
  std::string sentence =
      wins.points == 0 ? "no point has a schedule that is possible"
      : given          ? fmt::format("{} points, all by the schedule that the study gives: {}", wins.points, *given)
                       : fmt::format("the best schedules of {} points: {}", wins.points, shares);
  const auto add = [&](const std::string& rule, const Speedups& speedups) {
    if (std::isnan(speedups.least)) return;
    sentence += fmt::format("; {}the best scan against {}{}: {}", rule, base.name, base.which,
                            speedups_text(speedups.least, speedups.most));
  };
  const auto by_ops = points_by_ops(inputs);
  if (by_ops.size() < 2) {
    add("", wins.speedups);
  } else {  // figures of two rules have no range in common
    answer["by_ops"] = AnswerJson::object();
    for (const auto& [ops, points] : by_ops) {
      const Wins mine = wins_of(points);
      AnswerJson rule;
      add_wins(mine, inputs.schedules, rule);
      answer["by_ops"][ops] = rule;
      add(fmt::format("where ops are {}, ", ops), mine.speedups);
    }
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
