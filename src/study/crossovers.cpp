#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "line_answers.hpp"

namespace upsweep {
namespace {

/// Why a point does not say whether a scan is faster.
std::string unscored_text(const PointBrief& brief) {
  if (scan_is_faster(brief)) return {};
  if (brief.status != PointStatus::done) return missing_text(brief.status);
  return std::isnan(brief.scan_bytes) ? "no scan among its schedules" : "no scan fits the memory";
}

/// With what was not looked at.
AnswerRecord record_of(const AnswerLine& line, std::string sentence, AnswerJson answer) {
  const std::size_t values = line.ascending().size();
  answer["values"] = values;
  answer["has_gaps"] = line.has_gaps();
  const bool is_known = answer["faster"] != "unknown";
  const std::string missing = line.add_missing(unscored_text, answer);
  if (!is_known) {
    sentence += ": " + missing;
  } else if (!missing.empty()) {
    sentence += fmt::format("; {} of {} points have no scores: {}", answer["missing_points"].dump(), values, missing);
  }
  if (is_known && line.has_gaps()) {
    sentence +=
        fmt::format("; between the {} values of {} it may change and change back unseen", values, line.axis_name());
  }
  return {to_string(QuestionKind::crossover), line.where(), line.sentence(sentence), answer.dump()};
}

std::string held_by(const std::string& binding) {
  return binding.empty() ? std::string() : fmt::format(", held back by {}", binding);
}

AnswerRecord crossing(const AnswerLine& line, const Question& question, const Bracket& bracket) {
  const std::size_t holds = bracket.holds_after ? bracket.after : bracket.before;
  const std::size_t fails = bracket.holds_after ? bracket.before : bracket.after;
  const LineChange change = line.narrow(holds, fails, question.tolerance, scan_is_faster);
  const std::string binding = line.binding_at(change.fails);
  std::string faster = "at";
  if (line.is_numeric()) faster = *change.holds.value.number > *change.fails.value.number ? "from" : "up to";
  AnswerJson answer;
  answer["along"] = line.axis_name();
  answer["faster"] = faster;
  answer["value"] = json_of(change.holds.value);
  answer["plain_value"] = json_of(change.fails.value);
  answer["speedup"] = change.holds.brief.speedup();
  answer["plain_speedup"] = change.fails.brief.speedup();
  answer["binding"] = binding.empty() ? AnswerJson() : AnswerJson(binding);
  answer["evaluations"] = change.evaluations;
  answer["is_blocked"] = change.is_blocked;
  const std::string sentence =
      fmt::format("the scan is faster {} {} = {} ({}); at {} it is not ({}){}{}", faster, line.axis_name(),
                  AnswerLine::text_of(change.holds, question.tolerance), speedup_text(change.holds.brief.speedup()),
                  AnswerLine::text_of(change.fails, question.tolerance), speedup_text(change.fails.brief.speedup()),
                  held_by(binding), change.is_blocked ? "; a point between the two has no scores" : "");
  return record_of(line, sentence, answer);
}

/// Speedups of a line on which they stay on one side of 1.
struct Side {
  double least = 0;
  double most = 0;
  std::size_t nearest = 0;  ///< the place with the speedup nearest to 1
  bool is_faster = false;
};

std::optional<Side> side_of(const AnswerLine& line) {
  std::optional<Side> side;
  for (const std::size_t place : line.ascending()) {
    const std::optional<bool> is_faster = scan_is_faster(line.brief(place));
    if (!is_faster) continue;
    const double speedup = line.brief(place).speedup();
    if (!side) side = Side{speedup, speedup, place, *is_faster};
    if (*is_faster ? speedup < side->least : speedup > side->most) side->nearest = place;
    side->least = std::fmin(side->least, speedup);
    side->most = std::fmax(side->most, speedup);
  }
  return side;
}

AnswerRecord no_crossing(const AnswerLine& line) {
  AnswerJson answer;
  answer["along"] = line.axis_name();
  const std::optional<Side> side = side_of(line);
  if (!side) {
    answer["faster"] = "unknown";
    return record_of(line, fmt::format("no point along {} has scores of both methods", line.axis_name()), answer);
  }
  const LineSpot nearest = line.spot(side->nearest);
  const std::string binding = line.binding_at(nearest);
  answer["faster"] = side->is_faster ? "everywhere" : "nowhere";
  answer["speedup_least"] = side->least;
  answer["speedup_most"] = side->most;
  answer["value"] = json_of(nearest.value);
  answer["binding"] = binding.empty() ? AnswerJson() : AnswerJson(binding);
  const std::string limits = binding.empty() ? "" : fmt::format(", where {} limits it", binding);
  const std::string sentence = fmt::format("the scan is faster {} along {} ({}); nearest to even at {}{}",
                                           side->is_faster ? "everywhere" : "nowhere", line.axis_name(),
                                           speedups_text(side->least, side->most), nearest.value.text, limits);
  return record_of(line, sentence, answer);
}

}  // namespace

std::vector<AnswerRecord> crossovers(const AnswerLine& line, const Question& question) {
  const std::vector<Bracket> brackets = line.changes(scan_is_faster);
  if (brackets.empty()) return {no_crossing(line)};
  std::vector<AnswerRecord> records;
  for (const Bracket& bracket : brackets) records.push_back(crossing(line, question, bracket));
  return records;
}

}  // namespace upsweep
