#include "study_answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
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

/// "from 71 on (hidden 8), from 90 on (hidden 20)": where the scan begins or ends to be faster; of more than
/// kMostCrossings "from between 6 and 72 on"; empty without such places.
std::string crossings_text(const AskedPlaces& places) {
  constexpr std::size_t kMostCrossings = 4;
  std::vector<std::string> crossings;
  std::map<std::string, std::pair<double, double>> ranges;  // by "from" and "up to"
  for (const auto& [where, answers] : places) {
    std::vector<std::string> mine;
    for (const Json& answer : answers) {
      const std::string faster = text_in(answer, "faster");
      const double value = number_of(answer, "value");
      if ((faster != "from" && faster != "up to") || std::isnan(value)) continue;
      const auto [range, is_new] = ranges.try_emplace(faster, value, value);
      range->second = {std::min(range->second.first, value), std::max(range->second.second, value)};
      const std::string text = fmt::format("{} {:.6g}{}", faster, value, faster == "from" ? " on" : "");
      if (std::ranges::find(mine, text) == mine.end()) mine.push_back(text);
    }
    if (mine.empty()) continue;
    const std::string place = place_text(where);
    crossings.push_back(fmt::format("{}{}", fmt::join(mine, " and "), place.empty() ? "" : " (" + place + ")"));
  }
  if (crossings.size() <= kMostCrossings) return fmt::format("{}", fmt::join(crossings, ", "));
  std::string text;
  for (const auto& [faster, range] : ranges) {
    const auto& [least, most] = range;
    text += fmt::format(
        "{}{} {}{}", text.empty() ? "" : " and ", faster,
        least == most ? fmt::format("{:.6g}", least) : fmt::format("between {:.6g} and {:.6g}", least, most),
        faster == "from" ? " on" : "");
  }
  return text;
}

/// "; latency binds", "; most often latency binds" or "; latency and workers bind equally often"; empty where none is
/// known.
std::string bindings_text(const std::vector<Json>& answers) {
  std::map<std::string, double> counts;
  for (const Json& answer : answers) {
    if (const std::string binding = text_in(answer, "binding"); !binding.empty()) ++counts[binding];
  }
  const MostFrequent most = most_frequent({counts.begin(), counts.end()});
  if (most.names.empty()) return "";
  const std::string binds = most.names.size() == 1 ? binds_text(short_text(most.names.front(), 40))
                                                   : fmt::format("{} bind", list_text(most.names));
  const bool is_tie = most.names.size() > 1 && !most.has_others;
  return fmt::format("; {}{}{}", most.has_others ? "most often " : "", binds, is_tie ? " equally often" : "");
}

/// " Between the values of workers and length it may change and change back unseen.": of the axes between whose values
/// there are numbers; empty without.
std::string gaps_text(const std::vector<Crossover>& crossovers) {
  std::vector<std::string> axes;
  for (const Crossover& crossover : crossovers) {
    const std::string along = text_in(crossover.details, "along");
    const bool has_gaps = crossover.details.value("has_gaps", Json()) == true;
    if (!has_gaps || text_in(crossover.details, "faster") == kUnknown) continue;
    if (std::ranges::find(axes, along) == axes.end()) axes.push_back(along);
  }
  if (axes.empty()) return "";
  return fmt::format(" Between the values of {} it may change and change back unseen.", list_text(axes));
}

/// "everywhere at 3 of 9 places, nowhere at 2 of 9 places", with what limits the scan there; `places` of one axis.
std::string crossovers_text(const AskedAxis& asked, const AskedPlaces& places) {
  std::vector<Json> first;
  std::vector<Json> all;
  for (const auto& [place, answers] : places) {
    first.push_back(answers.front());
    all.insert(all.end(), answers.begin(), answers.end());
  }
  const auto& [along, ops] = asked;
  const PlacesQuestion question{"faster", "everywhere", "nowhere"};
  std::string text = fmt::format("Along {}{}", along.empty() ? "the axis" : short_text(along, 60),
                                 ops.empty() ? "" : fmt::format(", where ops are {},", short_text(ops, 20)));
  const std::string known = places_text(first, question);
  if (!known.empty()) text += fmt::format(" the scan is faster {}", known);
  if (const std::string crossings = crossings_text(places); !crossings.empty()) text += ": " + crossings;
  if (const std::string speedups = speedups_text(all); !speedups.empty()) text += fmt::format(" ({})", speedups);
  text += bindings_text(all);
  const std::string unknown = unknown_text(first, question, "no point has scores of both methods");
  if (!unknown.empty()) text += fmt::format("{} {}", known.empty() ? "" : ";", unknown);
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

std::vector<std::string> reasons_in(const Json& answer) {
  std::vector<std::string> reasons;
  for (const Json& reason : answer.value("missing", Json::array())) {
    if (reason.is_string()) reasons.push_back(short_text(reason.get<std::string>(), 60));
  }
  return reasons;
}

std::string count_of_places(std::size_t count, std::size_t places) {
  return fmt::format("{} of {} place{}", count, places, places == 1 ? "" : "s");
}

std::string places_text(const std::vector<Json>& answers, const PlacesQuestion& question) {
  std::map<std::string, std::size_t> counts;
  for (const Json& answer : answers) {
    const std::string text = text_in(answer, question.key.c_str());
    const bool is_one = text == question.everywhere || text == question.nowhere || text == kUnknown;
    ++counts[is_one ? text : "part"];
  }
  std::string text;
  for (const auto& [key, what] :
       {std::pair(question.everywhere, "everywhere"), std::pair(std::string("part"), "in a part of the axis"),
        std::pair(question.nowhere, "nowhere")}) {
    if (!counts.contains(key)) continue;
    text += fmt::format("{}{} at {}", text.empty() ? "" : ", ", what, count_of_places(counts[key], answers.size()));
  }
  return text;
}

std::string unknown_text(const std::vector<Json>& answers, const PlacesQuestion& question, const std::string& what) {
  std::size_t places = 0;
  std::vector<std::string> reasons;
  for (const Json& answer : answers) {
    if (text_in(answer, question.key.c_str()) != kUnknown) continue;
    ++places;
    for (const std::string& reason : reasons_in(answer)) {
      if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  if (places == 0) return "";
  return fmt::format("at {} {}{}", count_of_places(places, answers.size()), what,
                     reasons.empty() ? "" : fmt::format(" ({})", fmt::join(reasons, ", ")));
}

MostFrequent most_frequent(const std::vector<std::pair<std::string, double>>& counts) {
  MostFrequent most;
  for (const auto& [name, count] : counts) most.count = std::fmax(most.count, count);
  for (const auto& [name, count] : counts) {
    if (count == most.count) {
      most.names.push_back(name);
    } else {
      most.has_others = true;
    }
  }
  return most;
}

std::string list_text(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 4;
  const std::size_t shown = names.size() > kMostNames ? kMostNames - 1 : names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_end = i + 1 == names.size();
    text += fmt::format("{}{}", i == 0 ? "" : is_end ? " and " : ", ", short_text(names[i], 60));
  }
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
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
  return text + gaps_text(crossovers);
}

std::string overtakes_text(const std::vector<AnswerRecord>& answers) {
  struct Ends {
    double least = INFINITY;
    double most = -INFINITY;
    AskedAxis asked;
    std::set<std::string> places;
  };
  std::map<std::string, Ends> ends;
  std::map<AskedAxis, std::set<std::string>> places;  // with a crossing or without
  for (const Crossover& crossover : crossovers_of(answers)) {
    const AskedAxis asked = {text_in(crossover.details, "along"), crossover.ops};
    places[asked].insert(crossover.where);
    const std::string faster = text_in(crossover.details, "faster");
    const double value = number_of(crossover.details, "value");
    if ((faster != "from" && faster != "up to") || std::isnan(value)) continue;
    Ends& mine = ends[fmt::format(
        "{}{} {} = ", asked.second.empty() ? "" : fmt::format("ops {}: ", short_text(asked.second, 20)), faster,
        short_text(asked.first, 60))];
    mine.least = std::fmin(mine.least, value);
    mine.most = std::fmax(mine.most, value);
    mine.asked = asked;
    mine.places.insert(crossover.where);
  }
  std::string text;
  for (const auto& [key, mine] : ends) {
    const std::size_t all = places[mine.asked].size();
    text += fmt::format("{}{}{:.6g}{}{}{}", text.empty() ? "" : "; ", key, mine.least,
                        mine.least == mine.most ? "" : fmt::format(" to {:.6g}", mine.most),
                        key.find("up to ") == std::string::npos ? " on" : "",
                        all == 1 ? "" : ", at " + count_of_places(mine.places.size(), all));
  }
  return text;
}

}  // namespace upsweep
