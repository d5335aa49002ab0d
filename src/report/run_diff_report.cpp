#include "upsweep/report/run_diff_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "cell_text.hpp"
#include "column_words.hpp"
#include "text_lines.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;
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

Json rows_json(const RunDiff& diff, Kind kind) {
  Json rows = Json::array();
  for (const DiffRow& row : diff.rows) {
    if (row.kind != kind) continue;
    rows.push_back({{"name", row.name},
                    {"before", cell_json(row.before)},
                    {"after", cell_json(row.after)},
                    {"ratio", row.ratio != 0 ? Json(row.ratio) : Json()}});
  }
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
  ShownPair pair{shown_cell(row.name, row.before), shown_cell(row.name, row.after)};
  if (pair.before == pair.after) pair = {cell_text(row.before), cell_text(row.after)};
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

std::string rows_text(const RunDiff& diff, Kind kind, const std::string& title, const TextStyle& style) {
  if (!diff.has(kind)) return "";
  TextTable table(
      {{title, Align::left}, {fmt::format("run {}", diff.before)}, {fmt::format("run {}", diff.after)}, {"ratio"}});
  for (const DiffRow& row : diff.rows) {
    if (row.kind != kind) continue;
    auto [before, after] = shown(row);
    table.row(
        {column_words(row.name), std::move(before), std::move(after), row.ratio != 0 ? short_ratio(row.ratio) : "-"});
  }
  return '\n' + table.text(style);
}

}  // namespace

Json to_json(const RunDiff& diff) {
  return {{"before", diff.before},
          {"after", diff.after},
          {"inputs", rows_json(diff, Kind::input)},
          {"rules", rows_json(diff, Kind::rule)},
          {"figures", rows_json(diff, Kind::figure)}};
}

std::string to_csv(const RunDiff& diff) {
  std::string csv = csv_line({"kind", "name", "before", "after", "ratio"});
  for (const DiffRow& row : diff.rows) {
    csv += csv_line({kind_text(row.kind), row.name, cell_text(row.before), cell_text(row.after),
                     row.ratio != 0 ? fmt::format("{}", row.ratio) : ""});
  }
  return csv;
}

std::string to_text(const RunDiff& diff, const TextStyle& style) {
  return fmt::format("Run {} against run {}\n{}{}{}{}", diff.before, diff.after, verdict_text(diff),
                     rows_text(diff, Kind::input, "input", style), rows_text(diff, Kind::rule, "rule", style),
                     rows_text(diff, Kind::figure, "figure", style));
}

}  // namespace upsweep
