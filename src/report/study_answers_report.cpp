#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "study_answers.hpp"
#include "study_parts.hpp"
#include "upsweep/document/numbers.hpp"

namespace upsweep {
namespace {

constexpr std::size_t kMostLines = 40;  // of a question

/// An object, or an empty one where the text is none.
Json object_of(const std::string& text) {
  Json object = Json::parse(text, nullptr, false);
  return object.is_object() ? object : Json::object();
}

/// A value of an answer for people, numbers with at most six digits; "-" where it is missing.
std::string shown(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return "-";
  if (found->is_string()) return found->get<std::string>();
  return found->is_number_float() ? fmt::format("{:.6g}", found->get<double>()) : found->dump();
}

std::string ratio_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? short_ratio(found->get<double>()) : "-";
}

struct Answered {
  const AnswerRecord* record = nullptr;
  Json where;
  Json answer;
};

/// The answers of one question, which may be along an axis.
struct Group {
  std::string question;
  std::string along;
  std::vector<Answered> answers;
};

std::vector<Group> by_question(const std::vector<AnswerRecord>& answers) {
  std::vector<Group> groups;
  for (const AnswerRecord& record : answers) {
    Answered answered{&record, object_of(record.where), object_of(record.answer)};
    const std::string along = answered.answer.contains("along") ? shown(answered.answer, "along") : "";
    const bool is_same =
        !groups.empty() && groups.back().question == record.question && (along.empty() || groups.back().along == along);
    if (!is_same) groups.push_back({record.question, along, {}});
    groups.back().answers.push_back(std::move(answered));
  }
  return groups;
}

/// Whether an answer is a row of a table of crossovers; others are notes.
bool is_crossing(const Answered& answered) { return answered.answer.contains("faster"); }

/// "from 33", "up to 8", "everywhere", "nowhere", "unknown: no scan fits the memory".
std::string faster_text(const Json& answer) {
  const bool has_edge = answer.contains("plain_value");
  const std::vector<std::string> reasons = reasons_in(answer);
  if (!reasons.empty() && shown(answer, "faster") == kUnknown)
    return fmt::format("{}: {}", kUnknown, fmt::join(reasons, ", "));
  return has_edge ? fmt::format("{} {}", shown(answer, "faster"), shown(answer, "value")) : shown(answer, "faster");
}

std::string speedup_text(const Json& answer) {
  const bool has_edge = answer.contains("plain_value");
  const char* from = has_edge ? "plain_speedup" : "speedup_least";
  const char* to = has_edge ? "speedup" : "speedup_most";
  const std::string first = ratio_at(answer, from);
  const std::string second = ratio_at(answer, to);
  return first == second ? first : fmt::format("{} to {}", first, second);
}

/// Names of the other axes of a group, and below each the values of the given answers.
std::vector<std::pair<std::string, std::vector<std::string>>> places_of(const Group& group,
                                                                        const std::vector<const Answered*>& answers) {
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  for (const Answered& answered : group.answers) {
    for (const auto& [key, value] : answered.where.items()) {
      const auto is_key = [&name = key](const auto& place) { return place.first == name; };
      if (std::none_of(places.begin(), places.end(), is_key)) places.emplace_back(key, std::vector<std::string>());
    }
  }
  for (auto& [key, cells] : places) {
    for (const Answered* answered : answers) cells.push_back(shown(answered->where, key.c_str()));
    cells = without_folders(std::move(cells));
  }
  return places;
}

/// Values of the other axes, where the scan is faster there, and what limits it where it is not.
Table crossings_table(const Group& group) {
  std::vector<const Answered*> answered;
  for (std::size_t i = 0; i < std::min(group.answers.size(), kMostLines); ++i) {
    if (is_crossing(group.answers[i])) answered.push_back(&group.answers[i]);
  }
  const auto places = places_of(group, answered);
  std::vector<Column> columns;
  for (const auto& place : places) columns.push_back({"", place.first, Unit::exact});
  columns.insert(columns.end(), {{"", "scan is faster", Unit::text},
                                 {"", "not at", Unit::exact},
                                 {"", "speedup", Unit::text},
                                 {"", "limited by", Unit::text}});
  std::vector<std::vector<Value>> rows;
  for (std::size_t row = 0; row < answered.size(); ++row) {
    const Json& answer = answered[row]->answer;
    std::vector<Value> cells;
    for (const auto& place : places) cells.emplace_back(place.second[row]);
    cells.insert(cells.end(), {Value(faster_text(answer)), Value(shown(answer, "plain_value")),
                               Value(speedup_text(answer)), Value(shown(answer, "binding"))});
    rows.push_back(std::move(cells));
  }
  return Table("", columns, std::move(rows)).keys(places.size());
}

/// The sentences of the first answers; `notes`: only of those that are no rows of a table.
std::string sentences_text(const Group& group, bool notes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(group.answers.size(), kMostLines); ++i) {
    if (!notes || !is_crossing(group.answers[i])) text += fmt::format("{}\n", group.answers[i].record->sentence);
  }
  if (group.answers.size() > kMostLines)
    text += fmt::format("... {} more: --format json\n", group.answers.size() - kMostLines);
  return text;
}

/// "Fewest workers along workers".
std::string title_text(const Group& group) {
  std::string title = group.question;
  std::replace(title.begin(), title.end(), '_', ' ');
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return group.along.empty() ? title : fmt::format("{} along {}", title, group.along);
}

}  // namespace

Json answers_json(const std::vector<AnswerRecord>& answers) {
  Json list = Json::array();
  for (const AnswerRecord& record : answers) {
    const auto parsed = [](const std::string& text) {
      Json value = text.empty() ? Json() : Json::parse(text, nullptr, false);
      return value.is_discarded() ? Json(text) : value;
    };
    list.push_back({{"question", record.question},
                    {"where", parsed(record.where)},
                    {"sentence", record.sentence},
                    {"answer", parsed(record.answer)}});
  }
  return list;
}

Document answers_document(const std::vector<AnswerRecord>& answers) {
  Document document;
  for (const Group& group : by_question(answers)) {
    const bool is_table = group.question == to_string(QuestionKind::crossover) && group.answers.size() > 1;
    document.say(fmt::format("\n{}\n", title_text(group)));
    if (is_table) document.show(crossings_table(group));
    document.say(sentences_text(group, is_table));
  }
  return document;
}

}  // namespace upsweep
