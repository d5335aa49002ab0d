#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "line_answers.hpp"

namespace upsweep {
namespace {

double limit_of(const PointBrief& brief, const Question& question) {
  return question.memory_bytes ? static_cast<double>(*question.memory_bytes) : brief.memory_limit;
}

/// Why a point does not say whether that fits.
std::string unsaid_text(const PointBrief& brief, const Question& question) {
  if (fits(brief, question)) return {};
  const bool has_figures = brief.status == PointStatus::done || brief.status == PointStatus::infeasible;
  if (!has_figures) return missing_text(brief.status);
  return std::isnan(limit_of(brief, question)) ? "no memory limit" : "that memory is not known";
}

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

/// The last run of neighbours that fit, as indices in `places`.
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
  bool is_only = true;  ///< whether nothing else fits

  [[nodiscard]] bool begins_inside() const { return first > 0; }
  [[nodiscard]] bool ends_inside(const Fitting& fitting) const { return last + 1 < fitting.places.size(); }
};

// Memory may grow along an axis, fall (as with the workers that share it), or both: a range then fits.
Run last_run(const Fitting& fitting) {
  Run run;
  run.last = fitting.places.size() - 1;
  while (!fitting.fits[run.last]) --run.last;
  run.first = run.last;
  while (run.first > 0 && fitting.fits[run.first - 1]) --run.first;
  run.is_only = run.last - run.first + 1 == fitting.count;
  return run;
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
  return fmt::format("{} {} of the grid fits: {}, of {}", fitting.is_all() ? "every" : "no", line.axis_name(),
                     needs(spot, question), bytes_text(limit_of(spot.brief, question)));
}

/// What lies beyond an end of a run.
void add_beyond(AnswerJson& answer, const LineChange& change, const Question& question, const std::string& prefix) {
  answer[prefix] = json_of(change.fails.value);
  answer[prefix + "_bytes"] = json_of_bytes(bytes_of(change.fails.brief, question.of));
}

/// Some of a line's values fit: both ends of the last run of them.
std::string some_fit(const AnswerLine& line, const Question& question, const Fitting& fitting,
                     const PointPredicate& predicate, AnswerJson& answer) {
  const Run run = last_run(fitting);
  const auto place = [&](std::size_t i) { return fitting.places[i]; };
  std::optional<LineChange> low;
  std::optional<LineChange> high;
  if (run.begins_inside()) low = line.narrow(place(run.first), place(run.first - 1), question.tolerance, predicate);
  if (run.ends_inside(fitting)) high = line.narrow(place(run.last), place(run.last + 1), question.tolerance, predicate);
  const LineChange& end = high ? *high : *low;
  std::string side = high ? "up to" : "from";
  if (low && high) side = "between";
  if (!line.is_numeric()) side = "at";
  answer["fits"] = side;
  add_spot(answer, end.holds, question);
  add_beyond(answer, end, question, "beyond");
  if (low && high) {
    answer["from"] = json_of(low->holds.value);
    add_beyond(answer, *low, question, "below");
  }
  answer["is_one_range"] = run.is_only;
  answer["evaluations"] = (low ? low->evaluations : 0) + (high ? high->evaluations : 0);
  const bool is_blocked = (low && low->is_blocked) || (high && high->is_blocked);
  answer["is_blocked"] = is_blocked;
  const auto text = [&](const LineSpot& spot) { return AnswerLine::text_of(spot, question.tolerance); };
  std::string sentence = fmt::format("fits {} {} = {}", side == "between" ? "from" : side, line.axis_name(),
                                     text(side == "between" ? low->holds : end.holds));
  if (side == "between") sentence += fmt::format(" to {}", text(high->holds));
  sentence += fmt::format(": {}, of {}; {}", needs(end.holds, question),
                          bytes_text(limit_of(end.holds.brief, question)), needs(end.fails, question));
  if (side == "between") sentence += fmt::format("; {}", needs(low->fails, question));
  if (!run.is_only) sentence += "; other values fit too, in other ranges";
  if (is_blocked) sentence += "; a point between the two does not say";
  return sentence;
}

}  // namespace

AnswerRecord capacity(const AnswerLine& line, const Question& question) {
  const PointPredicate predicate = [&](const PointBrief& brief) { return fits(brief, question); };
  const Fitting fitting = fitting_of(line, predicate);
  AnswerJson answer;
  answer["along"] = line.axis_name();
  answer["of"] = to_string(question.of);
  std::string sentence;
  const std::string missing =
      line.add_missing([&](const PointBrief& brief) { return unsaid_text(brief, question); }, answer);
  if (fitting.places.empty()) {
    answer["fits"] = "unknown";
    sentence = fmt::format("no point along {} has both a memory limit and the memory that {} needs: {}",
                           line.axis_name(), needer_text(question.of), missing);
  } else if (fitting.is_all() || fitting.count == 0) {
    sentence = one_sided(line, question, fitting, answer);
  } else {
    sentence = some_fit(line, question, fitting, predicate, answer);
  }
  return {to_string(QuestionKind::capacity), line.where(), line.sentence(sentence), answer.dump()};
}

}  // namespace upsweep
