#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sqlite.hpp"
#include "upsweep/base/interval.hpp"

// Rows of tables as structs, in both directions. What a table has in common with a struct is said once, by a function
//
//     void columns(auto& visit, Row& row) { visit("name", row.name); ... }
//
// which is called with a visitor that collects the names, one that binds the values of a row, which must not change
// then, or one that reads them: kReads.

namespace upsweep {

/// The name of a column, in one piece or in two.
struct ColumnName {
  ColumnName(const char* whole) : first(whole) {}  // NOLINT(google-explicit-constructor)
  ColumnName(const char* one, const char* two) : first(one), second(two) {}
  const char* first;
  const char* second = "";
};

/// Collects the names of the columns that it visits.
class ColumnNames {
 public:
  static constexpr bool kIsReader = false;

  void operator()(ColumnName name, const auto&) { add(name); }
  void or_null(ColumnName name, const auto&) { add(name); }
  void or_nan(ColumnName name, const auto&) { add(name); }
  void or_else(ColumnName name, const auto&, const auto&) { add(name); }
  void choice(ColumnName name, bool, const char*, const char*) { add(name); }

  /// "a, b, c"
  [[nodiscard]] const std::string& list() const { return list_; }
  [[nodiscard]] int count() const { return count_; }

 protected:
  void add(ColumnName name) {
    if (count_++ > 0) list_ += ", ";
    list_.append(name.first).append(name.second);
  }

 private:
  std::string list_;
  int count_ = 0;
};

/// Binds the values that it visits to the parameters of a statement, from one on.
class ColumnBinder {
 public:
  static constexpr bool kIsReader = false;

  ColumnBinder(Statement& statement, int first) : statement_(statement), next_(first) {}

  void operator()(ColumnName, char letter) { statement_.bind_at(next_++, std::string(1, letter)); }
  void operator()(ColumnName, const std::vector<std::uint8_t>& bytes) {
    statement_.bind_at(next_++, Statement::Blob{bytes});
  }
  void operator()(ColumnName, const auto& value) { statement_.bind_at(next_++, value); }
  /// An empty text, or 0, is NULL.
  void or_null(ColumnName name, const auto& value) {
    if (value == std::remove_cvref_t<decltype(value)>{}) {
      (*this)(name, nullptr);
    } else {
      (*this)(name, value);
    }
  }
  /// NaN is NULL.
  void or_nan(ColumnName name, double value) { (*this)(name, value); }  // as SQLite has it
  /// What is not there is `other`.
  void or_else(ColumnName name, const auto& value, const auto& other) {
    (*this)(name, value ? std::remove_cvref_t<decltype(other)>(*value) : other);
  }
  /// One of two texts.
  void choice(ColumnName name, bool is_first, const char* first, const char* second) {
    (*this)(name, is_first ? first : second);
  }

 protected:
  Statement& statement_;  // NOLINT(*-non-private-member-*)
  int next_;              // NOLINT(*-non-private-member-*)
};

/// Reads the columns of the row that a statement stands at, from one on; NULL is an empty text, 0 or nothing.
class ColumnReader {
 public:
  static constexpr bool kIsReader = true;

  explicit ColumnReader(const Statement& row, int first = 0) : row_(row), next_(first) {}

  void operator()(ColumnName, auto& field) { read(field); }
  void or_null(ColumnName, auto& field) { read(field); }
  void or_nan(ColumnName, double& number) { number = row_.number_or_nan(next_++); }
  template <class T>
  void or_else(ColumnName, std::optional<T>& field, const auto& other) {
    const bool is_there = row_.integer(next_) != other;
    read(field);
    if (!is_there) field.reset();
  }
  void choice(ColumnName, bool& is_first, const char* first, const char*) { is_first = row_.text(next_++) == first; }

 protected:
  void read(std::string& text) { text = row_.text(next_++); }
  void read(double& number) { number = row_.number(next_++); }
  void read(bool& flag) { flag = row_.integer(next_++) != 0; }
  void read(std::int64_t& number) { number = row_.integer(next_++); }
  void read(std::uint64_t& count) { count = row_.count(next_++); }
  void read(std::uint32_t& count) { count = static_cast<std::uint32_t>(row_.integer(next_++)); }
  void read(char& letter) {
    const std::string text = row_.text(next_++);
    if (!text.empty()) letter = text[0];
  }
  void read(std::vector<std::uint8_t>& bytes) {
    const auto read = row_.bytes(next_++);
    bytes.assign(read.begin(), read.end());
  }
  template <class T>
  void read(std::optional<T>& field) {
    field.reset();
    if (row_.is_null(next_)) {
      ++next_;
    } else {
      read(field.emplace());
    }
  }

  const Statement& row_;  // NOLINT(*-non-private-member-*)
  int next_;              // NOLINT(*-non-private-member-*)
};

/// Whether a visitor reads.
template <class Visit>
inline constexpr bool kReads = std::remove_cvref_t<Visit>::kIsReader;

/// Visits the two columns of an interval, both NULL where there is none.
void interval_columns(auto& visit, ColumnName low, ColumnName high, std::optional<Interval>& interval) {
  std::optional<double> from = interval ? std::optional(interval->low) : std::nullopt;
  std::optional<double> to = interval ? std::optional(interval->high) : std::nullopt;
  visit(low, from);
  visit(high, to);
  if constexpr (kReads<decltype(visit)>) {
    interval.reset();
    if (from && to) interval = Interval{*from, *to};
  }
}

/// The columns of a row.
template <class Row>
[[nodiscard]] ColumnNames names_of() {
  ColumnNames names;
  Row row;
  columns(names, row);
  return names;
}

/// The row that a statement of names_of<Row>() stands at.
template <class Row>
[[nodiscard]] Row row_at(const Statement& statement) {
  Row row;
  ColumnReader reader(statement);
  columns(reader, row);
  return row;
}

/// A statement that selects the columns of a row. `from`: "FROM table WHERE key = ? ORDER BY ...", whose parameters
/// are `values`.
template <class Row>
[[nodiscard]] Statement select(Sqlite& database, std::string_view from, const auto&... values) {
  Statement statement(database, std::string("SELECT ") + names_of<Row>().list() + " " + std::string(from));
  statement.bind(values...);
  return statement;
}

/// All rows of a select().
template <class Row>
[[nodiscard]] std::vector<Row> all_rows(Sqlite& database, std::string_view from, const auto&... values) {
  Statement statement = select<Row>(database, from, values...);
  std::vector<Row> rows;
  while (statement.step()) rows.push_back(row_at<Row>(statement));
  return rows;
}

/// The first row of a select(), if any.
template <class Row>
[[nodiscard]] std::optional<Row> first_row(Sqlite& database, std::string_view from, const auto&... values) {
  Statement statement = select<Row>(database, from, values...);
  return statement.step() ? std::optional(row_at<Row>(statement)) : std::nullopt;
}

/// Writes rows into a table, each with columns that are not in its struct before its own.
template <class Row>
class Insert {
 public:
  /// `keys`: names of those columns.
  Insert(Sqlite& database, std::string_view table, std::string_view keys = {})
      : statement_(database, sql(table, keys)) {}

  /// The texts and bytes that keys and row refer to are copied.
  void operator()(const Row& row, const auto&... keys) {
    statement_.bind(keys...);
    ColumnBinder binder(statement_, static_cast<int>(sizeof...(keys)) + 1);
    columns(binder, const_cast<Row&>(row));  // NOLINT(*-const-cast): which changes nothing
    statement_.run();
  }

 private:
  static std::string sql(std::string_view table, std::string_view keys) {
    const ColumnNames names = names_of<Row>();
    const std::string all = std::string(keys) + (keys.empty() ? "" : ", ") + names.list();
    std::string values = "?";  // and one for each comma
    for (const char c : all) values += c == ',' ? ", ?" : "";
    return "INSERT INTO " + std::string(table) + " (" + all + ") VALUES (" + values + ")";
  }

  Statement statement_;
};

/// Writes one row; returns its id.
template <class Row>
std::int64_t insert_row(Sqlite& database, std::string_view table, const Row& row, std::string_view keys,
                        const auto&... values) {
  Insert<Row>(database, table, keys)(row, values...);
  return database.last_row_id();
}

}  // namespace upsweep
