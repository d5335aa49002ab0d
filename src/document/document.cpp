#include "upsweep/document/document.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "colours.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep {
namespace {

/// Objects of one name become one, of other values the later stays.
void merge(Json& into, const Json& from) {
  for (const auto& [key, value] : from.items()) {
    Json& mine = into[key];
    if (mine.is_object() && value.is_object()) {
      merge(mine, value);
    } else {
      mine = value;
    }
  }
}

/// Words of a part without what a terminal would obey, but for the colours of tables in them.
std::string visible_words(const std::string& words, const TextStyle& style) {
  if (!style.is_coloured) return visible_text(words);
  std::string visible;
  std::string_view rest = words;
  while (!rest.empty()) {
    std::size_t at = rest.size();
    std::string_view colour;
    for (const std::string_view one : {kBestColour, kNoColour}) {
      if (const std::size_t found = rest.find(one); found < at) {
        at = found;
        colour = one;
      }
    }
    visible += visible_text(rest.substr(0, at));
    visible += colour;
    rest.remove_prefix(at + colour.size());
  }
  return visible;
}

}  // namespace

Document& Document::facts(std::function<Json()> object) {
  parts_.push_back({std::move(object), false});
  return *this;
}

Document& Document::say(std::string text) {
  return say([text = std::move(text)](const TextStyle&) { return text; });
}

Document& Document::say(std::function<std::string(const TextStyle&)> text) {
  parts_.push_back({std::move(text)});
  return *this;
}

Document& Document::show(Table table) {
  parts_.push_back({std::move(table)});
  return *this;
}

Document& Document::list(Table table) {
  parts_.push_back({std::move(table), false});
  return *this;
}

Document& Document::sheet(Table table) {
  parts_.push_back({std::move(table), false, true});
  return *this;
}

Document& Document::rows(Table table) {
  parts_.push_back({std::move(table), false, true, true});
  return *this;
}

Document& Document::add(Document other) {
  std::ranges::move(other.parts_, std::back_inserter(parts_));
  return *this;
}

Document& Document::add_under(std::string name, Document other) {
  Document programs;
  programs.parts_ = other.parts_;
  facts([name = std::move(name), programs = std::move(programs)] { return Json{{name, programs.json()}}; });
  std::erase_if(other.parts_, [](const Part& part) { return !part.is_for_people && !part.is_sheet; });
  for (Part& part : other.parts_) {
    if (Table* table = std::get_if<Table>(&part.content)) *table = std::move(*table).unnamed();
  }
  return add(std::move(other));
}

Json Document::json() const {
  Json json = Json::object();
  for (const Part& part : parts_) {
    if (part.is_all) return std::get<Table>(part.content).json();
    if (const auto* facts = std::get_if<std::function<Json()>>(&part.content)) {
      merge(json, (*facts)());
    } else if (const auto* table = std::get_if<Table>(&part.content); table != nullptr && !table->name().empty()) {
      json[Json::json_pointer('/' + table->name())] = table->json();
    }
  }
  return json;
}

std::string Document::csv() const {
  const Table* sheet = nullptr;
  for (const Part& part : parts_) {
    const auto* table = std::get_if<Table>(&part.content);
    if (table == nullptr) continue;
    if (part.is_sheet) sheet = table;
  }
  return sheet == nullptr ? "" : sheet->csv();
}

std::string Document::text(const TextStyle& style) const {
  std::string text;
  for (const Part& part : parts_) {
    if (!part.is_for_people) continue;
    if (const auto* words = std::get_if<std::function<std::string(const TextStyle&)>>(&part.content)) {
      text += visible_words((*words)(style), style);
    } else {
      text += visible_words(std::get<Table>(part.content).text(style), style);
    }
  }
  return text;
}

}  // namespace upsweep
