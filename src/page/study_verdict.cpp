#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "html.hpp"
#include "upsweep/report/format.hpp"
#include "upsweep/search/binding.hpp"
#include "verdict.hpp"

namespace upsweep {
namespace {

FigureData details_of(const StoredAnswer& answer) {
  FigureData details = FigureData::parse(answer.details, nullptr, false);
  return details.is_object() ? details : FigureData::object();
}

double number_of(const FigureData& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

std::string text_of(const FigureData& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// "1.107x to 1.745x" of all answers that tell; empty: none does. Where a line crosses, its answer has the speedups on
/// both sides of the crossing.
std::string speedups_text(const std::vector<FigureData>& answers) {
  double least = INFINITY;
  double most = 0;
  for (const FigureData& answer : answers) {
    for (const char* key : {"speedup_least", "speedup_most", "plain_speedup", "speedup"}) {
      least = std::fmin(least, number_of(answer, key));  // both ignore what is NaN
      most = std::fmax(most, number_of(answer, key));
    }
  }
  if (!(most > 0) || !std::isfinite(least)) return "";
  return least == most ? short_ratio(least) : fmt::format("{} to {}", short_ratio(least), short_ratio(most));
}

/// Answers to a question about one axis, by place: values of the other axes as a JSON object.
using AskedPlaces = std::map<std::string, std::vector<FigureData>>;

/// "everywhere at 3 of 9 places, nowhere at 2 of 9 places", with what limits the scan there; `places` of one axis.
std::string crossovers_text(const std::string& along, const AskedPlaces& places) {
  std::map<std::string, std::size_t> counts;
  std::map<std::string, std::size_t> bindings;
  std::vector<FigureData> all;
  for (const auto& [place, answers] : places) {
    const std::string faster = text_of(answers.front(), "faster");
    const bool is_whole = faster == "everywhere" || faster == "nowhere" || faster == "unknown";
    ++counts[is_whole ? faster : "part"];
    for (const FigureData& answer : answers) {
      if (const std::string binding = text_of(answer, "binding"); !binding.empty()) ++bindings[binding];
      all.push_back(answer);
    }
  }
  std::string text;
  for (const auto& [key, what] : {std::pair("everywhere", "everywhere"), std::pair("part", "in a part of the axis"),
                                  std::pair("nowhere", "nowhere"), std::pair("unknown", "(not known)")}) {
    if (!counts.contains(key)) continue;
    text += fmt::format("{}{} at {} of {} place{}", text.empty() ? "" : ", ", what, counts[key], places.size(),
                        places.size() == 1 ? "" : "s");
  }
  text = fmt::format("Along {} the scan is faster {}", along.empty() ? "the axis" : shortened(along, 60), text);
  if (const std::string speedups = speedups_text(all); !speedups.empty()) text += fmt::format(" ({})", speedups);
  const auto most = std::ranges::max_element(bindings, {}, [](const auto& binding) { return binding.second; });
  if (most != bindings.end()) {
    text += fmt::format("; {}{}", bindings.size() == 1 ? "" : "most often ", binds_text(shortened(most->first, 40)));
  }
  return text + ".";
}

/// A sentence for each axis that crossovers were asked along.
std::string all_crossovers_text(const StoredStudy& study) {
  std::vector<std::pair<std::string, AskedPlaces>> axes;  // in the order in which they were asked
  for (const StoredAnswer& answer : study.answers) {
    FigureData details = details_of(answer);
    if (answer.question != "crossover" || !details.contains("faster")) continue;
    const std::string along = text_of(details, "along");
    auto axis = std::ranges::find(axes, along, &std::pair<std::string, AskedPlaces>::first);
    if (axis == axes.end()) axis = axes.insert(axes.end(), {along, {}});
    axis->second[answer.place].push_back(std::move(details));
  }
  std::string text;
  for (const auto& [along, places] : axes) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", crossovers_text(along, places));
  }
  return text;
}

std::string wins_text(const FigureData& best) {
  std::string text;
  if (const std::string speedups = speedups_text({best}); !speedups.empty()) {
    text = fmt::format("The best scan runs at {} the speed of plain back-propagation", speedups);
  }
  const auto wins = best.find("wins");
  if (wins != best.end() && wins->is_object() && !wins->empty() && wins->begin().value().is_number()) {
    text += fmt::format("{} {} wins most often, at {} of {} points", text.empty() ? "The schedule" : "; the schedule",
                        shortened(wins->begin().key(), 60), short_count(wins->begin().value().get<double>()),
                        short_count(std::fmax(0, number_of(best, "points"))));
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

std::string study_verdict(const StoredStudy& study) {
  const auto is_crossover = [](const StoredAnswer& answer) {
    return answer.question == "crossover" && details_of(answer).contains("faster");
  };
  const auto only = std::ranges::find_if(study.answers, is_crossover);
  const bool is_only = std::ranges::count_if(study.answers, is_crossover) == 1;
  std::string text = is_only ? fmt::format("{}.", shortened(only->sentence, 600)) : all_crossovers_text(study);
  const auto best = std::ranges::find_if(study.answers, [](const StoredAnswer& answer) {
    return answer.question == "best" && details_of(answer).contains("wins");
  });
  if (best != study.answers.end()) {
    const std::string wins = wins_text(details_of(*best));
    text += text.empty() || wins.empty() ? wins : fmt::format(" {}", wins);
  }
  if (text.empty() && !study.answers.empty()) text = fmt::format("{}.", shortened(study.answers.front().sentence, 600));
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string study_state(const StoredStudy& study, const std::vector<StudyPointRow>& points) {
  std::map<std::string, std::size_t> counts;
  for (const StudyPointRow& point : points) ++counts[point.status];
  std::string text = study.points == 1 ? "1 point" : fmt::format("{} points", study.points);
  const char* separator = ": ";
  for (const char* status : {"done", "infeasible", "invalid", "excluded"}) {
    const auto found = counts.find(status);
    if (found == counts.end()) continue;
    text += fmt::format("{}{} {}", separator, found->second, status);
    separator = ", ";
  }
  if (study.is_complete) return text + ".";
  return text + "; not all of them are there yet: the same command goes on with the rest.";
}

}  // namespace upsweep
