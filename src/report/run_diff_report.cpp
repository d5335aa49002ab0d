#include "upsweep/report/run_diff_report.hpp"

#include <fmt/format.h>

#include "cell_text.hpp"

namespace upsweep {
namespace {

using Align = TextTable::Align;
using Kind = DiffRow::Kind;

constexpr std::size_t kMostNames = 6;  // in a sentence

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

/// A cell for people: a long hash is cut short.
std::string shown(const Cell& cell) {
  std::string text = cell_text(cell);
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

/// The names of a kind, as a list for a sentence.
std::string names_text(const RunDiff& diff, Kind kind) {
  std::string text;
  std::size_t count = 0;
  for (const DiffRow& row : diff.rows) {
    if (row.kind != kind) continue;
    if (++count <= kMostNames) text += fmt::format("{}{}", text.empty() ? "" : ", ", row.name);
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
    table.row({row.name, shown(row.before), shown(row.after), row.ratio != 0 ? short_ratio(row.ratio) : "-"});
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
