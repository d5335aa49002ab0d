#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "upsweep/document/json.hpp"
#include "upsweep/document/text_style.hpp"
#include "upsweep/document/value.hpp"

namespace upsweep {

/// A column of a table: what programs call it, what people read above it, and what its values are.
struct Column {
  std::string name = {};                 ///< in JSON, a path as in "makespans/level", and CSV; empty: for people alone
  std::optional<std::string> head = {};  ///< none: for programs alone; an empty one has remarks on rows
  Unit unit = Unit::count;
};

/// A column and its value in a row: what a function or a member of the row gives.
template <class Row>
struct Field : Column {
  std::function<Value(const Row&)> value;

  template <class Of>
  Field(std::string path, std::optional<std::string> heading, Unit in, Of of)
      : Column{std::move(path), std::move(heading), in},
        value([of = std::move(of)](const Row& row) -> Value { return std::invoke(of, row); }) {}
};

/// Rows of values, made when they are asked for: valid as long as what they are made from.
class Table {
 public:
  /// `name`: where JSON has its rows, a path; empty: for people and CSV alone. Rows are small: pointers or numbers.
  template <class Row>
  Table(std::string name, std::vector<Row> rows, std::vector<Field<Row>> fields)
      : name_(std::move(name)), columns_(fields.begin(), fields.end()), rows_(rows.size()) {
    values_ = [rows = std::move(rows), fields = std::move(fields)](std::size_t row, std::size_t column) {
      return fields[column].value(rows[row]);
    };
  }

  /// Rows that are there: a value for each column.
  Table(std::string name, std::vector<Column> columns, std::vector<std::vector<Value>> rows);

  /// Which rows stand out.
  Table marks(std::function<bool(std::size_t row)> is_best) &&;
  /// How many columns tell rows apart, and stand in each block of a narrow text; 1 unless told otherwise.
  Table keys(std::size_t columns) &&;
  /// With more rows people read this instead.
  Table at_most(std::size_t rows, std::string instead) &&;
  /// With more rows people see the first ones, and this below.
  Table first(std::size_t rows, std::string below) &&;

  /// The same where JSON has its rows elsewhere.
  Table unnamed() &&;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::vector<Column>& columns() const { return columns_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] bool is_best(std::size_t row) const { return is_best_ && is_best_(row); }
  [[nodiscard]] Value value(std::size_t row, std::size_t column) const { return values_(row, column); }

  /// An object of a row, of the columns that have a name.
  [[nodiscard]] Json object(std::size_t row) const;
  /// The objects of all rows.
  [[nodiscard]] Json json() const;
  /// By RFC 4180, of the columns that have a name and are no objects, slashes of paths as "_".
  [[nodiscard]] std::string csv() const;
  /// Of the columns that have a head.
  [[nodiscard]] std::string text(const TextStyle& style = {}) const;

 private:
  std::string name_;
  std::vector<Column> columns_;
  std::size_t rows_;
  std::function<Value(std::size_t row, std::size_t column)> values_;
  std::function<bool(std::size_t row)> is_best_;
  std::size_t keys_ = 1;
  std::size_t most_rows_ = SIZE_MAX;
  bool shows_first_ = false;
  std::string more_;  // of more rows
};

/// Rows 0 to count - 1, for fields that look rows up by number.
[[nodiscard]] inline std::vector<std::size_t> numbered(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// A pointer to each element of what outlives the table.
template <class Elements>
[[nodiscard]] auto each_of(const Elements& elements) {
  std::vector<decltype(&*std::begin(elements))> rows;
  for (const auto& element : elements) rows.push_back(&element);
  return rows;
}

}  // namespace upsweep
