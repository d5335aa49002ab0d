#include "diff_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace upsweep {
namespace {

// Ids, times of day and what another column says better.
constexpr std::array<std::string_view, 9> kOwn = {"id",          "run_id", "command_id", "search_id",      "machine_id",
                                                  "created_utc", "notes",  "verdict",    "verdict_details"};
constexpr std::array<std::string_view, 2> kRules = {"rule", "tool_version"};
constexpr std::array<std::string_view, 39> kInputs = {
    "command",     "parameters",   "model",       "model_file",     "model_hash",
    "pattern",     "inputs",       "requested",   "schedule",       "depth",
    "workers",     "objective",    "execution",   "scope",          "memory_limit_bytes",
    "machine",     "machine_text", "backend",     "device",         "driver",
    "value_bytes", "input",        "repetitions", "name",           "kind",
    "file",        "content_hash", "unit",        "link",           "kernels",
    "devices",     "network",      "hidden",      "sequence_steps", "batch",
    "fused",       "dtype",        "in_shape",    "out_shape"};

template <std::size_t n>
bool is_in(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> number(const Cell& cell) {
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

/// Integers as integers, so that large counts that differ by one differ; else numbers as numbers.
bool is_equal(const Cell& a, const Cell& b) {
  if (a.index() == b.index()) return a == b;
  const std::optional<double> x = number(a);
  const std::optional<double> y = number(b);
  return x && y && *x == *y;
}

void add_difference(DiffRow::Kind kind, std::string name, Cell before, Cell after, std::vector<DiffRow>& into) {
  if (is_equal(before, after)) return;
  const std::optional<double> x = number(before);
  const std::optional<double> y = number(after);
  const double ratio = x && y && *x != 0 ? *y / *x : 0;
  into.push_back({kind, std::move(name), std::move(before), std::move(after), ratio});
}

/// Lines of a text without what surrounds them.
std::multiset<std::string> lines(const Cell& cell) {
  std::multiset<std::string> all;
  const auto* text = std::get_if<std::string>(&cell);
  for (std::string_view rest = text != nullptr ? *text : std::string_view(); !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos) {
      all.emplace(line.substr(first, line.find_last_not_of(" \t\r") - first + 1));
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return all;
}

/// Lines of one text that the other lacks; a file of another machine is too much to show.
Cell only_in(const Cell& mine, const Cell& others) {
  constexpr std::size_t kMost = 200;
  const std::multiset<std::string> here = lines(mine);
  const std::multiset<std::string> there = lines(others);
  if (here.empty()) return std::monostate();
  std::vector<std::string> own;
  std::set_difference(here.begin(), here.end(), there.begin(), there.end(), std::back_inserter(own));
  if (own.empty()) return fmt::format("{} lines", here.size());
  std::string text;
  for (const std::string& line : own) {
    if (!text.empty()) text += "; ";
    text += line;
  }
  return text.size() <= kMost ? text : fmt::format("{} lines of its own", own.size());
}

/// Before and after of a machine file; nothing where the files have the same lines in another order.
void add_machine_text(const std::string& name, const Cell& before, const Cell& after, std::vector<DiffRow>& into) {
  if (is_equal(before, after)) return;
  into.push_back({DiffRow::Kind::input, name, only_in(before, after), only_in(after, before), 0});
}

/// The cell of a column by name; nothing where the table lacks it. Of two of one name the last: it replaces the first.
Cell cell_of(const QueryResult& table, std::size_t row, const std::string& column) {
  if (row >= table.rows.size()) return std::monostate();
  const auto at = std::find(table.columns.rbegin(), table.columns.rend(), column);
  if (at == table.columns.rend()) return std::monostate();
  return table.rows[row][static_cast<std::size_t>(std::distance(at, table.columns.rend()) - 1)];
}

/// Rows of a table by name and how often the name came before.
using RowNames = std::map<std::pair<std::string, std::size_t>, std::size_t>;

std::vector<std::pair<std::string, std::size_t>> names_of(const QueryResult& table, RowNames& rows) {
  std::map<std::string, std::size_t> seen;
  std::vector<std::pair<std::string, std::size_t>> names;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto* name = std::get_if<std::string>(table.rows[row].data());
    const std::string text = name != nullptr ? *name : std::string();
    names.emplace_back(text, seen[text]++);
    rows.emplace(names.back(), row);
  }
  return names;
}

std::string name_of_row(const std::pair<std::string, std::size_t>& name) {
  return name.second == 0 ? name.first : fmt::format("{} ({})", name.first, name.second + 1);
}

/// Tells of a row that one table lacks.
void add_missing(const std::string& name, const QueryResult& table, std::size_t row, bool is_before,
                 std::vector<DiffRow>& into) {
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    const Cell& cell = table.rows[row][c];
    if (std::holds_alternative<std::monostate>(cell)) continue;
    into.push_back({kind_of_column(table.columns[c]),
                    table.columns.size() > 2 ? fmt::format("{}: {}", name, table.columns[c]) : name,
                    is_before ? cell : Cell(), is_before ? Cell() : cell, 0});
    return;
  }
}

}  // namespace

DiffRow::Kind kind_of_column(const std::string& column) {
  if (is_in(kRules, column)) return DiffRow::Kind::rule;
  return is_in(kInputs, column) ? DiffRow::Kind::input : DiffRow::Kind::figure;
}

void compare_columns(const std::string& prefix, const QueryResult& before, const QueryResult& after,
                     std::vector<DiffRow>& into) {
  std::set<std::string> seen;
  for (const std::string& column : before.columns) {
    if (is_in(kOwn, column) || !seen.insert(column).second) continue;
    const Cell mine = cell_of(before, 0, column);
    const Cell others = cell_of(after, 0, column);
    if (column == "machine_text") {
      add_machine_text(prefix + "machine file", mine, others, into);
    } else {
      add_difference(kind_of_column(column), prefix + column, mine, others, into);
    }
  }
}

void compare_named(const QueryResult& before, const QueryResult& after, std::vector<DiffRow>& into) {
  RowNames in_before;
  RowNames in_after;
  const auto names_before = names_of(before, in_before);
  const auto names_after = names_of(after, in_after);
  for (const auto& name : names_before) {
    const std::size_t row = in_before.at(name);
    const auto other = in_after.find(name);
    if (other == in_after.end()) {
      add_missing(name_of_row(name), before, row, true, into);
      continue;
    }
    for (std::size_t c = 1; c < before.columns.size(); ++c) {
      const std::string text =
          before.columns.size() > 2 ? fmt::format("{}: {}", name_of_row(name), before.columns[c]) : name_of_row(name);
      add_difference(kind_of_column(before.columns[c]), text, before.rows[row][c], after.rows[other->second][c], into);
    }
  }
  for (const auto& name : names_after) {
    if (!in_before.contains(name)) add_missing(name_of_row(name), after, in_after.at(name), false, into);
  }
}

}  // namespace upsweep
