#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "upsweep/document/json.hpp"
#include "upsweep/document/table.hpp"
#include "upsweep/document/text_style.hpp"

namespace upsweep {

/// What a command found: facts for programs, tables, and sentences for people, in the order in which they are read.
/// JSON, CSV and text are renderings of it, made when they are asked for: valid as long as what it was made from.
class Document {
 public:
  /// Values for programs alone: an object whose keys stand beside those of the others.
  Document& facts(std::function<Json()> object);
  /// Text for people alone, with its line breaks.
  Document& say(std::string text);
  /// The same for one that depends on how text is laid out.
  Document& say(std::function<std::string(const TextStyle&)> text);
  /// A table for people and, where it has a name, for JSON.
  Document& show(Table table);
  /// A table for JSON alone.
  Document& list(Table table);
  /// The table that CSV is; the last of several.
  Document& sheet(Table table);
  /// The same table for CSV and for people.
  Document& show_sheet(const Table& table) { return sheet(table).show(table); }
  /// The table whose rows are all that JSON and CSV have.
  Document& rows(Table table);
  /// What another says, behind it.
  Document& add(Document other);
  /// The same, in JSON as an object of this name.
  Document& add_under(std::string name, Document other);

  [[nodiscard]] Json json() const;
  /// Empty where there is no table for it.
  [[nodiscard]] std::string csv() const;
  [[nodiscard]] std::string text(const TextStyle& style = {}) const;

 private:
  struct Part {
    std::variant<std::function<Json()>, std::function<std::string(const TextStyle&)>, Table> content;
    bool is_for_people = true;
    bool is_sheet = false;
    bool is_all = false;
  };
  std::vector<Part> parts_;
};

}  // namespace upsweep
