#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep {

/// An open SQLite connection. Every failure throws InputError that names the file.
class Sqlite {
 public:
  /// Opens `file`, creating it where `create` is set. Waits up to a minute for other processes.
  Sqlite(const std::string& file, bool create);

  /// Runs statements that return nothing.
  void execute(const std::string& sql);

  /// The first column of the first row, or 0.
  [[nodiscard]] std::int64_t integer(const std::string& sql);
  [[nodiscard]] std::int64_t last_row_id() const { return sqlite3_last_insert_rowid(connection_.get()); }
  [[nodiscard]] std::int64_t changed_rows() const { return sqlite3_changes(connection_.get()); }
  [[nodiscard]] sqlite3* handle() const { return connection_.get(); }
  [[nodiscard]] const std::string& file() const { return file_; }

  /// Throws InputError with what SQLite says.
  [[noreturn]] void fail(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
  };
  std::string file_;
  std::unique_ptr<sqlite3, Close> connection_;
};

/// A text, or NULL where it is empty.
[[nodiscard]] inline std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

/// A prepared statement.
class Statement {
 public:
  Statement(Sqlite& database, std::string_view sql);

  /// Binds the values to the parameters from the first on; a double without a fraction is bound as an integer.
  template <class... Values>
  Statement& bind(const Values&... values) {
    sqlite3_reset(statement_.get());
    int position = 0;
    (bind_one(++position, values), ...);
    return *this;
  }

  /// Runs to the next row; false when there is none.
  bool step();
  /// Runs a statement without rows.
  void run() {
    while (step()) {
    }
  }

  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  [[nodiscard]] double number(int column) const { return sqlite3_column_double(statement_.get(), column); }
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
  /// A mean: sum / inputs, as an integer where it is one.
  struct Mean {
    std::uint64_t sum;
    std::uint64_t inputs;
  };

 private:
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
};

/// A transaction that is rolled back unless commit() was reached.
class Transaction {
 public:
  enum class Kind {
    read,   ///< one state of the database for all that is read
    write,  ///< takes the write lock at once
  };

  Transaction(Sqlite& database, Kind kind) : database_(database) {
    database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
  }
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    database_.execute("COMMIT");
    open_ = false;
  }

 private:
  Sqlite& database_;
  bool open_ = true;
};

}  // namespace upsweep
