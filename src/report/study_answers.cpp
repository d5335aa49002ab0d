#include "study_answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep {
namespace {

/// Answers to a question about one axis, by place: values of the other axes as a JSON object.
using AskedPlaces = std::map<std::string, std::vector<Json>>;

/// Along an axis, and with ops by which rule; empty where that is none of the other axes.
using AskedAxis = std::pair<std::string, std::string>;

/// "hidden 8, batch 4" of the other axes of a place.
std::string place_text(const std::string& where) {
  const Json values = Json::parse(where, nullptr, false);
  std::string text;
  if (!values.is_object()) return text;
  for (const auto& [axis, value] : values.items()) {
    if (axis == "ops") continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", short_text(axis, 30),
                        short_text(value.is_string() ? value.get<std::string>() : value.dump(), 60));
  }
  return text;
}

/// "from 71 on (hidden 8), from 90 on (hidden 20)": where the scan begins or ends to be faster; empty without such
/// places, and of more than kMostCrossings.
std::string crossings_text(const AskedPlaces& places) {
  constexpr std::size_t kMostCrossings = 4;
  std::vector<std::string> crossings;
  for (const auto& [where, answers] : places) {
    std::vector<std::string> mine;
    for (const Json& answer : answers) {
      const std::string faster = text_in(answer, "faster");
      const double value = number_of(answer, "value");
      if ((faster != "from" && faster != "up to") || std::isnan(value)) continue;
      const std::string text = fmt::format("{} {:.6g}{}", faster, value, faster == "from" ? " on" : "");
      if (std::ranges::find(mine, text) == mine.end()) mine.push_back(text);
    }
    if (mine.empty()) continue;
    const std::string place = place_text(where);
    crossings.push_back(fmt::format("{}{}", fmt::join(mine, " and "), place.empty() ? "" : " (" + place + ")"));
  }
  return crossings.size() <= kMostCrossings ? fmt::format("{}", fmt::join(crossings, ", ")) : "";
}

/// "everywhere at 3 of 9 places, nowhere at 2 of 9 places", with what limits the scan there; `places` of one axis.
std::string crossovers_text(const AskedAxis& asked, const AskedPlaces& places) {
  std::vector<std::string> faster;
  std::map<std::string, std::size_t> bindings;
  std::vector<Json> all;
  for (const auto& [place, answers] : places) {
    faster.push_back(text_in(answers.front(), "faster"));
    for (const Json& answer : answers) {
      if (const std::string binding = text_in(answer, "binding"); !binding.empty()) ++bindings[binding];
      all.push_back(answer);
    }
  }
  const auto& [along, ops] = asked;
  std::string text = fmt::format("Along {}{} the scan is faster {}", along.empty() ? "the axis" : short_text(along, 60),
                                 ops.empty() ? "" : fmt::format(", where ops are {},", short_text(ops, 20)),
                                 places_text(faster, "everywhere", "nowhere", places.size()));
  if (const std::string crossings = crossings_text(places); !crossings.empty()) text += ": " + crossings;
  if (const std::string speedups = speedups_text(all); !speedups.empty()) text += fmt::format(" ({})", speedups);
  const auto most = std::ranges::max_element(bindings, {}, [](const auto& binding) { return binding.second; });
  if (most != bindings.end()) {
    text += fmt::format("; {}{}", bindings.size() == 1 ? "" : "most often ", binds_text(short_text(most->first, 40)));
  }
  return text + ".";
}

}  // namespace

Json details_of(const AnswerRecord& answer) {
  Json details = Json::parse(answer.answer, nullptr, false);
  return details.is_object() ? details : Json::object();
}

double number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string speedups_text(const std::vector<Json>& answers) {
  double least = INFINITY;
  double most = 0;
  for (const Json& answer : answers) {
    for (const char* key : {"speedup_least", "speedup_most", "plain_speedup", "speedup"}) {
      least = std::fmin(least, number_of(answer, key));  // both ignore what is NaN
      most = std::fmax(most, number_of(answer, key));
    }
  }
  if (!(most > 0) || !std::isfinite(least)) return "";
  return least == most ? short_ratio(least) : fmt::format("{} to {}", short_ratio(least), short_ratio(most));
}

std::string places_text(const std::vector<std::string>& answers, const std::string& everywhere,
                        const std::string& nowhere, std::size_t places) {
  std::map<std::string, std::size_t> counts;
  for (const std::string& answer : answers)
    ++counts[answer == everywhere || answer == nowhere || answer == "unknown" ? answer : "part"];
  std::string text;
  for (const auto& [key, what] :
       {std::pair(everywhere, "everywhere"), std::pair(std::string("part"), "in a part of the axis"),
        std::pair(nowhere, "nowhere"), std::pair(std::string("unknown"), "(not known)")}) {
    if (!counts.contains(key)) continue;
    text += fmt::format("{}{} at {} of {} place{}", text.empty() ? "" : ", ", what, counts[key], places,
                        places == 1 ? "" : "s");
  }
  return text;
}

std::vector<Crossover> crossovers_of(const std::vector<AnswerRecord>& answers) {
  std::vector<Crossover> found;
  for (const AnswerRecord& answer : answers) {
    Json details = details_of(answer);
    if (answer.question != "crossover" || !details.contains("faster")) continue;
    const Json where = Json::parse(answer.where, nullptr, false);
    found.push_back(
        {where.is_object() ? text_in(where, "ops") : "", answer.where, answer.sentence, std::move(details)});
  }
  return found;
}

std::string crossovers_text(const std::vector<AnswerRecord>& answers) {
  const std::vector<Crossover> crossovers = crossovers_of(answers);
  if (crossovers.size() == 1) {
    return crossovers.front().sentence + '.';
  }
  std::vector<std::pair<AskedAxis, AskedPlaces>> axes;  // in the order in which they were asked
  for (const Crossover& crossover : crossovers) {
    const AskedAxis asked = {text_in(crossover.details, "along"), crossover.ops};
    auto axis = std::ranges::find(axes, asked, &std::pair<AskedAxis, AskedPlaces>::first);
    if (axis == axes.end()) axis = axes.insert(axes.end(), {asked, {}});
    axis->second[crossover.where].push_back(crossover.details);
  }
  std::string text;
  for (const auto& [asked, places] : axes) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", crossovers_text(asked, places));
  }
  return text;
}

std::string overtakes_text(const std::vector<AnswerRecord>& answers) {
  std::map<std::string, std::pair<double, double>> ends;
  for (const Crossover& crossover : crossovers_of(answers)) {
    const std::string faster = text_in(crossover.details, "faster");
    const double value = number_of(crossover.details, "value");
    if ((faster != "from" && faster != "up to") || std::isnan(value)) continue;
    const std::string key =
        fmt::format("{}{} {} = ", crossover.ops.empty() ? "" : fmt::format("ops {}: ", short_text(crossover.ops, 20)),
                    faster, short_text(text_in(crossover.details, "along"), 60));
    const auto [place, is_new] = ends.try_emplace(key, value, value);
    place->second = {std::min(place->second.first, value), std::max(place->second.second, value)};
  }
  std::string text;
  for (const auto& [key, range] : ends) {
    text += fmt::format("{}{}{:.6g}{}{}", text.empty() ? "" : "; ", key, range.first,
                        range.first == range.second ? "" : fmt::format(" to {:.6g}", range.second),
                        key.find("up to ") == std::string::npos ? " on" : "");
  }
  return text;
}

}  // namespace upsweep
