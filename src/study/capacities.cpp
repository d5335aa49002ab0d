#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "line_answers.hpp"

namespace upsweep {
namespace {

/// What of a line fits, by ascending values.
struct Fitting {
  std::vector<std::size_t> places;  ///< those that say whether they fit
  std::vector<bool> fits;           ///< length of `places`
  std::size_t count = 0;            ///< that fit

  [[nodiscard]] bool is_all() const { return count == places.size(); }
};

Fitting fitting_of(const AnswerLine& line, const PointPredicate& predicate) {
  Fitting fitting;
  for (const std::size_t place : line.ascending()) {
    const std::optional<bool> fits = predicate(line.brief(place));
    if (!fits) continue;
    fitting.places.push_back(place);
    fitting.fits.push_back(*fits);
    if (*fits) ++fitting.count;
  }
  return fitting;
}

/// Neighbours of which one fits and the other does not.
struct Edge {
  std::size_t fits = 0;
  std::size_t fails = 0;
};

// Memory mostly grows along an axis: the answer is where it first gets too large. It may fall, as with the workers that
// share it: the smallest value from which on everything fits.
Edge edge_of(const Fitting& fitting) {
  const std::size_t last = fitting.places.size() - 1;
  if (!fitting.fits.front() && fitting.fits.back()) {
    std::size_t i = last;
    while (fitting.fits[i - 1]) --i;
    return {fitting.places[i], fitting.places[i - 1]};
  }
  std::size_t i = 0;
  while (!(fitting.fits[i] && !fitting.fits[i + 1])) ++i;
  return {fitting.places[i], fitting.places[i + 1]};
}

double limit_of(const PointBrief& brief, const Question& question) {
  return question.memory_bytes ? static_cast<double>(*question.memory_bytes) : brief.memory_limit;
}

/// The place with the least need, or the largest; those that do not say how much come last.
std::size_t extreme(const AnswerLine& line, const Fitting& fitting, MemoryOf of, bool is_largest) {
  std::size_t best = fitting.places.front();
  for (const std::size_t place : fitting.places) {
    const double bytes = bytes_of(line.brief(place), of);
    const double so_far = bytes_of(line.brief(best), of);
    if (std::isnan(so_far) || (is_largest ? bytes > so_far : bytes < so_far)) best = place;
  }
  return best;
}

void add_spot(AnswerJson& answer, const LineSpot& spot, const Question& question) {
  answer["value"] = json_of(spot.value);
  answer["bytes"] = json_of_bytes(bytes_of(spot.brief, question.of));
  answer["limit_bytes"] = json_of_bytes(limit_of(spot.brief, question));
}

std::string needs(const LineSpot& spot, const Question& question) {
  const double bytes = bytes_of(spot.brief, question.of);
  if (std::isnan(bytes)) return fmt::format("at {} no schedule fits", AnswerLine::text_of(spot, question.tolerance));
  return fmt::format("{} needs {} at {}", needer_text(question.of), bytes_text(bytes),
                     AnswerLine::text_of(spot, question.tolerance));
}

/// All or none of a line's values fit.
std::string one_sided(const AnswerLine& line, const Question& question, const Fitting& fitting, AnswerJson& answer) {
  const LineSpot spot = line.spot(extreme(line, fitting, question.of, fitting.is_all()));
  answer["fits"] = fitting.is_all() ? "all" : "none";
  add_spot(answer, spot, question);
  return fmt::format("{} {} fits: {}, of {}", fitting.is_all() ? "every" : "no", line.axis_name(),
                     needs(spot, question), bytes_text(limit_of(spot.brief, question)));
}

std::string up_to_an_edge(const AnswerLine& line, const Question& question, const Fitting& fitting,
                          const PointPredicate& predicate, AnswerJson& answer) {
  const Edge edge = edge_of(fitting);
  const LineChange change = line.narrow(edge.fits, edge.fails, question.tolerance, predicate);
  std::string side = "at";
  if (line.is_numeric()) side = *change.holds.value.number < *change.fails.value.number ? "up to" : "from";
  answer["fits"] = side;
  add_spot(answer, change.holds, question);
  answer["beyond"] = json_of(change.fails.value);
  answer["beyond_bytes"] = json_of_bytes(bytes_of(change.fails.brief, question.of));
  answer["evaluations"] = change.evaluations;
  answer["is_blocked"] = change.is_blocked;
  return fmt::format("fits {} {} = {}: {}, of {}; {}{}", side, line.axis_name(),
                     AnswerLine::text_of(change.holds, question.tolerance), needs(change.holds, question),
                     bytes_text(limit_of(change.holds.brief, question)), needs(change.fails, question),
                     change.is_blocked ? "; a point between the two does not say" : "");
}

}  // namespace

AnswerRecord capacity(const AnswerLine& line, const Question& question) {
  const PointPredicate predicate = [&](const PointBrief& brief) { return fits(brief, question); };
  const Fitting fitting = fitting_of(line, predicate);
  AnswerJson answer;
  answer["along"] = line.axis_name();
  answer["of"] = to_string(question.of);
  std::string sentence;
  if (fitting.places.empty()) {
    answer["fits"] = "unknown";
    sentence = fmt::format("no point along {} has both a memory limit and the memory that {} needs", line.axis_name(),
                           needer_text(question.of));
  } else if (fitting.is_all() || fitting.count == 0) {
    sentence = one_sided(line, question, fitting, answer);
  } else {
    sentence = up_to_an_edge(line, question, fitting, predicate, answer);
  }
  return {to_string(QuestionKind::capacity), line.where(), line.sentence(sentence), answer.dump()};
}

}  // namespace upsweep
