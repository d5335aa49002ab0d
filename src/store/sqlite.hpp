#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "connection.hpp"

namespace upsweep {

/// A prepared statement.
class Statement {
 public:
  Statement(Sqlite& database, std::string_view sql);

  /// Binds the values to the parameters from the first on; a double without a fraction is bound as an integer.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int position = 0;
    (bind_one(++position, values), ...);
    return *this;
  }

  /// Binds one value to the parameter at `position`, from 1, after a reset().
  template <class Value>
  void bind_at(int position, const Value& value) {
    bind_one(position, value);
  }

  /// Ends reading: what was locked for it is free again.
  void reset() {
    sqlite3_reset(statement_.get());
    rows_ = 0;
  }

  /// Runs to the next row; false when there is none. Throws InputError naming table and row where a value of it cannot
  /// be: no finite number in a column of numbers, a negative count or time.
  bool step();
  /// Runs a statement without rows.
  void run() {
    while (step()) {
    }
  }

  [[nodiscard]] std::string text(int column) const;
  /// Bytes of a blob, until the next step or reset.
  [[nodiscard]] std::span<const std::uint8_t> bytes(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  [[nodiscard]] double number(int column) const { return sqlite3_column_double(statement_.get(), column); }
  /// A number, or NaN where there is none.
  [[nodiscard]] double number_or_nan(int column) const {
    return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : number(column);
  }
  /// A count as bind() stored it: beyond 64 signed bits a double, at most the largest count there is.
  [[nodiscard]] std::uint64_t count(int column) const {
    if (!is_float(column)) return static_cast<std::uint64_t>(integer(column));
    constexpr double kBeyond = 0x1p64;
    return number(column) < kBeyond ? static_cast<std::uint64_t>(number(column)) : UINT64_MAX;
  }
  [[nodiscard]] bool is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  [[nodiscard]] bool is_integer(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_INTEGER;
  }
  [[nodiscard]] bool is_float(int column) const {
    return sqlite3_column_type(statement_.get(), column) == SQLITE_FLOAT;
  }
  [[nodiscard]] int columns() const { return sqlite3_column_count(statement_.get()); }
  [[nodiscard]] std::string column_name(int column) const { return sqlite3_column_name(statement_.get(), column); }

 private:
  /// What a column of the result may hold.
  struct ColumnRule {
    bool is_number = false;
    bool is_count = false;     ///< or a time: not below 0
    bool is_distance = false;  ///< of a result from what it should be: may be infinite
  };

  void learn_rules();
  void check_row() const;
  [[nodiscard]] bool is_possible(int column) const;
  /// Which row this is, as a user can look it up: "id 3 of ops", "row 2 of ops WHERE run_id = 1".
  [[nodiscard]] std::string row_text(int column) const;

  void check(int code) const {
    if (code != SQLITE_OK) database_.fail(code);
  }
  void bind_one(int position, std::int64_t value) { check(sqlite3_bind_int64(statement_.get(), position, value)); }
  void bind_one(int position, double value) { check(sqlite3_bind_double(statement_.get(), position, value)); }
  void bind_one(int position, std::string_view value) {
    check(
        sqlite3_bind_text(statement_.get(), position, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT));
  }
  void bind_one(int position, const std::string& value) { bind_one(position, std::string_view(value)); }
  void bind_one(int position, const char* value) { bind_one(position, std::string_view(value)); }
  void bind_one(int position, bool value) { bind_one(position, std::int64_t{value ? 1 : 0}); }
  void bind_one(int position, std::nullptr_t) { check(sqlite3_bind_null(statement_.get(), position)); }
  template <class T>
  void bind_one(int position, const std::optional<T>& value) {
    if (value) {
      bind_one(position, *value);
    } else {
      bind_one(position, nullptr);
    }
  }
  /// A count: an integer while it fits into SQLite's 64 signed bits, else the nearest double.
  void bind_one(int position, std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) {
      bind_one(position, static_cast<std::int64_t>(value));
    } else {
      bind_one(position, static_cast<double>(value));
    }
  }
  void bind_one(int position, std::uint32_t value) { bind_one(position, std::uint64_t{value}); }

 public:
  /// Bytes for a blob; they stay where they are until the statement has run.
  struct Blob {
    std::span<const std::uint8_t> bytes;
  };
  /// A text that stays where it is until the statement has run; NULL where it is empty.
  struct Borrowed {
    std::string_view text;
  };
  /// A mean: sum / inputs, as an integer where it is one.
  struct Mean {
    std::uint64_t sum = 0;
    std::uint64_t inputs = 1;
  };

 private:
  void bind_one(int position, const Blob& value) {
    check(sqlite3_bind_blob64(statement_.get(), position, value.bytes.data(), value.bytes.size(), SQLITE_STATIC));
  }
  void bind_one(int position, const Borrowed& value) {
    const char* text = value.text.empty() ? nullptr : value.text.data();
    check(sqlite3_bind_text(statement_.get(), position, text, static_cast<int>(value.text.size()), SQLITE_STATIC));
  }
  void bind_one(int position, const Mean& value) {
    if (value.sum % value.inputs == 0) {
      bind_one(position, value.sum / value.inputs);
    } else {
      bind_one(position, static_cast<double>(value.sum) / static_cast<double>(value.inputs));
    }
  }

  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Sqlite& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::vector<ColumnRule> rules_;  ///< by column, once there was a row
  std::uint64_t rows_ = 0;         ///< since the last reset
};

}  // namespace upsweep
