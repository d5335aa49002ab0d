#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "study_answers.hpp"
#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"
#include "upsweep/document/short_text.hpp"
#include "upsweep/report/verdict_words.hpp"

namespace upsweep {
namespace {

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
  for (const Crossover& crossover : crossovers) kinds.insert(text_in(crossover.details, "faster"));
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

/// A sentence for each axis that capacities were asked along: where the memory of each kind fits.
std::string capacities_text(const std::vector<AnswerRecord>& answers) {
  using Fitting = std::pair<std::string, std::vector<Json>>;       // of what, by place
  std::vector<std::pair<std::string, std::vector<Fitting>>> axes;  // in the order in which they were asked
  const auto at = [](auto& entries, const std::string& key) -> auto& {
    auto entry = std::ranges::find_if(entries, [&](const auto& one) { return one.first == key; });
    if (entry == entries.end()) entry = entries.insert(entries.end(), {key, {}});
    return entry->second;
  };
  for (const AnswerRecord& answer : answers) {
    const Json details = details_of(answer);
    if (answer.question != "capacity" || !details.contains("fits")) continue;
    at(at(axes, text_in(details, "along")), text_in(details, "of")).push_back(details);
  }
  std::string text;
  for (const auto& [along, fittings] : axes) {
    text += fmt::format("{}Along {} ", text.empty() ? "" : " ", along.empty() ? "the axis" : short_text(along, 60));
    for (const auto& [of, places] : fittings) {
      const PlacesQuestion question{"fits", "all", "none"};
      const std::string known = places_text(places, question);
      const std::string unknown = unknown_text(places, question, "no point has both a memory limit and that memory");
      text += fmt::format("{}{} memory", &of == &fittings.front().first ? "" : "; ", short_text(of, 20));
      if (!known.empty()) text += fmt::format(" fits {}", known);
      if (!unknown.empty()) text += fmt::format("{} {}", known.empty() ? ":" : ";", unknown);
    }
    text += '.';
  }
  return text;
}

/// "the schedule hybrid:1 wins most often, at 3 of 9 points" or, of equally many, "the schedules linear and hybrid:1
/// win at 1 of 2 points each"; empty where it is not known.
std::string winners_text(const Json& wins) {
  std::vector<std::pair<std::string, double>> counts;
  const Json by_schedule = wins.value("wins", Json());
  if (!by_schedule.is_object()) return "";
  for (const auto& [schedule, count] : by_schedule.items()) {
    if (count.is_number()) counts.emplace_back(schedule, count.get<double>());
  }
  const MostFrequent most = most_frequent(counts);
  if (most.names.empty()) return "";
  const bool is_one = most.names.size() == 1;
  return fmt::format("the schedule{} {} win{} {}at {} of {} points{}", is_one ? "" : "s", list_text(most.names),
                     is_one ? "s" : "", most.has_others ? "most often, " : "", short_count(most.count),
                     short_count(std::fmax(0, number_of(wins, "points"))), is_one ? "" : " each");
}

/// "the best scan runs at 0.9x the speed of plain back-propagation", and winners_text(), of the points of one rule;
/// empty where neither is known.
std::string wins_part(const Json& wins, const std::string& over, bool is_given) {
  std::string text;
  if (const std::string speedups = speedups_text({wins}); !speedups.empty())
    text = fmt::format("the best scan runs at {} the speed of {}", speedups, over);
  if (is_given) return text;  // nothing was chosen
  if (const std::string winners = winners_text(wins); !winners.empty())
    text += fmt::format("{}{}", text.empty() ? "" : "; ", winners);
  return text;
}

/// A sentence for each rule of ops.
std::string wins_text(const Json& best) {
  const std::string named = text_in(best, "speedup_over");  // older studies do not say
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
  set("machine", [&] {
    frame.machine = machine == nullptr ? "" : machine->name;
    frame.machine_workers = machine == nullptr || machine->rates.empty() ? 0 : machine->workers();
  });
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

/// That for people, and which schedules were compared.
std::string common_text(const VerdictFrame& frame, const StudySpec& spec) {
  std::string text = frame_text(frame);
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  const bool is_own = !frame.batch && std::ranges::find(frame.varies, "batch") == frame.varies.end();
  if (is_own) add("one input or the model's own batch");
  if (!frame.ops.empty()) add("ops that are " + frame.ops.front());
  if (!is_along_axis(spec, "schedule")) add(schedules_text(spec.base.point.schedule));
  return text;
}

}  // namespace

Verdict study_verdict(const std::vector<AnswerRecord>& answers, const StudySpec& spec, bool is_in_seconds,
                      const Machine* machine) {
  std::string text = crossovers_text(answers);
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
  const std::string common = common_text(*verdict.frame, spec);
  verdict.parts = {.headline = headline_of(answers),
                   .under = common.empty() ? "" : "All with " + common,
                   .standing = text.substr(0, text.find_last_not_of('.') + 1),
                   .overtakes = overtakes_text(answers)};
  verdict.sentences = {text, common.empty() ? "" : fmt::format("All of it with {}.", common)};
  return verdict;
}

}  // namespace upsweep
