#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/verdict_words.hpp"
#include "upsweep/search/binding.hpp"

namespace upsweep {
namespace {

Json details_of(const AnswerRecord& answer) {
  Json details = Json::parse(answer.answer, nullptr, false);
  return details.is_object() ? details : Json::object();
}

double number_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : NAN;
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// "1.107x to 1.745x" of all answers that tell; empty: none does. Where a line crosses, its answer has the speedups on
/// both sides of the crossing.
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

/// Answers to a question about one axis, by place: values of the other axes as a JSON object.
using AskedPlaces = std::map<std::string, std::vector<Json>>;

/// Along an axis, and with ops by which rule; empty where that is none of the other axes.
using AskedAxis = std::pair<std::string, std::string>;

/// "everywhere at 3 of 9 places, nowhere at 2 of 9 places": at how many of `places` the answer is each of these; any
/// other is a part.
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
      const std::string faster = text_of(answer, "faster");
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
    faster.push_back(text_of(answers.front(), "faster"));
    for (const Json& answer : answers) {
      if (const std::string binding = text_of(answer, "binding"); !binding.empty()) ++bindings[binding];
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

/// A sentence for each axis that crossovers were asked along, and each rule of ops.
std::string all_crossovers_text(const std::vector<AnswerRecord>& answers) {
  std::vector<std::pair<AskedAxis, AskedPlaces>> axes;  // in the order in which they were asked
  for (const AnswerRecord& answer : answers) {
    Json details = details_of(answer);
    if (answer.question != "crossover" || !details.contains("faster")) continue;
    const Json where = Json::parse(answer.where, nullptr, false);
    const AskedAxis asked = {text_of(details, "along"), where.is_object() ? text_of(where, "ops") : ""};
    auto axis = std::ranges::find(axes, asked, &std::pair<AskedAxis, AskedPlaces>::first);
    if (axis == axes.end()) axis = axes.insert(axes.end(), {asked, {}});
    axis->second[answer.where].push_back(std::move(details));
  }
  std::string text;
  for (const auto& [asked, places] : axes) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", crossovers_text(asked, places));
  }
  return text;
}

/// Answers to crossovers, with the rule of ops of each; empty where ops are no axis.
std::vector<std::pair<std::string, Json>> crossovers_of(const std::vector<AnswerRecord>& answers) {
  std::vector<std::pair<std::string, Json>> found;
  for (const AnswerRecord& answer : answers) {
    Json details = details_of(answer);
    if (answer.question != "crossover" || !details.contains("faster")) continue;
    const Json where = Json::parse(answer.where, nullptr, false);
    found.emplace_back(where.is_object() ? text_of(where, "ops") : "", std::move(details));
  }
  return found;
}

/// Adds where the scan is faster by the range of speedups of "best", of each rule of ops.
void add_faster(const Json& best, std::set<std::string>& kinds) {
  const auto rules = best.find("by_ops");
  if (rules != best.end() && rules->is_object()) {
    for (const Json& wins : *rules) {
      if (wins.is_object()) add_faster(wins, kinds);
    }
    return;
  }
  const double least = number_of(best, "speedup_least");
  const double most = number_of(best, "speedup_most");
  if (!std::isnan(least) && !std::isnan(most))
    kinds.insert(least > 1 ? "everywhere" : most > 1 ? "in part" : "nowhere");
}

/// Whether the scan is faster at all places that crossovers were asked at or, without such, at all points; empty where
/// that is not known.
std::string headline_of(const std::vector<AnswerRecord>& answers) {
  std::set<std::string> kinds;
  const auto crossovers = crossovers_of(answers);
  for (const auto& [ops, answer] : crossovers) kinds.insert(text_of(answer, "faster"));
  for (const AnswerRecord& answer : answers) {
    if (crossovers.empty() && answer.question == "best") add_faster(details_of(answer), kinds);
  }
  const bool is_known = kinds.erase("unknown") == 0;
  const bool is_whole = kinds.size() == 1 && (kinds.contains("everywhere") || kinds.contains("nowhere"));
  if (kinds.empty() || (is_whole && !is_known)) return "";
  if (kinds.size() > 1 || !(kinds.contains("everywhere") || kinds.contains("nowhere")))
    return "The scan is faster in a part of the grid";
  return "The scan is faster " + *kinds.begin();
}

/// "from workers = 3 to 6 on": the least and the largest crossover along each axis, for each rule of ops.
std::string overtakes_text(const std::vector<AnswerRecord>& answers) {
  std::map<std::string, std::pair<double, double>> ends;
  for (const auto& [ops, answer] : crossovers_of(answers)) {
    const std::string faster = text_of(answer, "faster");
    const double value = number_of(answer, "value");
    if ((faster != "from" && faster != "up to") || std::isnan(value)) continue;
    const std::string key = fmt::format("{}{} {} = ", ops.empty() ? "" : fmt::format("ops {}: ", short_text(ops, 20)),
                                        faster, short_text(text_of(answer, "along"), 60));
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

/// A sentence for each axis that capacities were asked along: where the memory of each kind fits.
std::string capacities_text(const std::vector<AnswerRecord>& answers) {
  using Fitting = std::pair<std::string, std::vector<std::string>>;  // of what, by place
  std::vector<std::pair<std::string, std::vector<Fitting>>> axes;    // in the order in which they were asked
  const auto at = [](auto& entries, const std::string& key) -> auto& {
    auto entry = std::ranges::find_if(entries, [&](const auto& one) { return one.first == key; });
    if (entry == entries.end()) entry = entries.insert(entries.end(), {key, {}});
    return entry->second;
  };
  for (const AnswerRecord& answer : answers) {
    const Json details = details_of(answer);
    if (answer.question != "capacity" || !details.contains("fits")) continue;
    at(at(axes, text_of(details, "along")), text_of(details, "of")).push_back(text_of(details, "fits"));
  }
  std::string text;
  for (const auto& [along, fittings] : axes) {
    text += fmt::format("{}Along {} ", text.empty() ? "" : " ", along.empty() ? "the axis" : short_text(along, 60));
    for (const auto& [of, fits] : fittings) {
      text += fmt::format("{}{} memory fits {}", &of == &fittings.front().first ? "" : "; ", short_text(of, 20),
                          places_text(fits, "all", "none", fits.size()));
    }
    text += '.';
  }
  return text;
}

/// "the best scan runs at 0.9x the speed of plain back-propagation; the schedule hybrid:1 wins most often, at 3 of 9
/// points", of the points of one rule; empty where neither is known.
std::string wins_part(const Json& wins, const std::string& over, bool is_given) {
  std::string text;
  if (const std::string speedups = speedups_text({wins}); !speedups.empty())
    text = fmt::format("the best scan runs at {} the speed of {}", speedups, over);
  if (is_given) return text;  // nothing was chosen
  const auto schedules = wins.find("wins");
  if (schedules != wins.end() && schedules->is_object() && !schedules->empty() &&
      schedules->begin().value().is_number()) {
    text += fmt::format("{}the schedule {} wins most often, at {} of {} points", text.empty() ? "" : "; ",
                        short_text(schedules->begin().key(), 60), short_count(schedules->begin().value().get<double>()),
                        short_count(std::fmax(0, number_of(wins, "points"))));
  }
  return text;
}

/// A sentence for each rule of ops.
std::string wins_text(const Json& best) {
  const std::string named = text_of(best, "speedup_over");  // older studies do not say
  const std::string over = named.empty() ? "plain back-propagation" : short_text(named, 100);
  const auto given = best.find("given_schedule");
  const bool is_given = given != best.end() && given->is_string();
  std::string text;
  const auto add = [&](const std::string& rule, const Json& wins) {
    const std::string part = wins_part(wins, over, is_given);
    if (!part.empty()) text += fmt::format("{}{}{}.", text.empty() ? "" : " ", rule, part);
  };
  const auto rules = best.find("by_ops");
  if (rules == best.end() || !rules->is_object()) {
    add("", best);
  } else {
    for (const auto& [ops, wins] : rules->items()) {
      if (wins.is_object()) add(fmt::format("Where ops are {}, ", short_text(ops, 20)), wins);
    }
  }
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

/// Whether an axis sets that, or a part of it.
bool is_along_axis(const StudySpec& spec, const std::string& name) {
  return std::ranges::any_of(spec.axes, [&](const Axis& axis) {
    return std::ranges::any_of(axis.columns, [&](const AxisColumn& column) {
      return column.path == name || column.path.starts_with(name + '.') || column.path.starts_with(name + '_');
    });
  });
}

/// What all points have in common, and what of it axes change.
VerdictFrame frame_of(const StudySpec& spec, bool is_in_seconds, const Machine* machine) {
  const PointSettings& point = spec.base.point;
  VerdictFrame frame;
  const auto set = [&](const char* name, const auto& common) {
    if (is_along_axis(spec, name)) {
      frame.varies.emplace_back(name);
    } else {
      common();
    }
  };
  frame.batch.reset();
  frame.scope.clear();
  set("workers", [&] { frame.workers = point.workers; });
  set("machine", [&] { frame.machine = machine == nullptr ? "" : machine->name; });
  set("batch", [&] { frame.batch = spec.base.batch; });
  if (!is_in_seconds) set("ops", [&] { frame.ops = {to_string(point.ops)}; });
  set("execution", [&] { frame.execution = to_string(point.execution); });
  if (is_in_seconds && machine != nullptr && machine->kind == MachineKind::gpu)
    set("launch", [&] { frame.launch = to_string(point.launch.value_or(LaunchMode::graph)); });
  set("pattern", [&] { frame.pattern = to_string(spec.base.pattern); });
  set("scope", [&] { frame.scope = point.scope == Scope::all ? "all" : "live"; });
  set("library", [&] { frame.library = point.library.value_or(""); });
  set("memory_limit", [&] { frame.memory_limit = point.memory_limit; });
  return frame;
}

/// That for people.
std::string common_text(const VerdictFrame& frame) {
  const auto varies = [&](const char* name) { return std::ranges::find(frame.varies, name) != frame.varies.end(); };
  std::string text;
  const auto add = [&text](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  add(short_text(frame.machine, 120));
  add(frame.workers ? workers_text(*frame.workers) : "");
  if (!varies("batch")) add(frame.batch ? batch_text(*frame.batch, "input") : "one input or the model's own batch");
  add(frame.execution.empty() ? "" : frame.execution + " execution");
  add(frame.ops.empty() ? "" : "ops that are " + frame.ops.front());
  if (const std::optional<LaunchMode> launch = launch_mode(frame.launch)) add(launch_text(*launch));
  add(frame.pattern.empty() ? "" : frame.pattern + " pattern");
  add(frame.scope == "live" ? "live ops" : "");
  add(frame.library.empty() ? "" : "sparse products of " + short_text(frame.library));
  add(memory_limit_text(frame));
  return text;
}

}  // namespace

Verdict study_verdict(const std::vector<AnswerRecord>& answers, const StudySpec& spec, bool is_in_seconds,
                      const Machine* machine) {
  const auto is_crossover = [](const AnswerRecord& answer) {
    return answer.question == "crossover" && details_of(answer).contains("faster");
  };
  const auto only = std::ranges::find_if(answers, is_crossover);
  const bool is_only = std::ranges::count_if(answers, is_crossover) == 1;
  std::string text = is_only ? fmt::format("{}.", only->sentence) : all_crossovers_text(answers);
  const auto best = std::ranges::find_if(answers, [](const AnswerRecord& answer) {
    return answer.question == "best" && details_of(answer).contains("wins");
  });
  if (best != answers.end()) {
    const std::string wins = wins_text(details_of(*best));
    text += text.empty() || wins.empty() ? wins : fmt::format(" {}", wins);
  }
  if (text.empty() && answers.size() > 1) text = capacities_text(answers);
  if (text.empty() && !answers.empty()) text = fmt::format("{}.", answers.front().sentence);
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  Verdict verdict;
  if (text.empty()) return verdict;
  verdict.frame = frame_of(spec, is_in_seconds, machine);
  const std::string common = common_text(*verdict.frame);
  verdict.parts = {.headline = headline_of(answers),
                   .under = common.empty() ? "" : "All with " + common,
                   .standing = text.substr(0, text.find_last_not_of('.') + 1),
                   .overtakes = overtakes_text(answers)};
  verdict.sentences = {text, common.empty() ? "" : fmt::format("All of it with {}.", common)};
  return verdict;
}

}  // namespace upsweep
