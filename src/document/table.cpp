#include "upsweep/document/table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "upsweep/document/numbers.hpp"
#include "upsweep/document/text_table.hpp"

namespace upsweep {
namespace {

bool is_in_csv(const Column& column) { return !column.name.empty() && column.unit != Unit::object; }

}  // namespace

Table::Table(std::string name, std::vector<Column> columns, std::vector<std::vector<Value>> rows)
    : name_(std::move(name)), columns_(std::move(columns)), rows_(rows.size()) {
  values_ = [rows = std::move(rows)](std::size_t row, std::size_t column) { return rows[row][column]; };
}

Table Table::marks(std::function<bool(std::size_t row)> is_best) && {
  is_best_ = std::move(is_best);
  return std::move(*this);
}

Table Table::unnamed() && {
  name_.clear();
  return std::move(*this);
}

Table Table::keys(std::size_t columns) && {
  keys_ = columns;
  return std::move(*this);
}

Table Table::at_most(std::size_t rows, std::string instead) && {
  most_rows_ = rows;
  more_ = std::move(instead);
  return std::move(*this);
}

Table Table::first(std::size_t rows, std::string below) && {
  shows_first_ = true;
  return std::move(*this).at_most(rows, std::move(below));
}

Json Table::object(std::size_t row) const {
  Json object = Json::object();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].name.empty()) object[Json::json_pointer('/' + columns_[c].name)] = value(row, c).json();
  }
  return object;
}

Json Table::json() const {
  Json objects = Json::array();
  for (std::size_t row = 0; row < rows_; ++row) objects.push_back(object(row));
  return objects;
}

std::string Table::csv() const {
  std::vector<std::string> cells;
  for (const Column& column : columns_) {
    if (!is_in_csv(column)) continue;
    std::string name = column.name;
    std::ranges::replace(name, '/', '_');
    if (column.unit == Unit::interval) {
      cells.push_back(name + "_low");
      name += "_high";
    }
    cells.push_back(std::move(name));
  }
  std::string text = csv_line(cells);
  for (std::size_t row = 0; row < rows_; ++row) {
    cells.clear();
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!is_in_csv(columns_[c])) continue;
      const Value cell = value(row, c);
      if (columns_[c].unit != Unit::interval) {
        cells.push_back(cell.exact());
        continue;
      }
      const std::optional<Interval> interval = cell.as_interval();
      cells.push_back(interval ? Value(interval->low).exact() : "");
      cells.push_back(interval ? Value(interval->high).exact() : "");
    }
    text += csv_line(cells);
  }
  return text;
}

std::string Table::text(const TextStyle& style) const {
  const bool is_cut = rows_ > most_rows_;
  if (is_cut && !shows_first_) return more_;
  std::vector<TextTable::Column> heads;
  for (const Column& column : columns_) {
    const bool is_left = column.unit == Unit::text;
    if (column.head) heads.push_back({*column.head, is_left ? TextTable::Align::left : TextTable::Align::right});
  }
  TextTable table(heads, keys_);
  for (std::size_t row = 0; row < std::min(rows_, most_rows_); ++row) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].head) cells.push_back(value(row, c).text(columns_[c].unit));
    }
    const bool names_best = style.marks_best && is_best(row) && columns_.back().head == "" && cells.back().empty();
    if (names_best) cells.back() = "<- best";
    table.row(std::move(cells), is_best(row) ? RowMark::best : RowMark::none);
  }
  return table.text(style) + (is_cut ? more_ : "");
}

}  // namespace upsweep
