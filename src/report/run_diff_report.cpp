#include "upsweep/report/run_diff_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "cell_text.hpp"
#include "column_words.hpp"
#include "upsweep/document/text_lines.hpp"

namespace upsweep {
namespace {

using Kind = DiffRow::Kind;

constexpr std::size_t kMostNames = 6;     // in a sentence
constexpr std::size_t kMostShown = 40;    // columns of a cell
constexpr std::size_t kShownBefore = 12;  // of what is equal, before the first difference
constexpr std::string_view kDots = "...";

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::input:
      return "input";
    case Kind::rule:
      return "rule";
    case Kind::figure:
      return "figure";
  }
  return "";
}

std::vector<const DiffRow*> rows_of(const RunDiff& diff, Kind kind) {
  std::vector<const DiffRow*> rows = each_of(diff.rows);
  std::erase_if(rows, [kind](const DiffRow* row) { return row->kind != kind; });
  return rows;
}

/// The two cells of a row for people.
struct ShownPair {
  std::string before;
  std::string after;
};

bool begins_point(char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }

/// Where both texts go on from just before their first difference; 0 where that is near enough to their begin.
std::size_t begin_of_difference(const std::string& a, const std::string& b) {
  const auto differs = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
  auto at = static_cast<std::size_t>(differs - a.begin());
  const auto to_begin_of_point = [&] {
    while (at > 0 && at < a.size() && !begins_point(a[at])) --at;
  };
  to_begin_of_point();
  for (std::size_t points = 0; at > 0 && points < kShownBefore; ++points) {
    --at;
    to_begin_of_point();
  }
  return at > kDots.size() ? at : 0;
}

/// What fits a cell of the text from a byte on.
std::string part_from(const std::string& text, std::size_t begin) {
  std::string part = text.substr(std::min(begin, text.size()));
  if (begin > 0) part.insert(0, kDots);
  if (text_width(part) <= kMostShown) return part;
  return part.substr(0, leading_bytes(part, kMostShown - kDots.size())).append(kDots);
}

/// Two cells in few digits, unless these are equal: then without loss. Of texts too long for a cell the part from just
/// before the first difference on.
ShownPair shown(const DiffRow& row) {
  const std::string& before_as = row.before_as.empty() ? row.name : row.before_as;
  const std::string& after_as = row.after_as.empty() ? row.name : row.after_as;
  ShownPair pair{shown_cell(before_as, row.before), shown_cell(after_as, row.after)};
  if (pair.before == pair.after) pair = {exact_cell(before_as, row.before), exact_cell(after_as, row.after)};
  for (std::string* text : {&pair.before, &pair.after}) {
    for (char& c : *text) {
      if (c == '\n' || c == '\r') c = ' ';
    }
  }
  if (std::max(text_width(pair.before), text_width(pair.after)) <= kMostShown) return pair;
  const std::size_t begin = begin_of_difference(pair.before, pair.after);
  return {part_from(pair.before, begin), part_from(pair.after, begin)};
}

/// The names of a kind, as a list for a sentence.
std::string names_text(const RunDiff& diff, Kind kind) {
  std::string text;
  std::size_t count = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.kind != kind) continue;
    if (++count <= kMostNames) text += fmt::format("{}{}", text.empty() ? "" : ", ", column_words(row.name));
  }
  return count > kMostNames ? fmt::format("{} and {} more", text, count - kMostNames) : text;
}

/// Why numbers moved, or that they did not.
std::string verdict_text(const RunDiff& diff) {
  const bool has_inputs = diff.has(Kind::input);
  const bool has_rules = diff.has(Kind::rule);
  std::string causes;
  if (has_inputs) causes = fmt::format("they differ in what was asked for ({})", names_text(diff, Kind::input));
  if (has_rules) {
    causes += fmt::format("{}they were counted by another rule or version ({})", has_inputs ? ", and " : "",
                          names_text(diff, Kind::rule));
  }
  const bool has_causes = has_inputs || has_rules;
  if (!diff.has(Kind::figure)) {
    return has_causes ? fmt::format("All figures are equal, although {}.\n", causes)
                      : "Nothing differs: inputs, rules and figures are equal.\n";
  }
  if (has_causes) return fmt::format("Figures moved because {}.\n", causes);
  return "Figures moved though inputs, rule and version are equal: they were measured, or the tool has a fault.\n";
}

Table rows_table(const RunDiff& diff, const std::string& name, const std::string& title,
                 std::vector<const DiffRow*> rows) {
  using Item = const DiffRow*;
  return {name, std::move(rows),
          std::vector<Field<Item>>{
              {"kind", {}, Unit::text, [](Item row) { return kind_text(row->kind); }},
              {"name", title, Unit::text, [](Item row) { return Value(row->name).shown(column_words(row->name)); }},
              {"before", fmt::format("run {}", diff.before), Unit::exact,
               [](Item row) { return cell_value(row->before).shown(shown(*row).before); }},
              {"after", fmt::format("run {}", diff.after), Unit::exact,
               [](Item row) { return cell_value(row->after).shown(shown(*row).after); }},
              {"ratio", "ratio", Unit::ratio, [](Item row) { return row->ratio != 0 ? Value(row->ratio) : Value(); }}}};
}

}  // namespace

Document document(const RunDiff& diff) {
  Document document;
  document.facts([&diff] {
            return Json{{"before", diff.before}, {"after", diff.after}};
          })
      .sheet(rows_table(diff, "", "", each_of(diff.rows)))
      .say(fmt::format("Run {} against run {}\n{}", diff.before, diff.after, verdict_text(diff)));
  for (const auto& [kind, name] :
       {std::pair{Kind::input, "inputs"}, std::pair{Kind::rule, "rules"}, std::pair{Kind::figure, "figures"}}) {
    Table table = rows_table(diff, name, kind_text(kind), rows_of(diff, kind));
    if (diff.has(kind)) {
      document.say("\n").show(std::move(table));
    } else {
      document.list(std::move(table));
    }
  }
  return document;
}

}  // namespace upsweep
