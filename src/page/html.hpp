#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "upsweep/document/table.hpp"
#include "upsweep/figure/figure.hpp"

namespace upsweep {

/// A text for people as one that HTML shows as it is, in elements and in quoted attributes: markup characters as
/// references, bytes that are no UTF-8 and characters that turn the direction of writing as U+FFFD, control characters
/// (but line breaks and tabs) as their pictures ("␀").
[[nodiscard]] std::string escaped(std::string_view text);

/// The first `most` >= 2 characters of a text, the last one "…" where that is not all of it.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t most = 120);

/// JSON for a script element: no "<", ">" or "&" in it, nor line separators of Unicode; no bytes that are no UTF-8 and,
/// as in escaped(), no characters that turn the direction of writing.
[[nodiscard]] std::string script_json(const FigureData& json);

/// What stands in the source of this program, and in no file of a user.
struct Literal {
  std::string_view text;
  consteval Literal(const char* characters) : text(characters) {}  // NOLINT(google-explicit-constructor): on purpose
};

/// HTML, written piece by piece: markup comes from literals alone, everything else is escaped.
class Markup {
 public:
  Markup() = default;
  Markup(Literal markup) : html_(markup.text) {}  // NOLINT(google-explicit-constructor)

  Markup& add(Literal markup);
  Markup& add(const Markup& other);
  Markup& text(std::string_view text);
  /// ` name="value"`.
  Markup& attribute(Literal name, std::string_view value);
  /// `<tag>text</tag>`.
  Markup& element(Literal tag, std::string_view text);
  /// A script element with this JSON, which is no code.
  Markup& data(const Markup& attributes, const FigureData& json);
  /// A script element with this program; what is hashed stands in inline_code().
  Markup& script(const std::string& code);
  /// A style element; `sheet` is the program's own.
  Markup& style(const std::string& sheet);

  [[nodiscard]] const std::string& html() const { return html_; }
  [[nodiscard]] std::size_t size() const { return html_.size(); }
  [[nodiscard]] bool empty() const { return html_.empty(); }

 private:
  std::string html_;
};

/// A program as it stands between the tags of a script element.
[[nodiscard]] std::string inline_code(const std::string& code);

/// The day and time of an ISO 8601 text for people: "2026-01-02 03:04:05 UTC".
[[nodiscard]] std::string shown_time(const std::string& utc);

/// A table that a page can sort by each column.
class HtmlTable {
 public:
  /// Heads have the units in words.
  HtmlTable(std::string caption, std::vector<Column> columns);

  /// Adds a row with a cell for each column; `best` marks it.
  void row(const std::vector<Value>& cells, bool is_best = false);

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] Markup markup() const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  Markup body_;
  std::size_t rows_ = 0;
};

/// The columns of a table that people read.
[[nodiscard]] HtmlTable html_table(std::string caption, const Table& table);

/// Names and values beside each other.
class FactList {
 public:
  void fact(std::string_view name, const Value& value, Unit unit = Unit::count);
  [[nodiscard]] Markup markup() const;

 private:
  Markup body_;
};

}  // namespace upsweep
